/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench show: stored measurements, each in the text form that torch.utils.benchmark prints, or as JSON
 * with everything that follows from its samples.
 */
#include "measurement_files.h"

#include <stdlib.h>

typedef struct show_options {
    bool json, merge;
} show_options;

static const ob_option OPTIONS[] = {
    {.name = "json",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(show_options, json),
     .help =
         "One JSON object per line and measurement, with all statistics; times are in seconds."},
    {.name = "merge",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(show_options, merge),
     .help = "Put all measurements of the same task together and show each task once."},
    {.name = NULL},
};

typedef struct showing {
    ob_cli *cli;
    const show_options *options;
    ob_cli_kept kept; /* with --merge: what was read */
    ob_text text;
} showing;

static ob_status print(showing *s, const ob_measurement *m, ob_err *err)
{
    s->text.size = 0;
    OB_TRY(s->options->json ? ob_measurement_print_json(m, NULL, &s->text, err)
                            : ob_measurement_print(m, NULL, &s->text, err));
    if (ob__cli_write(s->cli, s->text.data, s->text.size) &&
        (s->options->json || ob__cli_write(s->cli, "\n", 1)))
        return OB_OK;
    return ob_err_set(err, OB_ERR_IO, "standard output cannot be written");
}

static ob_status take(void *ctx, const ob_cli_place *place, const ob_measurement *m, ob_err *err)
{
    (void)place;
    return print(ctx, m, err);
}

static ob_status keep(void *ctx, const ob_cli_place *place, const ob_measurement *m, ob_err *err)
{
    return ob__cli_kept_add(&((showing *)ctx)->kept, place, m, err);
}

static int print_merged(showing *s)
{
    ob_measurements *merged = NULL;
    ob_err err;
    ob_status status = ob_measurements_merge(s->kept.list, &merged, &err);
    for (size_t i = 0; status == OB_OK && i < ob_measurements_count(merged); i++)
        status = print(s, ob_measurements_get(merged, i), &err);
    ob_measurements_destroy(merged);
    if (status != OB_OK)
        ob__cli_kept_blame(&s->kept, &err);
    return status == OB_OK        ? OB_EXIT_OK
           : s->cli->write_failed ? ob__cli_finish(s->cli)
                                  : ob__cli_fail(s->cli, &err);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    showing s = {.cli = cli, .options = call->options};
    ob_err err;
    int code = OB_EXIT_OK;
    if (s.options->merge && ob__cli_kept_init(&s.kept, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    if (code == OB_EXIT_OK)
        code = ob__cli_read_measurements(cli, call, s.options->merge ? keep : take, &s);
    if (code == OB_EXIT_OK && s.options->merge)
        code = print_merged(&s);
    ob__cli_kept_fini(&s.kept);
    ob_text_fini(&s.text);
    return code;
}

const ob_cli_command ob__command_show = {
    .name = "show",
    .help = "print stored measurements with their statistics",
    .text =
        "Prints each measurement of the files: its task, the median, the interquartile range and a "
        "warning when that is wide. Files hold the record lines that opbench writes, or JSON "
        "objects {number_per_run, raw_times, task_spec, metadata}, alone or in lists. Results "
        "without samples are left out and counted on standard error.",
    .words = ob__cli_measurement_words,
    .options = OPTIONS,
    .options_size = sizeof(show_options),
    .example = "opbench show results.json\n"
               "opbench show --merge --json monday.json tuesday.json",
    .run = run,
};
