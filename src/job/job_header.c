/* SPDX-License-Identifier: Apache-2.0
 *
 * The first and the last record of a job: what a reader of the results needs to know of where they come from, and how
 * it ended.
 */
#include "job/job_int.h"
#include "job/work_tree.h"
#include "measure/perf_event.h"
#include "measure/proc.h"
#include "run/identity.h"
#include "run/roof.h"

#include "opbench/version.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- options by their names ---- */

/* A program that has no command line: the options that it measures by. */
static ob_status list_own(ob_job *job, const ob_json **out, ob_err *err)
{
    const ob_run_options *options = job->source.options;
    if (job->arguments == NULL)
        OB_TRY(ob_json_doc_create(&job->arguments, err));
    ob_json *object = ob_json_new_object(job->arguments);
    if (object == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the options' names");
    OB_TRY(ob_options_to_json(ob_run_option_rows(), options, job->arguments, object, err));
    if (options->timer.method != NULL)
        OB_TRY(ob_options_to_json(ob_timer_option_rows(), options, job->arguments, object, err));
    *out = object;
    return OB_OK;
}

/* The ceilings that results stand beside. */
static ob_status list_ceilings(ob_job *job, const ob_json **out, ob_err *err)
{
    ob_roofline *roofline;
    OB_TRY(ob__open_roofline(job->source.options->roofline, &roofline, err));
    if (roofline == NULL)
        return OB_OK;
    ob_status status = job->arguments != NULL ? OB_OK : ob_json_doc_create(&job->arguments, err);
    if (status == OB_OK && (*out = ob_roofline_json(roofline, job->arguments)) == NULL)
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for the header");
    ob_roofline_destroy(roofline);
    return status;
}

/* ---- the header ---- */

/* "compile=default" among the options of backends: PARAM's --pt2-model. */
static bool is_compiled(const char *options)
{
    static const char COMPILE[] = "compile=";
    for (const char *at = options; at != NULL && (at = strstr(at, COMPILE)) != NULL; at++)
        if (at == options || at[-1] == ',' || at[-1] == '.')
            return true;
    return false;
}

/* PARAM's part. */
static void describe_options(const ob_run_options *o, ob_record_options *out)
{
    out->device = o->device != NULL ? o->device : "cpu";
    out->pass_type = o->backward ? "ExecutionPass.BACKWARD" : "ExecutionPass.FORWARD";
    if (o->timer.method != NULL || o->count_repeats > 0)
        return; /* the rest is not how the Timer measures */
    out->warmup = o->warmup;
    out->iteration = o->iteration;
    out->op_exec_mode = strcmp(o->exec_mode, "discrete") == 0 ? "OpExecutionMode.DISCRETE"
                        : strcmp(o->exec_mode, "continuous") == 0
                            ? "OpExecutionMode.CONTINUOUS"
                            : "OpExecutionMode.CONTINUOUS_EVENTS";
    out->cuda_l2_cache = !ob__options_cold(o);
    out->time_unit = "millisecond";
    out->pt2_model = is_compiled(o->backend_options);
    out->cuda_graph = false;
}

/* What a header points to. */
typedef struct header_room {
    char now[32], cwd[4096], hardware[512], microcode[64];
    ob_work_tree tree;
    ob_err counters;
} header_room;

/* Machine, clock and versions. */
static ob_status fill_machine(ob_record_header *h, header_room *room, ob_err *err)
{
    const ob_clock clock = ob_clock_monotonic();
    OB_TRY(ob_system_read(NULL, NULL, &h->system, err));
    OB_TRY(ob_clock_measure(&clock, &h->clock, err));
    h->pid = getpid();
    h->cwd = getcwd(room->cwd, sizeof room->cwd);
    h->opbench_version = OB_VERSION;
    h->perf_event = ob__hardware_counters_check(&room->counters) == OB_OK ? "available"
                                                                          : room->counters.message;
    h->start_unix = (int64_t)time(NULL);
    h->start_time = ob_record_format_time(h->start_unix, room->now);
    h->format = OB_RECORD_FORMAT;
    ob_system_class(&h->system, room->hardware, sizeof room->hardware);
    h->hardware = room->hardware;
    FILE *file = ob__proc_open(NULL, "/proc/cpuinfo");
    if (file != NULL) {
        if (ob__proc_named(file, "microcode", room->microcode, sizeof room->microcode))
            h->microcode = room->microcode;
        fclose(file);
    }
    return OB_OK;
}

/* What a history asks of a run besides: which code it was of, and what the user calls it. */
static void fill_origin(const ob_job *job, ob_record_header *h, header_room *room)
{
    h->tags = job->params.tags;
    ob__work_tree_find(h->cwd, &room->tree);
    if (room->tree.commit[0] != '\0')
        h->commit = room->tree.commit;
    if (room->tree.branch[0] != '\0')
        h->branch = room->tree.branch;
    h->dirty = room->tree.dirty;
}

/* Which part of the cases this is, and where it runs; an undivided run has a node too, by which fleets are compared. */
static void fill_place(const ob_job *job, ob_record_header *h)
{
    ob_shard place = {.size = sizeof place};
    if (ob_job_shard(job) != NULL) {
        place = job->shard;
        const ob_shard_division *division = job->source.division;
        h->shard = job->shard_text;
        h->shard_by = division != NULL ? "cost" : NULL;
        h->shard_hash = division != NULL ? division->hash : NULL;
        h->shard_cases = division != NULL ? division->positions : NULL;
        h->repeat = job->params.repeat;
        h->launcher = place.launcher;
    } else {
        ob_shard_describe_place(&place);
    }
    h->job_id = place.job;
    h->node = place.node;
    h->nodes = place.nodes;
    h->restarts = place.restarts;
}

static ob_status fill_job(ob_job *job, ob_record_header *h, ob_err *err)
{
    const ob_job_source *source = &job->source;
    h->library_caps = job->params.library_caps;
    h->findings = job->params.findings;
    h->config = source->name;
    h->config_hash = source->hash;
    h->cases = (int64_t)source->cases;
    fill_place(job, h);
    h->options.out_file_prefix = job->params.prefix;
    h->options.out_stream = ob_job_path(job);
    h->options.cmd_args = job->params.arguments;
    if (source->options != NULL) {
        describe_options(source->options, &h->options);
        if (ob_json_bool(ob_json_get(job->params.arguments, "pt2_model"), false))
            h->options.pt2_model = true; /* the option that becomes one of a backend's */
        h->seed = source->options->seed;
        OB_TRY(list_ceilings(job, &h->ceilings, err));
        if (h->options.cmd_args == NULL)
            OB_TRY(list_own(job, &h->options.cmd_args, err));
    }
    return source->describe != NULL ? source->describe(source->ctx, h, err) : OB_OK;
}

ob_status ob__job_write_header(ob_job *job, const ob_json *properties, ob_err *err)
{
    ob_record record;
    header_room room;
    job->has_begun = true;
    if (job->file == NULL)
        return OB_OK;
    ob_record_init(&record, OB_RECORD_HEADER_LINE);
    OB_TRY(fill_machine(&record.header, &room, err));
    record.header.backends = properties;
    fill_origin(job, &record.header, &room);
    OB_TRY(fill_job(job, &record.header, err));
    if (job->source.options != NULL && job->source.options->count)
        ob_log_message(ob_context_log(job->context), OB_LOG_INFO, "perf_event: %s",
                       record.header.perf_event);
    return ob_result_file_append(job->file, &record, err);
}

/* ---- the finish record ---- */

/* One window over all of the run. Its processes are over, so that what they used is not taken for others'. */
static void fill_noise(ob_job *job, ob_record_finish *finish)
{
    ob_noise noise;
    if (job->noise == NULL || ob_noise_sampler_poll(job->noise, NULL, NULL) != OB_OK)
        return;
    ob_noise_sampler_get(job->noise, &noise);
    if (noise.windows == 0)
        return; /* too short to tell */
    finish->noise_foreign = job->foreign = noise.foreign;
    finish->noise_steal = job->steal = noise.steal;
    finish->noise_seconds = noise.seconds;
}

ob_status ob__job_write_finish(ob_job *job, ob_err *err)
{
    ob_record record;
    char now[32];
    const ob_clock clock = ob_clock_monotonic();
    ob_record_init(&record, OB_RECORD_FINISH_LINE);
    record.finish.finish_time = ob_record_format_time((int64_t)time(NULL), now);
    record.finish.end = job->summary.interrupted  ? "interrupted"
                        : job->source.end != NULL ? job->source.end
                                                  : "finished";
    record.finish.seconds = (double)(ob_clock_now_ns(&clock) - job->started_ns) / 1e9;
    fill_noise(job, &record.finish);
    memcpy(record.finish.cases, job->summary.cases, sizeof record.finish.cases);
    record.finish.wrapped = (ob_bytes){.data = job->wrapped.data, .size = job->wrapped.size};
    return ob__job_append(job, &record, err);
}
