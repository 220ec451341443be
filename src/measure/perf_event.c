/* SPDX-License-Identifier: Apache-2.0
 *
 * Two counters in one group, so that both are counted in the same stretches of time. Where a processor has
 * fewer counters than its users ask for, the kernel lets groups take turns; it says for how long a group was
 * enabled and for how long it really counted, and what was read is scaled by the ratio.
 */
#include "measure/perf_event.h"

#include "opbench/measure.h"

#include <errno.h>
#include <linux/perf_event.h>
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
};

static ob_status explain(int why, ob_err *err)
{
    switch (why) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "this machine has no hardware counters, as is usual for virtual ones");
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

ob_status ob__perf_open(ob_perf *perf, const ob_perf_calls *calls, ob_err *err)
{
    *perf = (ob_perf){.calls = calls != NULL ? *calls : SYSTEM, .fds = {-1, -1}};
    for (int i = 0; i < OB_PERF_EVENTS; i++) {
        const struct perf_event_attr attr = {
            .type = PERF_TYPE_HARDWARE,
            .size = sizeof attr,
            .config = EVENTS[i],
            .read_format =
                PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
            .disabled = i == 0, /* the others follow the leader */
            .exclude_kernel = 1,
            .exclude_hv = 1,
        };
        perf->fds[i] = perf->calls.open(perf->calls.ctx, &attr, perf->fds[0]);
        if (perf->fds[i] < 0) {
            const int why = errno;
            ob__perf_close(perf);
            return explain(why, err);
        }
    }
    return OB_OK;
}

void ob__perf_close(ob_perf *perf)
{
    for (int i = 0; i < OB_PERF_EVENTS; i++) {
        if (perf->fds[i] >= 0)
            perf->calls.close(perf->calls.ctx, perf->fds[i]);
        perf->fds[i] = -1;
    }
}

ob_status ob_hardware_counters_check(ob_err *err)
{
    ob_perf perf;
    OB_TRY(ob__perf_open(&perf, NULL, err));
    ob__perf_close(&perf);
    return OB_OK;
}

/* ---- counting ---- */

void ob__perf_begin(const ob_perf *perf)
{
    perf->calls.control(perf->calls.ctx, perf->fds[0], PERF_EVENT_IOC_ENABLE);
}

void ob__perf_end(const ob_perf *perf)
{
    perf->calls.control(perf->calls.ctx, perf->fds[0], PERF_EVENT_IOC_DISABLE);
}

ob_status ob__perf_read(const ob_perf *perf, ob_perf_reading *out, ob_err *err)
{
    /* The kernel's layout for these formats: how many, enabled, running, then the values. */
    uint64_t raw[3 + OB_PERF_EVENTS];
    const ssize_t got = perf->calls.read(perf->calls.ctx, perf->fds[0], raw, sizeof raw);
    if (got != (ssize_t)sizeof raw || raw[0] != OB_PERF_EVENTS)
        return ob_err_set(err, OB_ERR_IO, "hardware counters cannot be read: %s",
                          got < 0 ? strerror(errno) : "not the counters that were asked for");
    *out = (ob_perf_reading){.enabled_ns = raw[1], .running_ns = raw[2]};
    memcpy(out->values, raw + 3, sizeof out->values);
    return OB_OK;
}

ob_status ob__perf_between(const ob_perf_reading *first, const ob_perf_reading *last,
                           ob_perf_counts *out, ob_err *err)
{
    const double enabled = (double)(last->enabled_ns - first->enabled_ns);
    const double running = (double)(last->running_ns - first->running_ns);
    if (running <= 0)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "the hardware counters never counted, because others use them all");
    const double scale = running < enabled ? enabled / running : 1;
    for (int i = 0; i < OB_PERF_EVENTS; i++)
        out->values[i] = (double)(last->values[i] - first->values[i]) * scale;
    out->share = 1 / scale;
    return OB_OK;
}
