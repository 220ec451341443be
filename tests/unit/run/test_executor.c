/* SPDX-License-Identifier: Apache-2.0
 *
 * The executor on the null backend's virtual clock: every sample is exact.
 */
#include "../plugin/null_test.h"

#include "../../../backends/null/null.h"
#include "run/disturbed_samples.h"

static const ob_backend_desc *null_desc;

/* One prepared case on a backend with these times. */
typedef struct rig {
    test_case t;
    ob_backend *backend;
    ob_prepared *prepared;
    ob_exec_result result;
} rig;

static void rig_init(rig *r, const null_options *options, ob_pass pass)
{
    const ob_backend_settings settings = {.host = ob_host_get(),
                                          .device = {.type = "cpu", .index = -1},
                                          .threads = 1,
                                          .options = options};
    ob_err err;
    memset(r, 0, sizeof *r);
    test_case_init(&r->t, pass);
    CHECK_INT(null_desc->open(&settings, &r->backend, &err), OB_OK);
    CHECK_INT(null_desc->prepare(r->backend, &r->t.args, &r->prepared, &err), OB_OK);
}

static void rig_fini(rig *r)
{
    ob__exec_result_fini(&r->result);
    null_desc->release(r->prepared);
    null_desc->close(r->backend);
    test_case_fini(&r->t);
}

static ob_status execute(rig *r, const ob_exec_settings *settings, bool restores, ob_err *err)
{
    const ob_exec_target target = {
        .desc = null_desc, .backend = r->backend, .prepared = r->prepared, .restores = restores};
    return ob__execute(&target, settings, &r->result, err);
}

static null_options times(int64_t forward, int64_t backward, int64_t launch, int64_t other)
{
    null_options o = {.queue = NULL};
    CHECK_INT(ob_options_init(null_desc->options, &o, NULL), OB_OK);
    o.forward_ns = forward;
    o.backward_ns = backward;
    o.launch_ns = launch;
    o.other_ns = other;
    return o;
}

static void check_series(const ob_series *series, size_t count, double value)
{
    CHECK_INT(series->count, count);
    for (size_t i = 0; i < series->count; i++)
        CHECK_REAL(series->values[i], value);
}

static void discrete_times_one_call(void)
{
    const null_options o = times(700, 900, 10, 5000);
    const ob_exec_settings s = {.mode = OB_EXEC_DISCRETE, .warmup = 2, .iterations = 3};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    check_series(&r.result.forward.warmup_ns, 2, 710);
    check_series(&r.result.forward.measure_ns, 3, 710);
    check_series(&r.result.backward.measure_ns, 0, 0);
    CHECK_INT(r.result.forward.measure_peak_bytes.count, 3);
    CHECK_INT(r.result.number_per_run, 1);
    CHECK_STR(r.result.cache, "");
    rig_fini(&r);
}

static void backward_leaves_gradients_outside(void)
{
    const null_options o = times(700, 900, 10, 5000);
    const ob_exec_settings s = {
        .mode = OB_EXEC_DISCRETE, .pass = OB_PASS_BACKWARD, .warmup = 1, .iterations = 4};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_BACKWARD);
    CHECK_INT(execute(&r, &s, true, &err), OB_OK);
    check_series(&r.result.forward.measure_ns, 4, 710);
    check_series(&r.result.backward.warmup_ns, 1, 910);
    check_series(&r.result.backward.measure_ns, 4, 910);
    rig_fini(&r);
}

static void continuous_pays_the_queue_once(void)
{
    /* Ten launches of 10 ns while the device works on 700 ns each: 10 + 10 * 700. */
    const null_options o = times(700, 900, 10, 5000);
    const ob_exec_settings s = {.mode = OB_EXEC_CONTINUOUS, .warmup = 4, .iterations = 10};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    check_series(&r.result.forward.warmup_ns, 1, (10 + 4 * 700) / 4.0);
    check_series(&r.result.forward.measure_ns, 1, (10 + 10 * 700) / 10.0);
    CHECK_INT(r.result.number_per_run, 10);
    rig_fini(&r);
}

static void blocks_cover_all_iterations(void)
{
    const null_options o = times(700, 900, 0, 5000);
    const ob_exec_settings s = {.mode = OB_EXEC_CONTINUOUS, .iterations = 10, .block = 4};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    check_series(&r.result.forward.measure_ns, 3, 700); /* 4 + 4 + 2 */
    check_series(&r.result.forward.warmup_ns, 0, 0);
    rig_fini(&r);
}

