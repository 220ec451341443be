/* SPDX-License-Identifier: Apache-2.0
 *
 * Counted iterations. The counter is on around one call of the backend's run(phase, 1), and sync if it is
 * asynchronous; so a little of the switching is counted too. It is the same for every iteration, and a
 * block with nothing in place of the call has exactly this much: subtracting it leaves the call.
 *
 * Blocks of n and 2n iterations, whose difference would drop it as well, would not do: inputs that the case
 * overwrites are restored before each iteration, and a backward has a forward before it.
 */
#include "run/counted.h"

#include "measure/callgrind.h"

typedef ob_status (*run_fn)(ob_prepared *prepared, ob_phase what, uint64_t n, ob_err *err);
typedef ob_status (*sync_fn)(ob_backend *backend, ob_err *err);

/* What is counted. Volatile: the same code must run whatever they are. */
typedef struct counted_calls {
    volatile run_fn run;
    volatile sync_fn sync; /* NULL = the backend works at once */
} counted_calls;

ob_status ob__counted_nothing(ob_prepared *prepared, ob_phase what, uint64_t n, ob_err *err);
ob_status ob__counted_iteration(const ob_exec_target *target, const ob_count_switch *count,
                                const counted_calls *calls, ob_phase what, ob_err *err);

ob_status ob__counted_nothing(ob_prepared *prepared, ob_phase what, uint64_t n, ob_err *err)
{
    (void)prepared;
    (void)what;
    (void)n;
    (void)err;
    return OB_OK;
}

static ob_status nothing_to_wait_for(ob_backend *backend, ob_err *err)
{
    (void)backend;
    (void)err;
    return OB_OK;
}

__attribute__((noinline)) ob_status ob__counted_iteration(const ob_exec_target *target,
                                                          const ob_count_switch *count,
                                                          const counted_calls *calls, ob_phase what,
                                                          ob_err *err)
{
    const run_fn run = calls->run;
    const sync_fn sync = calls->sync;
    count->begin(count->ctx);
    ob_status status = run(target->prepared, what, 1, err);
    if (status == OB_OK && sync != NULL)
        status = sync(target->backend, err);
    count->end(count->ctx);
    return status;
}

static ob_status phase(const ob_exec_target *target, ob_phase what, ob_err *err)
{
    return target->desc->run(target->prepared, what, 1, err);
}

static ob_status wait_for_all(const ob_exec_target *target, ob_err *err)
{
    return target->desc->asynchronous ? target->desc->sync(target->backend, err) : OB_OK;
}

ob_status ob__counted_block(const ob_exec_target *target, const ob_count_switch *count,
                            ob_pass pass, uint64_t n, ob_err *err)
{
    const counted_calls calls = {.run = target->desc->run,
                                 .sync = target->desc->asynchronous ? target->desc->sync : NULL};
    const bool backward = pass == OB_PASS_BACKWARD;
    for (uint64_t i = 0; i < n; i++) {
        if (target->restores)
            OB_TRY(phase(target, OB_PHASE_RESTORE, err));
        if (backward) {
            OB_TRY(phase(target, OB_PHASE_FORWARD, err));
            OB_TRY(phase(target, OB_PHASE_MAKE_GRAD, err));
        }
        OB_TRY(wait_for_all(target, err));
        OB_TRY(ob__counted_iteration(target, count, &calls,
                                     backward ? OB_PHASE_BACKWARD : OB_PHASE_FORWARD, err));
        if (backward)
            OB_TRY(phase(target, OB_PHASE_ZERO_GRAD, err));
    }
    return wait_for_all(target, err);
}

ob_status ob__counted_nothing_block(const ob_exec_target *target, const ob_count_switch *count,
                                    uint64_t n, ob_err *err)
{
    const counted_calls calls = {.run = ob__counted_nothing,
                                 .sync = target->desc->asynchronous ? nothing_to_wait_for : NULL};
    for (uint64_t i = 0; i < n; i++)
        OB_TRY(ob__counted_iteration(target, count, &calls, OB_PHASE_FORWARD, err));
    return OB_OK;
}

/* ---- callgrind ---- */

/* Libraries do some things in their first calls only, and allocators need some to come to rest. */
enum { LEAST_WARMUP = 3, MOST_WARMUP = 10 };

static void ignore(void *ctx)
{
    (void)ctx;
}

static void begin_collecting(void *ctx)
{
    (void)ctx;
    ob__callgrind_begin();
}

static void end_collecting(void *ctx)
{
    (void)ctx;
    ob__callgrind_pause();
}

