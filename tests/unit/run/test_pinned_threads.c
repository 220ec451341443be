/* SPDX-License-Identifier: Apache-2.0
 *
 * Which thread gets which CPU, by stand-ins of /proc/self/task; and which nodes of memory there are.
 */
#include "check.h"
#include "run/pinned_threads.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void lists(void)
{
    ob_pins p;
    ob_err err;
    CHECK_INT(ob__pins_read(NULL, 8, &p, &err), OB_OK);
    CHECK_INT(p.count, 0);
    CHECK_INT(ob__pins_read("0,2,4-7", 3, &p, &err), OB_OK);
    CHECK_INT(p.count, 3);
    CHECK_INT(p.listed, 6);
    CHECK_INT(p.items[1].cpu, 2);
    CHECK_INT(p.items[5].cpu, 7);
    CHECK_INT(ob__pins_read("0,2", 3, &p, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "--pin 0,2 lists 2 CPUs for 3 threads; list one for each, or give a "
                           "lower --num-threads");
    static const char *const WRONG[] = {"", "x", "3-1", "1,", "-1", "4096"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        CHECK_INT(ob__pins_read(WRONG[i], 1, &p, &err), OB_ERR_INVALID);
        CHECK(strstr(err.message, "is not a list of CPUs below 4096; write it like 0-3,8") != NULL);
    }
}

static void a_cpu_that_is_not_ours(void)
{
    ob_pins p;
    ob_err err;
    CHECK_INT(ob__pins_read("4095", 1, &p, &err), OB_OK);
    CHECK_INT(ob__pins_take(&p, &err), OB_ERR_INVALID);
    CHECK_STR(err.message,
              "--pin: this process may not use CPU 4095; `taskset -cp $$` shows which it may");
}

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    for (char *slash = path + strlen(dir) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "we");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void make_folder(char *dir)
{
    snprintf(dir, 64, "/tmp/opbench-pins-XXXXXX");
    CHECK(mkdtemp(dir) != NULL);
}

/* Of a process with a thread that sleeps, one that works and one that spins. */
static void threads_that_work(void)
{
    char dir[64], clean[128];
    ob_thread_looks before, after;
    ob_pins p;
    make_folder(dir);
    write_file(dir, "10/schedstat", "1000 5 1\n");
    write_file(dir, "10/stat", "10 (opbench) S 1\n");
    write_file(dir, "11/schedstat", "500 5 1\n");
    write_file(dir, "11/stat", "11 (sleeps) S 1\n");
    write_file(dir, "12/schedstat", "600 5 1\n");
    write_file(dir, "12/stat", "12 (a) R b) S 1\n"); /* a name that looks like a state */
    write_file(dir, "13/schedstat", "700 5 1\n");
    write_file(dir, "13/stat", "13 (spins) R 1\n");
    write_file(dir, "x/stat", "no thread\n");
    ob__pins_look(dir, &before);
    CHECK_INT(before.count, 4);
    write_file(dir, "12/schedstat", "900 5 1\n");
    ob__pins_look(dir, &after);
    CHECK_INT(ob__pins_read("1,3,5,7", 4, &p, NULL), OB_OK);
    ob__pins_assign(&p, 10, &before, &after);
    CHECK_INT(p.items[0].thread, 10);
    CHECK_INT(p.items[1].thread + p.items[2].thread, 12 + 13);
    CHECK_INT(p.items[3].thread, 0);
    /* One is gone and another came: who has a pin keeps it. */
    const pid_t kept = p.items[2].thread;
    const pid_t gone = p.items[1].thread;
    after =
        (ob_thread_looks){.count = 3, .items = {{.thread = 10}, {.thread = kept}, {.thread = 14}}};
    ob__pins_assign(&p, 10, &before, &after);
    CHECK(kept != gone);
    CHECK_INT(p.items[1].thread, 14);
    CHECK_INT(p.items[2].thread, kept);
    snprintf(clean, sizeof clean, "rm -r %s", dir);
    CHECK_INT(system(clean), 0);
    ob__pins_look(dir, &after);
    CHECK_INT(after.count, 0);
}

static void this_thread_is_bound(void)
{
    ob_cpu_set usable;
    ob_pins p = {.count = 1, .listed = 1};
    ob_thread_looks looks;
    cpu_set_t now;
    CHECK_INT(ob_cpu_set_usable(&usable, NULL), OB_OK);
    while (!ob_cpu_set_has(&usable, p.items[0].cpu))
        p.items[0].cpu++;
    ob__pins_look(NULL, &looks);
    size_t own = 0; /* an emulator has threads, too */
    while (own < looks.count && looks.items[own].thread != gettid())
        own++;
    CHECK(own < looks.count);
    looks = (ob_thread_looks){.count = 1, .items = {looks.items[own % OB_MOST_PINS]}};
    ob__pins_assign(&p, gettid(), &looks, &looks);
    CHECK_INT(ob__pins_bind(&p), 1);
    CHECK_INT(sched_getaffinity(0, sizeof now, &now), 0);
    CHECK_INT(CPU_COUNT(&now), 1);
    CHECK(CPU_ISSET(p.items[0].cpu, &now));
}

static void memory_nodes(void)
{
    char dir[64], clean[128];
    ob_cpu_set nodes;
    ob_err err;
    make_folder(dir);
    CHECK_INT(ob__memory_nodes_read(dir, "0", &nodes, &err), OB_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "--membind: the system does not say which memory nodes there are; leave "
                           "it out");
    write_file(dir, "sys/devices/system/node/online", "0-3\n");
    CHECK_INT(ob__memory_nodes_read(dir, "3", &nodes, &err), OB_OK);
    write_file(dir, "sys/devices/system/node/has_memory", "0-1\n");
    CHECK_INT(ob__memory_nodes_read(dir, "0-1", &nodes, &err), OB_OK);
    CHECK_INT(ob_cpu_set_count(&nodes), 2);
    CHECK_INT(ob__memory_nodes_read(dir, "3", &nodes, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "--membind 3: there is no memory node 3; this machine has 0-1");
    CHECK_INT(ob__memory_nodes_read(dir, "near", &nodes, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "--membind: 'near' is not a NUMA node; give a number, such as 0");
    snprintf(clean, sizeof clean, "rm -r %s", dir);
    CHECK_INT(system(clean), 0);
}

int main(void)
{
    RUN(lists);
    RUN(a_cpu_that_is_not_ours);
    RUN(threads_that_work);
    RUN(memory_nodes);
    RUN(this_thread_is_bound);
    return ob_test_end();
}
