/* SPDX-License-Identifier: Apache-2.0
 *
 * The source that most jobs have: cases of configs, measured by ob_run, part by part.
 */
#include "job/job_int.h"
#include "job/shard_cases.h"

#include "opbench/doctor.h"

#include <stdlib.h>
#include <string.h>

typedef struct config_source {
    ob_job *job; /* that it belongs to */
    ob_job_configs configs;
    ob_job_part *parts;
    ob_part_cases *cases; /* of each part */
    ob_json_doc *divided; /* what a shard is of; NULL = it is not divided */
    ob_shard shard;
    ob_shard_plan plan; /* of a shard by cost */
    ob_shard_division division;
    ob_job_hash hash;
    ob_job_batches batches;
    ob_profiler_runs *profilers; /* NULL = none */
    ob_json_doc *self_test;      /* of verdicts on this machine; NULL = none */
} config_source;

static void destroy(void *ctx)
{
    config_source *s = ctx;
    ob__profiler_runs_close(s->profilers);
    ob_json_doc_destroy(s->self_test);
    ob_json_doc_destroy(s->divided);
    ob__shard_plan_fini(&s->plan);
    for (size_t i = 0; s->cases != NULL && i < s->configs.part_count; i++)
        free(s->cases[i].ranges);
    free(s->cases);
    free(s->parts);
    free(s);
}

/* ---- what is known before the run ---- */

