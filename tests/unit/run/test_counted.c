/* SPDX-License-Identifier: Apache-2.0
 *
 * Counted iterations: what stands between the switch's begin and end and what does not, and the processor's
 * counters over calls that stand in for the system's.
 */
#include "check.h"
#include "run/counted.h"

#include <errno.h>
#include <linux/perf_event.h>

/* ---- a backend that writes down what is asked of it ---- */

struct ob_prepared {
    char log[256];
    int fail_at; /* which forward fails, from 1; 0 = none */
    int forwards;
    struct fake_perf *perf; /* counts along; NULL = nobody */
};

typedef struct fake_perf {
    bool counts;
    uint64_t enabled_ns, running_ns, values[OB_PERF_EVENTS];
    uint64_t running_part; /* of 4 parts of the time */
    int switches;
} fake_perf;

static void note(struct ob_prepared *p, char letter)
{
    const size_t length = strlen(p->log);
    CHECK(length + 1 < sizeof p->log);
    p->log[length] = letter;
}

/* Instructions and half as many cycles, a ns each. */
static void work(fake_perf *f, uint64_t instructions)
{
    if (f == NULL || !f->counts)
        return;
    f->enabled_ns += 4 * instructions;
    f->running_ns += f->running_part * instructions;
    f->values[OB_PERF_INSTRUCTIONS] += 4 * instructions * f->running_part / 4;
    f->values[OB_PERF_CYCLES] += 2 * instructions * f->running_part / 4;
    f->values[OB_PERF_CACHE_MISSES] += instructions * f->running_part / 4;
}

static ob_status run(ob_prepared *prepared, ob_phase what, uint64_t n, ob_err *err)
{
    static const char LETTERS[] = {[OB_PHASE_FORWARD] = 'F',
                                   [OB_PHASE_MAKE_GRAD] = 'M',
                                   [OB_PHASE_BACKWARD] = 'B',
                                   [OB_PHASE_ZERO_GRAD] = 'Z',
                                   [OB_PHASE_RESTORE] = 'R'};
    CHECK_INT(n, 1);
    note(prepared, LETTERS[what]);
    work(prepared->perf, what == OB_PHASE_FORWARD ? 100 : what == OB_PHASE_BACKWARD ? 300 : 5000);
    if (what == OB_PHASE_FORWARD && ++prepared->forwards == prepared->fail_at)
        return ob_err_set(err, OB_ERR_BACKEND, "forward failed");
    return OB_OK;
}

static struct ob_prepared prepared;

static ob_status sync(ob_backend *backend, ob_err *err)
{
    (void)backend;
    (void)err;
    note(&prepared, 's');
    return OB_OK;
}

static void begin(void *ctx)
{
    note(ctx, '[');
}

static void end(void *ctx)
{
    note(ctx, ']');
}

static const ob_backend_desc AT_ONCE = {.name = "test", .run = run};
static const ob_backend_desc QUEUED = {
    .name = "test", .run = run, .sync = sync, .asynchronous = true};

static ob_exec_target target_of(const ob_backend_desc *desc, bool restores)
{
    prepared = (struct ob_prepared){.fail_at = 0};
    return (ob_exec_target){.desc = desc, .prepared = &prepared, .restores = restores};
}

/* ---- order ---- */

static void test_order(void)
{
    const ob_count_switch count = {.begin = begin, .end = end, .ctx = &prepared};
    ob_err err = {0};
    ob_exec_target target = target_of(&AT_ONCE, false);
    CHECK_INT(ob__counted_block(&target, &count, OB_PASS_FORWARD, 3, &err), OB_OK);
    CHECK_STR(prepared.log, "[F][F][F]");
    target = target_of(&AT_ONCE, true);
    CHECK_INT(ob__counted_block(&target, &count, OB_PASS_BACKWARD, 2, &err), OB_OK);
    CHECK_STR(prepared.log, "RFM[B]ZRFM[B]Z");
    target = target_of(&QUEUED, false);
    CHECK_INT(ob__counted_block(&target, &count, OB_PASS_FORWARD, 2, &err), OB_OK);
    CHECK_STR(prepared.log, "s[Fs]s[Fs]s");
    target = target_of(&QUEUED, true);
    CHECK_INT(ob__counted_nothing_block(&target, &count, 2, &err), OB_OK);
    CHECK_STR(prepared.log, "[][]");
}