static void continuous_backward_subtracts_the_forward(void)
{
    const null_options o = times(700, 900, 0, 0);
    const ob_exec_settings s = {
        .mode = OB_EXEC_CONTINUOUS, .pass = OB_PASS_BACKWARD, .iterations = 8};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_BACKWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    check_series(&r.result.forward.measure_ns, 1, 700);
    check_series(&r.result.backward.measure_ns, 1, 900);
    rig_fini(&r);
}

static void events_see_the_device_alone(void)
{
    const null_options o = times(700, 900, 10, 5000);
    const ob_exec_settings s = {
        .mode = OB_EXEC_CONTINUOUS_EVENTS, .pass = OB_PASS_BACKWARD, .warmup = 2, .iterations = 5};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_BACKWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    CHECK_INT(r.result.forward.measure_ns.count, 5);
    CHECK_REAL(r.result.forward.measure_ns.values[4], 700);
    check_series(&r.result.backward.measure_ns, 5, 900);
    CHECK_INT(r.result.forward.measure_peak_bytes.count, 1);
    rig_fini(&r);
}

static void a_clock_stands_in_for_events(void)
{
    /* The same backend, working at once and without events. */
    ob_backend_desc plain = *null_desc;
    plain.asynchronous = false;
    plain.event_create = NULL;
    plain.event_record = NULL;
    plain.event_elapsed_ns = NULL;
    plain.event_destroy = NULL;
    null_options o = times(700, 900, 10, 5000);
    o.queue = "off";
    const ob_exec_settings s = {
        .mode = OB_EXEC_CONTINUOUS_EVENTS, .pass = OB_PASS_BACKWARD, .warmup = 1, .iterations = 4};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_BACKWARD);
    const ob_exec_target target = {
        .desc = &plain, .backend = r.backend, .prepared = r.prepared, .restores = true};
    CHECK_INT(ob__execute(&target, &s, &r.result, &err), OB_OK);
    check_series(&r.result.forward.measure_ns, 4, 710);
    check_series(&r.result.backward.measure_ns, 4, 910);
    ob__exec_result_fini(&r.result);
    /* One that queues its work needs them. */
    plain.asynchronous = true;
    CHECK_INT(ob__execute(&target, &s, &r.result, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "backend null has no events");
    rig_fini(&r);
}

