/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench compare: measurements of any number of files side by side, as the tables of
 * torch.utils.benchmark's Compare.
 */
#include "measurement_files.h"
#include "opbench/compare.h"

#include <string.h>

typedef struct compare_options {
    bool trim, highlight_warnings, merge;
    const char *colorize, *color, *format;
} compare_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, compare_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(FLAG, "trim", trim,
        .help = "Show only as many digits as the spread of the samples justifies."),
    ROW(CHOICE, "colorize", colorize, .value = "HOW", .choices = "none|columnwise|rowwise",
        .initial = "none",
        .help = "Colour cells by how they compare with the best of their column and thread count, "
                "or of their row; in Markdown the best are bold."),
    ROW(FLAG, "highlight-warnings", highlight_warnings,
        .help = "Show the interquartile range in percent of the median where it is 10 % or more."),
    ROW(FLAG, "merge", merge,
        .help = "Merge equal tasks from several files. Without this, files stay apart: a "
                "measurement without an env gets the file name as its env, and the file name is "
                "appended to an env that two files share."),
    ROW(CHOICE, "color", color, .value = "WHEN", .choices = "auto|always|never", .initial = "auto",
        .help = "Whether --colorize uses colours; auto: on a terminal, unless NO_COLOR is set."),
    ROW(CHOICE, "format", format, .value = "FORMAT", .choices = "text|markdown|csv|json",
        .initial = "text", .help = "Format of the tables; json has all figures in seconds."),
    {.name = NULL},
};

/* ---- files stay apart ---- */

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static const char *env_of(const ob_cli_kept *kept, size_t i)
{
    return ob_measurements_at(kept->list, i)->task.env;
}

/* Whether another file has the env of this measurement too. */
static bool is_shared(const ob_cli_kept *kept, size_t i)
{
    for (size_t k = 0; k < ob_measurements_count(kept->list); k++)
        if (is_same(env_of(kept, k), env_of(kept, i)) &&
            !is_same(kept->places[k].file, kept->places[i].file))
            return true;
    return false;
}

/* Adds to `to` what is kept, each with an env that no other file has. */
static ob_status name_envs(const ob_cli_kept *kept, ob_measurements *to, ob_err *err)
{
    ob_text env = {.data = NULL};
    ob_status status = OB_OK;
    bool shared = false;
    for (size_t i = 0; status == OB_OK && i < ob_measurements_count(kept->list); i++) {
        ob_measurement m = *ob_measurements_at(kept->list, i);
        const char *file = kept->places[i].file;
        /* Most have the env of the one before. */
        if (i == 0 || !is_same(env_of(kept, i - 1), m.task.env) ||
            !is_same(kept->places[i - 1].file, file))
            shared = is_shared(kept, i);
        env.size = 0;
        if (m.task.env == NULL)
            m.task.env = file;
        else if (!ob_text_printf(&env, "%s, %s", m.task.env, file) || !ob_text_append(&env, "", 1))
            status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for the names of files");
        else if (shared)
            m.task.env = env.data;
        if (status == OB_OK)
            status = ob_measurements_add(to, &m, err);
    }
    ob_text_fini(&env);
    return status;
}

/* The library merges equal tasks wherever they come from, as the original does; what users of the original do by
 * hand, an env for each file, is done for them. */
static ob_status keep_apart(ob_cli_kept *kept, ob_err *err)
{
    ob_measurements *apart;
    OB_TRY(ob_measurements_create(&apart, err));
    const ob_status status = name_envs(kept, apart, err);
    ob_measurements_destroy(status == OB_OK ? kept->list : apart);
    if (status == OB_OK)
        kept->list = apart;
    return status;
}

static ob_status keep(void *ctx, const ob_cli_position *place, const ob_measurement *m, ob_err *err)
{
    return ob__cli_kept_add(ctx, place, m, err);
}

/* ---- tables ---- */

static ob_compare_style style_of(ob_cli *cli, const compare_options *options)
{
    ob_compare_style style = {.size = sizeof style,
                              .trim_significant_figures = options->trim,
                              .highlight_warnings = options->highlight_warnings};
    /* The options' choices are the library's words. */
    ob_table_format_from_word(options->format, &style.format);
    ob_colorize_from_word(options->colorize, &style.colorize);
    const bool colour = strcmp(options->color, "always") == 0 ||
                        (strcmp(options->color, "auto") == 0 && cli->colour_out);
    cli->colour_out = colour; /* what is written may hold them */
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
        ob__cli_write_styled(cli, text.data, text.size);
    if (status != OB_OK)
        ob__cli_kept_blame(kept, &err);
    ob_compare_destroy(compare);
    ob_text_fini(&text);
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const compare_options *options = call->options;
    ob_cli_kept kept;
    ob_err err;
    if (ob__cli_kept_init(&kept, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    int code = ob__cli_read_measurements(cli, call, keep, &kept);
    if (code == OB_EXIT_OK && call->word_count > 1 && !options->merge &&
        keep_apart(&kept, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    if (code == OB_EXIT_OK)
        code = print(cli, &kept, options);
    ob__cli_kept_fini(&kept);
    return code;
}

const ob_cli_command ob__command_compare = {
    .name = "compare",
    .help = "put stored measurements side by side",
    .text = "Prints one table per label: a row for each sub_label (or statement), grouped by "
            "threads and environment, a column for each description, and medians in the cells. "
            "Measurements of the same task in one file are merged; those from several files only "
            "with --merge. Two different tasks in the same cell are an error.",
    .words = ob__cli_measurement_words,
    .options = OPTIONS,
    .options_size = sizeof(compare_options),
    .example = "opbench compare before.json after.json --trim --colorize columnwise\n"
               "opbench compare results.json --format csv > results.csv",
    .run = run,
};
