/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of checks: what spoils measurements on a machine, how it is seen, what it costs, what fixes it. A new check
 * is a function and a row here; the table of `opbench doctor`, the header of results and the docs follow.
 */
#include "machine/doctor_int.h"

#include "measure/fp_mode.h"
#include "measure/perf_event.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU_DIR "/sys/devices/system/cpu"

static const double MIB = 1048576;

static bool find(ob_finding *out, ob_finding_level level, const char *format, ...) OB_PRINTF(3, 4);
static bool find(ob_finding *out, ob_finding_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out->text, sizeof out->text, format, args);
    va_end(args);
    out->level = level;
    return true;
}

static void advise(ob_finding *out, const char *cost, const char *fix)
{
    snprintf(out->cost, sizeof out->cost, "%s", cost);
    snprintf(out->fix, sizeof out->fix, "%s", fix);
}

static bool find_hidden(const ob_doctor_facts *facts, ob_finding *out, const char *what)
{
    return find(out, OB_FINDING_HIDDEN,
                facts->system.hypervisor == 1 ? "a virtual machine: %s is not visible"
                                              : "%s is not visible here",
                what);
}

/* ---- frequency and heat ---- */

static bool look_at_governor(const ob_doctor_facts *facts, ob_finding *out)
{
    const char *governor = facts->system.governor;
    if (governor[0] == '\0')
        return find_hidden(facts, out, "the frequency governor");
    if (strcmp(governor, "performance") == 0)
        return find(out, OB_FINDING_OK, "%s", governor);
    advise(out, "the frequency follows the load, so the first samples of a case are slow",
           "sudo cpupower frequency-set -g performance");
    return find(out, OB_FINDING_WARNING,
                strcmp(governor, "mixed") == 0 ? "CPUs have different governors" : "%s", governor);
}

static bool look_at_turbo(const ob_doctor_facts *facts, ob_finding *out)
{
    char line[8];
    if (facts->system.boost < 0)
        return find_hidden(facts, out, "turbo");
    if (facts->system.boost == 0)
        return find(out, OB_FINDING_OK, "off");
    const bool intel =
        ob__proc_line(facts->root, line, sizeof line, CPU_DIR "/intel_pstate/no_turbo");
    advise(out, "the frequency depends on the temperature and on what other cores do",
           intel ? "echo 1 | sudo tee " CPU_DIR "/intel_pstate/no_turbo"
                 : "echo 0 | sudo tee " CPU_DIR "/cpufreq/boost");
    return find(out, OB_FINDING_WARNING, "on");
}

/* The hottest zone, in degrees Celsius; NAN = none can be read. */
static double hottest(const char *root)
{
    enum { MOST_ZONES = 64 };
    double most = NAN;
    for (int i = 0; i < MOST_ZONES; i++) {
        uint64_t thousandths;
        if (!ob__proc_number(root, &thousandths, "/sys/class/thermal/thermal_zone%d/temp", i))
            continue;
        const double degrees = (double)thousandths / 1000;
        most = degrees > most || isnan(most) ? degrees : most;
    }
    return most;
}

static bool look_at_heat(const ob_doctor_facts *facts, ob_finding *out)
{
    static const double HOT = 90;
    const double degrees = hottest(facts->root);
    const uint64_t slowed = facts->after.slowed - facts->before.slowed;
    advise(out, "a hot processor lowers its frequency",
           "let the machine cool down, and check its fan");
    if (facts->seconds > 0 && slowed > 0)
        return find(out, OB_FINDING_BAD, "CPUs throttled %llu times in %.1f s because of heat",
                    (unsigned long long)slowed, facts->seconds);
    if (degrees >= HOT)
        return find(out, OB_FINDING_WARNING, "%.0f degrees Celsius", degrees);
    advise(out, "", "");
    if (isnan(degrees))
        return find_hidden(facts, out, "the temperature");
    return find(out, OB_FINDING_OK, "%.0f degrees Celsius", degrees);
}

/* ---- who else uses the CPUs ---- */

