/* SPDX-License-Identifier: Apache-2.0
 *
 * Binding threads that libraries started. Each library has its own way to say where its threads go (OMP_PLACES,
 * GOMP_CPU_AFFINITY, KMP_AFFINITY, thread options of others), and some have none; so it is done from outside, to
 * whatever threads were seen working while the case ran untimed. Threads that sleep all the time, of which
 * libraries have some, get no CPU of their own.
 */
#include "run/pinned_threads.h"

#include "measure/proc.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- CPUs ---- */

ob_status ob__pins_read(const char *list, int64_t threads, ob_pins *out, ob_err *err)
{
    ob_cpu_set set;
    ob_err why;
    *out = (ob_pins){.count = 0};
    if (list == NULL)
        return OB_OK;
    if (list[0] == '\0' || ob_cpu_set_parse(list, strlen(list), &set, &why) != OB_OK)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--pin: '%.64s' is not a list of CPUs below %d; write it like 0-3,8",
                          list, OB_MAX_CPUS);
    const size_t listed = ob_cpu_set_count(&set);
    if ((int64_t)listed < threads)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--pin %.64s lists %zu CPU%s for %lld threads; list one for each, or "
                          "give a lower --num-threads",
                          list, listed, listed == 1 ? "" : "s", (long long)threads);
    for (size_t cpu = 0; cpu < OB_MAX_CPUS; cpu++)
        if (out->listed < OB_MOST_PINS && ob_cpu_set_has(&set, cpu))
            out->items[out->listed++].cpu = cpu;
    out->count = threads < (int64_t)out->listed ? (size_t)threads : out->listed;
    return OB_OK;
}

static void add_cpu(size_t cpu, cpu_set_t *to)
{
    if (cpu < CPU_SETSIZE)
        CPU_SET(cpu, to);
}

static cpu_set_t all_of(const ob_pins *pins)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (size_t i = 0; i < pins->count; i++)
        add_cpu(pins->items[i].cpu, &all);
    return all;
}

/* The kernel leaves out CPUs that the process may not use, and is silent as long as one is left. */
ob_status ob__pins_take(const ob_pins *pins, ob_err *err)
{
    ob_cpu_set usable;
    if (pins->count == 0)
        return OB_OK;
    OB_TRY(ob_cpu_set_usable(&usable, err));
    for (size_t i = 0; i < pins->listed; i++)
        if (!ob_cpu_set_has(&usable, pins->items[i].cpu))
            return ob_err_set(
                err, OB_ERR_INVALID,
                "--pin: this process may not use CPU %zu; `taskset -cp $$` shows which it may",
                pins->items[i].cpu);
    const cpu_set_t all = all_of(pins);
    if (sched_setaffinity(0, sizeof all, &all) == 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID, "--pin: the system does not allow it: %s",
                      strerror(errno));
}

void ob__pins_loosen(const ob_pins *pins)
{
    const cpu_set_t all = all_of(pins);
    if (pins->count > 0)
        sched_setaffinity(0, sizeof all, &all);
}

/* ---- threads ---- */

static bool read_thread(const char *dir, const char *name, ob_thread_look *out)
{
    char path[512], line[512];
    char *end;
    *out = (ob_thread_look){.thread = (pid_t)strtol(name, &end, 10)};
    if (end == name || *end != '\0')
        return false;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    /* Its own clock stands until the kernel looks at it again; a thread that spins is seen by its state. */
    if (ob__proc_line(path, line, sizeof line, "/schedstat"))
        out->ran_ns = strtoull(line, NULL, 10);
    if (!ob__proc_line(path, line, sizeof line, "/stat"))
        return false;
    const char *state = strrchr(line, ')'); /* the name before it may have anything in it */
    out->running = state != NULL && strncmp(state, ") R", 3) == 0;
    return true;
}

