/* SPDX-License-Identifier: Apache-2.0
 *
 * A session: one backend, opened in this process, that runs cases one after the other. The worker is a
 * session behind a descriptor; an embedder uses it directly.
 */
#include "run/session_int.h"

#include "base/sized.h"
#include "measure/fp_mode.h"
#include "measure/stop.h"
#include "plugin/bring_in.h"
#include "run/backend_list.h"
#include "run/library_caps.h"
#include "run/own_time.h"
#include "run/properties.h"
#include "run/record_fit.h"
#include "run/roof.h"
#include "run/timed_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening ---- */

/* A machine without counters is no failure, unless nothing else was asked for: the header says so. */
static ob_status open_counters(ob_session *s, ob_err *err)
{
    if (!ob__options_count_with(&s->options, "perf_event"))
        return OB_OK;
    const ob_status status = ob__perf_open(&s->perf, NULL, err);
    s->has_perf = status == OB_OK;
    return s->has_perf || s->options.count_with == NULL ? OB_OK : status;
}

static ob_status open_backend(ob_session *s, ob_err *err)
{
    const ob_run_options *o = &s->options;
    const char *device = s->device_word.text;
    ob_system system;
    OB_TRY(ob_run_options_check(o, err));
    OB_TRY(ob__find_backend(s->context, ob__backend_name(o), &s->desc, err));
    OB_TRY(ob__plugins_bring_in(s->context, s->desc->name, err));
    if (o->check)
        OB_TRY(ob__plugins_bring_in(s->context, OB_REFERENCE_BACKEND, err));
    OB_TRY(ob__device_choose(s->desc, o->device, &s->device_word, err));
    ob__device_set(&s->options, &s->device_word);
    OB_TRY(ob_device_parse(device, strlen(device), &s->device, err));
    OB_TRY(ob__session_take_options(s, err));
    OB_TRY(ob__pins_read(o->pin, o->threads, &s->pins, err));
    OB_TRY(ob__pins_take(&s->pins, err));
    OB_TRY(ob__memory_nodes_take(o->membind, err));
    OB_TRY(ob_system_read(NULL, NULL, &system, err));
    s->max_memory_bytes = ob__memory_limit(o, &system);
    s->fp_mode = ob__fp_mode_get();
    const ob_backend_settings settings = {.host = ob_host_get(),
                                          .log = ob_context_log(s->context),
                                          .device = s->device,
                                          .threads = (int)o->threads,
                                          .seed = (uint64_t)o->seed,
                                          .options = s->backend_options};
    OB_TRY(ob__cap_for_session(s->context, o, s->desc->name, err));
    OB_TRY(s->desc->open(&settings, &s->backend, err));
    if (s->desc->set_threads != NULL)
        OB_TRY(s->desc->set_threads(s->backend, (int)o->threads, err));
    /* A pinned session looks at its own CPU alone, where the supervisor is not. */
    const ob_noise_params noise = {.size = sizeof noise,
                                   .own_cpu_ns = s->turns != NULL ? ob__turns_cpu_ns
                                                 : o->pin == NULL ? ob__own_cpu_ns
                                                                  : NULL,
                                   .own_ctx = s->turns};
    if (ob_noise_sampler_open(&noise, &s->noise, NULL) != OB_OK)
        s->noise = NULL;
    OB_TRY(ob__open_roofline(o->roofline, &s->roofline, err));
    const ob_clock clock = ob_clock_monotonic();
    ob_clock_quality quality;
    if (ob_clock_measure(&clock, &quality, NULL) == OB_OK)
        s->clock_overhead_ns = quality.overhead_ns;
    OB_TRY(open_counters(s, err));
    return ob__properties_read(s->desc, s->backend, &s->properties, err);
}

ob_status ob__session_open(ob_context *context, const ob_run_options *options, ob_turns *turns,
                           ob_session **out, ob_err *err)
{
    ob_session *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a session");
    s->context = context;
    s->identity.manifests = ob_context_manifests(context);
    s->turns = turns;
    s->progress = &s->unseen;
    s->perf = OB_NO_PERF;
    ob__peak_open(&s->peak);
    ob_status status = OB__TAKE(ob_run_options, &s->options, options, err);
    if (status == OB_OK)
        status = open_backend(s, err);
    if (status != OB_OK) {
        ob_session_close(s);
        return status;
    }
    *out = s;
    return OB_OK;
}

