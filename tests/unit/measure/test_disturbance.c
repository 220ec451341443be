/* SPDX-License-Identifier: Apache-2.0
 *
 * What disturbed a sample, over calls that stand in for the system's: a page that counts, pages that cannot be had or do not
 * count, and getrusage alone.
 */
#include "check.h"
#include "measure/disturbance.h"

#include <linux/perf_event.h>

typedef struct fake {
    struct perf_event_mmap_page page;
    bool no_open, no_map, no_read;
    bool blind;       /* the event stays at 0, as one that may not see the kernel */
    bool behind;      /* the page is not what read() says */
    int short_sleeps; /* so many sleeps without a switch */
    int opened, closed, mapped, unmapped, slept, asked;
    bool all_threads;
    ob_usage usage;
} fake;

static int fake_open(void *ctx, const struct perf_event_attr *attr)
{
    fake *f = ctx;
    CHECK_INT(attr->type, PERF_TYPE_SOFTWARE);
    CHECK_INT(attr->config, PERF_COUNT_SW_CONTEXT_SWITCHES);
    CHECK_INT(attr->size, sizeof *attr);
    CHECK(!attr->exclude_kernel && !attr->inherit && !attr->disabled);
    f->opened++;
    return f->no_open ? -1 : 7;
}

static void *fake_map(void *ctx, int fd, size_t size)
{
    fake *f = ctx;
    CHECK_INT(fd, 7);
    CHECK(size >= 1024);
    f->mapped += !f->no_map;
    return f->no_map ? NULL : &f->page;
}

static bool fake_read(void *ctx, int fd, uint64_t *out)
{
    const fake *f = ctx;
    CHECK_INT(fd, 7);
    *out = (uint64_t)f->page.offset + f->behind;
    return !f->no_read;
}

static void fake_unmap(void *ctx, void *page, size_t size)
{
    fake *f = ctx;
    CHECK(page == &f->page && size >= 1024);
    f->unmapped++;
}

static void fake_close(void *ctx, int fd)
{
    CHECK_INT(fd, 7);
    ((fake *)ctx)->closed++;
}

static void switch_off(fake *f)
{
    f->page.lock += 2;
    f->page.offset += !f->blind;
    f->usage.involuntary++;
}

static void fake_sleep(void *ctx)
{
    fake *f = ctx;
    if (++f->slept > f->short_sleeps)
        switch_off(f);
}

static void fake_usage(void *ctx, bool all_threads, ob_usage *out)
{
    fake *f = ctx;
    f->asked++;
    f->all_threads = all_threads;
    *out = f->usage;
}

static ob_disturbance_calls calls_of(fake *f)
{
    return (ob_disturbance_calls){.open = fake_open,
                                  .map = fake_map,
                                  .read = fake_read,
                                  .unmap = fake_unmap,
                                  .close = fake_close,
                                  .sleep = fake_sleep,
                                  .usage = fake_usage,
                                  .ctx = f};
}

static void open_with(fake *f, bool by_page, bool others_work, ob_disturbance *d)
{
    const ob_disturbance_calls calls = calls_of(f);
    const ob_disturbance_params params = {
        .calls = &calls, .by_page = by_page, .others_work = others_work};
    ob__disturbance_open(d, &params);
}

static const double SHORT_NS = 2000, LONG_NS = 250000;

static void check_sample(ob_disturbance *d, double took_ns, bool switched, uint64_t faults)
{
    const ob_disturbed seen = ob__disturbance_end(d, took_ns);
    CHECK_INT(seen.switched, switched);
    CHECK_INT(seen.faults, faults);
}

static void the_page_counts_switches(void)
{
    fake f = {.page = {.offset = 40}, .short_sleeps = 2};
    ob_disturbance d;
    open_with(&f, true, false, &d);
    CHECK_STR(ob__disturbance_source(&d), "perf_event");
    CHECK_INT(f.slept, 3);
    switch_off(&f); /* before a sample: nobody's */
    ob__disturbance_begin(&d);
    check_sample(&d, SHORT_NS, false, 0);
    ob__disturbance_begin(&d);
    switch_off(&f);
    check_sample(&d, SHORT_NS, true, 0);
    ob__disturbance_begin(&d);
    check_sample(&d, SHORT_NS, false, 0);
    CHECK_INT(f.asked, 0); /* short samples cost no call */
    ob__disturbance_close(&d);
    CHECK_INT(f.unmapped, 1);
    CHECK_INT(f.closed, 1);
}