static bool look_at_siblings(const ob_doctor_facts *facts, ob_finding *out)
{
    static const double IDLE = 0.05;
    const ob_cpu_ticks *before = &facts->before.siblings, *after = &facts->after.siblings;
    const double busy = (double)(after->busy - before->busy);
    const double all = busy + (double)(after->idle - before->idle);
    if (facts->system.smt == 0 ||
        (facts->system.smt < 0 && ob_cpu_set_count(&facts->siblings) == 0))
        return facts->system.smt == 0 ? find(out, OB_FINDING_OK, "no hardware threads share a core")
                                      : find_hidden(facts, out, "which CPUs share a core");
    if (ob_cpu_set_count(&facts->siblings) == 0 || after->cpus == 0)
        return find(out, OB_FINDING_OK,
                    "hardware threads share cores, and you may use both threads of each");
    if (!(busy > IDLE * all))
        return find(out, OB_FINDING_OK, "the siblings of the CPUs that you may use were idle");
    advise(out, "two threads of one core share its units and caches: times can double",
           "echo off | sudo tee " CPU_DIR "/smt/control");
    return find(out, OB_FINDING_BAD,
                "the siblings of the CPUs that you may use were busy for %.0f %% of %.1f s",
                100 * busy / all, facts->seconds);
}

static bool look_at_isolation(const ob_doctor_facts *facts, ob_finding *out)
{
    char list[256];
    ob_cpu_set isolated;
    if (!ob__proc_line(facts->root, list, sizeof list, CPU_DIR "/isolated") ||
        ob_cpu_set_parse(list, strlen(list), &isolated, NULL) != OB_OK ||
        ob_cpu_set_count(&isolated) == 0)
        return find(out, OB_FINDING_OK, "none: all CPUs are shared with the rest of the system");
    size_t inside = 0;
    for (size_t cpu = 0; cpu < OB_MAX_CPUS; cpu++)
        inside += ob_cpu_set_has(&isolated, cpu) && ob_cpu_set_has(&facts->cpus, cpu);
    if (inside == ob_cpu_set_count(&facts->cpus))
        return find(out, OB_FINDING_OK, "CPUs %s, and this process runs only on those", list);
    snprintf(out->fix, sizeof out->fix, "taskset -c %s opbench ...", list);
    snprintf(out->cost, sizeof out->cost, "measurements do not run on the quiet CPUs");
    return find(out, OB_FINDING_WARNING, "CPUs %s are isolated, but this process also uses others",
                list);
}

static bool look_at_quota(const ob_doctor_facts *facts, ob_finding *out)
{
    const double cpus = (double)ob_cpu_set_count(&facts->cpus);
    const uint64_t stopped = facts->after.throttled - facts->before.throttled;
    if (!isfinite(facts->quota.cpus))
        return find(out, OB_FINDING_OK, "none");
    if (facts->quota.cpus >= cpus && stopped == 0)
        return find(out, OB_FINDING_OK, "%.2f CPUs, for %.0f that may be used", facts->quota.cpus,
                    cpus);
    snprintf(out->cost, sizeof out->cost,
             "with more than %.2f threads the kernel stops the process for up to 100 ms at a time",
             facts->quota.cpus);
    snprintf(out->fix, sizeof out->fix,
             "give the container whole CPUs (docker run --cpuset-cpus 0-1, not --cpus 1.5), or "
             "measure with --num-threads %.0f",
             fmax(1, floor(facts->quota.cpus)));
    return find(out, facts->quota.cpus < 1 || stopped > 0 ? OB_FINDING_BAD : OB_FINDING_WARNING,
                "%.2f CPUs of %.0f (%s)%s", facts->quota.cpus, cpus, facts->quota.file,
                stopped > 0 ? "; it was used up during the check" : "");
}

static ob_finding_level level_of_share(double share, double warning, double bad)
{
    return share >= bad ? OB_FINDING_BAD : share >= warning ? OB_FINDING_WARNING : OB_FINDING_OK;
}

static bool look_at_load(const ob_doctor_facts *facts, ob_finding *out)
{
    if (facts->noise.windows == 0)
        return find_hidden(facts, out, "what other processes do on the CPUs");
    const ob_finding_level level = level_of_share(facts->noise.foreign, 0.02, 0.1);
    if (level != OB_FINDING_OK)
        advise(out,
               "other processes take CPU time, cache and memory bandwidth; medians shift and tails "
               "grow",
               "ps -eo pcpu,pid,comm --sort=-pcpu | head; or measure in turns with --backend a,b");
    return find(out, level, "other processes used %.1f %% of the CPUs in %.1f s, %.0f %% at most",
                100 * facts->noise.foreign, facts->noise.seconds, 100 * facts->noise.max_foreign);
}

