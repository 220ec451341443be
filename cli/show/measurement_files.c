/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading files of measurements one measurement at a time. What cannot be shown (results that failed, a
 * line that a killed run left) is told, never dropped in silence.
 */
#include "measurement_files.h"

#include "opbench/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const ob_cli_word ob__cli_measurement_words[] = {
    {.name = "FILE",
     .required = true,
     .many = true,
     .help = "Results of `run` or `time`, or JSON measurements; - is standard input."},
    {.name = NULL},
};

/* What a view says about a measurement has no place of its own. */
static void add_place(ob_err *err, const ob_cli_position *place)
{
    if (err->file[0] != '\0')
        return;
    snprintf(err->file, sizeof err->file, "%s", place->file);
    err->line = place->line;
    err->column = place->column;
}

static void tell_left_out(ob_cli *cli, const char *path, const ob_measurement_reader *reader,
                          size_t count)
{
    const size_t skipped = ob_measurement_reader_skipped(reader);
    if (ob_measurement_reader_is_torn(reader))
        ob__cli_warn(cli, "%s: the last line is cut off and was left out", path);
    if (skipped > 0)
        ob__cli_warn(cli,
                     "%s: left out %zu result%s without samples (failed, skipped, or only counted)",
                     path, skipped, skipped == 1 ? "" : "s");
    else if (count == 0)
        ob__cli_warn(cli, "%s has no measurements", path);
}

static ob_status open_reader(const ob_cli_input *input, ob_measurement_reader **out, ob_err *err)
{
    return input->text.data != NULL ? ob_measurement_reader_open_memory(
                                          input->name, input->text.data, input->text.size, out, err)
                                    : ob_measurement_reader_open(input->path, out, err);
}