ob_status ob_session_open(ob_context *context, const ob_run_options *options, ob_session **out,
                          ob_err *err)
{
    return ob__session_open(context, options, NULL, out, err);
}

static void drop_case(ob_session *s)
{
    ob__setup_fini(&s->setup);
    if (s->made != NULL)
        s->options.maker->release(s->made);
    s->made = NULL;
    s->parts.size = 0;
    ob__exec_result_fini(&s->samples);
    ob__pass_statistics_fini(&s->forward);
    ob__pass_statistics_fini(&s->backward);
    free(s->raw_times_s);
    s->raw_times_s = NULL;
}

void ob_session_close(ob_session *s)
{
    if (s == NULL)
        return;
    drop_case(s);
    if (s->backend != NULL)
        s->desc->close(s->backend);
    ob__backend_ops_destroy(s->ops);
    ob_noise_sampler_close(s->noise);
    ob_roofline_destroy(s->roofline);
    ob__perf_close(&s->perf);
    if (s->disturbance_of != 0)
        ob__disturbance_close(&s->disturbance);
    ob__peak_close(&s->peak);
    ob__cold_close(&s->cold);
    ob_json_doc_destroy(s->properties);
    ob_json_doc_destroy(s->case_properties);
    ob_json_doc_destroy(s->late_properties);
    ob_json_doc_destroy(s->kernels);
    ob__identity_fini(&s->identity);
    ob_text_fini(&s->parts);
    free(s->backend_options);
    free(s->option_words);
    free(s);
}

const ob_json *ob_session_properties(const ob_session *session)
{
    return ob_json_doc_root(session->properties);
}

void ob_session_library(ob_session *session, ob_reason *out)
{
    *out = (ob_reason){.text = ""};
    if (session->desc->library != NULL)
        session->desc->library(session->backend, out);
    out->text[sizeof out->text - 1] = '\0';
}

ob_status ob_session_schemas(ob_session *session, ob_schema_fn fn, void *ctx, ob_err *err)
{
    if (session->desc->schemas == NULL)
        return ob_err_set(
            err, OB_ERR_UNSUPPORTED,
            "backend %s adds no operators; leave out --backend to see those that opbench knows",
            session->desc->name);
    return session->desc->schemas(session->backend, fn, ctx, err);
}

ob_status ob__session_expand(ob_session *session, const char *config, ob_schema_fn fn, void *ctx,
                             ob_err *err)
{
    if (session->desc->expand == NULL)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "backend %s does not take custom iterators and generators",
                          session->desc->name);
    return session->desc->expand(session->backend, config, fn, ctx, err);
}

const char *ob_session_refuses(ob_session *session, const char *name)
{
    return session->desc->refuses != NULL ? session->desc->refuses(session->backend, name) : NULL;
}

/* ---- running a case ---- */

static ob_record_status status_of(ob_status status)
{
    switch (status) {
    case OB_OK:
        return OB_RECORD_OK;
    case OB_ERR_NOMEM:
    case OB_ERR_LIMIT:
    case OB_ERR_OVERFLOW:
        return OB_RECORD_OUT_OF_MEMORY;
    case OB_ERR_UNSUPPORTED:
    case OB_ERR_NOT_FOUND:
        return OB_RECORD_UNSUPPORTED;
    case OB_ERR_INVALID:
    case OB_ERR_CONFIG:
    case OB_ERR_SYNTAX:
        return OB_RECORD_INVALID;
    default:
        return OB_RECORD_FAILED;
    }
}

/* The stopping rule as the executor asks it. Failures of the rule end the phase and are kept. */
typedef struct rule {
    ob_stop_rule rule;
    ob_stop_verdict verdict;
    ob_clock clock;
    uint64_t started_ns;
    const ob_turns *turns; /* what it waits for others is not its time; NULL = there are none */
    double elapsed_ns;
    size_t counted;
    const uint64_t *per_sample; /* iterations behind a sample */
    size_t min_blocks;          /* of more than one iteration each */
    size_t min_samples;         /* however long each took */
    const ob_series *forward; /* of a backward pass: its forward, which takes time too; else NULL */
    ob_status status;
    ob_err *err;
} rule;