static bool look_at_steal(const ob_doctor_facts *facts, ob_finding *out)
{
    if (facts->noise.windows == 0)
        return find_hidden(facts, out, "what the hypervisor takes");
    const ob_finding_level level = level_of_share(facts->noise.steal, 0.005, 0.02);
    if (level != OB_FINDING_OK)
        advise(out, "the hypervisor gives the CPUs to others for milliseconds",
               "use a machine with dedicated CPUs, or take more samples: --precision");
    return find(out, level, "%.1f %% of the time of the CPUs in %.1f s", 100 * facts->noise.steal,
                facts->noise.seconds);
}

/* ---- the clock ---- */

static bool look_at_clock(const ob_doctor_facts *facts, ob_finding *out)
{
    static const char *const SLOW[] = {"hpet", "acpi_pm", "jiffies", "pit", "refined-jiffies"};
    const char *source = facts->system.clock_source;
    const ob_clock clock = ob_clock_monotonic();
    ob_clock_quality quality;
    if (ob_clock_measure(&clock, &quality, NULL) != OB_OK) {
        advise(out, "no time can be measured", "reboot with clocksource=tsc");
        return find(out, OB_FINDING_BAD, "the clock (%s) stands still or runs backwards", source);
    }
    bool slow = quality.overhead_ns > 500 || quality.resolution_ns > 1000;
    for (size_t i = 0; i < sizeof SLOW / sizeof *SLOW; i++)
        slow = slow || strcmp(source, SLOW[i]) == 0;
    if (slow)
        advise(out, "reading the clock needs a system call, which shows in short cases",
               "echo tsc | sudo tee "
               "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    return find(out, slow ? OB_FINDING_BAD : OB_FINDING_OK, "%s, %.0f ns to read, steps of %.0f ns",
                source[0] != '\0' ? source : "unknown source", quality.overhead_ns,
                quality.resolution_ns);
}

/* ---- memory ---- */