static ob_status write_dumps(const ob_exec_target *target, const ob_count_request *plan,
                             ob_err *err)
{
    const ob_count_switch count = {.begin = begin_collecting, .end = end_collecting};
    OB_TRY(ob__counted_nothing_block(target, &count, plan->number, err));
    ob__callgrind_dump();
    for (unsigned i = 0; i < plan->repeats; i++) {
        OB_TRY(ob__counted_block(target, &count, OB_PASS_FORWARD, plan->number, err));
        ob__callgrind_dump();
        if (plan->pass != OB_PASS_BACKWARD)
            continue;
        OB_TRY(ob__counted_block(target, &count, OB_PASS_BACKWARD, plan->number, err));
        ob__callgrind_dump();
    }
    return OB_OK;
}

ob_status ob__count_by_callgrind(const ob_exec_target *target, const ob_count_request *plan,
                                 ob_err *err)
{
    const ob_count_switch nobody = {.begin = ignore, .end = ignore};
    if (!ob__under_valgrind())
        return ob_err_set(
            err, OB_ERR_UNSUPPORTED,
            "opbench was built without valgrind's headers; install valgrind and rebuild opbench");
    const uint64_t warmup = plan->number < LEAST_WARMUP  ? LEAST_WARMUP
                            : plan->number > MOST_WARMUP ? MOST_WARMUP
                                                         : plan->number;
    OB_TRY(ob__counted_block(target, &nobody, plan->pass, warmup, err));
    ob__callgrind_ready();
    ob__callgrind_forget(); /* or the way back from the line above counts what cases before had */
    const ob_status status = write_dumps(target, plan, err);
    ob__callgrind_rest();
    return status;
}

/* ---- the processor's own counters ---- */

static void begin_counting(void *ctx)
{
    ob__perf_begin(ctx);
}

static void end_counting(void *ctx)
{
    ob__perf_end(ctx);
}

/* pass NULL = nothing. */
static ob_status read_block(const ob_exec_target *target, const ob_perf *perf, const ob_pass *pass,
                            uint64_t n, ob_perf_counts *out, ob_err *err)
{
    const ob_count_switch count = {
        .begin = begin_counting, .end = end_counting, .ctx = (void *)(uintptr_t)perf};
    ob_perf_reading first, last;
    OB_TRY(ob__perf_read(perf, &first, err));
    if (pass != NULL)
        OB_TRY(ob__counted_block(target, &count, *pass, n, err));
    else
        OB_TRY(ob__counted_nothing_block(target, &count, n, err));
    OB_TRY(ob__perf_read(perf, &last, err));
    return ob__perf_between(&first, &last, out, err);
}

/* NaN where one of them is. */
static double per_iteration(const ob_perf_counts *all, const ob_perf_counts *nothing, int event,
                            uint64_t n)
{
    const double less = all->values[event] - nothing->values[event];
    return less < 0 ? 0 : less / (double)n;
}

static ob_record_pass_counters fill_pass(const ob_perf_counts *all, const ob_perf_counts *nothing,
                                         uint64_t n)
{
    return (ob_record_pass_counters){
        .instructions = per_iteration(all, nothing, OB_PERF_INSTRUCTIONS, n),
        .cycles = per_iteration(all, nothing, OB_PERF_CYCLES, n),
        .cache_misses = per_iteration(all, nothing, OB_PERF_CACHE_MISSES, n),
        .branch_misses = per_iteration(all, nothing, OB_PERF_BRANCH_MISSES, n)};
}

ob_status ob__count_by_hardware(const ob_exec_target *target, const ob_perf *perf, ob_pass pass,
                                uint64_t number, ob_record_counters *out, ob_err *err)
{
    static const ob_pass FORWARD = OB_PASS_FORWARD, BACKWARD = OB_PASS_BACKWARD;
    ob_perf_counts nothing, forward, backward;
    OB_TRY(read_block(target, perf, NULL, number, &nothing, err));
    OB_TRY(read_block(target, perf, &FORWARD, number, &forward, err));
    double share = forward.share < nothing.share ? forward.share : nothing.share;
    if (pass == OB_PASS_BACKWARD) {
        OB_TRY(read_block(target, perf, &BACKWARD, number, &backward, err));
        share = backward.share < share ? backward.share : share;
        out->backward = fill_pass(&backward, &nothing, number);
    }
    out->forward = fill_pass(&forward, &nothing, number);
    out->number = (int64_t)number;
    out->share = share;
    out->source = "perf_event";
    return OB_OK;
}