static bool rule_enough(void *ctx, const double *samples_ns, size_t count)
{
    rule *r = ctx;
    for (; r->counted < count; r->counted++) {
        /* A backward by subtraction may come out as nothing or less; its forward never does. */
        double ns = samples_ns[r->counted] > 0 ? samples_ns[r->counted] : 0;
        if (r->forward != NULL && r->counted < r->forward->count)
            ns += r->forward->values[r->counted];
        r->elapsed_ns += ns * (double)*r->per_sample;
    }
    if (r->started_ns == 0)
        r->started_ns = ob_clock_now_ns(&r->clock);
    const ob_stop_progress progress = {.samples = samples_ns,
                                       .blocks = count,
                                       .elapsed_ns =
                                           r->elapsed_ns > 0 ? (uint64_t)r->elapsed_ns : 0,
                                       .wall_ns = ob_clock_now_ns(&r->clock) - r->started_ns -
                                                  (r->turns != NULL ? r->turns->waited_ns : 0)};
    r->status = ob__stop_rule_check(&r->rule, &progress, &r->verdict, r->err);
    /* The estimate of the block may have been too long; an interval needs so many all the same. */
    if (r->status == OB_OK && r->verdict == OB_STOP_DONE &&
        ((*r->per_sample > 1 && count < r->min_blocks) || count < r->min_samples))
        r->verdict = count < r->rule.params.max_blocks ? OB_STOP_GO_ON : OB_STOP_GAVE_UP;
    return r->status != OB_OK || r->verdict != OB_STOP_GO_ON;
}

static ob_exec_mode mode_of(const char *word)
{
    return strcmp(word, "continuous") == 0          ? OB_EXEC_CONTINUOUS
           : strcmp(word, "continuous_events") == 0 ? OB_EXEC_CONTINUOUS_EVENTS
                                                    : OB_EXEC_DISCRETE;
}

/* ---- phases ---- */

static void begin_phase(void *ctx, int mark)
{
    ob_session *s = ctx;
    const ob_clock clock = ob_clock_monotonic();
    if (s->options.profile && mark < OB_CASE_PHASE_COUNT)
        s->phases[mark][0] = (double)ob_clock_now_ns(&clock);
    if (s->made != NULL)
        s->options.maker->mark(s->made, mark, true);
    ob__mark_begin(s->listener, mark);
}

static void end_phase(void *ctx, int mark)
{
    ob_session *s = ctx;
    const ob_clock clock = ob_clock_monotonic();
    ob__mark_end(s->listener, mark);
    if (s->made != NULL)
        s->options.maker->mark(s->made, mark, false);
    if (s->options.profile && mark < OB_CASE_PHASE_COUNT)
        s->phases[mark][1] = (double)ob_clock_now_ns(&clock) - s->phases[mark][0];
}

/* A phase that a failure left open ends with the case. */
static void fill_phases(ob_session *s, ob_record_result *r)
{
    const ob_clock clock = ob_clock_monotonic();
    for (int i = 0; i < OB_CASE_PHASE_COUNT; i++) {
        if (s->phases[i][0] <= 0)
            continue;
        if (s->phases[i][1] <= 0)
            s->phases[i][1] = (double)ob_clock_now_ns(&clock) - s->phases[i][0];
        r->phases[i] = (ob_reals){.items = s->phases[i], .count = 2};
    }
}

/* --block-time; else --min-time is cut into twice the blocks that an interval needs, if they need not be longer. */
static double block_time_ns(const ob_run_options *o)
{
    if (o->block_time_s > 0)
        return o->block_time_s * 1e9;
    const double share_ns = o->min_time_s * 1e9 / (2 * OB_MIN_SAMPLES);
    return share_ns > 0 && share_ns < OB_LONG_BLOCK_NS ? share_ns : OB_LONG_BLOCK_NS;
}

/* Iterations per block: --block, or all in one. Side by side, blocks are what takes turns and what the
 * interval of a ratio is made of, so there are twice as many as it needs. */
static uint64_t block_size(const ob_session *s, bool by_rule)
{
    const ob_run_options *o = &s->options;
    if (o->block > 0)
        return (uint64_t)o->block;
    if (s->turns == NULL || by_rule || o->iteration <= 0)
        return 0;
    return ((uint64_t)o->iteration + 2 * OB_MIN_SAMPLES - 1) / (2 * OB_MIN_SAMPLES);
}

