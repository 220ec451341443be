/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a job: opened, run once, closed. A file of records may be the result of hours, so it is never replaced
 * without being asked for.
 */
#include "job/job_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- which cases there are ---- */

void ob_job_hash_add(ob_job_hash *hash, const char *text, size_t length)
{
    struct {
        ob_job_hash before;
        XXH128_canonical_t text;
    } both = {.before = *hash};
    XXH128_canonicalFromHash(&both.text, XXH3_128bits(text, length));
    const XXH128_hash_t all = XXH3_128bits(&both, sizeof both);
    snprintf(hash->text, sizeof hash->text, "%016" PRIx64 "%016" PRIx64, all.high64, all.low64);
}

ob_status ob_job_hash_json(ob_job_hash *hash, const ob_json *value, ob_err *err)
{
    char *text = NULL;
    size_t length = 0;
    OB_TRY(ob_json_print(value, &text, &length, err));
    ob_job_hash_add(hash, text, length);
    free(text);
    return OB_OK;
}

/* ---- records ---- */

ob_status ob__job_append(ob_job *job, const ob_record *record, ob_err *err)
{
    return job->file != NULL ? ob_result_file_append(job->file, record, err) : OB_OK;
}

ob_status ob_job_begin(ob_job *job, const ob_json *properties, ob_err *err)
{
    return job->has_begun ? OB_OK : ob__job_write_header(job, properties, err);
}

bool ob_job_wants(ob_job *job, const ob_done_name *name)
{
    const bool is_done = job->done != NULL && ob_done_has(job->done, name);
    job->summary.left_out += is_done;
    return !is_done;
}

const ob_shard *ob_job_shard(const ob_job *job)
{
    return job->params.shard != NULL ? &job->shard : NULL;
}

const ob_shard_division *ob_job_division(const ob_job *job)
{
    return job->source.division;
}

const ob_done *ob_job_done(const ob_job *job)
{
    return job->done;
}

int ob_job_stop(void *job)
{
    const ob_job *j = job;
    return j->params.stop != NULL ? j->params.stop(j->params.ctx) : 0;
}

ob_status ob__job_show(ob_job *job, const ob_job_event *event, ob_err *err)
{
    return job->params.on_record != NULL ? job->params.on_record(job->params.ctx, event, err)
                                         : OB_OK;
}

static ob_status append_kernel(void *ctx, const ob_record *kernel, ob_err *err)
{
    return ob__job_append(ctx, kernel, err);
}

ob_status ob_job_add_line(ob_job *job, const ob_record *record, const char *line, size_t length,
                          ob_err *err)
{
    OB_TRY(ob_job_begin(job, NULL, err));
    if (job->file != NULL)
        OB_TRY(ob_result_file_append_line(job->file, line, length, err));
    if (job->profile != NULL) {
        OB_TRY(ob__profile_add(job->profile, record, err));
        OB_TRY(ob__profile_sum_kernels(record, append_kernel, job, err));
    }
    if (record->result.part_of != NULL) /* counted is its case, which comes behind its parts */
        return ob__job_show(job, &(ob_job_event){.record = record, .line = line, .length = length},
                            err);
    ob__job_note_result(job);
    job->summary.cases[record->result.status]++;
    if (ob_record_status_get_info(record->result.status)->failed)
        job->summary.failed++;
    else
        job->summary.measured++;
    OB_TRY(
        ob__job_show(job, &(ob_job_event){.record = record, .line = line, .length = length}, err));
    ob__job_tell_progress(job, record, NULL);
    return OB_OK;
}

ob_status ob_job_add(ob_job *job, const ob_record *record, ob_err *err)
{
    OB_TRY(ob_job_begin(job, NULL, err));
    if (record->kind != OB_RECORD_RESULT_LINE)
        return ob__job_append(job, record, err);
    job->line.size = 0;
    OB_TRY(ob_record_print(record, &job->line, err));
    return ob_job_add_line(job, record, job->line.data, job->line.size, err);
}

/* ---- what came of it ---- */

int ob_job_summary_exit_code(const ob_job_summary *summary)
{
    enum { FAILED = 1, INTERRUPTED = 130 }; /* as shells have it for SIGINT */
    if (summary->interrupted)
        return INTERRUPTED;
    return summary->failed + summary->failed_batches > 0 ? FAILED : 0;
}

const ob_job_summary *ob_job_get_summary(const ob_job *job)
{
    return &job->summary;
}

const char *ob_job_path(const ob_job *job)
{
    return job->file != NULL ? ob_result_file_path(job->file) : NULL;
}

const char *ob_job_trace_path(const ob_job *job)
{
    return job->profile != NULL ? ob__profile_path(job->profile) : NULL;
}

uint64_t ob_job_result_count(const ob_job *job)
{
    return job->source.results > 0 ? job->source.results : job->source.cases;
}

bool ob_job_has_begun(const ob_job *job)
{
    return job->has_begun;
}

/* ---- its life ---- */

/* A file of its own: who wrote the earlier ones may still be alive, on a machine that was given up. */
static ob_status open_beside_earlier(ob_job *job, ob_err *err)
{
    const ob_job_params *p = &job->params;
    const ob_result_file_params to = {.size = sizeof to,
                                      .prefix = p->prefix,
                                      .continue_option = "--resume",
                                      .named_by = p->named_by,
                                      .mode = OB_RESULT_CREATE};
    OB_TRY(ob__job_read_earlier(job, err));
    return ob_result_file_open(&to, &job->file, err);
}