/* Faults are known of a sample before which somebody asked: one that was expected to be long. */
static void long_samples_tell_of_faults(void)
{
    fake f = {.page = {.offset = 0}};
    ob_disturbance d;
    open_with(&f, true, false, &d);
    ob__disturbance_begin(&d);
    f.usage.faults += 100;
    check_sample(&d, LONG_NS, false, 0);
    f.usage.faults += 30; /* between samples */
    ob__disturbance_begin(&d);
    f.usage.faults += 3;
    check_sample(&d, LONG_NS, false, 3);
    ob__disturbance_begin(&d);
    f.usage.faults += 3;
    switch_off(&f);
    check_sample(&d, LONG_NS, true, 3);
    ob__disturbance_close(&d);
}

static void a_page_that_cannot_be_had_is_done_without(void)
{
    const fake without[] = {
        {.no_open = true}, {.no_map = true}, {.no_read = true}, {.blind = true}, {.behind = true}};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        fake f = without[i];
        ob_disturbance d;
        open_with(&f, true, false, &d);
        CHECK_STR(ob__disturbance_source(&d), "getrusage");
        CHECK_INT(f.opened, 1);
        CHECK_INT(f.closed, !f.no_open);
        CHECK_INT(f.unmapped, f.mapped);
        ob__disturbance_close(&d);
        CHECK_INT(f.closed, !f.no_open);
    }
}

static void getrusage_is_asked_for_long_samples(void)
{
    fake f = {.page = {.offset = 0}};
    ob_disturbance d;
    open_with(&f, false, false, &d);
    CHECK_STR(ob__disturbance_source(&d), "getrusage");
    CHECK_INT(f.opened, 0);
    CHECK_INT(f.asked, 1);
    for (int i = 0; i < 3; i++) {
        ob__disturbance_begin(&d);
        check_sample(&d, SHORT_NS, false, 0);
    }
    CHECK_INT(f.asked, 1);
    /* One that became long, because the thread was switched off, shows it. */
    ob__disturbance_begin(&d);
    f.usage.involuntary++;
    check_sample(&d, LONG_NS, true, 0);
    ob__disturbance_begin(&d);
    f.usage.voluntary++;
    check_sample(&d, LONG_NS, true, 0);
    CHECK(!f.all_threads);
    /* What happens during another one's turn is nobody's. */
    ob__disturbance_begin(&d);
    check_sample(&d, SHORT_NS, false, 0);
    f.usage.voluntary++;
    ob__disturbance_forget(&d);
    ob__disturbance_begin(&d);
    check_sample(&d, LONG_NS, false, 0);
    ob__disturbance_close(&d);
}

/* A thread that waits for the others of its pool is not disturbed; one of them that is switched off is. */
static void waiting_for_others_is_work(void)
{
    fake f = {.page = {.offset = 0}};
    ob_disturbance d;
    open_with(&f, true, true, &d);
    CHECK_STR(ob__disturbance_source(&d), "getrusage");
    CHECK_INT(f.opened, 0);
    CHECK(f.all_threads);
    ob__disturbance_begin(&d);
    f.usage.voluntary += 5;
    check_sample(&d, LONG_NS, false, 0);
    ob__disturbance_begin(&d);
    f.usage.involuntary++;
    check_sample(&d, LONG_NS, true, 0);
    ob__disturbance_close(&d);
}

/* The system's own calls: whatever it has, a sample with a sleep in it is disturbed. */
static void the_system_tells_of_a_sleep(void)
{
    for (int by_page = 0; by_page < 2; by_page++) {
        const ob_disturbance_params params = {.by_page = by_page != 0};
        ob_disturbance d;
        ob__disturbance_open(&d, &params);
        const ob_disturbance_calls *calls = &d.calls;
        bool switched = false;
        for (int i = 0; i < 100 && !switched; i++) { /* a sleep so short may be none */
            ob__disturbance_begin(&d);
            calls->sleep(calls->ctx);
            switched = ob__disturbance_end(&d, LONG_NS).switched;
        }
        CHECK(switched);
        ob__disturbance_close(&d);
    }
}

int main(void)
{
    RUN(the_page_counts_switches);
    RUN(long_samples_tell_of_faults);
    RUN(a_page_that_cannot_be_had_is_done_without);
    RUN(getrusage_is_asked_for_long_samples);
    RUN(waiting_for_others_is_work);
    RUN(the_system_tells_of_a_sleep);
    return ob_test_end();
}