static ob_exec_target target_of(const ob_session *s)
{
    if (s->made != NULL)
        return s->options.maker->target(s->made);
    return (ob_exec_target){.desc = s->desc,
                            .backend = s->backend,
                            .prepared = s->setup.prepared,
                            .restores = s->setup.writes_inputs};
}

/* Who looks whether the kernel disturbs samples: nobody if their time is not that of this thread. Opening the page pays for
 * measurements that take some time. */
static ob_disturbance *disturbance_of(ob_session *s, bool by_page)
{
    const pid_t thread = gettid();
    const bool is_elsewhere = s->made != NULL && s->options.maker->calls != NULL;
    const ob_disturbance_calls calls =
        is_elsewhere ? s->options.maker->calls(s->made) : (ob_disturbance_calls){.ctx = NULL};
    if (s->desc->clock_ns != NULL && !is_elsewhere)
        return NULL;
    if (s->disturbance_of != 0 && (s->disturbance_of != thread || is_elsewhere)) {
        ob__disturbance_close(&s->disturbance);
        s->disturbance_of = 0;
    }
    if (s->disturbance_of == 0)
        ob__disturbance_open(&s->disturbance,
                             &(ob_disturbance_params){.calls = is_elsewhere ? &calls : NULL,
                                                      .by_page = by_page && !is_elsewhere,
                                                      .others_work = s->options.threads > 1 ||
                                                                     s->desc->asynchronous});
    s->disturbance_of = thread;
    return &s->disturbance;
}

static ob_status execute(ob_session *s, const ob_marks *marks, ob_record *record, ob_err *err)
{
    const ob_run_options *o = &s->options;
    const bool by_rule = o->min_time_s > 0 || o->precision > 0;
    const ob_stop_params params = {.kind = o->precision > 0    ? OB_STOP_PRECISION
                                           : o->min_time_s > 0 ? OB_STOP_MIN_TIME
                                                               : OB_STOP_COUNT,
                                   .count = o->iteration > 0 ? (uint64_t)o->iteration : 0,
                                   .min_time_ns = (uint64_t)(o->min_time_s * 1e9),
                                   .precision = o->precision,
                                   .max_blocks = s->setup.has_backward ? OB_MOST_SAMPLES / 2
                                                                       : OB_MOST_SAMPLES};
    rule r = {.clock = ob_clock_monotonic(),
              .per_sample = &s->samples.number_per_run,
              .min_blocks = o->block > 0 ? 0 : OB_MIN_SAMPLES,
              .min_samples = o->min_samples > 0 ? (size_t)o->min_samples : 0,
              .turns = s->turns,
              .forward = s->setup.has_backward ? &s->samples.forward.measure_ns : NULL,
              .err = err};
    OB_TRY(ob__stop_rule_init(&r.rule, &params, err));
    const ob_exec_settings settings = {
        .mode = mode_of(o->exec_mode),
        .pass = s->setup.has_backward ? OB_PASS_BACKWARD : OB_PASS_FORWARD,
        .cold = ob__options_cold(o),
        .flush = ob__session_flush(s),
        .flush_ctx = s,
        .warmup = o->warmup > 0 ? (uint64_t)o->warmup : 0,
        .iterations = params.count,
        .block = block_size(s, by_rule),
        .block_ns = block_time_ns(o),
        .warmup_ns = o->warmup_time_s * 1e9,
        .turn_ns = o->turn_time_s * 1e9,
        .enough = by_rule ? rule_enough : NULL,
        .enough_ctx = &r,
        .marks = marks,
        .log = s->log,
        .turns = s->turns,
        .disturbance = disturbance_of(s, by_rule || s->turns != NULL)};
    const ob_exec_target target = target_of(s);
    record->result.stop_rule = ob__stop_rule_name(params.kind);
    OB_TRY(ob__execute(&target, &settings, &s->samples, err));
    OB_TRY(r.status);
    record->result.stop_verdict = by_rule && r.verdict == OB_STOP_GAVE_UP ? "gave up" : "done";
    return OB_OK;
}

