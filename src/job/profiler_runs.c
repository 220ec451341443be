/* SPDX-License-Identifier: Apache-2.0
 *
 * The profilers of a job, ncu and nsys: found before the run, started for every batch of cases that were measured.
 */
#include "job/job_int.h"
#include "run/profiler_batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGS_BYTES = 1 << 20 };

struct ob_profiler_runs {
    ob_job_batches wanted;
    ob_profiler_runs_params params;
    ob_job *job;
    ob_batch_params batch_params;
    ob_profiler profilers[OB_PROFILER_COUNT]; /* program NULL = not wanted */
    char *paths[OB_PROFILER_COUNT], *args[OB_PROFILER_COUNT];
    char *command, *prefix;
    ob_batch *batch;
};

#define ROW(kind, name, field, ...)                                                                \
    OB_OPTION(kind, name, ob_job_batches, field, .group = "Profilers", .rare = true, __VA_ARGS__)
#define PROFILER(word, kind, product, warmups, iterations)                                         \
    ROW(FLAG, word, profilers[kind].wanted,                                                        \
        .help = "Run the measured cases again, in batches, under " product "."),                   \
        ROW(STRING, word "-bin", profilers[kind].program, .value = "FILE",                         \
            .otherwise = word " of PATH", .help = "The program."),                                 \
        ROW(STRING, word "-args-file", profilers[kind].args_file, .value = "FILE",                 \
            .help = "A file with more arguments for " word ", in shell syntax."),                  \
        ROW(INT, word "-warmup", profilers[kind].warmup, .value = "N", .initial = (warmups),       \
            .help = "Warm-up iterations under " word "; 0 or less: none."),                        \
        ROW(INT, word "-iteration", profilers[kind].iteration, .value = "N",                       \
            .initial = (iterations),                                                               \
            .help = "Measured iterations under " word "; 0 or less: none.")

const ob_option *ob_job_batch_rows(void)
{
    static const ob_option ROWS[] = {
        PROFILER("ncu", OB_PROFILER_NCU, "NVIDIA Nsight Compute", "5", "1"),
        PROFILER("nsys", OB_PROFILER_NSYS, "NVIDIA Nsight Systems", "5", "10"),
        ROW(INT, "run-batch-size", batch_size, .value = "N", .min = 1, .max = 1e9, .initial = "50",
            .help = "Cases per start of ncu or nsys."),
        ROW(INT, "batch-cuda-device", cuda_device, .value = "N", .max = 4095, .initial = "1",
            .help = "The CUDA device that ncu and nsys see."),
        ROW(STRING, "batch-cmd", command, .value = "COMMAND", .otherwise = "this program's worker",
            .help = "The command that ncu and nsys start."),
        {.name = NULL},
    };
    return ROWS;
}

void ob_job_batches_init(ob_job_batches *batches)
{
    *batches = (ob_job_batches){.size = sizeof *batches};
    ob_options_init(ob_job_batch_rows(), batches, NULL);
}

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the profilers' batches");
}

/* ---- before the run ---- */

/* The whole file, without blanks at its end. */
static ob_status read_args(const char *path, char **out, ob_err *err)
{
    FILE *file = fopen(path, "re");
    char *text = file != NULL ? malloc(MOST_ARGS_BYTES + 1) : NULL;
    ob_status status = OB_OK;
    size_t size = 0;
    if (file == NULL)
        status = ob_err_set(err, OB_ERR_NOT_FOUND, "%s cannot be read: %s", path, strerror(errno));
    else if (text == NULL)
        status = out_of_memory(err);
    else
        size = fread(text, 1, MOST_ARGS_BYTES + 1, file);
    if (status == OB_OK && ferror(file))
        status = ob_err_set(err, OB_ERR_NOT_FOUND, "%s cannot be read: %s", path, strerror(errno));
    if (status == OB_OK && (size > MOST_ARGS_BYTES || memchr(text, '\0', size) != NULL))
        status = ob_err_set(err, OB_ERR_INVALID,
                            "%s cannot hold arguments: it is longer than 1 MiB, or not text", path);
    if (file != NULL)
        fclose(file);
    if (status != OB_OK) {
        free(text);
        return status;
    }
    while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL)
        size--;
    text[size] = '\0';
    *out = text;
    return OB_OK;
}