static ob_status open_file(ob_job *job, ob_err *err)
{
    static const ob_result_open_mode MODES[] = {[OB_JOB_NEW] = OB_RESULT_NEW,
                                                [OB_JOB_REPLACE] = OB_RESULT_CREATE,
                                                [OB_JOB_APPEND] = OB_RESULT_APPEND,
                                                [OB_JOB_RESUME] = OB_RESULT_RESUME};
    const ob_job_params *p = &job->params;
    if (p->mode == OB_JOB_RESUME && p->output == NULL && p->earlier != NULL)
        return open_beside_earlier(job, err);
    if (p->mode == OB_JOB_RESUME && p->output == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--resume needs --output FILE: the file to continue from");
    if (p->output == NULL && p->prefix == NULL)
        return OB_OK;
    const ob_result_file_params to = {.size = sizeof to,
                                      .path = p->output,
                                      .prefix = p->prefix,
                                      .continue_option = p->named_by == NULL ? "--resume" : NULL,
                                      .named_by = p->named_by,
                                      .mode = MODES[p->mode],
                                      .wait = p->wait,
                                      .wait_ctx = p->wait_ctx};
    OB_TRY(ob_result_file_open(&to, &job->file, err));
    return p->mode == OB_JOB_RESUME ? ob__job_read_old(job, err) : OB_OK;
}

static ob_status take_shard(ob_job *job, ob_err *err)
{
    OB_TRY(OB__TAKE(ob_shard, &job->shard, job->params.shard, err));
    const ob_shard *s = &job->shard;
    if (s->number < 1 || s->number > s->of)
        return ob_err_set(err, OB_ERR_INVALID, "shard %" PRIu64 "/%" PRIu64 " does not exist",
                          s->number, s->of);
    snprintf(job->shard_text, sizeof job->shard_text, "%" PRIu64 "/%" PRIu64, s->number, s->of);
    return OB_OK;
}

ob_status ob_job_open(ob_context *context, const ob_job_source *source, const ob_job_params *params,
                      ob_job **out, ob_err *err)
{
    ob_job *job = calloc(1, sizeof *job);
    *out = NULL;
    if (job == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a job");
    job->context = context;
    ob_status status = OB__TAKE(ob_job_source, &job->source, source, err);
    if (status == OB_OK)
        status = OB__TAKE(ob_job_params, &job->params, params, err);
    if (status == OB_OK && job->params.shard != NULL)
        status = take_shard(job, err);
    if (status == OB_OK && job->source.options != NULL) {
        status = OB__TAKE(ob_run_options, &job->options, job->source.options, err);
        job->source.options = &job->options;
    }
    if (status == OB_OK)
        status = open_file(job, err);
    if (status != OB_OK) {
        ob_job_close(job, NULL);
        return status;
    }
    *out = job;
    return OB_OK;
}

ob_status ob__job_open_own(ob_context *context, const ob_job_source *source,
                           void (*destroy)(void *source), const ob_job_params *params, ob_job **out,
                           ob_err *err)
{
    ob_job *job = NULL;
    const ob_status status = ob_job_open(context, source, params, &job, err);
    *out = job;
    if (job == NULL) {
        destroy(source->ctx);
        return status;
    }
    job->own_source = source->ctx;
    job->destroy_source = destroy;
    return OB_OK;
}

void ob_job_get_load(const ob_job *job, double *foreign, double *steal)
{
    *foreign = job->foreign;
    *steal = job->steal;
}

static ob_status finish(ob_job *job, ob_err *err)
{
    ob_record record;
    /* Nothing was measured: a file that had no header gets one. */
    if (job->params.mode != OB_JOB_RESUME || job->params.output == NULL)
        OB_TRY(ob_job_begin(job, NULL, err));
    OB_TRY(ob__job_write_finish(job, err));
    if (job->profile == NULL)
        return OB_OK;
    ob_record_init(&record, OB_RECORD_TRACE_LINE);
    record.trace_file = ob__profile_path(job->profile);
    return ob__job_append(job, &record, err);
}

ob_status ob_job_run(ob_job *job, ob_err *err)
{
    const ob_clock clock = ob_clock_monotonic();
    const ob_run_options *options = job->source.options;
    if (job->started_ns != 0)
        return ob_err_set(err, OB_ERR_STATE, "this job has already run; open another one");
    if (options != NULL && options->profile && job->params.trace_output != NULL)
        OB_TRY(ob__profile_open_at(job->params.trace_output, &job->profile, err));
    else if (options != NULL && options->profile && job->file != NULL)
        OB_TRY(ob__profile_open(ob_job_path(job), &job->profile, err));
    job->started_ns = ob_clock_now_ns(&clock);
    job->foreign = job->steal = NAN;
    if (ob_noise_sampler_open(NULL, &job->noise, NULL) != OB_OK)
        job->noise = NULL;
    const ob_status status = job->source.run(job->source.ctx, job, err);
    if (status == OB_END)
        job->summary.interrupted = true;
    else
        OB_TRY(status);
    return finish(job, err);
}

ob_status ob_job_close(ob_job *job, ob_err *err)
{
    ob_status status = OB_OK;
    if (job == NULL)
        return OB_OK;
    /* Refused before anything ran: a name that nobody chose need not stay. */
    if (job->file != NULL && !job->has_begun && job->params.output == NULL)
        unlink(ob_job_path(job));
    status = ob_result_file_close(job->file, err);
    const ob_status closed = ob__profile_close(job->profile, status == OB_OK ? err : NULL);
    ob__outlook_close(job->outlook);
    if (job->destroy_source != NULL)
        job->destroy_source(job->own_source);
    ob_noise_sampler_close(job->noise);
    ob_json_doc_destroy(job->arguments);
    ob_done_destroy(job->done);
    ob_text_fini(&job->line);
    ob_text_fini(&job->wrapped);
    free(job);
    return status == OB_OK ? closed : status;
}