static bool look_at_huge_pages(const ob_doctor_facts *facts, ob_finding *out)
{
    const char *mode = facts->system.hugepages;
    if (mode[0] == '\0')
        return find_hidden(facts, out, "the setting of transparent huge pages");
    if (strcmp(mode, "never") != 0)
        return find(out, OB_FINDING_OK, "%s", mode);
    advise(out, "tensors of several MiB pay for small pages, unlike on most machines",
           "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
    return find(out, OB_FINDING_WARNING, "never");
}

static bool look_at_placement(const ob_doctor_facts *facts, ob_finding *out)
{
    uint64_t value;
    if (!ob__proc_number(facts->root, &value, "/proc/sys/kernel/randomize_va_space"))
        return find_hidden(facts, out, "address space randomisation");
    if (value != 0)
        return find(out, OB_FINDING_OK,
                    "on: each process places code and data differently, and --processes averages "
                    "over that");
    advise(out, "an unlucky placement of code and buffers persists, and looks like a difference",
           "sudo sysctl kernel.randomize_va_space=2");
    return find(out, OB_FINDING_WARNING, "off");
}

static bool look_at_nodes(const ob_doctor_facts *facts, ob_finding *out)
{
    char line[256];
    ob_cpu_set nodes, cpus;
    if (!ob__proc_line(facts->root, line, sizeof line, "/sys/devices/system/node/online") ||
        ob_cpu_set_parse(line, strlen(line), &nodes, NULL) != OB_OK)
        return find_hidden(facts, out, "the placement of memory");
    size_t count = 0, used = 0;
    for (size_t node = 0; node < OB_MAX_CPUS; node++) {
        if (!ob_cpu_set_has(&nodes, node))
            continue;
        count++;
        bool one = false;
        if (ob__proc_line(facts->root, line, sizeof line,
                          "/sys/devices/system/node/node%zu/cpulist", node) &&
            ob_cpu_set_parse(line, strlen(line), &cpus, NULL) == OB_OK)
            for (size_t cpu = 0; cpu < OB_MAX_CPUS; cpu++)
                one = one || (ob_cpu_set_has(&cpus, cpu) && ob_cpu_set_has(&facts->cpus, cpu));
        used += one;
    }
    if (count < 2)
        return find(out, OB_FINDING_OK, "one node");
    if (used < 2)
        return find(out, OB_FINDING_OK, "%zu nodes; the usable CPUs are all on one", count);
    advise(out, "whether a tensor is on a near or far node is left to chance",
           "numactl --cpunodebind=0 --membind=0 opbench ...");
    return find(out, OB_FINDING_WARNING, "%zu nodes, and this process may run on %zu of them",
                count, used);
}

static bool look_at_swap(const ob_doctor_facts *facts, ob_finding *out)
{
    uint64_t total = 0, left = 0;
    const uint64_t moved = facts->after.swapped - facts->before.swapped;
    if (!ob__doctor_named(facts, "/proc/meminfo", "SwapTotal", &total) ||
        !ob__doctor_named(facts, "/proc/meminfo", "SwapFree", &left))
        return find_hidden(facts, out, "swap");
    const double used = (double)(total - left) * 1024 / MIB;
    if (moved == 0 && total == left)
        return find(out, OB_FINDING_OK, total == 0 ? "none" : "none in use");
    advise(out, "a page read from disk costs about 100 us", "sudo swapoff -a");
    if (moved > 0)
        return find(out, OB_FINDING_BAD, "%llu pages were moved in %.1f s; %.0f MiB are in use",
                    (unsigned long long)moved, facts->seconds, used);
    return find(out, OB_FINDING_WARNING, "%.0f MiB are in use", used);
}

static bool look_at_memory(const ob_doctor_facts *facts, ob_finding *out)
{
    static const double LITTLE = 2048, VERY_LITTLE = 256; /* MiB */
    uint64_t kib;
    if (!ob__doctor_named(facts, "/proc/meminfo", "MemAvailable", &kib))
        return find_hidden(facts, out, "how much memory is available");
    double mib = (double)kib * 1024 / MIB;
    const double limit = (double)facts->system.memory_limit_bytes / MIB;
    const bool limited = facts->system.memory_limit_bytes > 0 && limit < mib;
    mib = limited ? limit : mib;
    const ob_finding_level level = mib < VERY_LITTLE ? OB_FINDING_BAD
                                   : mib < LITTLE    ? OB_FINDING_WARNING
                                                     : OB_FINDING_OK;
    if (level != OB_FINDING_OK)
        advise(out, "large cases fail, or make the system reclaim memory",
               "stop what uses the memory, or run with --max-memory");
    return find(out, level, "%.0f MiB are available%s", mib,
                limited ? ", limited by the control group" : "");
}

/* ---- this process ---- */

static bool look_at_tracer(const ob_doctor_facts *facts, ob_finding *out)
{
    uint64_t pid;
    if (!ob__doctor_named(facts, "/proc/self/status", "TracerPid", &pid))
        return find_hidden(facts, out, "whether a debugger is attached");
    if (pid == 0)
        return find(out, OB_FINDING_OK, "none");
    advise(out, "every system call and signal stops the program", "run it without strace or gdb");
    return find(out, OB_FINDING_BAD, "process %llu traces this one", (unsigned long long)pid);
}

static bool look_at_rounding(const ob_doctor_facts *facts, ob_finding *out)
{
#if defined(__x86_64__)
    static const uint32_t USUAL = 0x1F80; /* all exceptions masked, to nearest */
#else
    static const uint32_t USUAL = 0;
#endif
    char difference[128];
    (void)facts;
    ob__fp_mode_difference(USUAL, ob__fp_mode_get(), difference, sizeof difference);
    if (difference[0] == '\0')
        return find(out, OB_FINDING_OK, "the default");
    advise(out, "results near zero and the times of denormal numbers differ from the usual ones",
           "look for a library built with -ffast-math in LD_PRELOAD");
    return find(out, OB_FINDING_BAD, "%s", difference);
}

static bool look_at_preload(const ob_doctor_facts *facts, ob_finding *out)
{
    const char *list = getenv("LD_PRELOAD");
    (void)facts;
    if (list == NULL || list[0] == '\0')
        return find(out, OB_FINDING_OK, "nothing");
    advise(out, "a preloaded library (an allocator, a profiler) is measured too",
           "unset LD_PRELOAD");
    return find(out, OB_FINDING_WARNING, "LD_PRELOAD=%.300s", list);
}

/* A library's own word for its threads, which fights with --num-threads or puts all of them on one CPU. */
static bool look_at_pools(const ob_doctor_facts *facts, ob_finding *out)
{
    static const char *const NAMES[] = {
        "OMP_PROC_BIND",   "OMP_PLACES",      "GOMP_CPU_AFFINITY",   "KMP_AFFINITY",
        "OMP_WAIT_POLICY", "KMP_BLOCKTIME",   "OMP_DYNAMIC",         "MKL_DYNAMIC",
        "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"};
    char set[300] = "";
    (void)facts;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const char *value = getenv(NAMES[i]);
        const size_t length = strlen(set);
        if (value != NULL && value[0] != '\0')
            snprintf(set + length, sizeof set - length, "%s%s=%.40s", length > 0 ? " " : "",
                     NAMES[i], value);
    }
    if (set[0] == '\0')
        return find(out, OB_FINDING_OK, "not set in the environment");
    advise(
        out,
        "thread pools of several libraries that spin or are pinned to CPUs compete with each other",
        "unset these variables; --num-threads and --pin set the threads of all libraries");
    return find(out, OB_FINDING_WARNING, "%s", set);
}