static ob_status find_profilers(ob_profiler_runs *r, ob_err *err)
{
    for (int i = 0; i < OB_PROFILER_COUNT; i++) {
        const ob_job_profiler *wanted = &r->wanted.profilers[i];
        if (!wanted->wanted)
            continue;
        OB_TRY(ob__profiler_find((ob_profiler_kind)i, wanted->program, &r->paths[i], err));
        if (wanted->args_file != NULL)
            OB_TRY(read_args(wanted->args_file, &r->args[i], err));
        r->profilers[i] = (ob_profiler){.kind = (ob_profiler_kind)i,
                                        .program = r->paths[i],
                                        .args = r->args[i],
                                        .warmup = wanted->warmup,
                                        .iteration = wanted->iteration};
        OB_TRY(ob__profiler_check(&r->profilers[i], err));
    }
    return OB_OK;
}

/* A program's path as a word of a command line: in single quotes. */
static char *quote(const char *path, const char *rest)
{
    char *out = malloc(4 * strlen(path) + strlen(rest) + 4);
    char *to = out;
    if (out == NULL)
        return NULL;
    *to++ = '\'';
    for (; *path != '\0'; path++) {
        if (*path == '\'') {
            memcpy(to, "'\\'", 3);
            to += 3;
        }
        *to++ = *path;
    }
    *to++ = '\'';
    memcpy(to, rest, strlen(rest) + 1);
    return out;
}

/* "x.json" has files that begin with "x". */
static char *make_prefix(const ob_profiler_runs_params *params)
{
    char *prefix = strdup(params->output != NULL   ? params->output
                          : params->prefix != NULL ? params->prefix
                                                   : "benchmark_result");
    const size_t length = prefix != NULL ? strlen(prefix) : 0;
    if (params->output != NULL && length > 5 && strcmp(prefix + length - 5, ".json") == 0)
        prefix[length - 5] = '\0';
    return prefix;
}

static void on_output(void *ctx, const char *line, size_t length)
{
    const ob_profiler_runs *r = ctx;
    if (r->wanted.on_output != NULL)
        r->wanted.on_output(r->wanted.ctx, line, length);
}

static int on_stop(void *ctx)
{
    const ob_profiler_runs *r = ctx;
    return ob_job_stop(r->job);
}

static ob_status open_batch(ob_profiler_runs *r, ob_err *err)
{
    if (r->wanted.command == NULL && r->params.worker_program == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "cannot find the path of this program; name the command for the "
                          "profilers with --batch-cmd");
    r->command = r->wanted.command != NULL ? strdup(r->wanted.command)
                                           : quote(r->params.worker_program, " worker");
    r->prefix = make_prefix(&r->params);
    if (r->command == NULL || r->prefix == NULL)
        return out_of_memory(err);
    r->batch_params = (ob_batch_params){.config = r->params.part->config,
                                        .options = r->params.part->options,
                                        .command = r->command,
                                        .prefix = r->prefix,
                                        .cuda_device = r->wanted.cuda_device,
                                        .verbose = r->wanted.verbose,
                                        .on_output = on_output,
                                        .stop = on_stop,
                                        .ctx = r};
    return ob__batch_create(&r->batch_params, &r->batch, err);
}

ob_status ob__profiler_runs_open(const ob_job_batches *batches,
                                 const ob_profiler_runs_params *params, ob_profiler_runs **out,
                                 ob_err *err)
{
    bool wanted = false;
    *out = NULL;
    for (int i = 0; i < OB_PROFILER_COUNT; i++)
        wanted = wanted || batches->profilers[i].wanted;
    if (!wanted)
        return OB_OK;
    ob_profiler_runs *r = calloc(1, sizeof *r);
    if (r == NULL)
        return out_of_memory(err);
    r->wanted = *batches;
    r->params = *params;
    ob_status status = find_profilers(r, err);
    if (status == OB_OK)
        status = open_batch(r, err);
    if (status != OB_OK) {
        ob__profiler_runs_close(r);
        return status;
    }
    *out = r;
    return OB_OK;
}

