/* SPDX-License-Identifier: Apache-2.0
 *
 * Two counters in a group, so that both are counted in the same stretches of time; four in one would be more than some
 * processors have, and the kernel would never count any. Where a processor has
 * fewer counters than its users ask for, the kernel lets groups take turns; it says for how long a group was
 * enabled and for how long it really counted, and what was read is scaled by the ratio.
 */
#include "measure/perf_event.h"

#include "opbench/measure.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the system's calls ---- */

static int system_open(void *ctx, const struct perf_event_attr *attr, int group)
{
    (void)ctx;
    return (int)syscall(SYS_perf_event_open, attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

static int system_control(void *ctx, int fd, unsigned long request)
{
    (void)ctx;
    return ioctl(fd, request, PERF_IOC_FLAG_GROUP);
}

static ssize_t system_read(void *ctx, int fd, void *out, size_t size)
{
    (void)ctx;
    return read(fd, out, size);
}

static void system_close(void *ctx, int fd)
{
    (void)ctx;
    close(fd);
}

static const ob_perf_calls SYSTEM = {
    .open = system_open, .control = system_control, .read = system_read, .close = system_close};

/* ---- opening ---- */

static const uint64_t EVENTS[OB_PERF_EVENTS] = {
    [OB_PERF_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
    [OB_PERF_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
    [OB_PERF_CACHE_MISSES] = PERF_COUNT_HW_CACHE_MISSES,
    [OB_PERF_BRANCH_MISSES] = PERF_COUNT_HW_BRANCH_MISSES,
};

static ob_status explain(int why, ob_err *err)
{
    switch (why) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "this machine has no hardware counters, as usual for virtual machines");
    case ENOSYS:
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "this kernel was built without perf_event");
    case EACCES:
    case EPERM:
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "hardware counters are not allowed here; as root: sysctl "
                          "kernel.perf_event_paranoid=2; in a container: --cap-add PERFMON");
    default:
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "hardware counters cannot be opened: %s",
                          strerror(why));
    }
}

static void close_group(ob_perf *perf, int first)
{
    for (int i = first; i < first + OB_PERF_GROUP; i++) {
        if (perf->fds[i] >= 0)
            perf->calls.close(perf->calls.ctx, perf->fds[i]);
        perf->fds[i] = -1;
    }
}

/* False: errno says why, and none of the group is open. */
static bool open_group(ob_perf *perf, int first)
{
    for (int i = first; i < first + OB_PERF_GROUP; i++) {
        const struct perf_event_attr attr = {
            .type = PERF_TYPE_HARDWARE,
            .size = sizeof attr,
            .config = EVENTS[i],
            .read_format =
                PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
            .disabled = i == first, /* the others follow the leader */
            .exclude_kernel = 1,
            .exclude_hv = 1,
        };
        perf->fds[i] = perf->calls.open(perf->calls.ctx, &attr, perf->fds[first]);
        if (perf->fds[i] < 0) {
            const int why = errno;
            close_group(perf, first);
            errno = why;
            return false;
        }
    }
    return true;
}

/* Virtual machines that have the first group may lack the second. */
ob_status ob__perf_open(ob_perf *perf, const ob_perf_calls *calls, ob_err *err)
{
    *perf = OB_NO_PERF;
    perf->calls = calls != NULL ? *calls : SYSTEM;
    if (!open_group(perf, 0))
        return explain(errno, err);
    for (int first = OB_PERF_GROUP; first < OB_PERF_EVENTS; first += OB_PERF_GROUP)
        open_group(perf, first);
    return OB_OK;
}

void ob__perf_close(ob_perf *perf)
{
    for (int first = 0; first < OB_PERF_EVENTS; first += OB_PERF_GROUP)
        close_group(perf, first);
}

ob_status ob__hardware_counters_check(ob_err *err)
{
    ob_perf perf;
    OB_TRY(ob__perf_open(&perf, NULL, err));
    ob__perf_close(&perf);
    return OB_OK;
}

/* ---- counting ---- */

static void control(const ob_perf *perf, unsigned long request)
{
    for (int first = 0; first < OB_PERF_EVENTS; first += OB_PERF_GROUP)
        if (perf->fds[first] >= 0)
            perf->calls.control(perf->calls.ctx, perf->fds[first], request);
}

void ob__perf_begin(const ob_perf *perf)
{
    control(perf, PERF_EVENT_IOC_ENABLE);
}

void ob__perf_end(const ob_perf *perf)
{
    control(perf, PERF_EVENT_IOC_DISABLE);
}

ob_status ob__perf_read(const ob_perf *perf, ob_perf_reading *out, ob_err *err)
{
    *out = (ob_perf_reading){.values = {0}};
    for (int group = 0; group < OB_PERF_GROUPS; group++) {
        /* The kernel's layout for these formats: how many, enabled, running, then the values. */
        uint64_t raw[3 + OB_PERF_GROUP];
        const int leader = perf->fds[group * OB_PERF_GROUP];
        if (leader < 0)
            continue;
        const ssize_t got = perf->calls.read(perf->calls.ctx, leader, raw, sizeof raw);
        if (got != (ssize_t)sizeof raw || raw[0] != OB_PERF_GROUP)
            return ob_err_set(err, OB_ERR_IO, "hardware counters cannot be read: %s",
                              got < 0 ? strerror(errno) : "not the counters that were asked for");
        out->enabled_ns[group] = raw[1];
        out->running_ns[group] = raw[2];
        memcpy(out->values + group * OB_PERF_GROUP, raw + 3, OB_PERF_GROUP * sizeof *raw);
    }
    return OB_OK;
}

ob_status ob__perf_between(const ob_perf_reading *first, const ob_perf_reading *last,
                           ob_perf_counts *out, ob_err *err)
{
    *out = (ob_perf_counts){.share = 1};
    for (int i = 0; i < OB_PERF_EVENTS; i++) {
        const int group = i / OB_PERF_GROUP;
        const double enabled = (double)(last->enabled_ns[group] - first->enabled_ns[group]);
        const double running = (double)(last->running_ns[group] - first->running_ns[group]);
        const double scale = running <= 0 ? NAN : running < enabled ? enabled / running : 1;
        out->values[i] = (double)(last->values[i] - first->values[i]) * scale;
        if (1 / scale < out->share)
            out->share = 1 / scale;
    }
    if (isnan(out->values[0]))
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "the hardware counters never counted, because others use all of them");
    return OB_OK;
}