static ob_status list_cases(config_source *s, const ob_context *context, const ob_shard *shard,
                            ob_err *err)
{
    const ob_divided_parts of = {
        .context = context, .configs = &s->configs, .parts = s->parts, .shard = shard};
    s->cases = calloc(s->configs.part_count, sizeof *s->cases);
    if (s->cases == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the parts of a job");
    return ob__list_cases(&of, s->cases, &s->plan, &s->division, err);
}

static ob_status take_parts(config_source *s, ob_err *err)
{
    const ob_job_configs *c = &s->configs;
    if (c->part_count == 0 || c->part_size < sizeof(void *))
        return ob_err_set(err, OB_ERR_INVALID,
                          "a job on configs needs at least one part, and ob_job_configs.part_size "
                          "must be sizeof(ob_job_part)");
    s->parts = calloc(c->part_count, sizeof *s->parts);
    if (s->parts == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the parts of a job");
    for (size_t i = 0; i < c->part_count; i++)
        OB_TRY(ob__take_element(&s->parts[i], sizeof *s->parts,
                                (const char *)c->parts + i * c->part_size, c->part_size,
                                "ob_job_part", err));
    return OB_OK;
}

/* ---- what a shard is of, for whoever joins them ---- */

static ob_status add_ranges(config_source *s, const ob_job_part *part, ob_json *to, ob_err *err)
{
    ob_case_range all;
    size_t count;
    const ob_case_range *ranges = ob__part_selected(part, &all, &count);
    for (size_t i = 0; i < count; i++) {
        ob_json *pair = ob_json_new_array(s->divided);
        OB_TRY(ob_json_append(s->divided, pair,
                              ob_json_new_int(s->divided, (int64_t)ranges[i].first), err));
        OB_TRY(ob_json_append(s->divided, pair,
                              ob_json_new_int(s->divided, (int64_t)ranges[i].count), err));
        OB_TRY(ob_json_append(s->divided, to, pair, err));
    }
    return OB_OK;
}

static ob_status add_part(config_source *s, const ob_job_part *part, ob_json *list, ob_err *err)
{
    const char *backend = part->options->backend;
    ob_json *object = ob_json_new_object(s->divided), *ranges = ob_json_new_array(s->divided);
    OB_TRY(add_ranges(s, part, ranges, err));
    OB_TRY(ob_json_set(s->divided, object, "ranges", ranges, err));
    if (s->configs.part_count > 1 && s->configs.side_count == 0) {
        backend = backend != NULL ? backend : OB_REFERENCE_BACKEND;
        OB_TRY(ob_json_set(s->divided, object, "backend",
                           ob_json_new_string(s->divided, backend, strlen(backend)), err));
        OB_TRY(ob_json_set(s->divided, object, "threads",
                           ob_json_new_int(s->divided, part->options->threads), err));
    }
    return ob_json_append(s->divided, list, object, err);
}

static ob_status list_divided(config_source *s, ob_err *err)
{
    OB_TRY(ob_json_doc_create(&s->divided, err));
    ob_json *list = ob_json_new_array(s->divided);
    for (size_t i = 0; i < s->configs.part_count; i++)
        OB_TRY(add_part(s, &s->parts[i], list, err));
    ob_json_doc_set_root(s->divided, list);
    return OB_OK;
}

/* The configs as they are printed anew, so that blanks and lines do not matter. One that is measured in several ways
 * counts once; beside others it is its backend's. */
static ob_status hash_parts(config_source *s, ob_err *err)
{
    const size_t count = s->configs.part_count;
    bool has_others = false;
    for (size_t i = 1; i < count; i++)
        has_others = has_others || s->parts[i].config != s->parts[0].config;
    for (size_t i = 0; i < count; i++) {
        const ob_job_part *part = &s->parts[i];
        if (i > 0 && part->config == s->parts[i - 1].config)
            continue;
        OB_TRY(ob_job_hash_json(&s->hash, ob_config_json(part->config), err));
        if (has_others && part->options->backend != NULL)
            ob_job_hash_add(&s->hash, part->options->backend, strlen(part->options->backend));
    }
    /* Counts of other numbers of iterations are other numbers. */
    const ob_run_options *o = s->parts[0].options;
    if (o->count_repeats > 0) {
        const int64_t numbers[] = {o->count_number, o->count_repeats};
        ob_job_hash_add(&s->hash, (const char *)numbers, sizeof numbers);
    }
    for (size_t i = 0; i < s->configs.side_count; i++)
        if (s->configs.sides[i]->name != NULL) /* without one it is refused later */
            ob_job_hash_add(&s->hash, s->configs.sides[i]->name, strlen(s->configs.sides[i]->name));
    return OB_OK;
}

static ob_status describe(void *ctx, ob_record_header *header, ob_err *err)
{
    config_source *s = ctx;
    const ob_case_selection *selection = s->parts[0].selection;
    (void)err;
    if (s->configs.side_count > 0 && s->self_test == NULL)
        ob_self_test_read(&s->self_test, NULL); /* whoever has none, or a broken one, has none */
    if (s->self_test != NULL)
        header->self_test = ob_json_doc_root(s->self_test);
    if (s->divided != NULL)
        header->divided = ob_json_doc_root(s->divided);
    header->sweep = s->configs.sweep;
    header->source = s->configs.source;
    ob__profiler_runs_describe(s->profilers, &s->batches, &header->options);
    if (selection != NULL) {
        header->options.resume_op_run_id = selection->first_case;
        header->options.stop_op_run_id = selection->end_case;
    }
    return OB_OK;
}

/* ---- the run ---- */

static ob_status take_record(void *ctx, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    const config_source *s = ctx;
    OB_TRY(ob_job_add_line(s->job, record, line, length, err));
    return ob__profiler_runs_add(s->profilers, &record->result, err);
}

static ob_status begin(void *ctx, const ob_json *properties, ob_err *err)
{
    return ob_job_begin(((const config_source *)ctx)->job, properties, err);
}

static void tell_progress(void *ctx, const ob_run_progress *progress)
{
    ob__job_tell_progress(((const config_source *)ctx)->job, NULL, progress);
}

static void take_wrapped(void *ctx, const char *text, size_t length)
{
    ob_job *job = ((const config_source *)ctx)->job;
    const size_t kept =
        job->wrapped.size < OB_MOST_WRAPPED ? OB_MOST_WRAPPED - job->wrapped.size : 0;
    if (job->params.on_wrapped != NULL)
        job->params.on_wrapped(job->params.ctx, text, length);
    /* Without memory it was shown, at least. */
    ob_text_append(&job->wrapped, text, length < kept ? length : kept);
}

static int stop(void *ctx)
{
    return ob_job_stop(((const config_source *)ctx)->job);
}

static ob_status run_cases(config_source *s, const ob_job_part *part, const ob_case_range *ranges,
                           size_t range_count, ob_err *err)
{
    ob_run_summary summary = {.size = sizeof summary};
    const ob_run_params params = {.size = sizeof params,
                                  .options = part->options,
                                  .worker_program = s->configs.worker_program,
                                  .ranges = ranges,
                                  .range_count = range_count,
                                  .done = ob_job_done(s->job),
                                  .on_record = take_record,
                                  .on_ready = begin,
                                  .stop = stop,
                                  .on_progress = tell_progress,
                                  .on_wrapped = take_wrapped,
                                  .ctx = s,
                                  .sides = s->configs.sides,
                                  .side_count = s->configs.side_count,
                                  .enough = s->configs.enough,
                                  .enough_ctx = s->configs.enough_ctx};
    OB_TRY(ob_run(s->job->context, part->config, &params, &summary, err));
    s->job->summary.left_out += summary.left_out;
    s->job->summary.workers += summary.workers;
    return summary.interrupted ? OB_END : OB_OK;
}

/* With a profiler one batch after the other, so that no case is measured while a profiler runs. */
static ob_status run_batches(config_source *s, const ob_job_part *part, const ob_case_range *range,
                             ob_err *err)
{
    for (ob_case_range left = *range; left.count > 0;) {
        ob_case_range batch = left;
        if (left.first > range->first && stop(s) > 0)
            return OB_END;
        OB_TRY(ob__profiler_runs_measure(s->profilers, &left, &batch.count, err));
        OB_TRY(run_cases(s, part, &batch, 1, err));
        OB_TRY(ob__profiler_runs_run(s->profilers, err));
        left.first += batch.count * batch.step;
        left.count -= batch.count;
    }
    return OB_OK;
}

static ob_status run_part(config_source *s, size_t number, ob_err *err)
{
    const ob_job_part *part = &s->parts[number];
    const ob_part_cases *cases = &s->cases[number];
    if (cases->count == 0)
        return OB_OK;
    if (s->profilers == NULL)
        return run_cases(s, part, cases->ranges, cases->count, err);
    for (size_t i = 0; i < cases->count; i++) {
        if (i > 0 && stop(s) > 0)
            return OB_END;
        OB_TRY(run_batches(s, part, &cases->ranges[i], err));
    }
    return OB_OK;
}

static ob_status run(void *ctx, ob_job *job, ob_err *err)
{
    config_source *s = ctx;
    (void)job;
    for (size_t i = 0; i < s->configs.part_count; i++) {
        if (i > 0 && stop(s) > 0)
            return OB_END;
        OB_TRY(run_part(s, i, err));
    }
    return OB_OK;
}

/* ---- */

static ob_status open_source(config_source *s, const ob_context *context,
                             const ob_job_configs *configs, const ob_shard *shard, ob_err *err)
{
    OB_TRY(OB__TAKE(ob_job_configs, &s->configs, configs, err));
    ob_job_batches_init(&s->batches);
    if (s->configs.batches != NULL)
        OB_TRY(OB__TAKE(ob_job_batches, &s->batches, s->configs.batches, err));
    OB_TRY(take_parts(s, err));
    if (shard != NULL)
        OB_TRY(OB__TAKE(ob_shard, &s->shard, shard, err));
    OB_TRY(list_cases(s, context, shard != NULL ? &s->shard : NULL, err));
    if (shard != NULL)
        OB_TRY(list_divided(s, err));
    return hash_parts(s, err);
}

static ob_job_source make_source(config_source *s)
{
    const ob_job_configs *c = &s->configs;
    const ob_job_part *first = &s->parts[0];
    ob_job_source source = {.size = sizeof source,
                            .name = c->name != NULL ? c->name : ob_config_name(first->config),
                            .hash = s->hash.text,
                            .chosen_by = c->chosen_by,
                            .options = c->options != NULL ? c->options : first->options,
                            .describe = describe,
                            .run = run,
                            .ctx = s,
                            .division = s->division.hash != NULL ? &s->division : NULL};
    for (size_t i = 0; i < c->part_count; i++) {
        source.cases += s->cases[i].cases;
        source.results +=
            s->cases[i].cases *
            (c->side_count > 0 ? c->side_count : ob_run_options_backend_count(s->parts[i].options));
        if (s->parts[i].selection != NULL && s->parts[i].selection->end_case != NULL)
            source.end = "stopped";
    }
    return source;
}

/* A profiler that is not there is known before a file is made. */
static ob_status find_profilers(config_source *s, const ob_job_params *params, ob_err *err)
{
    const ob_profiler_runs_params to = {.part = &s->parts[0],
                                        .output = params->output,
                                        .prefix = params->prefix,
                                        .worker_program = s->configs.worker_program};
    return ob__profiler_runs_open(&s->batches, &to, &s->profilers, err);
}

ob_status ob_job_open_configs(ob_context *context, const ob_job_configs *configs,
                              const ob_job_params *params, ob_job **out, ob_err *err)
{
    config_source *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a job");
    ob_status status = open_source(s, context, configs, params->shard, err);
    if (status == OB_OK)
        status = find_profilers(s, params, err);
    if (status != OB_OK) {
        destroy(s);
        return status;
    }
    const ob_job_source source = make_source(s);
    OB_TRY(ob__job_open_own(context, &source, destroy, params, out, err));
    s->job = *out;
    s->job->parts = s->parts;
    s->job->part_cases = s->cases;
    s->job->part_count = s->configs.part_count;
    ob__profiler_runs_set_job(s->profilers, s->job);
    return OB_OK;
}