void ob__profiler_runs_close(ob_profiler_runs *r)
{
    if (r == NULL)
        return;
    ob__batch_destroy(r->batch);
    for (int i = 0; i < OB_PROFILER_COUNT; i++) {
        free(r->paths[i]);
        free(r->args[i]);
    }
    free(r->command);
    free(r->prefix);
    free(r);
}

void ob__profiler_runs_set_job(ob_profiler_runs *r, ob_job *job)
{
    if (r != NULL)
        r->job = job;
}

void ob__profiler_runs_describe(const ob_profiler_runs *r, const ob_job_batches *batches,
                                ob_record_options *out)
{
    const ob_job_profiler *ncu = &batches->profilers[OB_PROFILER_NCU];
    const ob_job_profiler *nsys = &batches->profilers[OB_PROFILER_NSYS];
    out->run_ncu = ncu->wanted;
    out->ncu_warmup = ncu->warmup;
    out->ncu_iteration = ncu->iteration;
    out->run_nsys = nsys->wanted;
    out->nsys_warmup = nsys->warmup;
    out->nsys_iteration = nsys->iteration;
    out->run_batch_size = batches->batch_size;
    out->batch_cuda_device = batches->cuda_device;
    out->batch_cmd = r != NULL ? r->command : batches->command;
    if (r == NULL)
        return;
    out->ncu_bin = r->paths[OB_PROFILER_NCU];
    out->ncu_args = r->args[OB_PROFILER_NCU];
    out->nsys_bin = r->paths[OB_PROFILER_NSYS];
    out->nsys_args = r->args[OB_PROFILER_NSYS];
}

/* ---- during the run ---- */

/* "0|1" of "0|1|5" */
static size_t stem(const char *id)
{
    const char *bar = strrchr(id, '|');
    return bar != NULL ? (size_t)(bar - id) : strlen(id);
}

static bool same_group(const ob_case *c, const char *op_name, const char *id)
{
    const size_t length = stem(id);
    return strcmp(ob_case_op_name(c), op_name) == 0 && stem(ob_case_id(c)) == length &&
           memcmp(ob_case_id(c), id, length) == 0;
}

ob_status ob__profiler_runs_measure(const ob_profiler_runs *r, const ob_case_range *range,
                                    uint64_t *count, ob_err *err)
{
    const uint64_t most = (uint64_t)r->wanted.batch_size;
    ob_cases *cases;
    const ob_case *c;
    char *op_name = NULL, *id = NULL;
    *count = 0;
    OB_TRY(ob_cases_open(r->params.part->config, NULL, &cases, err));
    ob_status status = OB_OK;
    while (status == OB_OK && *count < range->count && *count < most) {
        status = ob_cases_seek(cases, range->first + *count * range->step, err);
        if (status == OB_OK)
            status = ob_cases_next(cases, &c, err);
        if (status == OB_OK && *count == 0) {
            op_name = strdup(ob_case_op_name(c));
            id = strdup(ob_case_id(c));
            if (op_name == NULL || id == NULL)
                status = out_of_memory(err);
        }
        if (status != OB_OK || !same_group(c, op_name, id))
            break;
        ++*count;
    }
    free(op_name);
    free(id);
    ob_cases_close(cases);
    return status;
}

ob_status ob__profiler_runs_add(ob_profiler_runs *r, const ob_record_result *result, ob_err *err)
{
    const ob_record_status_info *info = ob_record_status_get_info(result->status);
    if (r == NULL || info == NULL || !info->ran)
        return OB_OK;
    return ob__batch_add(r->batch, result, err);
}

ob_status ob__profiler_runs_run(ob_profiler_runs *r, ob_err *err)
{
    ob_job *job = r->job;
    for (int i = 0; i < OB_PROFILER_COUNT && ob__batch_count(r->batch) > 0; i++) {
        ob_record record;
        if (r->profilers[i].program == NULL)
            continue;
        OB_TRY(ob__batch_run(r->batch, &r->profilers[i], &record, err));
        if (record.batch.error != NULL) {
            job->summary.failed_batches++;
            if (r->wanted.on_failed != NULL)
                r->wanted.on_failed(r->wanted.ctx, &record.batch);
        }
        OB_TRY(ob_job_add(job, &record, err));
    }
    ob__batch_clear(r->batch);
    return OB_OK;
}
