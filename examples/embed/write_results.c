/* SPDX-License-Identifier: Apache-2.0
 *
 * A config to a file of records, as `opbench run` writes it: header, a result per case, finish. The job is interrupted
 * after two results, as a user's Ctrl-C would do it, and a second one goes on from the file.
 *
 *     write_results CONFIG FILE [BACKEND [PROGRAM]]
 *
 * BACKEND is native if not given. With PROGRAM (the path of opbench) cases run in a worker process. FILE is replaced.
 */
#include <opbench/job.h>

#include <inttypes.h>
#include <stdio.h>

enum { STOP_AFTER = 2 };

typedef struct view {
    bool stops;    /* it is the first of the two jobs */
    uint64_t done; /* results so far */
} view;

static ob_status on_record(void *ctx, const ob_job_event *event, ob_err *err)
{
    const ob_record_result *r = &event->record->result;
    (void)ctx;
    (void)err;
    printf("  %s %s: %s%s\n", r->op_name, r->id, ob_record_status_get_info(r->status)->word,
           event->is_old ? " (was there)" : "");
    return OB_OK;
}

static void on_progress(void *ctx, const ob_job_progress *progress)
{
    ((view *)ctx)->done = progress->done;
    printf("  %" PRIu64 " of %" PRIu64 "\n", progress->done, progress->total);
}

/* A program would look here whether its signal handler was called: 1 = end after the present case. */
static int stop(void *ctx)
{
    const view *v = ctx;
    return v->stops && v->done >= STOP_AFTER ? 1 : 0;
}

static ob_status run_job(ob_context *context, const ob_job_configs *configs,
                         const ob_job_params *params, int *exit_code, ob_err *err)
{
    ob_job *job;
    OB_TRY(ob_job_open_configs(context, configs, params, &job, err));
    ob_status status = ob_job_run(job, err);
    if (status == OB_OK) {
        const ob_job_summary *summary = ob_job_get_summary(job);
        *exit_code = ob_job_summary_exit_code(summary);
        printf("%s: %" PRIu64 " measured, %" PRIu64 " failed, %" PRIu64 " left out%s\n",
               ob_job_path(job), summary->measured, summary->failed, summary->left_out,
               summary->interrupted ? ", interrupted" : "");
    }
    const ob_status closed = ob_job_close(job, status == OB_OK ? err : NULL);
    return status == OB_OK ? closed : status;
}

static ob_status run_twice(ob_context *context, const ob_config *config, char **argv, int argc,
                           int *exit_code, ob_err *err)
{
    ob_run_options options;
    ob_run_options_init(&options);
    options.backend = argc > 3 ? argv[3] : NULL;
    options.warmup = 2;
    options.iteration = 20;
    options.config_name = argv[1]; /* for the command in each record that repeats its case */
    const ob_job_part part = {.config = config, .options = &options};
    const ob_job_configs configs = {.size = sizeof configs,
                                    .parts = &part,
                                    .part_size = sizeof part,
                                    .part_count = 1,
                                    .worker_program = argc > 4 ? argv[4] : NULL};
    view v = {.stops = true};
    ob_job_params params = {.size = sizeof params,
                            .output = argv[2],
                            .prefix = "benchmark_result",
                            .mode = OB_JOB_REPLACE,
                            .on_record = on_record,
                            .on_progress = on_progress,
                            .stop = stop,
                            .ctx = &v};
    OB_TRY(run_job(context, &configs, &params, exit_code, err));
    v = (view){.stops = false};
    params.mode = OB_JOB_RESUME;
    return run_job(context, &configs, &params, exit_code, err);
}

int main(int argc, char **argv)
{
    ob_context *context = NULL;
    ob_config *config = NULL;
    int exit_code = 0;
    ob_err err;
    if (argc < 3) {
        fprintf(stderr, "usage: %s CONFIG FILE [BACKEND [PROGRAM]]\n", argv[0]);
        return 2;
    }
    ob_status status = ob_context_create(NULL, &context, &err);
    if (status == OB_OK)
        status = ob_plugin_discover(context, NULL, &err);
    if (status == OB_OK)
        status = ob_config_open_file(context, argv[1], NULL, &config, &err);
    if (status == OB_OK)
        status = run_twice(context, config, argv, argc, &exit_code, &err);
    ob_config_destroy(config);
    ob_context_destroy(context);
    if (status != OB_OK) {
        char line[1400];
        fprintf(stderr, "%s: %s\n", argv[0], ob_err_format(&err, "error", line, sizeof line));
        return 1;
    }
    return exit_code;
}
