/* SPDX-License-Identifier: Apache-2.0
 *
 * Hardware counters over calls that stand in for the system's: counters that are there, shared ones, none, and
 * ones that are forbidden.
 */
#include "check.h"
#include "measure/perf_event.h"
#include "opbench/measure.h"

#include <errno.h>
#include <linux/perf_event.h>

typedef struct fake {
    int opened, closed;
    int fail_at, why; /* which open fails, from 1; 0 = none */
    bool disabled[OB_PERF_EVENTS];
    int groups[OB_PERF_EVENTS];
    uint64_t configs[OB_PERF_EVENTS];
    bool counts; /* between ENABLE and DISABLE */
    /* Of 4 parts of the time in which they count: how many each group has. */
    uint64_t running_part, second_part;
    uint64_t members; /* what the kernel says of the group */
    ssize_t cut;      /* how much of a reading is missing */
    uint64_t enabled_ns, running_ns[OB_PERF_GROUPS], values[OB_PERF_EVENTS];
} fake;

static int fake_open(void *ctx, const struct perf_event_attr *attr, int group)
{
    fake *f = ctx;
    const int index = f->opened;
    if (++f->opened == f->fail_at) {
        errno = f->why;
        return -1;
    }
    f->disabled[index] = attr->disabled;
    f->groups[index] = group;
    f->configs[index] = attr->config;
    CHECK_INT(attr->type, PERF_TYPE_HARDWARE);
    CHECK_INT(attr->size, sizeof *attr);
    CHECK(attr->exclude_kernel && attr->exclude_hv && !attr->inherit);
    return 100 + index;
}

static int fake_control(void *ctx, int fd, unsigned long request)
{
    fake *f = ctx;
    CHECK(fd == 100 || fd == 102);
    CHECK(request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE);
    f->counts = request == PERF_EVENT_IOC_ENABLE;
    return 0;
}

static ssize_t fake_read(void *ctx, int fd, void *out, size_t size)
{
    fake *f = ctx;
    const int group = fd == 100 ? 0 : 1;
    const uint64_t *values = f->values + 2 * group;
    const uint64_t raw[] = {f->members, f->enabled_ns, f->running_ns[group], values[0], values[1]};
    CHECK(fd == 100 || fd == 102);
    CHECK_INT(size, sizeof raw);
    memcpy(out, raw, sizeof raw);
    return (ssize_t)sizeof raw - f->cut;
}

static void fake_close(void *ctx, int fd)
{
    fake *f = ctx;
    CHECK(fd >= 100 && fd < 100 + OB_PERF_EVENTS);
    f->closed++;
}

/* Something that takes so many ns, at 4 instructions, 2 cycles and a miss of each kind per ns. */
static void work(fake *f, uint64_t ns)
{
    if (!f->counts)
        return;
    const uint64_t seen = ns * f->running_part / 4;
    f->enabled_ns += ns;
    f->running_ns[0] += seen;
    f->running_ns[1] += ns * f->second_part / 4;
    f->values[OB_PERF_INSTRUCTIONS] += 4 * seen;
    f->values[OB_PERF_CYCLES] += 2 * seen;
    f->values[OB_PERF_CACHE_MISSES] += ns * f->second_part / 4;
    f->values[OB_PERF_BRANCH_MISSES] += ns * f->second_part / 4;
}

static ob_perf_calls calls_of(fake *f)
{
    return (ob_perf_calls){.open = fake_open,
                           .control = fake_control,
                           .read = fake_read,
                           .close = fake_close,
                           .ctx = f};
}

static ob_perf_counts count(fake *f, ob_status want, ob_err *err)
{
    const ob_perf_calls calls = calls_of(f);
    ob_perf perf;
    ob_perf_reading first, last;
    ob_perf_counts counts = {0};
    CHECK_INT(ob__perf_open(&perf, &calls, err), OB_OK);
    work(f, 1000000); /* nothing counts yet */
    CHECK_INT(ob__perf_read(&perf, &first, err), OB_OK);
    for (int i = 0; i < 10; i++) {
        ob__perf_begin(&perf);
        work(f, 1000);
        ob__perf_end(&perf);
        work(f, 5000);
    }
    CHECK_INT(ob__perf_read(&perf, &last, err), OB_OK);
    CHECK_INT(ob__perf_between(&first, &last, &counts, err), want);
    ob__perf_close(&perf);
    CHECK_INT(f->closed, f->fail_at > 0 ? f->fail_at - 1 : OB_PERF_EVENTS);
    return counts;
}

