/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench time --lang: the Timer over a statement in another process, which has the clock. What is timed is said
 * in src/snippet/serve.c and runners/python/snippet.py.
 */
#include "header.h"
#include "interrupts.h"
#include "time_options.h"

#include "opbench/measurement.h"
#include "opbench/record.h"

#include <string.h>

typedef struct snippet_job {
    ob_cli *cli;
    const ob_time_line *line;
    ob_timer_options timer;
    ob_result_file *file; /* NULL = none asked for */
    ob_text text;
} snippet_job;

ob_status ob__time_take_blocks(void *ctx, const ob_timer *timer, ob_measurements *to, ob_err *err)
{
    const ob_timer_options *o = ctx;
    const bool given = o->min_run_time_s >= 0;
    if (strcmp(o->method, "timeit") == 0)
        return ob_timer_timeit(timer, o->number > 0 ? (uint64_t)o->number : OB_TIMER_NUMBER, to,
                               err);
    if (strcmp(o->method, "adaptive") != 0)
        return ob_timer_blocked_autorange(
            timer, given ? o->min_run_time_s : OB_TIMER_MIN_RUN_TIME_S, to, err);
    ob_adaptive_params params = OB_ADAPTIVE_DEFAULTS;
    if (given)
        params.min_run_time_s = o->min_run_time_s;
    params.max_run_time_s = o->max_run_time_s;
    params.threshold = o->threshold;
    return ob_timer_adaptive_autorange(timer, &params, to, err);
}

static ob_status open_file(snippet_job *j, ob_err *err)
{
    ob_record record;
    ob_header_room room;
    OB_TRY(ob__cli_append_to(j->cli, j->line->job.output, j->line->job.wait, false, &j->file, err));
    OB_TRY(ob__header_init(j->cli, &record, NULL, &room, err));
    return ob_result_file_append(j->file, &record, err);
}

static ob_status keep(snippet_job *j, const ob_measurement *m, ob_err *err)
{
    const bool is_json = strcmp(j->line->job.format, "json") == 0;
    ob_record record;
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    OB_TRY(ob_measurement_to_record(m, &record, err));
    record.result.mode = j->timer.method;
    record.result.threads = m->task.num_threads;
    if (j->file != NULL)
        OB_TRY(ob_result_file_append(j->file, &record, err));
    j->text.size = 0;
    if (is_json)
        OB_TRY(ob_record_print(&record, &j->text, err));
    else
        OB_TRY(ob_measurement_print(m, NULL, &j->text, err));
    if (!j->line->job.quiet && ob__cli_write(j->cli, j->text.data, j->text.size) && !is_json)
        ob__cli_write(j->cli, "\n", 1);
    return OB_OK;
}

static ob_status measure(snippet_job *j, const ob_timer_args *args, ob_err *err)
{
    const ob_snippet_options options =
        ob__snippet_line_options(j->cli, &j->line->snippet, j->line->run.case_timeout_s);
    const ob_task_spec task = {.stmt = args->stmt,
                               .setup = args->setup,
                               .global_setup = args->global_setup,
                               .label = j->timer.label,
                               .sub_label = j->timer.sub_label,
                               .description = j->timer.description,
                               .env = j->timer.env,
                               .num_threads = args->num_threads};
    ob_measurements *list;
    OB_TRY(ob_measurements_create(&list, err));
    ob_status status =
        ob_snippet_measure(args, &task, &options, ob__time_take_blocks, &j->timer, list, err);
    if (status == OB_OK)
        status = keep(j, ob_measurements_get(list, 0), err);
    ob_measurements_destroy(list);
    return status;
}

int ob__time_snippet(ob_cli *cli, const ob_time_line *line, const ob_time_plan *plan,
                     const char *const *words, size_t count)
{
    snippet_job j = {.cli = cli, .line = line, .timer = plan->run.timer};
    ob_snippet_code code;
    ob_err err;
    int exit_code = ob__snippet_code_read(cli, &line->snippet, words, count, &code);
    if (exit_code != OB_EXIT_OK)
        return exit_code;
    ob__cli_catch_interrupts(cli);
    ob_status status = line->job.output == NULL ? OB_OK : open_file(&j, &err);
    for (size_t i = 0; status == OB_OK && i < plan->threads.size; i++) {
        code.args.num_threads = plan->threads.counts[i];
        status = measure(&j, &code.args, &err);
    }
    exit_code = status == OB_OK ? OB_EXIT_OK : ob__snippet_fail(cli, &err);
    if (ob_result_file_close(j.file, &err) != OB_OK)
        exit_code = ob__cli_fail(cli, &err);
    ob_text_fini(&j.text);
    ob__snippet_code_fini(&code);
    return exit_code;
}
