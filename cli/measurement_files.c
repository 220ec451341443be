/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading files of measurements one measurement at a time. What cannot be shown (results that failed, a
 * line that a killed run left) is told, never dropped in silence.
 */
#include "measurement_files.h"

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
static void add_place(ob_err *err, const char *path, const ob_measurement_reader *reader)
{
    if (err->file[0] != '\0')
        return;
    snprintf(err->file, sizeof err->file, "%s", shown_name(path));
    ob_measurement_reader_place(reader, &err->line, &err->column);
}

static void tell_left_out(ob_cli *cli, const char *path, const ob_measurement_reader *reader,
                          size_t count)
{
    const size_t skipped = ob_measurement_reader_skipped(reader);
    if (ob_measurement_reader_is_torn(reader))
        ob__cli_warn(cli, "%s: the last line is cut off and was left out", path);
    if (skipped > 0)
        ob__cli_warn(cli, "%s: left out %zu result%s without samples (failed or skipped)", path,
                     skipped, skipped == 1 ? "" : "s");
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
        status = take(ctx, shown_name(path), m, err);
        if (status != OB_OK) {
            add_place(err, path, reader);
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