static void cold_samples_are_flushed(void)
{
    null_options o = times(700, 900, 0, 0);
    o.cold_ns = 300;
    ob_exec_settings s = {.mode = OB_EXEC_DISCRETE, .iterations = 3, .cold = true};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    check_series(&r.result.forward.measure_ns, 3, 1000);
    CHECK(r.result.cache[0] != '\0');
    ob__exec_result_fini(&r.result);
    s.mode = OB_EXEC_CONTINUOUS;
    CHECK_INT(execute(&r, &s, false, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "a cold cache only works in discrete mode:");
    rig_fini(&r);
}

static bool after_five(void *ctx, const double *samples, size_t count)
{
    (void)samples;
    ++*(int *)ctx;
    return count >= 5;
}

static void a_rule_ends_the_phase(void)
{
    const null_options o = times(700, 900, 0, 0);
    int asked = 0;
    ob_exec_settings s = {.mode = OB_EXEC_DISCRETE, .enough = after_five, .enough_ctx = &asked};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    check_series(&r.result.forward.measure_ns, 5, 700);
    CHECK_INT(asked, 6);
    ob__exec_result_fini(&r.result);
    /* 700 ns: 1429 of them take a millisecond. */
    s.mode = OB_EXEC_CONTINUOUS;
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    check_series(&r.result.forward.measure_ns, 5, 700);
    CHECK_INT(r.result.number_per_run, 1429);
    ob__exec_result_fini(&r.result);
    s.block_ns = 7001;
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    CHECK_INT(r.result.number_per_run, 11);
    ob__exec_result_fini(&r.result);
    s.block_ns = 699; /* one is long enough */
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    CHECK_INT(r.result.number_per_run, 1);
    rig_fini(&r);
}

static void a_failure_keeps_the_samples_so_far(void)
{
    null_options o = times(700, 900, 0, 0);
    o.fault = "late";
    o.fault_phase = "forward";
    o.fault_at = 3;
    const ob_exec_settings s = {.mode = OB_EXEC_DISCRETE, .warmup = 1, .iterations = 10};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK(execute(&r, &s, false, &err) != OB_OK);
    CHECK(err.message[0] != '\0');
    CHECK_INT(r.result.forward.measure_ns.count, 2);
    rig_fini(&r);
}

/* ---- warm-up and turns by time ---- */

/* Discrete warm-ups are samples, as always; 2 are asked for, and 10 fill the time. */
/* One by one, or where a call may take long itself, in blocks of 1, 2, 4 and 8. */
static void warms_up_in_blocks(void)
{
    const null_options o = times(1000, 1000, 0, 0);
    const ob_exec_settings s = {.mode = OB_EXEC_CONTINUOUS, .iterations = 1, .warmup_ns = 10000};
    for (int is_far = 0; is_far < 2; is_far++) {
        rig r;
        ob_err err;
        rig_init(&r, &o, OB_PASS_FORWARD);
        const ob_exec_target target = {
            .desc = null_desc, .backend = r.backend, .prepared = r.prepared, .is_far = is_far != 0};
        CHECK_INT(ob__execute(&target, &s, &r.result, &err), OB_OK);
        CHECK_INT(null_desc->clock_ns(r.backend), is_far ? 15000 + 1000 : 10000 + 1000);
        check_series(&r.result.forward.measure_ns, 1, 1000);
        rig_fini(&r);
    }
}

static void warms_up_for_a_time(void)
{
    const null_options o = times(1000, 1000, 0, 0);
    ob_exec_settings s = {
        .mode = OB_EXEC_DISCRETE, .warmup = 2, .iterations = 1, .warmup_ns = 10000};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    check_series(&r.result.forward.warmup_ns, 10, 1000);
    rig_fini(&r);
    /* More than the time asks for stay as many. */
    s.warmup = 20;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    check_series(&r.result.forward.warmup_ns, 20, 1000);
    rig_fini(&r);
}

/* A clock that stands still does not warm up for ever. */
static void warm_up_ends_though_the_clock_stands(void)
{
    const null_options o = times(0, 0, 0, 0);
    const ob_exec_settings s = {.mode = OB_EXEC_DISCRETE, .iterations = 1, .warmup_ns = 100000};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    CHECK(r.result.forward.warmup_ns.count > 0);
    rig_fini(&r);
}

/* Blocks are as long as asked, and all of the time that the warm-up takes is dropped. */
static void blocks_have_the_time_that_was_asked_for(void)
{
    const null_options o = times(1000, 1000, 0, 0);
    int asked = 0;
    const ob_exec_settings s = {.mode = OB_EXEC_CONTINUOUS,
                                .warmup = 1,
                                .block_ns = 200000,
                                .warmup_ns = 3000000,
                                .enough = after_five,
                                .enough_ctx = &asked};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    CHECK_INT(r.result.number_per_run, 200);
    check_series(&r.result.forward.warmup_ns, 1, 1000);
    check_series(&r.result.forward.measure_ns, 5, 1000);
    /* 3 ms of warm-up, trials of 1, 10, 100 and three times 1,000 iterations, and 5 blocks of 0.2 ms. */
    CHECK_INT(null_desc->clock_ns(r.backend), 3000000 + 3111000 + 1000000);
    rig_fini(&r);
}

/* Alone in the ring it gets the token back at once: a turn is as long as was asked by the machine's clock, so a very long
 * one holds all blocks, and what brings the caches back is run once. */
static void a_turn_has_several_blocks(void)
{
    const null_options o = times(1000, 1000, 0, 0);
    const double lengths[] = {0, 1e12};
    for (size_t i = 0; i < 2; i++) {
        ob_ring ring = {0};
        _Atomic uint64_t started = 0;
        ob_turns turns = {.ring = &ring, .case_started = &started};
        ob__ring_begin(&ring, 1, 0);
        ob__turns_first(&turns);
        const ob_exec_settings s = {.mode = OB_EXEC_CONTINUOUS,
                                    .block = 2,
                                    .iterations = 10,
                                    .turn_ns = lengths[i],
                                    .turns = &turns};
        rig r;
        ob_err err;
        rig_init(&r, &o, OB_PASS_FORWARD);
        CHECK_INT(execute(&r, &s, false, &err), OB_OK);
        check_series(&r.result.forward.measure_ns, 5, 1000);
        CHECK_INT(null_desc->clock_ns(r.backend), 10000 + (i == 0 ? 5 : 1) * 1000);
        rig_fini(&r);
    }
}

/* ---- disturbed samples ---- */

/* Stands in for getrusage. It is called when it is opened, behind the warm-up, and from then on before and behind each sample. */
typedef struct kernel {
    unsigned calls;
    unsigned own_faults; /* of each sample */
    ob_usage usage;
} kernel;

static void kernel_usage(void *ctx, bool all_threads, ob_usage *out)
{
    kernel *k = ctx;
    const bool behind = ++k->calls % 2 == 0;
    const unsigned sample = k->calls / 2 - 2; /* from 0 */
    CHECK(!all_threads);
    if (behind)
        k->usage.faults += k->own_faults;
    if (behind && (sample == 1 || sample == 3))
        k->usage.involuntary++;
    if (behind && (sample == 2 || sample == 3))
        k->usage.faults += 5;
    if (!behind)
        k->usage.involuntary++, k->usage.faults += 7; /* between samples */
    *out = k->usage;
}

static void open_disturbance(kernel *k, ob_disturbance *d)
{
    const ob_disturbance_calls calls = {.usage = kernel_usage, .ctx = k};
    const ob_disturbance_params params = {.calls = &calls};
    ob__disturbance_open(d, &params);
}

/* Faults that all samples have are the operator's own. */
static void disturbed_samples_are_known(void)
{
    const null_options o = times(30000, 30000, 0, 0);
    for (unsigned own_faults = 0; own_faults < 3; own_faults++) {
        kernel k = {.own_faults = own_faults};
        ob_disturbance d;
        open_disturbance(&k, &d);
        const ob_exec_settings s = {
            .mode = OB_EXEC_DISCRETE, .warmup = 1, .iterations = 6, .disturbance = &d};
        rig r;
        ob_err err;
        rig_init(&r, &o, OB_PASS_FORWARD);
        CHECK_INT(execute(&r, &s, false, &err), OB_OK);
        check_series(&r.result.forward.measure_ns, 6, 30000);
        CHECK_STR(r.result.disturbed_by, "getrusage");
        CHECK_INT(r.result.forward.disturbed.count, 3);
        for (size_t i = 0; i < 3; i++)
            CHECK_REAL(r.result.forward.disturbed.values[i], (double)i + 1);
        rig_fini(&r);
        ob__disturbance_close(&d);
    }
}

/* A backward by subtraction is as good as its forward. */
static void a_disturbed_forward_disturbs_its_backward(void)
{
    const null_options o = times(30000, 30000, 0, 0);
    kernel k = {0};
    ob_disturbance d;
    open_disturbance(&k, &d);
    k.calls = 1; /* there is no warm-up: the next call is behind the first forward */
    const ob_exec_settings s = {.mode = OB_EXEC_CONTINUOUS,
                                .pass = OB_PASS_BACKWARD,
                                .iterations = 4,
                                .block = 1,
                                .disturbance = &d};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_BACKWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    /* What was sample -1 is the first forward, then come its backward and so on: 1 and 3 are forwards, 2 is a backward. */
    CHECK_INT(r.result.forward.disturbed.count, 2);
    CHECK_REAL(r.result.forward.disturbed.values[0], 1);
    CHECK_REAL(r.result.forward.disturbed.values[1], 2);
    CHECK_INT(r.result.backward.disturbed.count, 2);
    CHECK_REAL(r.result.backward.disturbed.values[0], 1);
    CHECK_REAL(r.result.backward.disturbed.values[1], 2);
    rig_fini(&r);
    ob__disturbance_close(&d);
}

static void events_are_not_disturbed(void)
{
    const null_options o = times(30000, 30000, 0, 0);
    kernel k = {0};
    ob_disturbance d;
    open_disturbance(&k, &d);
    const ob_exec_settings s = {
        .mode = OB_EXEC_CONTINUOUS_EVENTS, .iterations = 6, .disturbance = &d};
    rig r;
    ob_err err;
    rig_init(&r, &o, OB_PASS_FORWARD);
    CHECK_INT(execute(&r, &s, false, &err), OB_OK);
    CHECK(r.result.disturbed_by == NULL);
    CHECK_INT(r.result.forward.disturbed.count, 0);
    rig_fini(&r);
    ob__disturbance_close(&d);
}

int main(void)
{
    ob_err err;
    ob_context *context = test_context(NULL);
    if (ob_plugin_load(context, OB_BUILT_PLUGIN_DIR "/null.so", &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    null_desc = ob_context_find_backend(context, "null");
    RUN(discrete_times_one_call);
    RUN(backward_leaves_gradients_outside);
    RUN(continuous_pays_the_queue_once);
    RUN(blocks_cover_all_iterations);
    RUN(continuous_backward_subtracts_the_forward);
    RUN(events_see_the_device_alone);
    RUN(a_clock_stands_in_for_events);
    RUN(cold_samples_are_flushed);
    RUN(a_rule_ends_the_phase);
    RUN(a_failure_keeps_the_samples_so_far);
    RUN(warms_up_for_a_time);
    RUN(warms_up_in_blocks);
    RUN(warm_up_ends_though_the_clock_stands);
    RUN(blocks_have_the_time_that_was_asked_for);
    RUN(a_turn_has_several_blocks);
    RUN(disturbed_samples_are_known);
    RUN(a_disturbed_forward_disturbs_its_backward);
    RUN(events_are_not_disturbed);
    ob_context_destroy(context);
    return ob_test_end();
}
