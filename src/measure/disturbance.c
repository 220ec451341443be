/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening and the calls that short samples are spared. The page is believed only after it counted a switch that
 * was made on purpose, and as many as read() says: an event that may not see the kernel opens too, and stays at 0.
 */
#include "measure/disturbance.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- the system's calls ---- */

static int system_open(void *ctx, const struct perf_event_attr *attr)
{
    (void)ctx;
    return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void *system_map(void *ctx, int fd, size_t size)
{
    (void)ctx;
    void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    return page != MAP_FAILED ? page : NULL;
}

static bool system_read(void *ctx, int fd, uint64_t *out)
{
    (void)ctx;
    return read(fd, out, sizeof *out) == (ssize_t)sizeof *out;
}

static void system_unmap(void *ctx, void *page, size_t size)
{
    (void)ctx;
    munmap(page, size);
}

static void system_close(void *ctx, int fd)
{
    (void)ctx;
    close(fd);
}

static void system_sleep(void *ctx)
{
    (void)ctx;
    nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
}

static void system_usage(void *ctx, bool all_threads, ob_usage *out)
{
    (void)ctx;
    struct rusage usage = {.ru_nvcsw = 0};
    getrusage(all_threads ? RUSAGE_SELF : RUSAGE_THREAD, &usage);
    *out = (ob_usage){.voluntary = (uint64_t)usage.ru_nvcsw,
                      .involuntary = (uint64_t)usage.ru_nivcsw,
                      .faults = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt};
}

static const ob_disturbance_calls SYSTEM = {.open = system_open,
                                            .map = system_map,
                                            .read = system_read,
                                            .unmap = system_unmap,
                                            .close = system_close,
                                            .sleep = system_sleep,
                                            .usage = system_usage};

/* ---- opening ---- */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void close_page(ob_disturbance *d)
{
    if (d->page != NULL)
        d->calls.unmap(d->calls.ctx, d->page, page_size());
    if (d->fd >= 0)
        d->calls.close(d->calls.ctx, d->fd);
    d->page = NULL;
    d->lock = NULL;
    d->offset = NULL;
    d->fd = -1;
}

static bool open_page(ob_disturbance *d)
{
    const struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
    uint64_t count;
    d->fd = d->calls.open(d->calls.ctx, &attr);
    if (d->fd < 0)
        return false;
    d->page = d->calls.map(d->calls.ctx, d->fd, page_size());
    if (d->page == NULL)
        return false;
    const struct perf_event_mmap_page *page = d->page;
    d->lock = &page->lock;
    d->offset = (const volatile int64_t *)&page->offset;
    const int64_t before = ob__disturbance_switches(d);
    /* A sleep so short may be over before it began, and another switch may come between the two readings; hardly at
     * each try. */
    for (int i = 0; i < 5; i++) {
        d->calls.sleep(d->calls.ctx);
        const int64_t seen = ob__disturbance_switches(d);
        if (seen > before && d->calls.read(d->calls.ctx, d->fd, &count) && (int64_t)count == seen)
            return true;
    }
    return false;
}

void ob__disturbance_open(ob_disturbance *d, const ob_disturbance_params *params)
{
    *d = (ob_disturbance){.calls = params->calls != NULL ? *params->calls : SYSTEM,
                          .others_work = params->others_work,
                          .fd = -1};
    if (params->by_page && !params->others_work && !open_page(d))
        close_page(d);
    ob__disturbance_forget(d);
}

void ob__disturbance_close(ob_disturbance *d)
{
    close_page(d);
}

const char *ob__disturbance_source(const ob_disturbance *d)
{
    return d->offset != NULL ? "perf_event" : "getrusage";
}

/* ---- calls ---- */

void ob__disturbance_ask(ob_disturbance *d)
{
    d->calls.usage(d->calls.ctx, d->others_work, &d->before);
}

void ob__disturbance_forget(ob_disturbance *d)
{
    if (d->offset == NULL)
        ob__disturbance_ask(d);
}

ob_disturbed ob__disturbance_look(ob_disturbance *d, bool switched)
{
    ob_usage now;
    d->calls.usage(d->calls.ctx, d->others_work, &now);
    const ob_usage *before = &d->before;
    const ob_disturbed found = {
        .switched = d->offset != NULL ? switched
                                      : now.involuntary != before->involuntary ||
                                            (!d->others_work && now.voluntary != before->voluntary),
        .faults = d->asked ? now.faults - before->faults : 0};
    d->before = now;
    return found;
}
