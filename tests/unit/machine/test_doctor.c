/* SPDX-License-Identifier: Apache-2.0
 *
 * The doctor's checks on machines that are made up of files: a quota, busy siblings, swap, several nodes, an empty /proc.
 */
#include "check.h"
#include "machine/doctor_int.h"
#include "measure/fp_mode.h"
#include "measure/root_dir.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#define CPU "/sys/devices/system/cpu"

static root_dir root;
static ob_doctor_facts facts;
static ob_finding found;

/* Reads the machine again, with CPUs 0 and 1 as those that may be used. */
static void read_facts(void)
{
    ob_cpu_set cpus;
    CHECK_INT(ob_cpu_set_parse("0-1", 3, &cpus, NULL), OB_OK);
    CHECK_INT(ob__doctor_facts_read(root.path, &cpus, &facts, NULL), OB_OK);
    facts.seconds = 2;
}

/* What the check says; its name must be in the table. */
static ob_finding_level look(const char *name)
{
    for (size_t i = 0; i < ob__check_row_count; i++) {
        if (strcmp(ob__check_rows[i].name, name) != 0)
            continue;
        found = (ob_finding){.check = name};
        CHECK(ob__check_rows[i].look(&facts, &found));
        return found.level;
    }
    CHECK_STR(name, "a name of the table");
    return OB_FINDING_LEVEL_COUNT;
}

static ob_finding_level look_after(const char *path, const char *text, const char *name)
{
    root_dir_write(&root, path, text);
    read_facts();
    return look(name);
}

