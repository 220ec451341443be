/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing rows as their records come, and all of them anew when a sweep is resumed.
 */
#include "sweep_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ob_status cannot_write(const char *path, ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_IO, path, 0, 0, NULL,
                         "cannot be written: %s; choose another place", strerror(errno));
}

/* ---- rows ---- */

static bool has_format(const ob_sweep_output *out, const char *word)
{
    return strcmp(out->line->job.format, word) == 0;
}

static ob_status write_text(ob_sweep_output *out, ob_err *err)
{
    if (out->csv == NULL && !has_format(out, "csv"))
        return OB_OK;
    if (out->csv == NULL)
        return ob__cli_write(out->cli, out->text.data, out->text.size)
                   ? OB_OK
                   : ob_err_set(err, OB_ERR_IO, "cannot write to standard output");
    /* Flushed row by row, so that the table can be looked at while it grows. */
    if (fwrite(out->text.data, 1, out->text.size, out->csv) == out->text.size &&
        fflush(out->csv) == 0)
        return OB_OK;
    return cannot_write(out->line->output, err);
}

ob_status ob__sweep_output_show(void *ctx, const ob_job_event *event, ob_err *err)
{
    ob_sweep_output *out = ctx;
    out->text.size = 0;
    OB_TRY(ob_sweep_print_csv(out->sweep, event->record, &out->text, err));
    for (size_t i = 0; i < out->text.size; i++)
        out->rows += out->text.data[i] == '\n';
    OB_TRY(write_text(out, err));
    return out->report != NULL ? ob__cli_job_show(out->job, out->report, event->record, err)
                               : OB_OK;
}

/* ---- opening ---- */

char *ob__sweep_records_beside(const char *output)
{
    const size_t length = strlen(output);
    const bool csv = length > 4 && strcmp(output + length - 4, ".csv") == 0;
    char *path = malloc(length + sizeof ".jsonl");
    if (path != NULL)
        sprintf(path, "%.*s.jsonl", (int)(csv ? length - 4 : length), output);
    return path;
}

/* Rows of this sweep are added below a head that is the same. */
static ob_status open_added(ob_sweep_output *out, ob_err *err)
{
    const char *path = out->line->output;
    out->csv = fopen(path, "a+e");
    if (out->csv == NULL)
        return cannot_write(path, err);
    for (size_t i = 0; i < out->text.size; i++)
        if (fgetc(out->csv) != (unsigned char)out->text.data[i])
            return ob_err_set_at(err, OB_ERR_INVALID, path, 1, 0, NULL,
                                 "it has rows from a different sweep; name another file");
    out->added = true;
    return OB_OK;
}

static ob_status open_csv(ob_sweep_output *out, ob_err *err)
{
    const ob_sweep_line *line = out->line;
    struct stat s;
    const bool is_taken = ob__cli_is_taken(line->output);
    if (line->job.append && is_taken)
        return open_added(out, err);
    if (!line->job.resume && !line->job.force && is_taken)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "%s already exists; --resume continues it, --append adds to it, --force replaces it",
            line->output);
    if (stat(line->output, &s) == 0 && !S_ISREG(s.st_mode)) { /* a pipe or a device */
        out->csv = fopen(line->output, "we");
        return out->csv != NULL ? OB_OK : cannot_write(line->output, err);
    }
    /* A name of its own: another sweep may be at it, and nobody's file is replaced. */
    out->target = ob__cli_target(line->output);
    if (out->target == NULL)
        return cannot_write(line->output, err);
    out->part = malloc(strlen(out->target) + sizeof ".XXXXXX");
    if (out->part == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a file's name");
    sprintf(out->part, "%s.XXXXXX", out->target);
    const int fd = mkostemp(out->part, O_CLOEXEC);
    const mode_t mask = umask(0);
    umask(mask);
    out->csv = fd >= 0 && fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
    if (out->csv != NULL)
        return OB_OK;
    const ob_status status = cannot_write(line->output, err);
    if (fd >= 0) {
        close(fd);
        unlink(out->part);
    }
    free(out->part);
    out->part = NULL;
    return status;
}

ob_status ob__sweep_output_place(ob_sweep_output *out, ob_err *err)
{
    if (out->part == NULL)
        return OB_OK;
    if (rename(out->part, out->target) != 0)
        return cannot_write(out->line->output, err);
    free(out->part);
    out->part = NULL;
    return OB_OK;
}

/* Three files, three names. */
static ob_status check_names(const ob_sweep_line *line, ob_err *err)
{
    const char *records = line->job.output;
    if (strcmp(records, line->output) == 0)
        return ob_err_set(err, OB_ERR_INVALID,
                          "rows and records cannot go to the same file; see --records");
    if (line->json != NULL &&
        (strcmp(line->json, records) == 0 || strcmp(line->json, line->output) == 0))
        return ob_err_set(err, OB_ERR_INVALID,
                          "--rows-json needs its own file, but %s has the %s; give another name",
                          line->json, strcmp(line->json, line->output) == 0 ? "rows" : "records");
    return OB_OK;
}