/* ---- what tools may do ---- */

static bool look_at_counters(const ob_doctor_facts *facts, ob_finding *out)
{
    char line[16];
    if (!ob__proc_line(facts->root, line, sizeof line, "/proc/sys/kernel/perf_event_paranoid"))
        return find_hidden(facts, out, "kernel.perf_event_paranoid");
    const long level = strtol(line, NULL, 10);
    ob_err why;
    const bool counts = facts->root == NULL && ob__hardware_counters_check(&why) == OB_OK;
    if (level <= 2 && (counts || facts->root != NULL))
        return find(out, OB_FINDING_OK, "kernel.perf_event_paranoid is %ld", level);
    advise(out, "the processor cannot count the instructions and cycles of cases",
           level > 2 ? "sudo sysctl kernel.perf_event_paranoid=1"
                     : "opbench count uses valgrind instead");
    return find(out, level > 2 ? OB_FINDING_WARNING : OB_FINDING_HIDDEN,
                "kernel.perf_event_paranoid is %ld%s", level,
                level > 2 ? "" : ", but this processor exposes no counters");
}

static bool is_in_path(const char *name)
{
    const char *path = getenv("PATH");
    char file[1024];
    while (path != NULL && *path != '\0') {
        const size_t length = strcspn(path, ":");
        const int n = snprintf(file, sizeof file, "%.*s/%s", (int)length, path, name);
        if (n > 0 && (size_t)n < sizeof file && access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

static bool look_at_valgrind(const ob_doctor_facts *facts, ob_finding *out)
{
    (void)facts;
    if (is_in_path("valgrind"))
        return find(out, OB_FINDING_OK, "installed");
    advise(out, "opbench count cannot count instructions", "sudo apt-get install valgrind");
    return find(out, OB_FINDING_WARNING, "not installed");
}

static bool look_at_ptrace(const ob_doctor_facts *facts, ob_finding *out)
{
    uint64_t scope;
    if (!ob__proc_number(facts->root, &scope, "/proc/sys/kernel/yama/ptrace_scope"))
        return find(out, OB_FINDING_OK, "not restricted");
    if (scope < 3)
        return find(out, OB_FINDING_OK, "kernel.yama.ptrace_scope is %llu",
                    (unsigned long long)scope);
    advise(out, "debuggers cannot attach to a worker that hangs",
           "reboot with kernel.yama.ptrace_scope=1; a running kernel does not leave 3");
    return find(out, OB_FINDING_WARNING, "kernel.yama.ptrace_scope is %llu",
                (unsigned long long)scope);
}

const ob_check_row ob__check_rows[] = {
    {"governor", false, look_at_governor},
    {"turbo", false, look_at_turbo},
    {"heat", false, look_at_heat},
    {"siblings", true, look_at_siblings},
    {"isolated CPUs", false, look_at_isolation},
    {"CPU quota", false, look_at_quota},
    {"foreign load", true, look_at_load},
    {"steal", true, look_at_steal},
    {"clock", false, look_at_clock},
    {"huge pages", false, look_at_huge_pages},
    {"randomisation", false, look_at_placement},
    {"NUMA", false, look_at_nodes},
    {"swap", false, look_at_swap},
    {"memory", false, look_at_memory},
    {"tracer", false, look_at_tracer},
    {"rounding mode", false, look_at_rounding},
    {"preloaded", false, look_at_preload},
    {"thread pools", false, look_at_pools},
    {"counters", false, look_at_counters},
    {"valgrind", false, look_at_valgrind},
    {"ptrace", false, look_at_ptrace},
};
const size_t ob__check_row_count = sizeof ob__check_rows / sizeof *ob__check_rows;