void ob__pins_look(const char *dir, ob_thread_looks *out)
{
    dir = dir != NULL ? dir : "/proc/self/task";
    DIR *folder = opendir(dir);
    out->count = 0;
    for (const struct dirent *entry;
         folder != NULL && out->count < OB_MOST_PINS && (entry = readdir(folder)) != NULL;)
        out->count += read_thread(dir, entry->d_name, &out->items[out->count]);
    if (folder != NULL)
        closedir(folder);
}

static const ob_thread_look *find_look(const ob_thread_looks *looks, pid_t thread)
{
    for (size_t i = 0; i < looks->count; i++)
        if (looks->items[i].thread == thread)
            return &looks->items[i];
    return NULL;
}

static ob_pin *find_pin(ob_pins *pins, pid_t thread)
{
    for (size_t i = 0; i < pins->count; i++)
        if (pins->items[i].thread == thread)
            return &pins->items[i];
    return NULL;
}

void ob__pins_assign(ob_pins *pins, pid_t own, const ob_thread_looks *before,
                     const ob_thread_looks *after)
{
    for (size_t i = 0; i < pins->count; i++)
        if (find_look(after, pins->items[i].thread) == NULL)
            pins->items[i].thread = 0;
    if (pins->count > 0)
        pins->items[0].thread = own;
    for (size_t i = 0; i < after->count; i++) {
        const ob_thread_look *now = &after->items[i], *then = find_look(before, now->thread);
        const bool worked = now->running || then == NULL || now->ran_ns > then->ran_ns;
        ob_pin *pin = worked && find_pin(pins, now->thread) == NULL ? find_pin(pins, 0) : NULL;
        if (pin != NULL)
            pin->thread = now->thread;
    }
}

int64_t ob__pins_bind(const ob_pins *pins)
{
    int64_t bound = 0;
    for (size_t i = 0; i < pins->count; i++) {
        cpu_set_t one;
        CPU_ZERO(&one);
        add_cpu(pins->items[i].cpu, &one);
        bound += pins->items[i].thread != 0 &&
                 sched_setaffinity(pins->items[i].thread, sizeof one, &one) == 0;
    }
    return bound;
}

/* ---- memory ---- */

enum { BIND = 2 /* MPOL_BIND */ };

ob_status ob__memory_nodes_read(const char *root, const char *list, ob_cpu_set *out, ob_err *err)
{
    char line[256];
    ob_cpu_set there;
    if (list[0] == '\0' || ob_cpu_set_parse(list, strlen(list), out, NULL) != OB_OK)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--membind: '%.64s' is not a NUMA node; give a number, such as 0", list);
    if ((!ob__proc_line(root, line, sizeof line, "/sys/devices/system/node/has_memory") &&
         !ob__proc_line(root, line, sizeof line, "/sys/devices/system/node/online")) ||
        ob_cpu_set_parse(line, strlen(line), &there, NULL) != OB_OK)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "--membind: the system does not say which memory nodes there are; leave "
                          "it out");
    for (size_t node = 0; node < OB_MAX_CPUS; node++)
        if (ob_cpu_set_has(out, node) && !ob_cpu_set_has(&there, node))
            return ob_err_set(err, OB_ERR_INVALID,
                              "--membind %.64s: there is no memory node %zu; this machine has %s",
                              list, node, line);
    return OB_OK;
}

ob_status ob__memory_nodes_take(const char *list, ob_err *err)
{
    ob_cpu_set nodes;
    if (list == NULL)
        return OB_OK;
    OB_TRY(ob__memory_nodes_read(NULL, list, &nodes, err));
    /* By the call itself: libnuma would be a library more for one line. The kernel reads words of its own size, which on
     * little-endian machines, and where a word has 64 bits, is our layout too. */
    if (syscall(SYS_set_mempolicy, BIND, nodes.bits, (unsigned long)OB_MAX_CPUS) == 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_UNSUPPORTED, "--membind: the system does not allow it: %s%s",
                      strerror(errno),
                      errno == EPERM ? "; in a container, add --cap-add SYS_NICE" : "");
}
