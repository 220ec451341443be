/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said while a suite runs: progress on a terminal, failures with the command that repeats them, and a
 * record for each result.
 */
#include "header.h"
#include "suite_line.h"

#include "opbench/torch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- opening ---- */

ob_status ob__suite_report_open(ob_suite_report *report, ob_err *err)
{
    ob_record record;
    ob_header_room room;
    report->start_s = now_s();
    report->path = strcmp(report->line->file, "-") == 0 ? NULL : realpath(report->line->file, NULL);
    ob__cli_own_path(&report->own);
    OB_TRY(ob_report_create(&(ob_report_params){.view = OB_VIEW_SUITE}, &report->table, err));
    if (report->output == NULL)
        return OB_OK;
    OB_TRY(ob__cli_append_to(report->cli, report->output, report->wait, false, &report->file, err));
    OB_TRY(ob__header_init(report->cli, &record, NULL, &room, err));
    record.header.config = report->path;
    return ob_result_file_append(report->file, &record, err);
}

ob_status ob__suite_report_close(ob_suite_report *report, ob_err *err)
{
    ob__suite_report_pause(report);
    free(report->path);
    report->path = NULL;
    ob_report_destroy(report->table);
    report->table = NULL;
    const ob_status status = ob_result_file_close(report->file, err);
    report->file = NULL;
    return status;
}

void ob__suite_report_print(ob_suite_report *report)
{
    ob_text text = {0};
    ob_err err;
    if (ob_report_print(report->table, OB_TABLE_TEXT, &text, &err) == OB_OK)
        ob__cli_write(report->cli, text.data, text.size);
    else
        ob__cli_fail(report->cli, &err);
    ob_text_fini(&text);
}

/* ---- progress ---- */

void ob__suite_report_pause(ob_suite_report *report)
{
    if (report->on_line)
        fputs("\r\033[K", stderr);
    report->on_line = false;
}

static void show_progress(ob_suite_report *report, const ob_suite_result *r)
{
    char text[128];
    if (report->quiet || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%s %s\033[K", report->doing,
            ob_progress_format(r->done, r->total, r->cores, r->mean_s, now_s() - report->start_s,
                               text, sizeof text));
    report->on_line = r->done < r->total;
    if (!report->on_line)
        fputs("\r\033[K", stderr);
}

/* ---- records ---- */

static ob_record_status status_of(const ob_suite_result *r)
{
    switch (r->status) {
    case OB_OK:
        return OB_RECORD_OK;
    case OB_ERR_LIMIT:
        return OB_RECORD_TIMED_OUT;
    case OB_ERR_NOMEM:
        return OB_RECORD_OUT_OF_MEMORY;
    case OB_ERR_UNSUPPORTED:
        return OB_RECORD_UNSUPPORTED;
    case OB_ERR_CONFIG:
    case OB_ERR_INVALID:
        return OB_RECORD_INVALID;
    default:
        return r->died ? OB_RECORD_CRASHED : OB_RECORD_FAILED;
    }
}

/* opbench count -s FILE --only NAME: the command that runs the snippet alone. */
static bool make_repro(const ob_suite_report *report, const char *name, ob_text *out)
{
    const ob_snippet_line *s = report->snippet;
    const char *words[18] = {report->own.word,
                             report->cli->command->name,
                             "-s",
                             report->path != NULL ? report->path : "-",
                             "--only",
                             name};
    size_t count = 6;
    const char *const given[][2] = {{"--cc", s->cc},
                                    {"--cxx", s->cxx},
                                    {"--python", s->python},
                                    {"--cache-dir", s->cache_dir},
                                    {"--torch", getenv(OB_TORCH_VARIABLE)}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (given[i][1] == NULL || given[i][1][0] == '\0')
            continue;
        words[count++] = given[i][0];
        words[count++] = given[i][1];
    }
    return ob_text_append_command(out, words, count);
}

static void fill_numbers(const ob_suite_result *r, ob_record_result *out)
{
    if (r->stats_count == 0)
        return;
    /* The first of several counts is the one that differs, if any does. */
    const ob_count_stats *stats = r->stats[r->stats_count - 1];
    const int64_t number = ob_count_stats_get(stats)->number_per_run;
    out->instructions.forward = (double)ob_count_stats_counts(stats, true) / (double)number;
    out->instructions.number = number;
    out->instructions.source = "callgrind";
}

static ob_status write_record(ob_suite_report *report, const ob_suite_result *r, const char *name,
                              const char *repro, ob_err *err)
{
    ob_record record;
    char *key = NULL;
    ob_json_doc *metadata = NULL;
    ob_text line = {0};
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    if (r->measurement != NULL)
        OB_TRY(ob_measurement_to_record(r->measurement, &record, err));
    ob_record_result *out = &record.result;
    out->id = name;
    out->status = status_of(r);
    out->reason = r->status == OB_OK ? NULL : r->reason;
    out->index = (int64_t)r->index;
    out->task = *r->task;
    out->threads = r->snippet->args.num_threads;
    out->process = r->round;
    out->mode = report->mode;
    out->seconds = r->seconds;
    out->repro = repro;
    fill_numbers(r, out);
    ob_status status = ob_snippet_key(r->snippet, &key, err);
    if (status == OB_OK)
        status = ob_json_parse("key", key, strlen(key), NULL, &metadata, err);
    if (status == OB_OK) {
        out->metadata = ob_json_doc_root(metadata);
        status = ob_report_add(report->table, &record, err);
    }
    if (status == OB_OK)
        status = ob_record_print(&record, &line, err);
    if (status == OB_OK && report->file != NULL)
        status = ob_result_file_append_line(report->file, line.data, line.size, err);
    if (status == OB_OK && report->print_records)
        ob__cli_write(report->cli, line.data, line.size);
    ob_text_fini(&line);
    ob_json_doc_destroy(metadata);
    free(key);
    return status;
}

ob_status ob__suite_report_take(ob_suite_report *report, const ob_suite_result *r, ob_err *err)
{
    ob_text repro = {0};
    char *name;
    OB_TRY(ob_snippet_name(r->snippet, &name, err));
    ob_status status = OB_OK;
    if (!make_repro(report, name, &repro))
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for the result of a snippet");
    if (status == OB_OK && r->status != OB_OK) {
        report->failed++;
        ob__suite_report_pause(report);
        ob__cli_warn(report->cli, "%s: failed after %d attempt%s: %s", name, r->attempts,
                     r->attempts == 1 ? "" : "s", r->reason);
        fprintf(stderr, "  alone: %s\n", repro.data);
    }
    if (status == OB_OK)
        status = write_record(report, r, name, repro.data, err);
    show_progress(report, r);
    free(name);
    ob_text_fini(&repro);
    return status;
}
