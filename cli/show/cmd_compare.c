/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench compare: measurements of any number of files side by side, as the tables of
 * torch.utils.benchmark's Compare.
 */
#include "measurement_files.h"
#include "opbench/compare.h"

#include <string.h>

typedef struct compare_options {
    bool trim, highlight_warnings, by_file;
    const char *colorize, *color, *format;
} compare_options;

static void init(void *options)
{
    *(compare_options *)options =
        (compare_options){.colorize = "none", .color = "auto", .format = "text"};
}

static const ob_option OPTIONS[] = {
    {.name = "trim",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(compare_options, trim),
     .help = "Show only as many digits as the spread of the samples allows."},
    {.name = "colorize",
     .type = OB_OPTION_CHOICE,
     .offset = offsetof(compare_options, colorize),
     .value = "HOW",
     .choices = "none|columnwise|rowwise",
     .help =
         "Colour cells by how they stand against the best of their column and thread count, or of "
         "their row; in Markdown the best are bold."},
    {.name = "highlight-warnings",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(compare_options, highlight_warnings),
     .help = "Show the interquartile range in percent of the median where it is 10 % or more."},
    {.name = "by-file",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(compare_options, by_file),
     .help = "Take the file's name as env where a measurement has none, so that equal tasks of two "
             "files are two rows instead of merged."},
    {.name = "color",
     .type = OB_OPTION_CHOICE,
     .offset = offsetof(compare_options, color),
     .value = "WHEN",
     .choices = "auto|always|never",
     .help = "Whether --colorize uses colours: auto is on a terminal, unless NO_COLOR is set."},
    {.name = "format",
     .type = OB_OPTION_CHOICE,
     .offset = offsetof(compare_options, format),
     .value = "FORMAT",
     .choices = "text|markdown|csv|json",
     .help = "Form of the tables; json has all figures in seconds."},
    {.name = NULL},
};

typedef struct keeping {
    ob_cli_kept kept;
    const compare_options *options;
} keeping;

static ob_status keep(void *ctx, const ob_cli_place *place, const ob_measurement *m, ob_err *err)
{
    keeping *k = ctx;
    ob_measurement named = *m;
    if (k->options->by_file && named.task.env == NULL)
        named.task.env = place->file;
    return ob__cli_kept_add(&k->kept, place, &named, err);
}

static ob_compare_style style_of(const ob_cli *cli, const compare_options *options)
{
    ob_compare_style style = {.trim_significant_figures = options->trim,
                              .highlight_warnings = options->highlight_warnings};
    /* The options' choices are the library's words. */
    ob_table_format_from_word(options->format, &style.format);
    ob_colorize_from_word(options->colorize, &style.colorize);
    const bool colour = strcmp(options->color, "always") == 0 ||
                        (strcmp(options->color, "auto") == 0 && cli->colour_out);
    if (style.format == OB_TABLE_TEXT && !colour)
        style.colorize = OB_COLORIZE_NONE;
    return style;
}

static int print(ob_cli *cli, const ob_cli_kept *kept, const compare_options *options)
{
    const ob_compare_style style = style_of(cli, options);
    ob_compare *compare = NULL;
    ob_text text = {.data = NULL};
    ob_err err;
    ob_status status = ob_compare_create(kept->list, &compare, &err);
    if (status == OB_OK)
        status = ob_compare_print(compare, &style, &text, &err);
    if (status == OB_OK && text.size > 0)
        ob__cli_write(cli, text.data, text.size);
    if (status != OB_OK)
        ob__cli_kept_blame(kept, &err);
    ob_compare_destroy(compare);
    ob_text_fini(&text);
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    keeping k = {.options = call->options};
    ob_err err;
    if (ob__cli_kept_init(&k.kept, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    int code = ob__cli_read_measurements(cli, call, keep, &k);
    if (code == OB_EXIT_OK)
        code = print(cli, &k.kept, k.options);
    ob__cli_kept_fini(&k.kept);
    return code;
}

const ob_cli_command ob__command_compare = {
    .name = "compare",
    .help = "put stored measurements side by side",
    .text = "Prints one table per label: a row for each sub_label (or statement), with threads and "
            "environments in groups, a column for each description, medians in the cells. "
            "Measurements of the same task are merged, from whatever file they come, unless "
            "--by-file keeps files apart. Two different "
            "tasks "
            "that would stand in the same cell are an error.",
    .words = ob__cli_measurement_words,
    .options = OPTIONS,
    .options_size = sizeof(compare_options),
    .options_init = init,
    .example = "opbench compare before.json after.json --by-file --trim --colorize columnwise\n"
               "opbench compare results.json --format csv > results.csv",
    .run = run,
};
