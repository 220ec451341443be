/* SPDX-License-Identifier: Apache-2.0
 *
 * Readings for the doctor's checks, from /proc and /sys below a root that tests can replace.
 */
#include "machine/doctor_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CPU_DIR "/sys/devices/system/cpu"

bool ob__doctor_named(const ob_doctor_facts *facts, const char *path, const char *name,
                      uint64_t *out)
{
    char line[256];
    const size_t length = strlen(name);
    bool found = false;
    FILE *file = ob__proc_open(facts->root, "%s", path);
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, length) != 0 || (line[length] != ' ' && line[length] != ':'))
            continue;
        char *at = line + length + 1, *end;
        *out = strtoull(at, &end, 10);
        found = end != at;
    }
    if (file != NULL)
        fclose(file);
    return found;
}

/* ---- the control group ---- */

/* Where the group of this process is in the tree of the CPU controller, "" at its root or when that is not known. Whether the
 * tree is of the second version. */
static bool find_group(const char *root, char *path, size_t size)
{
    char line[512];
    bool is_second = false, found = false;
    FILE *file = ob__proc_open(root, "/proc/self/cgroup");
    path[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        const bool unified = controllers[1] == '\0';
        char list[256];
        snprintf(list, sizeof list, ",%s,", controllers + 1);
        if (strstr(list, ",cpu,") == NULL && (!unified || found))
            continue;
        snprintf(path, size, "%s", strcmp(group, "/") == 0 ? "" : group);
        is_second = unified;
        found = true;
        if (!unified) /* a controller is in one tree alone */
            break;
    }
    if (file != NULL)
        fclose(file);
    return is_second || !found;
}

static double quota_of(const char *root, const char *folder, bool is_second, char file[512])
{
    char line[64];
    uint64_t quota, period;
    snprintf(file, 512, "%.480s/%s", folder, is_second ? "cpu.max" : "cpu.cfs_quota_us");
    if (!ob__proc_line(root, line, sizeof line, "%s", file))
        return INFINITY;
    if (is_second) {
        char *blank = strchr(line, ' ');
        if (blank == NULL)
            return INFINITY;
        *blank = '\0';
        if (!ob__proc_parse_number(blank + 1, &period))
            return INFINITY;
    } else if (!ob__proc_number(root, &period, "%.480s/cpu.cfs_period_us", folder)) {
        return INFINITY;
    }
    /* "max", and -1 in the first version, are no numbers. */
    return ob__proc_parse_number(line, &quota) && period > 0 ? (double)quota / (double)period
                                                             : INFINITY;
}

/* The least of the group and all above it: each of them may be the one that stops us. */
static void read_quota(const char *root, ob_quota *out)
{
    char group[400], folder[480];
    const bool is_second = find_group(root, group, sizeof group);
    *out = (ob_quota){.cpus = INFINITY};
    for (;;) {
        char file[512];
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", is_second ? "" : "/cpu", group);
        const double cpus = quota_of(root, folder, is_second, file);
        if (cpus < out->cpus) {
            out->cpus = cpus;
            memcpy(out->file, file, sizeof file);
        }
        char *last = strrchr(group, '/');
        if (last == NULL)
            return;
        *last = '\0';
    }
}

static uint64_t read_throttled(const ob_doctor_facts *facts)
{
    char path[520];
    uint64_t count = 0;
    if (facts->quota.file[0] == '\0')
        return 0;
    snprintf(path, sizeof path, "%.*s/cpu.stat",
             (int)(strrchr(facts->quota.file, '/') - facts->quota.file), facts->quota.file);
    return ob__doctor_named(facts, path, "nr_throttled", &count) ? count : 0;
}

/* ---- CPUs ---- */

static void add_siblings(const char *root, size_t cpu, const ob_cpu_set *own, ob_cpu_set *out)
{
    char list[256];
    ob_cpu_set all;
    if (!ob__proc_line(root, list, sizeof list, CPU_DIR "/cpu%zu/topology/thread_siblings_list",
                       cpu) ||
        ob_cpu_set_parse(list, strlen(list), &all, NULL) != OB_OK)
        return;
    for (size_t i = 0; i < sizeof all.bits / sizeof *all.bits; i++)
        out->bits[i] |= all.bits[i] & ~own->bits[i];
}