static ob_status read_measurements(ob_cli *cli, const ob_cli_input *input,
                                   ob_cli_take_measurement take, void *ctx, ob_err *err)
{
    ob_measurement_reader *reader = NULL;
    const ob_measurement *m;
    size_t count = 0;
    ob_status status = open_reader(input, &reader, err);
    if (status != OB_OK)
        return status;
    while ((status = ob_measurement_reader_next(reader, &m, err)) == OB_OK) {
        ob_cli_position place = {.file = input->name};
        ob_measurement_reader_place(reader, &place.line, &place.column);
        status = take(ctx, &place, m, err);
        if (status != OB_OK) {
            add_place(err, &place);
            break;
        }
        count++;
    }
    if (status == OB_END)
        tell_left_out(cli, input->name, reader, count);
    ob_measurement_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

int ob__cli_input_measurements(ob_cli *cli, const ob_cli_input *input, ob_cli_take_measurement take,
                               void *ctx)
{
    ob_err err;
    return read_measurements(cli, input, take, ctx, &err) == OB_OK ? OB_EXIT_OK
           : cli->write_failed                                     ? ob__cli_finish(cli)
                                                                   : ob__cli_fail(cli, &err);
}

int ob__cli_read_measurements(ob_cli *cli, const ob_cli_call *call, ob_cli_take_measurement take,
                              void *ctx)
{
    int code = OB_EXIT_OK;
    for (size_t i = 0; i < call->word_count && code == OB_EXIT_OK; i++) {
        const bool standard = strcmp(call->words[i], "-") == 0;
        const ob_cli_input input = {.path = call->words[i],
                                    .name = standard ? "<stdin>" : call->words[i]};
        code = ob__cli_input_measurements(cli, &input, take, ctx);
    }
    return code;
}

/* ---- files that are looked at first ---- */

ob_status ob__cli_input_open(const char *path, ob_cli_input *out, ob_err *err)
{
    enum { PIECE = 1 << 16 };
    const bool standard = strcmp(path, "-") == 0;
    *out = (ob_cli_input){.path = path, .name = standard ? "<stdin>" : path};
    for (size_t got = standard; got > 0; out->text.size += got) {
        if (!ob_text_reserve(&out->text, PIECE))
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for standard input");
        got = fread(out->text.data + out->text.size, 1, PIECE, stdin);
    }
    return !ferror(stdin) ? OB_OK : ob_err_set(err, OB_ERR_IO, "standard input cannot be read");
}

void ob__cli_input_close(ob_cli_input *input)
{
    ob_text_fini(&input->text);
}

ob_status ob__cli_input_records(const ob_cli_input *input, ob_record_reader **out, ob_err *err)
{
    return input->text.data != NULL ? ob_record_reader_open_memory(input->name, input->text.data,
                                                                   input->text.size, NULL, out, err)
                                    : ob_record_reader_open(input->path, NULL, out, err);
}

/* The next record that can be read. The first line that cannot is told; *broken counts all. */
static ob_status next_record(ob_cli *cli, const ob_cli_input *input, ob_record_reader *reader,
                             size_t *broken, const ob_record **out, ob_err *err)
{
    for (;;) {
        const ob_status status = ob_record_reader_next(reader, out, err);
        if (status != OB_ERR_SYNTAX || !input->skips_broken)
            return status;
        if ((*broken)++ == 0)
            ob__cli_warn(cli, "%s:%" PRIu32 ": the line is left out: %s", input->name, err->line,
                         err->message);
    }
}

ob_status ob__cli_input_each(ob_cli *cli, const ob_cli_input *input, ob_cli_take_record take,
                             void *ctx, ob_err *err)
{
    ob_record_reader *reader;
    const ob_record *record;
    bool whole = false; /* the last line has no newline, but all of its record */
    size_t broken = 0, count = 0;
    OB_TRY(ob__cli_input_records(input, &reader, err));
    ob_status status;
    while ((status = next_record(cli, input, reader, &broken, &record, err)) == OB_OK) {
        count++;
        whole = ob_record_reader_is_torn(reader, NULL);
        status = take(ctx, record, err);
        if (status != OB_OK && err->file[0] == '\0' && !cli->write_failed) {
            snprintf(err->file, sizeof err->file, "%s", input->name);
            err->line = (uint32_t)ob_record_reader_line(reader);
        }
        if (status != OB_OK)
            break;
    }
    if (status == OB_END && ob_record_reader_is_torn(reader, NULL) && !whole)
        ob__cli_warn(cli, "%s: the last line is cut off and was left out", input->name);
    if (broken > 1)
        ob__cli_warn(cli, "%s: %zu more lines cannot be read and were left out", input->name,
                     broken - 1);
    if (status == OB_END && broken > 0 && count == 0)
        status = ob_err_set_at(err, OB_ERR_SYNTAX, input->name, 0, 0, NULL,
                               "has no line that is a record; name files that run or time wrote");
    ob_record_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

/* ---- kept ones ---- */

ob_status ob__cli_kept_init(ob_cli_kept *kept, ob_err *err)
{
    *kept = (ob_cli_kept){.list = NULL};
    return ob_measurements_create(&kept->list, err);
}

void ob__cli_kept_fini(ob_cli_kept *kept)
{
    ob_measurements_destroy(kept->list);
    free(kept->places);
}

ob_status ob__cli_kept_add(ob_cli_kept *kept, const ob_cli_position *place, const ob_measurement *m,
                           ob_err *err)
{
    const size_t count = ob_measurements_count(kept->list);
    if (!OB_RESERVE(kept->places, kept->capacity, count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu measurements", count);
    kept->places[count] = *place;
    return ob_measurements_add(kept->list, m, err);
}

void ob__cli_kept_blame(const ob_cli_kept *kept, ob_err *err)
{
    const size_t count = ob_measurements_count(kept->list);
    for (size_t i = 0; err->code == OB_ERR_INVALID && i < count; i++) {
        ob_measurement_stats stats;
        if (ob_measurement_compute(ob_measurements_at(kept->list, i), &stats, NULL) == OB_OK)
            continue;
        add_place(err, &kept->places[i]);
        return;
    }
}