static void test_failure(void)
{
    const ob_count_switch count = {.begin = begin, .end = end, .ctx = &prepared};
    ob_err err = {0};
    const ob_exec_target target = target_of(&AT_ONCE, false);
    prepared.fail_at = 2;
    CHECK_INT(ob__counted_block(&target, &count, OB_PASS_FORWARD, 3, &err), OB_ERR_BACKEND);
    CHECK_STR(prepared.log, "[F][F]"); /* switched off all the same */
    CHECK_STR(err.message, "forward failed");
}

static void test_outside_of_valgrind(void)
{
    ob_err err = {0};
    const ob_exec_target target = target_of(&AT_ONCE, false);
    const ob_count_request plan = {.pass = OB_PASS_FORWARD, .number = 2, .repeats = 1};
    CHECK_INT(ob__count_by_callgrind(&target, &plan, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "valgrind's headers");
    CHECK_STR(prepared.log, "");
}

/* ---- the processor's counters ---- */

static int perf_open(void *ctx, const struct perf_event_attr *attr, int group)
{
    (void)ctx;
    return group >= 0 ? 52 : attr->config == PERF_COUNT_HW_INSTRUCTIONS ? 50 : 51;
}

/* The switch itself costs 7 instructions each time. */
static int perf_control(void *ctx, int fd, unsigned long request)
{
    fake_perf *f = ctx;
    f->switches++;
    if (fd != 50)
        return 0;
    f->counts = request == PERF_EVENT_IOC_ENABLE;
    work(f, 7);
    return 0;
}

static ssize_t perf_read(void *ctx, int fd, void *out, size_t size)
{
    const fake_perf *f = ctx;
    const uint64_t *values = fd == 50 ? f->values : f->values + OB_PERF_GROUP;
    const uint64_t raw[] = {OB_PERF_GROUP, f->enabled_ns, f->running_ns, values[0], values[1]};
    CHECK_INT(size, sizeof raw);
    memcpy(out, raw, sizeof raw);
    return (ssize_t)size;
}

static void perf_close(void *ctx, int fd)
{
    (void)ctx;
    (void)fd;
}

static ob_status count(fake_perf *f, ob_pass pass, ob_record_counters *out, ob_err *err)
{
    const ob_perf_calls calls = {.open = perf_open,
                                 .control = perf_control,
                                 .read = perf_read,
                                 .close = perf_close,
                                 .ctx = f};
    const ob_exec_target target = target_of(&AT_ONCE, true);
    ob_record record;
    ob_perf perf;
    prepared.perf = f;
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    *out = record.result.counters;
    CHECK_INT(ob__perf_open(&perf, &calls, err), OB_OK);
    const ob_status status = ob__count_by_hardware(&target, &perf, pass, 10, out, err);
    ob__perf_close(&perf);
    return status;
}

static void test_hardware(void)
{
    ob_err err = {0};
    ob_record_counters out;
    fake_perf f = {.running_part = 4};
    CHECK_INT(count(&f, OB_PASS_BACKWARD, &out, &err), OB_OK);
    CHECK_REAL(out.forward.instructions, 400);
    CHECK_REAL(out.forward.cycles, 200);
    CHECK_REAL(out.backward.instructions, 1200);
    CHECK_REAL(out.backward.cycles, 600);
    CHECK_REAL(out.forward.cache_misses, 100);
    CHECK_REAL(out.backward.branch_misses, 0);
    CHECK_REAL(out.share, 1);
    CHECK_INT(out.number, 10);
    CHECK_STR(out.source, "perf_event");
    CHECK_INT(f.switches, 120);
    f = (fake_perf){.running_part = 2};
    CHECK_INT(count(&f, OB_PASS_FORWARD, &out, &err), OB_OK);
    CHECK_REAL(out.forward.instructions, 400);
    CHECK(isnan(out.backward.instructions));
    CHECK_REAL(out.share, 0.5);
    f = (fake_perf){.running_part = 0};
    CHECK_INT(count(&f, OB_PASS_FORWARD, &out, &err), OB_ERR_UNSUPPORTED);
    CHECK(out.source == NULL);
}

int main(void)
{
    RUN(test_order);
    RUN(test_failure);
    RUN(test_outside_of_valgrind);
    RUN(test_hardware);
    return ob_test_end();
}