static void test_counts(void)
{
    ob_err err = {0};
    fake f = {.running_part = 4, .second_part = 4, .members = OB_PERF_GROUP};
    const ob_perf_counts counts = count(&f, OB_OK, &err);
    CHECK_REAL(counts.values[OB_PERF_INSTRUCTIONS], 40000);
    CHECK_REAL(counts.values[OB_PERF_CYCLES], 20000);
    CHECK_REAL(counts.share, 1);
    CHECK_INT(f.groups[0], -1);
    CHECK_INT(f.groups[1], 100);
    CHECK_INT(f.groups[2], -1);
    CHECK_INT(f.groups[3], 102);
    CHECK(f.disabled[0] && !f.disabled[1] && f.disabled[2] && !f.disabled[3]);
    CHECK_REAL(counts.values[OB_PERF_CACHE_MISSES], 10000);
    CHECK_REAL(counts.values[OB_PERF_BRANCH_MISSES], 10000);
    CHECK_INT(f.configs[2], PERF_COUNT_HW_CACHE_MISSES);
    CHECK_INT(f.configs[3], PERF_COUNT_HW_BRANCH_MISSES);
    CHECK_INT(f.configs[0], PERF_COUNT_HW_INSTRUCTIONS);
    CHECK_INT(f.configs[1], PERF_COUNT_HW_CPU_CYCLES);
}

static void test_shared_counters(void)
{
    ob_err err = {0};
    fake f = {.running_part = 2, .second_part = 1, .members = OB_PERF_GROUP};
    const ob_perf_counts counts = count(&f, OB_OK, &err);
    CHECK_REAL(counts.values[OB_PERF_INSTRUCTIONS], 40000);
    CHECK_REAL(counts.values[OB_PERF_CYCLES], 20000);
    CHECK_REAL(counts.values[OB_PERF_CACHE_MISSES], 10000);
    CHECK_REAL(counts.share, 0.25); /* the group that was seen least */
}

/* Misses that the machine does not count, or never came to count, leave the rest as it is. */
static void test_no_misses(void)
{
    ob_err err = {0};
    fake f = {.running_part = 4, .members = OB_PERF_GROUP};
    ob_perf_counts counts = count(&f, OB_OK, &err);
    CHECK_REAL(counts.values[OB_PERF_INSTRUCTIONS], 40000);
    CHECK(isnan(counts.values[OB_PERF_CACHE_MISSES]));
    CHECK_REAL(counts.share, 1);
    for (int at = 3; at <= 4; at++) {
        f = (fake){.running_part = 4, .members = OB_PERF_GROUP, .fail_at = at, .why = ENOENT};
        counts = count(&f, OB_OK, &err);
        CHECK_REAL(counts.values[OB_PERF_CYCLES], 20000);
        CHECK(isnan(counts.values[OB_PERF_BRANCH_MISSES]));
    }
}

static void test_counters_that_others_have(void)
{
    ob_err err = {0};
    fake f = {.running_part = 0, .second_part = 4, .members = OB_PERF_GROUP};
    count(&f, OB_ERR_UNSUPPORTED, &err);
    CHECK_HAS(err.message, "others use all of them");
}

static void test_no_counters(void)
{
    static const struct {
        int why, at;
        const char *text;
    } ROWS[] = {{ENOENT, 1, "this machine has no hardware counters"},
                {EOPNOTSUPP, 1, "this machine has no hardware counters"},
                {ENOENT, 2, "this machine has no hardware counters"},
                {EACCES, 1, "kernel.perf_event_paranoid=2"},
                {EPERM, 1, "--cap-add PERFMON"},
                {ENOSYS, 1, "built without perf_event"},
                {EMFILE, 2, "Too many open files"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        fake f = {.fail_at = ROWS[i].at, .why = ROWS[i].why};
        const ob_perf_calls calls = calls_of(&f);
        ob_perf perf;
        ob_err err = {0};
        CHECK_INT(ob__perf_open(&perf, &calls, &err), OB_ERR_UNSUPPORTED);
        CHECK_HAS(err.message, ROWS[i].text);
        CHECK_INT(f.closed, ROWS[i].at - 1);
        ob__perf_close(&perf); /* nothing is left to close */
        CHECK_INT(f.closed, ROWS[i].at - 1);
    }
}

static void test_short_readings(void)
{
    fake f = {.running_part = 4, .members = 1};
    const ob_perf_calls calls = calls_of(&f);
    ob_perf perf;
    ob_perf_reading reading;
    ob_err err = {0};
    CHECK_INT(ob__perf_open(&perf, &calls, &err), OB_OK);
    CHECK_INT(ob__perf_read(&perf, &reading, &err), OB_ERR_IO);
    f.members = OB_PERF_GROUP;
    f.cut = 8;
    CHECK_INT(ob__perf_read(&perf, &reading, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "not the counters that were asked for");
    ob__perf_close(&perf);
}

/* Whatever this machine has, the answer is one of two. */
static void test_this_machine(void)
{
    ob_err err = {0};
    const ob_status status = ob__hardware_counters_check(&err);
    CHECK(status == OB_OK || (status == OB_ERR_UNSUPPORTED && err.message[0] != '\0'));
}

int main(void)
{
    RUN(test_counts);
    RUN(test_shared_counters);
    RUN(test_no_misses);
    RUN(test_counters_that_others_have);
    RUN(test_no_counters);
    RUN(test_short_readings);
    RUN(test_this_machine);
    return ob_test_end();
}