/* It is told of which sweep the records are, as their file would. */
static ob_status open_report(ob_sweep_output *out, ob_err *err)
{
    const ob_report_params params = {.view = OB_VIEW_SWEEP, .context = out->cli->context};
    const ob_record header = {.kind = OB_RECORD_HEADER_LINE,
                              .header = {.sweep = ob_sweep_json(out->sweep)}};
    OB_TRY(ob__cli_job_open_report(out->job, &params, &out->report, err));
    return ob_report_add(out->report, &header, err);
}

ob_status ob__sweep_output_open(ob_sweep_output *out, ob_err *err)
{
    OB_TRY(ob_sweep_print_csv_head(out->sweep, &out->text, err));
    if (out->line->output != NULL) {
        OB_TRY(check_names(out->line, err));
        OB_TRY(open_csv(out, err));
    }
    const bool is_quiet = out->line->job.quiet && out->line->output != NULL;
    if (!is_quiet && !has_format(out, "csv") && !has_format(out, "json"))
        OB_TRY(open_report(out, err));
    return out->added ? OB_OK : write_text(out, err);
}

/* ---- the document for plots ---- */

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the document of rows");
}

static bool append_json(ob_text *text, const char *before, const ob_json *node)
{
    char *printed = NULL;
    size_t length = 0;
    const bool ok = ob_json_print(node, &printed, &length, NULL) == OB_OK &&
                    ob_text_append_str(text, before) && ob_text_append(text, printed, length);
    free(printed);
    return ok;
}

/* The lines of rows become items of a list. */
static ob_status append_rows(ob_sweep_output *out, const ob_record *record, ob_text *text,
                             bool *first, ob_err *err)
{
    out->text.size = 0;
    OB_TRY(ob_sweep_print_json(out->sweep, record, &out->text, err));
    for (size_t at = 0; at < out->text.size;) {
        const char *line = out->text.data + at;
        const size_t length = (size_t)((char *)memchr(line, '\n', out->text.size - at) - line);
        if (!ob_text_append_str(text, *first ? "\n " : ",\n ") ||
            !ob_text_append(text, line, length))
            return no_memory(err);
        *first = false;
        at += length + 1;
    }
    return OB_OK;
}

static ob_status append_records(ob_sweep_output *out, ob_text *text, ob_err *err)
{
    ob_record_reader *reader;
    const ob_record *record;
    bool first = true;
    OB_TRY(ob_record_reader_open(out->line->job.output, NULL, &reader, err));
    ob_status status;
    while ((status = ob_record_reader_next(reader, &record, err)) == OB_OK) {
        if (record->kind != OB_RECORD_RESULT_LINE ||
            !ob_record_status_get_info(record->result.status)->settled)
            continue; /* a resumed sweep has run it again */
        status = append_rows(out, record, text, &first, err);
        if (status != OB_OK)
            break;
    }
    ob_record_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

static ob_status write_document(ob_sweep_output *out, ob_err *err)
{
    const ob_json *root = ob_sweep_json(out->sweep);
    ob_text text = {0};
    if (out->line->json == NULL)
        return OB_OK;
    const bool ok = append_json(&text, "{\"model\": ", ob_json_get(root, "model")) &&
                    append_json(&text, ", \"input_scales\": ", ob_json_get(root, "input_scales")) &&
                    append_json(&text, ", \"job_configs\": ", ob_json_get(root, "job_configs")) &&
                    ob_text_append_str(&text, ",\n\"values\": [");
    ob_status status = ok ? append_records(out, &text, err) : no_memory(err);
    if (status == OB_OK && !ob_text_append_str(&text, "\n]}\n"))
        status = no_memory(err);
    if (status == OB_OK &&
        ob__cli_write_file(out->cli, out->line->json, text.data, text.size) != OB_EXIT_OK)
        status = ob_err_set(err, OB_ERR_IO, "%s cannot be written", out->line->json);
    ob_text_fini(&text);
    return status;
}

static ob_status print_table(ob_sweep_output *out, ob_err *err)
{
    ob_table_format format = OB_TABLE_TEXT;
    if (out->report == NULL)
        return OB_OK;
    ob_table_format_from_word(out->line->job.format, &format);
    out->text.size = 0;
    OB_TRY(ob_report_print(out->report, format, &out->text, err));
    return ob__cli_write_styled(out->cli, out->text.data, out->text.size)
               ? OB_OK
               : ob_err_set(err, OB_ERR_IO, "cannot write to standard output");
}

ob_status ob__sweep_output_finish(ob_sweep_output *out, ob_err *err)
{
    OB_TRY(write_document(out, err));
    return print_table(out, err);
}

ob_status ob__sweep_output_close(ob_sweep_output *out, ob_err *err)
{
    ob_status status = OB_OK;
    if (out->csv != NULL && fclose(out->csv) != 0)
        status = cannot_write(out->line->output, err);
    if (out->part != NULL)
        unlink(out->part);
    free(out->part);
    free(out->target);
    ob_text_fini(&out->text);
    ob_report_destroy(out->report);
    return status;
}