static uint64_t read_slowed(const ob_doctor_facts *facts)
{
    uint64_t sum = 0, count;
    for (size_t cpu = 0; cpu < OB_MAX_CPUS; cpu++)
        if (ob_cpu_set_has(&facts->cpus, cpu) &&
            ob__proc_number(facts->root, &count,
                            CPU_DIR "/cpu%zu/thermal_throttle/core_throttle_count", cpu))
            sum += count;
    return sum;
}

static void take_reading(const ob_doctor_facts *facts, ob_doctor_reading *out)
{
    uint64_t in = 0, outward = 0;
    *out = (ob_doctor_reading){0};
    ob__doctor_named(facts, "/proc/vmstat", "pswpin", &in);
    ob__doctor_named(facts, "/proc/vmstat", "pswpout", &outward);
    out->swapped = in + outward;
    out->throttled = read_throttled(facts);
    out->slowed = read_slowed(facts);
    FILE *file = ob__proc_open(facts->root, "/proc/stat");
    if (file == NULL)
        return;
    if (ob__cpu_ticks_read(file, &facts->siblings, &out->siblings, NULL) != OB_OK)
        out->siblings = (ob_cpu_ticks){0};
    fclose(file);
}

/* ---- */

ob_status ob__doctor_facts_read(const char *root, const ob_cpu_set *cpus, ob_doctor_facts *out,
                                ob_err *err)
{
    *out = (ob_doctor_facts){.root = root};
    if (cpus != NULL)
        out->cpus = *cpus;
    else
        OB_TRY(ob_cpu_set_usable(&out->cpus, err));
    OB_TRY(ob_system_read(root, &out->cpus, &out->system, err));
    for (size_t cpu = 0; cpu < OB_MAX_CPUS; cpu++)
        if (ob_cpu_set_has(&out->cpus, cpu))
            add_siblings(root, cpu, &out->cpus, &out->siblings);
    read_quota(root, &out->quota);
    return OB_OK;
}

static void wait_until(const ob_clock *clock, uint64_t end_ns)
{
    uint64_t now = ob_clock_now_ns(clock);
    while (now < end_ns) {
        const uint64_t left = end_ns - now;
        nanosleep(&(struct timespec){.tv_sec = (time_t)(left / 1000000000u),
                                     .tv_nsec = (long)(left % 1000000000u)},
                  NULL);
        now = ob_clock_now_ns(clock);
    }
}

ob_status ob__doctor_facts_watch(ob_doctor_facts *facts, double seconds, ob_err *err)
{
    enum { WINDOWS = 10 };
    const ob_clock clock = ob_clock_monotonic();
    const ob_noise_params params = {
        .size = sizeof params, .root = facts->root, .cpus = &facts->cpus, .clock = &clock};
    const uint64_t start = ob_clock_now_ns(&clock);
    ob_noise_sampler *sampler = NULL;
    ob_err ignored;
    facts->seconds = seconds;
    take_reading(facts, &facts->before);
    /* Without /proc/stat the noise stays unknown, and its check says so. */
    const ob_status opened = ob_noise_sampler_open(&params, &sampler, &ignored);
    if (opened == OB_ERR_NOMEM)
        return ob_err_set(err, opened, "%s", ignored.message);
    for (int i = 1; i <= WINDOWS; i++) {
        wait_until(&clock, start + (uint64_t)(seconds * 1e9 * i / WINDOWS));
        if (sampler != NULL)
            ob_noise_sampler_poll(sampler, NULL, &ignored);
    }
    take_reading(facts, &facts->after);
    if (sampler != NULL)
        ob_noise_sampler_get(sampler, &facts->noise);
    ob_noise_sampler_close(sampler);
    return OB_OK;
}
