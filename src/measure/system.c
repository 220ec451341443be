/* SPDX-License-Identifier: Apache-2.0
 *
 * What the machine is, from /proc and /sys. Anything may be missing (containers, other kernels): then
 * it stays unknown.
 */
#include "measure/proc.h"

#include <string.h>
#include <sys/utsname.h>

#define CPU_DIR "/sys/devices/system/cpu"

static void read_kernel(ob_system *out)
{
    struct utsname name;
    if (uname(&name) != 0)
        return;
    snprintf(out->hostname, sizeof out->hostname, "%s", name.nodename);
    snprintf(out->kernel, sizeof out->kernel, "%s %s", name.sysname, name.release);
    snprintf(out->machine, sizeof out->machine, "%s", name.machine);
}

static bool cpuinfo(const char *root, const char *name, char *out, size_t size)
{
    FILE *file = ob__proc_open(root, "/proc/cpuinfo");
    if (file == NULL)
        return false;
    const bool found = ob__proc_named(file, name, out, size);
    fclose(file);
    return found;
}

static void read_cpu_model(const char *root, ob_system *out)
{
    /* x86, then the names other architectures use. */
    static const char *const NAMES[] = {"model name", "cpu model", "cpu", "Hardware", "uarch"};
    char flags[1024];
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (cpuinfo(root, NAMES[i], out->cpu_model, sizeof out->cpu_model))
            break;
    if (cpuinfo(root, "flags", flags, sizeof flags)) {
        /* The line may be cut, but "hypervisor" stands among the first flags. */
        const char *found = strstr(flags, " hypervisor");
        out->hypervisor = found != NULL && (found[11] == ' ' || found[11] == '\0');
    }
}

static size_t first_cpu(const ob_cpu_set *set)
{
    size_t cpu = 0;
    while (cpu < OB_MAX_CPUS && !ob_cpu_set_has(set, cpu))
        cpu++;
    return cpu;
}

static void read_governor(const char *root, const ob_cpu_set *usable, ob_system *out)
{
    char governor[sizeof out->governor];
    for (size_t cpu = 0; cpu < OB_MAX_CPUS; cpu++) {
        if (!ob_cpu_set_has(usable, cpu) ||
            !ob__proc_line(root, governor, sizeof governor,
                           CPU_DIR "/cpu%zu/cpufreq/scaling_governor", cpu))
            continue;
        if (out->governor[0] == '\0') {
            memcpy(out->governor, governor, sizeof governor);
        } else if (strcmp(out->governor, governor) != 0) {
            strcpy(out->governor, "mixed");
            return;
        }
    }
}

static void read_switches(const char *root, ob_system *out)
{
    uint64_t value;
    char line[128];
    if (ob__proc_number(root, &value, CPU_DIR "/cpufreq/boost"))
        out->boost = value != 0;
    else if (ob__proc_number(root, &value, CPU_DIR "/intel_pstate/no_turbo"))
        out->boost = value == 0;
    if (ob__proc_number(root, &value, CPU_DIR "/smt/active"))
        out->smt = value != 0;
    ob__proc_line(root, out->clock_source, sizeof out->clock_source,
                  "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    /* "always [madvise] never": the word in brackets counts. */
    if (ob__proc_line(root, line, sizeof line, "/sys/kernel/mm/transparent_hugepage/enabled")) {
        char *start = strchr(line, '[');
        char *end = start != NULL ? strchr(start, ']') : NULL;
        if (end != NULL)
            snprintf(out->hugepages, sizeof out->hugepages, "%.*s", (int)(end - start - 1),
                     start + 1);
    }
}

static void read_memory(const char *root, ob_system *out)
{
    char line[64];
    FILE *file = ob__proc_open(root, "/proc/meminfo");
    if (file != NULL && ob__proc_named(file, "MemTotal", line, sizeof line)) {
        char *unit = strstr(line, " kB");
        uint64_t kib;
        if (unit != NULL) {
            *unit = '\0';
            if (ob__proc_parse_number(line, &kib) && kib <= UINT64_MAX / 1024)
                out->memory_bytes = kib * 1024;
        }
    }
    if (file != NULL)
        fclose(file);
    uint64_t limit = 0;
    if (!ob__proc_number(root, &limit, "/sys/fs/cgroup/memory.max") &&
        !ob__proc_number(root, &limit, "/sys/fs/cgroup/memory/memory.limit_in_bytes"))
        return;
    /* Version 1 writes a huge number for "no limit". */
    if (out->memory_bytes == 0 || limit < out->memory_bytes)
        out->memory_limit_bytes = limit;
}

static void read_cache(const char *root, size_t cpu, size_t index, uint64_t *highest,
                       ob_system *out)
{
    char type[32], shared[256];
    uint64_t level = 0, size = 0;
    if (!ob__proc_line(root, type, sizeof type, CPU_DIR "/cpu%zu/cache/index%zu/type", cpu,
                       index) ||
        !ob__proc_number(root, &level, CPU_DIR "/cpu%zu/cache/index%zu/level", cpu, index) ||
        !ob__proc_number(root, &size, CPU_DIR "/cpu%zu/cache/index%zu/size", cpu, index))
        return;
    if (strcmp(type, "Instruction") == 0) {
        if (level == 1)
            out->l1i_bytes = size;
        return;
    }
    uint64_t *const by_level[] = {NULL, &out->l1d_bytes, &out->l2_bytes, &out->l3_bytes};
    if (level > 0 && level < sizeof by_level / sizeof *by_level)
        *by_level[level] = size;
    if (level <= *highest)
        return;
    *highest = level;
    out->last_level_bytes = size;
    ob_cpu_set set;
    out->last_level_cpus =
        ob__proc_line(root, shared, sizeof shared, CPU_DIR "/cpu%zu/cache/index%zu/shared_cpu_list",
                      cpu, index) &&
                ob_cpu_set_parse(shared, strlen(shared), &set, NULL) == OB_OK
            ? ob_cpu_set_count(&set)
            : 0;
    ob__proc_number(root, &out->cache_line_bytes,
                    CPU_DIR "/cpu%zu/cache/index%zu/coherency_line_size", cpu, index);
}

ob_status ob_system_read(const char *root, const ob_cpu_set *usable, ob_system *out, ob_err *err)
{
    enum { MAX_CACHES = 16 };
    ob_cpu_set own, online;
    char list[1024];
    *out = (ob_system){.boost = -1, .smt = -1, .hypervisor = -1};
    if (root != NULL && strlen(root) >= OB_PROC_PATH_BYTES / 2)
        return ob_err_set(err, OB_ERR_INVALID, "the root path is longer than %d bytes",
                          OB_PROC_PATH_BYTES / 2 - 1);
    if (usable == NULL) {
        OB_TRY(ob_cpu_set_usable(&own, err));
        usable = &own;
    }
    read_kernel(out);
    read_cpu_model(root, out);
    read_governor(root, usable, out);
    read_switches(root, out);
    read_memory(root, out);
    out->cpus_usable = ob_cpu_set_count(usable);
    if (ob__proc_line(root, list, sizeof list, CPU_DIR "/online") &&
        ob_cpu_set_parse(list, strlen(list), &online, NULL) == OB_OK)
        out->cpus_online = ob_cpu_set_count(&online);
    uint64_t highest = 0;
    for (size_t index = 0; index < MAX_CACHES; index++)
        read_cache(root, first_cpu(usable), index, &highest, out);
    return OB_OK;
}