ob_status ob__session_setup(ob_session *s, const ob_case *c, uint64_t seed, const ob_marks *marks,
                            ob_setup *out, ob_err *err)
{
    const ob_setup_args args = {.context = s->context,
                                .c = c,
                                .desc = s->desc,
                                .backend = s->backend,
                                .ops = &s->ops,
                                .device = s->device,
                                .pass = s->options.backward ? OB_PASS_BACKWARD : OB_PASS_FORWARD,
                                .seed = seed,
                                .max_memory_bytes = s->max_memory_bytes,
                                .inference_mode = s->options.inference_mode,
                                .marks = marks};
    return ob__setup_make(&args, out, err);
}

static ob_status make_setup(ob_session *s, const ob_case *c, const ob_marks *marks, ob_err *err)
{
    const ob_case_maker *maker = ob__maker_of(&s->options, c);
    if (maker != NULL) {
        s->setup.cost = (ob_cost){.flops = -1, .read_bytes = -1, .write_bytes = -1};
        return s->options.count_repeats > 0
                   ? ob_err_set(err, OB_ERR_UNSUPPORTED,
                                "instructions of a list of calls are not counted")
                   : maker->make(s, c, &s->made, err);
    }
    return ob__session_setup(s, c, (uint64_t)s->options.seed, marks, &s->setup, err);
}

/* ---- counts ---- */

static ob_pass pass_of(const ob_session *s)
{
    return s->setup.has_backward ? OB_PASS_BACKWARD : OB_PASS_FORWARD;
}

/* After everything is measured, in iterations of its own. A failure is a reason, and the times stay. */
static void ask_counters(ob_session *s, ob_record_result *r)
{
    const ob_exec_target target = target_of(s);
    ob_err err;
    if (!s->has_perf ||
        ob__count_by_hardware(&target, &s->perf, pass_of(s), (uint64_t)s->options.count_number,
                              &r->counters, &err) == OB_OK)
        return;
    snprintf(s->counters_reason, sizeof s->counters_reason, "%.255s", err.message);
    r->counters.reason = s->counters_reason;
}

/* ---- pinned threads ---- */

static void ignore(void *ctx)
{
    (void)ctx;
}

/* Two iterations that are not timed: threads are started in the first, and work in the second. */
static ob_status settle_threads(ob_session *s, ob_record_result *r, ob_err *err)
{
    const ob_exec_target target = target_of(s);
    const ob_count_switch nobody = {.begin = ignore, .end = ignore};
    ob_thread_looks before, after;
    if (s->pins.count < 2)
        return OB_OK;
    ob__pins_loosen(&s->pins);
    OB_TRY(ob__counted_block(&target, &nobody, pass_of(s), 1, err));
    ob__pins_look(NULL, &before);
    OB_TRY(ob__counted_block(&target, &nobody, pass_of(s), 1, err));
    ob__pins_look(NULL, &after);
    ob__pins_assign(&s->pins, gettid(), &before, &after);
    r->threads_bound = ob__pins_bind(&s->pins);
    return OB_OK;
}

static ob_status run_case(ob_session *s, const ob_case *c, ob_record *record, ob_err *err)
{
    const ob_marks listening = {.begin = begin_phase, .end = end_phase, .ctx = s};
    const ob_marks *marks =
        s->options.profile || s->listener != NULL || ob__maker_of(&s->options, c) != NULL
            ? &listening
            : NULL;
    OB_TRY(make_setup(s, c, marks, err));
    if (s->made == NULL)
        record->result.implementation =
            ob__properties_of_case(s->desc, s->setup.prepared, &s->case_properties);
    if (s->options.count_repeats > 0) {
        const ob_exec_target target = target_of(s);
        const ob_count_request plan = {.pass = pass_of(s),
                                       .number = (uint64_t)s->options.count_number,
                                       .repeats = (unsigned)s->options.count_repeats};
        return ob__count_by_callgrind(&target, &plan, err);
    }
    OB_TRY(ob__session_check_before(s, record, err));
    OB_TRY(settle_threads(s, &record->result, err));
    OB_TRY(ob__session_look_at_cold(s, &record->result, err));
    const ob_status status = s->options.timer.method != NULL ? ob__time_case(s, record, err)
                                                             : execute(s, marks, record, err);
    /* A case that failed on the way keeps the samples that it got. */
    const ob_status filled = ob__fill_pass_statistics(s, record, status == OB_OK ? err : NULL);
    OB_TRY(status);
    OB_TRY(filled);
    ob__fill_attainable(s, &record->result);
    if (s->made != NULL)
        return ob__session_check_made_after(s, record, err);
    ask_counters(s, &record->result);
    OB_TRY(ob__session_ask_kernels(s, &record->result, err));
    return ob__session_check_after(s, c, record, err);
}