static void frequency(void)
{
    read_facts();
    CHECK_INT(look("governor"), OB_FINDING_HIDDEN);
    CHECK_STR(found.text, "the frequency governor is not visible here");
    root_dir_write(&root, "/proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
    read_facts();
    CHECK_INT(look("turbo"), OB_FINDING_HIDDEN);
    CHECK_STR(found.text, "a virtual machine: turbo is not visible");
    CHECK_INT(look_after(CPU "/cpu0/cpufreq/scaling_governor", "performance\n", "governor"),
              OB_FINDING_OK);
    CHECK_INT(look_after(CPU "/cpu1/cpufreq/scaling_governor", "powersave\n", "governor"),
              OB_FINDING_WARNING);
    CHECK_STR(found.text, "CPUs have different governors");
    CHECK_HAS(found.fix, "cpupower");
    CHECK_INT(look_after(CPU "/cpufreq/boost", "1\n", "turbo"), OB_FINDING_WARNING);
    CHECK_STR(found.fix, "echo 0 | sudo tee " CPU "/cpufreq/boost");
    CHECK_INT(look_after(CPU "/cpufreq/boost", "0\n", "turbo"), OB_FINDING_OK);
}

static void heat(void)
{
    read_facts();
    CHECK_INT(look("heat"), OB_FINDING_HIDDEN);
    CHECK_INT(look_after("/sys/class/thermal/thermal_zone1/temp", "48000\n", "heat"),
              OB_FINDING_OK);
    CHECK_STR(found.text, "48 degrees Celsius");
    CHECK_STR(found.fix, "");
    CHECK_INT(look_after("/sys/class/thermal/thermal_zone3/temp", "91000\n", "heat"),
              OB_FINDING_WARNING);
    facts.before.slowed = 5;
    facts.after.slowed = 8;
    CHECK_INT(look("heat"), OB_FINDING_BAD);
    CHECK_STR(found.text, "CPUs throttled 3 times in 2.0 s because of heat");
}

static void siblings(void)
{
    read_facts();
    CHECK_INT(look("siblings"), OB_FINDING_HIDDEN);
    root_dir_write(&root, CPU "/smt/active", "1\n");
    root_dir_write(&root, CPU "/cpu0/topology/thread_siblings_list", "0,2\n");
    root_dir_write(&root, CPU "/cpu1/topology/thread_siblings_list", "1,3\n");
    read_facts();
    CHECK_INT(ob_cpu_set_count(&facts.siblings), 2);
    CHECK(ob_cpu_set_has(&facts.siblings, 2) && ob_cpu_set_has(&facts.siblings, 3));
    facts.before.siblings = (ob_cpu_ticks){.busy = 100, .idle = 1000, .cpus = 2};
    facts.after.siblings = (ob_cpu_ticks){.busy = 104, .idle = 1096, .cpus = 2};
    CHECK_INT(look("siblings"), OB_FINDING_OK);
    facts.after.siblings = (ob_cpu_ticks){.busy = 175, .idle = 1025, .cpus = 2};
    CHECK_INT(look("siblings"), OB_FINDING_BAD);
    CHECK_HAS(found.text, "were busy for 75 % of 2.0 s");
    CHECK_INT(look_after(CPU "/smt/active", "0\n", "siblings"), OB_FINDING_OK);
}

static void isolated(void)
{
    read_facts();
    CHECK_INT(look("isolated CPUs"), OB_FINDING_OK);
    CHECK_INT(look_after(CPU "/isolated", "4-7\n", "isolated CPUs"), OB_FINDING_WARNING);
    CHECK_STR(found.fix, "taskset -c 4-7 opbench ...");
    CHECK_INT(look_after(CPU "/isolated", "0-1\n", "isolated CPUs"), OB_FINDING_OK);
}

static void quota_of_version_2(void)
{
    read_facts();
    CHECK(isinf(facts.quota.cpus));
    CHECK_INT(look("CPU quota"), OB_FINDING_OK);
    root_dir_write(&root, "/proc/self/cgroup", "0::/box/inner\n");
    root_dir_write(&root, "/sys/fs/cgroup/cpu.max", "max 100000\n");
    root_dir_write(&root, "/sys/fs/cgroup/box/inner/cpu.max", "400000 100000\n");
    CHECK_INT(look_after("/sys/fs/cgroup/box/cpu.max", "150000 100000\n", "CPU quota"),
              OB_FINDING_WARNING);
    CHECK_STR(found.text, "1.50 CPUs of 2 (/sys/fs/cgroup/box/cpu.max)");
    CHECK_HAS(found.fix, "--num-threads 1");
    facts.after.throttled = facts.before.throttled + 1;
    CHECK_INT(look("CPU quota"), OB_FINDING_BAD);
    CHECK_HAS(found.text, "it was used up during the check");
    CHECK_INT(look_after("/sys/fs/cgroup/box/cpu.max", "50000 100000\n", "CPU quota"),
              OB_FINDING_BAD);
    CHECK_INT(look_after("/sys/fs/cgroup/box/cpu.max", "max 100000\n", "CPU quota"), OB_FINDING_OK);
    CHECK_STR(found.text, "4.00 CPUs, for 2 that may be used");
}

static void quota_of_version_1(void)
{
    root_dir_write(&root, "/proc/self/cgroup",
                   "5:cpuset:/other\n3:cpu,cpuacct:/box\n1:name=systemd:/x\n0::/unified\n");
    root_dir_write(&root, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    root_dir_write(&root, "/sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "50000\n");
    root_dir_write(&root, "/sys/fs/cgroup/cpu/box/cpu.stat",
                   "nr_periods 9\nnr_throttled 4\nthrottled_time 5\n");
    CHECK_INT(look_after("/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "75000\n", "CPU quota"),
              OB_FINDING_WARNING);
    CHECK_STR(found.text, "1.50 CPUs of 2 (/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us)");
    CHECK_INT(ob__doctor_facts_watch(&facts, 0.01, NULL), OB_OK);
    CHECK_INT(facts.before.throttled, 4);
    CHECK_INT(facts.after.throttled, 4);
}

/* ---- while it is watched ---- */

static atomic_bool stop;

/* At once: a reader sees the old text or the new one. */
static void replace(const char *path, const char *text)
{
    char from[128], to[128];
    root_dir_write(&root, "/next", text);
    snprintf(from, sizeof from, "%s/next", root.path);
    snprintf(to, sizeof to, "%s%s", root.path, path);
    if (rename(from, to) != 0)
        abort();
}

/* A machine in motion: CPU 2 computes, pages are swapped out, the quota stops the group. */
static void *move_on(void *arg)
{
    (void)arg;
    for (unsigned n = 1; !stop; n++) {
        char text[256];
        snprintf(text, sizeof text,
                 "cpu0 0 0 0 %u 0 0 0 0\ncpu1 0 0 0 %u 0 0 0 0\ncpu2 %u 0 0 %u 0 0 0 0\n"
                 "cpu3 0 0 0 %u 0 0 0 0\n",
                 n, n, n, n, 2 * n);
        replace("/proc/stat", text);
        snprintf(text, sizeof text, "pswpin 0\npswpout %u\n", n);
        replace("/proc/vmstat", text);
        snprintf(text, sizeof text, "nr_periods %u\nnr_throttled %u\n", n, n);
        replace("/sys/fs/cgroup/box/cpu.stat", text);
    }
    return NULL;
}

static bool all_moved(void)
{
    return facts.after.siblings.busy > facts.before.siblings.busy &&
           facts.after.swapped > facts.before.swapped &&
           facts.after.throttled > facts.before.throttled;
}

static void what_moves_is_seen(void)
{
    pthread_t mover;
    root_dir_write(&root, CPU "/smt/active", "1\n");
    root_dir_write(&root, CPU "/cpu0/topology/thread_siblings_list", "0,2\n");
    root_dir_write(&root, CPU "/cpu1/topology/thread_siblings_list", "1,3\n");
    root_dir_write(&root, "/proc/self/cgroup", "0::/box\n");
    root_dir_write(&root, "/proc/meminfo", "SwapTotal: 1048576 kB\nSwapFree: 1000 kB\n");
    root_dir_write(&root, "/sys/fs/cgroup/box/cpu.max", "400000 100000\n");
    read_facts();
    CHECK_INT(look("CPU quota"), OB_FINDING_OK);
    stop = false;
    CHECK_INT(pthread_create(&mover, NULL, move_on, NULL), 0);
    for (int i = 0; i < 500 && (i == 0 || !all_moved()); i++) /* a busy machine starts it late */
        CHECK_INT(ob__doctor_facts_watch(&facts, 0.02, NULL), OB_OK);
    stop = true;
    pthread_join(mover, NULL);
    CHECK(all_moved());
    CHECK_INT(look("siblings"), OB_FINDING_BAD);
    CHECK_HAS(found.text, "the siblings of the CPUs that you may use were busy for 25 % of");
    CHECK_HAS(found.fix, "smt/control");
    CHECK_INT(look("swap"), OB_FINDING_BAD);
    CHECK_INT(look("CPU quota"), OB_FINDING_BAD);
    CHECK_HAS(found.text, "it was used up during the check");
}

static void load_and_steal(void)
{
    read_facts();
    CHECK_INT(look("foreign load"), OB_FINDING_HIDDEN);
    facts.noise = (ob_noise){.windows = 10, .seconds = 2, .foreign = 0.01, .max_foreign = 0.05};
    CHECK_INT(look("foreign load"), OB_FINDING_OK);
    CHECK_STR(found.text, "other processes used 1.0 % of the CPUs in 2.0 s, 5 % at most");
    facts.noise.foreign = 0.03;
    CHECK_INT(look("foreign load"), OB_FINDING_WARNING);
    facts.noise.foreign = 0.5;
    CHECK_INT(look("foreign load"), OB_FINDING_BAD);
    CHECK_INT(look("steal"), OB_FINDING_OK);
    facts.noise.steal = 0.01;
    CHECK_INT(look("steal"), OB_FINDING_WARNING);
    facts.noise.steal = 0.02;
    CHECK_INT(look("steal"), OB_FINDING_BAD);
}

static void clocks(void)
{
    static const char SOURCE[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    CHECK_INT(look_after(SOURCE, "hpet\n", "clock"), OB_FINDING_BAD);
    CHECK_HAS(found.text, "hpet, ");
    CHECK_HAS(found.fix, "echo tsc");
}

static void memory(void)
{
    read_facts();
    CHECK_INT(look("swap"), OB_FINDING_HIDDEN);
    CHECK_INT(look("memory"), OB_FINDING_HIDDEN);
    CHECK_INT(look("huge pages"), OB_FINDING_HIDDEN);
    CHECK_INT(look_after("/proc/meminfo",
                         "MemTotal: 9000000 kB\nMemAvailable: 4194304 kB\n"
                         "SwapTotal: 1048576 kB\nSwapFree: 1048576 kB\n",
                         "swap"),
              OB_FINDING_OK);
    CHECK_STR(found.text, "none in use");
    CHECK_INT(look("memory"), OB_FINDING_OK);
    CHECK_STR(found.text, "4096 MiB are available");
    CHECK_INT(look_after("/proc/meminfo",
                         "MemTotal: 9000000 kB\nMemAvailable: 204800 kB\n"
                         "SwapTotal: 1048576 kB\nSwapFree: 524288 kB\n",
                         "swap"),
              OB_FINDING_WARNING);
    CHECK_STR(found.text, "512 MiB are in use");
    facts.after.swapped = facts.before.swapped + 7;
    CHECK_INT(look("swap"), OB_FINDING_BAD);
    CHECK_INT(look("memory"), OB_FINDING_BAD);
    CHECK_INT(look_after("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n",
                         "huge pages"),
              OB_FINDING_WARNING);
    CHECK_INT(look_after("/proc/sys/kernel/randomize_va_space", "0\n", "randomisation"),
              OB_FINDING_WARNING);
    CHECK_INT(look_after("/proc/sys/kernel/randomize_va_space", "2\n", "randomisation"),
              OB_FINDING_OK);
}

static void nodes(void)
{
    read_facts();
    CHECK_INT(look("NUMA"), OB_FINDING_HIDDEN);
    CHECK_INT(look_after("/sys/devices/system/node/online", "0\n", "NUMA"), OB_FINDING_OK);
    root_dir_write(&root, "/sys/devices/system/node/node0/cpulist", "0\n");
    root_dir_write(&root, "/sys/devices/system/node/node1/cpulist", "1\n");
    CHECK_INT(look_after("/sys/devices/system/node/online", "0-1\n", "NUMA"), OB_FINDING_WARNING);
    CHECK_STR(found.text, "2 nodes, and this process may run on 2 of them");
    root_dir_write(&root, "/sys/devices/system/node/node1/cpulist", "2-3\n");
    CHECK_INT(look_after("/sys/devices/system/node/node0/cpulist", "0-1\n", "NUMA"), OB_FINDING_OK);
}

static void this_process(void)
{
    read_facts();
    CHECK_INT(look("tracer"), OB_FINDING_HIDDEN);
    CHECK_INT(look_after("/proc/self/status", "Name:\tx\nTracerPid:\t0\n", "tracer"),
              OB_FINDING_OK);
    CHECK_INT(look_after("/proc/self/status", "Name:\tx\nTracerPid:\t77\n", "tracer"),
              OB_FINDING_BAD);
    CHECK_STR(found.text, "process 77 traces this one");
    CHECK_INT(look("rounding mode"), OB_FINDING_OK);
#if defined(__x86_64__) || defined(__aarch64__)
#if defined(__x86_64__)
    const uint32_t flush_to_zero = 1u << 15;
#else
    const uint32_t flush_to_zero = 1u << 24;
#endif
    const uint32_t before = ob__fp_mode_get();
    ob__fp_mode_set(before | flush_to_zero);
    CHECK_INT(look("rounding mode"), OB_FINDING_BAD);
    ob__fp_mode_set(before);
    CHECK_HAS(found.text, "flush-to-zero on");
#endif
    CHECK_INT(look_after("/proc/sys/kernel/perf_event_paranoid", "3\n", "counters"),
              OB_FINDING_WARNING);
    CHECK_INT(look_after("/proc/sys/kernel/perf_event_paranoid", "-1\n", "counters"),
              OB_FINDING_OK);
    CHECK_INT(look_after("/proc/sys/kernel/yama/ptrace_scope", "3\n", "ptrace"),
              OB_FINDING_WARNING);
    CHECK_INT(look_after("/proc/sys/kernel/yama/ptrace_scope", "1\n", "ptrace"), OB_FINDING_OK);
}

static void environment(void)
{
    read_facts();
    unsetenv("LD_PRELOAD");
    CHECK_INT(look("preloaded"), OB_FINDING_OK);
    setenv("LD_PRELOAD", "/x/libtcmalloc.so", 1);
    CHECK_INT(look("preloaded"), OB_FINDING_WARNING);
    CHECK_STR(found.text, "LD_PRELOAD=/x/libtcmalloc.so");
    unsetenv("LD_PRELOAD");
    setenv("OMP_PROC_BIND", "true", 1);
    setenv("OMP_NUM_THREADS", "7", 1);
    CHECK_INT(look("thread pools"), OB_FINDING_WARNING);
    CHECK_HAS(found.text, "OMP_PROC_BIND=true");
    CHECK_HAS(found.text, "OMP_NUM_THREADS=7");
    unsetenv("OMP_PROC_BIND");
    unsetenv("OMP_NUM_THREADS");
    const char *path = getenv("PATH");
    char *kept = path != NULL ? strdup(path) : NULL;
    setenv("PATH", "/nowhere", 1);
    CHECK_INT(look("valgrind"), OB_FINDING_WARNING);
    setenv("PATH", kept != NULL ? kept : "", 1);
    free(kept);
}

/* All checks together, on a machine that says nothing. */
static void an_empty_machine(void)
{
    const ob_doctor_params params = {.size = sizeof params, .root = root.path};
    ob_findings *all = NULL;
    ob_json_doc *doc = NULL;
    CHECK_INT(ob_doctor_examine(&params, &all, NULL), OB_OK);
    CHECK(ob_findings_count(all) > 10);
    CHECK(ob_findings_at(all, ob_findings_count(all)) == NULL);
    for (size_t i = 0; i < ob_findings_count(all); i++)
        CHECK(strcmp(ob_findings_at(all, i)->check, "steal") != 0); /* takes time */
    CHECK_INT(ob_json_doc_create(&doc, NULL), OB_OK);
    CHECK_INT(ob_json_count(ob_findings_json(all, OB_FINDING_OK, doc)), ob_findings_count(all));
    const ob_finding bad = {
        .size = sizeof bad, .check = "mine", .level = OB_FINDING_BAD, .text = "broken"};
    CHECK_INT(ob_findings_add(all, &bad, NULL), OB_OK);
    CHECK_INT(ob_findings_worst(all), OB_FINDING_BAD);
    const ob_json *worst = ob_findings_json(all, OB_FINDING_BAD, doc);
    CHECK_STR(
        ob_json_string(ob_json_get(ob_json_item(worst, ob_json_count(worst) - 1), "found"), NULL),
        "broken");
    ob_json_doc_destroy(doc);
    ob_findings_destroy(all);
    const ob_doctor_params wrong = {.size = sizeof wrong, .seconds = -1};
    ob_err err;
    CHECK_INT(ob_doctor_examine(&wrong, &all, &err), OB_ERR_INVALID);
    CHECK(all == NULL);
}

static void on_a_machine_of_its_own(void (*test)(void))
{
    root = root_dir_make();
    test();
    root_dir_remove(&root);
}

int main(void)
{
    static void (*const TESTS[])(void) = {frequency,
                                          heat,
                                          siblings,
                                          isolated,
                                          quota_of_version_2,
                                          quota_of_version_1,
                                          load_and_steal,
                                          clocks,
                                          memory,
                                          nodes,
                                          this_process,
                                          environment,
                                          an_empty_machine,
                                          what_moves_is_seen};
    for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++)
        on_a_machine_of_its_own(TESTS[i]);
    return ob_test_end();
}
