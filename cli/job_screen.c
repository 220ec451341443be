/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of a job on the screen.
 */
#include "job_screen.h"
#include "interrupts.h"
#include "screen.h"

#include "opbench/verdict.h"

#include <inttypes.h>
#include <string.h>

/* ---- failures ---- */

static void tell_failure(const ob_job_screen *s, const ob_record_result *r)
{
    const char *reason = r->reason != NULL ? r->reason : "";
    ob_err err;
    if (s->view == OB_VIEW_SUITE) {
        ob__cli_warn(s->job.cli, "%s: failed after %" PRId64 " attempt%s: %s", r->id, r->attempts,
                     r->attempts == 1 ? "" : "s", reason);
        ob__cli_say("  alone: %s\n", r->repro);
        return;
    }
    if (s->is_single)
        ob_err_set(&err, OB_ERR_BACKEND, "%s", reason);
    else if (s->view == OB_VIEW_INSTRUCTIONS)
        ob_err_set(&err, OB_ERR_BACKEND, "%.200s|%.100s: %s", r->op_name, r->id, reason);
    else
        ob_err_set(&err, OB_ERR_BACKEND, "%.300s: %s%s%.100s%s%s",
                   r->task.stmt != NULL ? r->task.stmt : r->id,
                   ob_record_status_get_info(r->status)->word, r->side != NULL ? " on side " : "",
                   r->side != NULL ? r->side : "", reason[0] != '\0' ? ": " : "", reason);
    ob__cli_fail(s->job.cli, &err);
}

/* ---- results ---- */

static ob_status write_text(ob_job_screen *s, ob_err *err)
{
    const bool ok = ob__cli_write_styled(s->job.cli, s->text.data, s->text.size);
    s->text.size = 0;
    return ok ? OB_OK : ob_err_set(err, OB_ERR_IO, "cannot write to standard output");
}

/* An empty loop takes a cycle an iteration: what takes no longer (as in a verdict of `opbench diff`) may not be there. */
static void warn_of_removed(const ob_job_screen *s, const ob_record_result *r)
{
    const double least_s = OB_VERDICT_MIN_NS * 1e-9, number = (double)r->number_per_run;
    bool is_removed = false;
    for (size_t i = 0; r->forward.measure_time_ms.count == 0 && i < r->raw_times_s.count; i++)
        is_removed = is_removed || r->raw_times_s.items[i] < least_s * number;
    if (is_removed && !s->job.line->quiet)
        ob__cli_warn(s->job.cli,
                     "it takes no longer than an empty loop: the compiler removed unused code, or "
                     "the loop hides it; keep the result, for example in a volatile variable");
}

static ob_status show_result(void *ctx, const ob_job_event *event, ob_err *err)
{
    ob_job_screen *s = ctx;
    const ob_record_result *r = &event->record->result;
    const bool failed =
        !ob_record_status_get_info(r->status)->ran && r->status != OB_RECORD_INTERRUPTED;
    if (failed && !event->is_old)
        tell_failure(s, r);
    s->unfit = s->unfit || r->status == OB_RECORD_INVALID || r->status == OB_RECORD_UNSUPPORTED;
    if (s->also != NULL)
        OB_TRY(s->also(s->also_ctx, event, err));
    if (s->is_muted)
        return OB_OK;
    if (!event->is_old && !s->is_single) /* of a single statement the code is looked at */
        warn_of_removed(s, r);
    OB_TRY(ob__cli_job_show(&s->job, s->report, event->record, err));
    if (s->at_end)
        return OB_OK;
    OB_TRY(ob_report_print(s->report, OB_TABLE_TEXT, &s->text, err));
    return write_text(s, err);
}

static ob_status print_table(ob_job_screen *s, ob_err *err)
{
    if (s->is_muted || !s->at_end)
        return OB_OK;
    OB_TRY(ob_report_print(s->report, s->format, &s->text, err));
    if (!s->job.line->quiet)
        OB_TRY(ob_report_print_notes(s->report, s->format, &s->text, err));
    return write_text(s, err);
}

/* ---- */

ob_status ob__job_screen_init(ob_job_screen *s, const void *values, ob_err *err)
{
    const char *word = s->job.line->format;
    const bool is_text = word == NULL || strcmp(word, "text") == 0;
    s->is_muted = s->is_muted || ob__job_line_is_mute(s->job.line) ||
                  (word != NULL && strcmp(word, "json") == 0);
    s->format = OB_TABLE_TEXT;
    if (!is_text && strcmp(word, "table") != 0)
        ob_table_format_from_word(word, &s->format);
    s->at_end = !is_text || s->view == OB_VIEW_SUITE;
    s->job.show = show_result;
    s->job.show_ctx = s;
    const ob_report_params params = {.view = is_text || s->view == OB_VIEW_SUITE ? s->view
                                                                                 : OB_VIEW_RUN};
    OB_TRY(ob__cli_job_open_report(&s->job, &params, &s->report, err));
    return ob__cli_job_init(&s->job, ob__cli_own_options(s->job.cli->command), values, err);
}

int ob__job_screen_run(ob_job_screen *s)
{
    ob_err err;
    int code = ob__cli_job_run(&s->job);
    if (code != OB_EXIT_OK)
        return code;
    s->has_run = true;
    ob_job_get_load(s->job.job, &s->foreign, &s->steal);
    /* What was measured before an interrupt is worth showing. */
    const int shown = print_table(s, &err) == OB_OK ? OB_EXIT_OK : ob__cli_fail(s->job.cli, &err);
    code = ob_job_summary_exit_code(ob_job_get_summary(s->job.job));
    if (code == OB_EXIT_INTERRUPTED && s->job.at_once) {
        ob_err_set(&err, OB_ERR_STATE, "interrupted");
        ob__cli_fail(s->job.cli, &err);
    }
    if (code == OB_EXIT_FAILED && s->is_single && s->unfit)
        return OB_EXIT_USAGE;
    return code != OB_EXIT_OK ? code : shown;
}

int ob__job_screen_fini(ob_job_screen *s, int code)
{
    ob_report_destroy(s->report);
    ob_text_fini(&s->text);
    return ob__cli_job_fini(&s->job, code);
}