ob_status ob_session_prepare_task(ob_session *s, const ob_case *c, ob_timer_task *out, ob_err *err)
{
    drop_case(s);
    OB_TRY(make_setup(s, c, NULL, err));
    *out = ob__session_task(s);
    return OB_OK;
}

/* A backend may use fewer than it was told: more than there are CPUs would only wait for each other. */
static void fill_threads(const ob_session *s, ob_record_result *r)
{
    const int used = s->desc->threads != NULL ? s->desc->threads(s->backend) : 0;
    if (used <= 0 || used == r->threads)
        return;
    r->threads_asked = r->threads;
    r->threads = used;
}

/* What is known once the case is over. */
static void fill_surroundings(ob_session *s, uint64_t started_ns, ob_record_result *r)
{
    const ob_clock clock = ob_clock_monotonic();
    ob_noise noise;
    r->seconds = (double)(ob_clock_now_ns(&clock) - started_ns) / 1e9;
    if (r->process_peak_bytes == 0)
        r->process_peak_bytes = ob__peak_bytes(&s->peak);
    if (s->noise != NULL && ob_noise_sampler_poll(s->noise, NULL, NULL) == OB_OK) {
        ob_noise_sampler_get(s->noise, &noise);
        r->noise_foreign = noise.last_foreign;
        r->noise_steal = noise.last_steal;
        r->noise_seconds = noise.seconds;
    }
    ob__fp_mode_difference(s->fp_mode, ob__fp_mode_get(), s->fp_difference,
                           sizeof s->fp_difference);
    if (s->fp_difference[0] != '\0')
        r->fp_mode = s->fp_difference;
}

ob_status ob_session_run_case(ob_session *s, const ob_case *c, ob_record *record, ob_err *err)
{
    OB_TRY(ob__check_same_size(record->size, sizeof *record, "ob_record", err));
    const ob_clock clock = ob_clock_monotonic();
    const uint64_t started_ns = ob_clock_now_ns(&clock);
    ob_record_result *r = &record->result;
    drop_case(s);
    ob__peak_reset(&s->peak);
    memset(s->phases, 0, sizeof s->phases);
    s->checked = (ob_check_result){.verdict = NULL};
    OB_TRY(ob__identity_fill(&s->identity, &s->options, ob__backend_name(&s->options), c, record,
                             err));
    r->pid = getpid();
    fill_threads(s, r);
    ob_err_clear(&s->failure);
    if (s->options.profile)
        s->phases[OB_CASE_PHASE_CASE][0] = (double)started_ns;
    const ob_status status = run_case(s, c, record, &s->failure);
    fill_phases(s, r);
    r->status = ob__session_is_wrong(s) ? OB_RECORD_DIFFERS : status_of(status);
    ob__mistrust(s, r);
    if (status != OB_OK)
        r->reason = s->failure.message;
    fill_surroundings(s, started_ns, r);
    r->libraries = ob__properties_late(s->desc, s->backend, s->properties, &s->late_properties);
    const ob_warning_facts facts = {
        .no_backward = status == OB_OK ? s->setup.no_backward : NULL,
        .schema_difference = s->setup.schema_difference,
        .not_checked =
            s->checked.verdict != NULL && !ob__session_is_wrong(s) && s->checked.reason[0] != '\0'
                ? s->checked.reason
                : NULL,
        .nothing_measured = status == OB_OK && s->samples.forward.measure_ns.count == 0 &&
                            s->options.count_repeats == 0,
        .own_clock = s->desc->clock_ns != NULL,
        .own_events = s->desc->event_create != NULL && s->options.timer.method == NULL &&
                      mode_of(s->options.exec_mode) == OB_EXEC_CONTINUOUS_EVENTS,
        /* A list of calls is as long as it is. */
        .clock_overhead_ns = s->made == NULL ? s->clock_overhead_ns : 0};
    ob__warnings_fill(&s->warnings, &facts, r);
    return s->made != NULL ? s->options.maker->report(s->made, record, &s->parts, err) : OB_OK;
}
