/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading files of measurements one measurement at a time. What cannot be shown (results that failed, a
 * line that a killed run left) is told, never dropped in silence.
 */
#include "measurement_files.h"

#include <stdlib.h>
#include <string.h>

const ob_cli_word ob__cli_measurement_words[] = {
    {.name = "FILE",
     .required = true,
     .many = true,
     .help = "Results of `run` or `time`, or JSON measurements; - is standard input."},
    {.name = NULL},
};

static const char *shown_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* What a view says about a measurement has no place of its own. */
static void add_place(ob_err *err, const ob_cli_place *place)
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
                     "%s: left out %zu result%s without samples (failed, skipped, or counts alone)",
                     path, skipped, skipped == 1 ? "" : "s");
    else if (count == 0)
        ob__cli_warn(cli, "%s has no measurements", path);
}

static ob_status read_file(ob_cli *cli, const char *path, ob_cli_take_measurement take, void *ctx,
                           ob_err *err)
{
    ob_measurement_reader *reader = NULL;
    const ob_measurement *m;
    size_t count = 0;
    ob_status status = ob_measurement_reader_open(path, &reader, err);
    if (status != OB_OK)
        return status;
    while ((status = ob_measurement_reader_next(reader, &m, err)) == OB_OK) {
        ob_cli_place place = {.file = shown_name(path)};
        ob_measurement_reader_place(reader, &place.line, &place.column);
        status = take(ctx, &place, m, err);
        if (status != OB_OK) {
            add_place(err, &place);
            break;
        }
        count++;
    }
    if (status == OB_END)
        tell_left_out(cli, shown_name(path), reader, count);
    ob_measurement_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

int ob__cli_read_measurements(ob_cli *cli, const ob_cli_call *call, ob_cli_take_measurement take,
                              void *ctx)
{
    for (size_t i = 0; i < call->word_count; i++) {
        ob_err err;
        if (read_file(cli, call->words[i], take, ctx, &err) != OB_OK)
            return cli->write_failed ? ob__cli_finish(cli) : ob__cli_fail(cli, &err);
    }
    return OB_EXIT_OK;
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

ob_status ob__cli_kept_add(ob_cli_kept *kept, const ob_cli_place *place, const ob_measurement *m,
                           ob_err *err)
{
    const size_t count = ob_measurements_count(kept->list);
    if (count == kept->capacity) {
        const size_t wanted = kept->capacity > 0 ? kept->capacity * 2 : 64;
        ob_cli_place *bigger = wanted <= SIZE_MAX / sizeof *bigger
                                   ? realloc(kept->places, wanted * sizeof *bigger)
                                   : NULL;
        if (bigger == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu measurements", count);
        kept->places = bigger;
        kept->capacity = wanted;
    }
    kept->places[count] = *place;
    return ob_measurements_add(kept->list, m, err);
}

void ob__cli_kept_blame(const ob_cli_kept *kept, ob_err *err)
{
    const size_t count = ob_measurements_count(kept->list);
    for (size_t i = 0; err->code == OB_ERR_INVALID && i < count; i++) {
        ob_measurement_stats stats;
        if (ob_measurement_compute(ob_measurements_get(kept->list, i), &stats, NULL) == OB_OK)
            continue;
        add_place(err, &kept->places[i]);
        return;
    }
}
