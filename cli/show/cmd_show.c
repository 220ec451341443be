/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench show: what the command that wrote a file of records printed, again from the file; or stored measurements, each in the
 * text form of torch.utils.benchmark or as JSON with everything that follows from its samples.
 */
#include "measurement_files.h"
#include "screen.h"

#include "opbench/export.h"
#include "opbench/plot.h"

#include <stdlib.h>
#include <string.h>

typedef struct show_options {
    bool json, merge, measurements, wide, step, plot, rows;
    const char *format;
    ob_table_choice choice;
} show_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, show_options, field, __VA_ARGS__)

#define EXPORT_CHOICE(id, word, help) "|" word
#define EXPORT_HELP(id, word, help) " " word ": " help "."
static const char CHOICES[] = "table|markdown|csv|json" OB_EXPORT_MAP(EXPORT_CHOICE);

static const ob_option OPTIONS[] = {
    ROW(CHOICE, "format", format, .value = "FORMAT", .choices = CHOICES,
        .otherwise = "what the command that wrote the file printed",
        .help = "How to print the table; or results for other tools:" OB_EXPORT_MAP(EXPORT_HELP)),
    ROW(STRING, "columns", choice.columns, .value = "LIST",
        .help = "Which columns to print, separated by commas: those of the table, and any field of "
                "a record, such as threads, p90 or noise/foreign."),
    ROW(STRING, "sort", choice.sort, .value = "COLUMN",
        .help = "Sort the rows by a column or field; --sort=-median puts the largest first."),
    ROW(STRING, "filter", choice.filter, .value = "EXPR",
        .help = "Only the rows that match, such as 'status == ok and median > 5us' or 'operator ~ "
                "conv'."),
    ROW(INT, "top", choice.top, .value = "N", .min = 1, .max = 1e15,
        .help = "Only the first N rows."),
    ROW(FLAG, "wide", wide,
        .help = "With several backends: the rates of each, not just the fastest."),
    ROW(FLAG, "long", rows,
        .help = "With several backends: one row per result, with the backend in a column."),
    ROW(FLAG, "step", step,
        .help = "Show where the time of a recorded step goes: each operator by its calls, on each "
                "backend, and what picking the best backend for each would save."),
    ROW(FLAG, "plot", plot,
        .help = "Draw the distribution of each case's samples as text, and ratios if there are "
                "several backends; `opbench plot` can do more."),
    ROW(FLAG, "measurements", measurements,
        .help =
            "Print each measurement as torch.utils.benchmark does, no matter what wrote the file."),
    ROW(FLAG, "json", json,
        .help = "Implies --measurements: one JSON object per line and measurement, with all "
                "statistics; times are in seconds."),
    ROW(FLAG, "merge", merge,
        .help = "Implies --measurements: merge all measurements of the same task and show each "
                "task once."),
    {.name = NULL},
};

typedef struct showing {
    ob_cli *cli;
    const show_options *options;
    ob_view view;
    ob_report *report; /* of the files so far; NULL = none is open */
    bool printed;      /* a table stands above */
    size_t left_out;   /* results of the file that have no measurement */
    ob_cli_kept kept;  /* with --merge: what was read */
    ob_text text;
} showing;

/* Measurements are printed as the original prints them, whatever stands in a name; only tables of ours have styles that are ours. */
static ob_status write_text(showing *s, ob_err *err)
{
    const bool is_table = s->report != NULL && s->view != OB_VIEW_MEASUREMENTS;
    const bool ok = is_table ? ob__cli_write_styled(s->cli, s->text.data, s->text.size)
                             : ob__cli_write(s->cli, s->text.data, s->text.size);
    s->text.size = 0;
    return ok ? OB_OK : ob_err_set(err, OB_ERR_IO, "cannot write to standard output");
}

/* ---- measurements ---- */

static ob_status print(showing *s, const ob_measurement *m, ob_err *err)
{
    OB_TRY(s->options->json ? ob_measurement_print_json(m, NULL, &s->text, err)
                            : ob_measurement_print(m, NULL, &s->text, err));
    OB_TRY(write_text(s, err));
    return s->options->json || ob__cli_write(s->cli, "\n", 1)
               ? OB_OK
               : ob_err_set(err, OB_ERR_IO, "cannot write to standard output");
}

static ob_status take(void *ctx, const ob_cli_position *place, const ob_measurement *m, ob_err *err)
{
    (void)place;
    return print(ctx, m, err);
}

static ob_status keep(void *ctx, const ob_cli_position *place, const ob_measurement *m, ob_err *err)
{
    return ob__cli_kept_add(&((showing *)ctx)->kept, place, m, err);
}

static int fail(showing *s, const ob_err *err)
{
    return s->cli->write_failed ? ob__cli_finish(s->cli) : ob__cli_fail(s->cli, err);
}

static int print_merged(showing *s)
{
    ob_measurements *merged = NULL;
    ob_err err;
    ob_status status = ob_measurements_merge(s->kept.list, &merged, &err);
    for (size_t i = 0; status == OB_OK && i < ob_measurements_count(merged); i++)
        status = print(s, ob_measurements_at(merged, i), &err);
    ob_measurements_destroy(merged);
    if (status != OB_OK)
        ob__cli_kept_blame(&s->kept, &err);
    return status == OB_OK ? OB_EXIT_OK : fail(s, &err);
}

static int show_measurements(ob_cli *cli, const ob_cli_call *call)
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

/* ---- tables ---- */

static bool wants_table(const show_options *o)
{
    const ob_table_choice *c = &o->choice;
    return o->step || o->format != NULL || c->columns != NULL || c->sort != NULL ||
           c->filter != NULL || c->top > 0;
}

/* What the records of a file say; OB_VIEW_NONE for a file without any. */
static ob_view look(const showing *s, const ob_cli_input *input)
{
    ob_record_reader *reader;
    const ob_record *record;
    ob_view view = OB_VIEW_NONE;
    ob_err err;
    if (ob__cli_input_records(input, &reader, &err) != OB_OK)
        return OB_VIEW_NONE; /* it is said when it is read */
    while (view == OB_VIEW_NONE && ob_record_reader_next(reader, &record, &err) == OB_OK)
        view = ob_record_view(record);
    ob_record_reader_close(reader);
    if (s->options->step && view != OB_VIEW_NONE)
        return OB_VIEW_STEP;
    if (s->options->rows && view == OB_VIEW_SIDES)
        return OB_VIEW_RUN;
    /* Results of the Timer, and counts, as a table, if one is asked for. */
    return (view == OB_VIEW_MEASUREMENTS || view == OB_VIEW_INSTRUCTIONS) && wants_table(s->options)
               ? OB_VIEW_RUN
               : view;
}

static ob_table_format format_of(const showing *s)
{
    ob_table_format format = s->view == OB_VIEW_SWEEP ? OB_TABLE_CSV : OB_TABLE_TEXT;
    const char *word = s->options->format;
    if (word != NULL && strcmp(word, "table") == 0)
        return OB_TABLE_TEXT;
    if (word != NULL)
        ob_table_format_from_word(word, &format);
    return format;
}

/* What the files so far have come to. */
static ob_status end_report(showing *s, ob_err *err)
{
    const ob_table_format format = format_of(s);
    ob_status status = OB_OK;
    if (s->report == NULL)
        return OB_OK;
    if (s->printed && format != OB_TABLE_JSON && !ob__cli_write(s->cli, "\n", 1))
        status = ob_err_set(err, OB_ERR_IO, "cannot write to standard output");
    if (status == OB_OK)
        status = ob_report_print(s->report, format, &s->text, err);
    if (status == OB_OK)
        status = ob_report_print_notes(s->report, format, &s->text, err);
    if (status == OB_OK)
        status = write_text(s, err);
    ob_report_destroy(s->report);
    s->report = NULL;
    s->printed = true;
    return status;
}

static ob_status begin_report(showing *s, ob_view view, ob_err *err)
{
    if (s->report != NULL && s->view == view)
        return OB_OK;
    OB_TRY(end_report(s, err));
    s->view = view;
    ob_table_choice choice = s->options->choice;
    choice.size = sizeof choice;
    const ob_report_params params = {.size = sizeof params,
                                     .view = view,
                                     .context = s->cli->context,
                                     .choice = &choice,
                                     .wide = s->options->wide,
                                     .width = ob__cli_width(s->cli),
                                     .coloured = s->cli->colour_out};
    return ob_report_create(&params, &s->report, err);
}

static ob_status take_record(void *ctx, const ob_record *record, ob_err *err)
{
    showing *s = ctx;
    OB_TRY(ob_report_add(s->report, record, err));
    if (s->view != OB_VIEW_MEASUREMENTS && s->view != OB_VIEW_INSTRUCTIONS)
        return OB_OK;
    s->left_out += record->kind == OB_RECORD_RESULT_LINE && record->result.raw_times_s.count == 0 &&
                   record->result.instructions.tables == NULL;
    OB_TRY(ob_report_print(s->report, OB_TABLE_TEXT, &s->text, err));
    return write_text(s, err);
}

static ob_status read_records(showing *s, const ob_cli_input *input, ob_err *err)
{
    s->left_out = 0;
    OB_TRY(ob__cli_input_each(s->cli, input, take_record, s, err));
    if (s->left_out > 0)
        ob__cli_warn(s->cli,
                     "%s: left out %zu result%s without samples (failed, skipped, or only counted)",
                     input->name, s->left_out, s->left_out == 1 ? "" : "s");
    return ob_report_add(s->report, NULL, err);
}

static int show_file(showing *s, const char *path)
{
    ob_cli_input input;
    ob_err err;
    ob_status status = ob__cli_input_open(path, &input, &err);
    const ob_view view = status == OB_OK ? look(s, &input) : OB_VIEW_NONE;
    int code = OB_EXIT_OK;
    if (status == OB_OK && view == OB_VIEW_SWEEP && s->cli->context == NULL)
        code = ob__cli_open_context(s->cli, OB_CLI_WITH_PLUGINS, OB_LOG_WARNING);
    if (status == OB_OK && view == OB_VIEW_NONE && wants_table(s->options))
        status = ob_err_set_at(
            &err, OB_ERR_INVALID, input.name, 0, 0, NULL,
            "this file has no records of a command, so there is no table; leave out --step, "
            "--format, --columns, --sort, --filter and --top, or see `opbench compare`");
    if (status == OB_OK && view == OB_VIEW_NONE && code == OB_EXIT_OK) {
        status = end_report(s, &err);
        if (status == OB_OK)
            code = ob__cli_input_measurements(s->cli, &input, take, s);
    } else if (status == OB_OK && code == OB_EXIT_OK) {
        status = begin_report(s, view, &err);
        if (status == OB_OK)
            status = read_records(s, &input, &err);
    }
    ob__cli_input_close(&input);
    return status != OB_OK ? fail(s, &err) : code;
}

/* ---- pictures ---- */

static ob_status add_to_plot(void *ctx, const ob_record *record, ob_err *err)
{
    return ob_plot_add(ctx, record, err);
}

static ob_status draw(showing *s, const ob_cli_call *call, ob_plot_kind kind, ob_err *err)
{
    const ob_plot_style style = {
        .size = sizeof style, .width = ob__cli_width(s->cli), .ascii = !ob__cli_is_utf8()};
    const ob_plot_params params = {
        .size = sizeof params, .kind = kind, .most = (size_t)s->options->choice.top};
    ob_plot *plot;
    OB_TRY(ob_plot_create(&params, &plot, err));
    ob_status status = OB_OK;
    for (size_t i = 0; i < call->word_count && status == OB_OK; i++) {
        ob_cli_input input;
        status = ob__cli_input_open(call->words[i], &input, err);
        if (status == OB_OK)
            status = ob__cli_input_each(s->cli, &input, add_to_plot, plot, err);
        ob__cli_input_close(&input);
    }
    if (status == OB_OK)
        status = ob_plot_print(plot, OB_PLOT_TEXT, &style, &s->text, err);
    ob_plot_destroy(plot);
    return status;
}

/* The distributions, and ratios if there are some. */
static int show_pictures(ob_cli *cli, const ob_cli_call *call)
{
    showing s = {.cli = cli, .options = call->options};
    ob_err err;
    for (size_t i = 0; i < call->word_count; i++)
        if (strcmp(call->words[i], "-") == 0)
            return ob__cli_usage_error(cli, "--plot reads its files twice: give their names");
    ob_status status = draw(&s, call, OB_PLOT_DISTRIBUTION, &err);
    if (status == OB_OK)
        status = write_text(&s, &err);
    if (status == OB_OK && draw(&s, call, OB_PLOT_RATIO, NULL) == OB_OK &&
        ob__cli_write(cli, "\n", 1))
        status = write_text(&s, &err);
    ob_text_fini(&s.text);
    return status == OB_OK ? OB_EXIT_OK : fail(&s, &err);
}

/* ---- for other tools ---- */

static ob_status export_record(void *ctx, const ob_record *record, ob_err *err)
{
    return ob_export_add(ctx, record, err);
}

static int show_export(ob_cli *cli, const ob_cli_call *call, ob_export_form form)
{
    showing s = {.cli = cli, .options = call->options};
    ob_export *export_ = NULL;
    ob_err err;
    ob_status status = ob_export_create(form, &export_, &err);
    for (size_t i = 0; i < call->word_count && status == OB_OK; i++) {
        ob_cli_input input;
        status = ob__cli_input_open(call->words[i], &input, &err);
        if (status == OB_OK)
            status = ob__cli_input_each(cli, &input, export_record, export_, &err);
        ob__cli_input_close(&input);
    }
    if (status == OB_OK)
        status = ob_export_print(export_, &s.text, &err);
    if (status == OB_OK)
        status = write_text(&s, &err);
    ob_export_destroy(export_);
    ob_text_fini(&s.text);
    return status == OB_OK ? OB_EXIT_OK : fail(&s, &err);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    ob_export_form form;
    showing s = {.cli = cli, .options = call->options};
    ob_err err;
    int code = OB_EXIT_OK;
    if (s.options->measurements || s.options->json || s.options->merge)
        return wants_table(s.options)
                   ? ob__cli_usage_error(
                         cli, "--measurements, --json and --merge print no table; "
                              "leave out --step, --format, --columns, --sort, --filter and "
                              "--top")
                   : show_measurements(cli, call);
    if (s.options->format != NULL && ob_export_form_from_word(s.options->format, &form))
        return show_export(cli, call, form);
    if (s.options->plot)
        return show_pictures(cli, call);
    for (size_t i = 0; i < call->word_count && code == OB_EXIT_OK; i++)
        code = show_file(&s, call->words[i]);
    if (code == OB_EXIT_OK && end_report(&s, &err) != OB_OK)
        code = fail(&s, &err);
    ob_report_destroy(s.report);
    ob_text_fini(&s.text);
    return code;
}

const ob_cli_command ob__command_show = {
    .name = "show",
    .help = "print stored results as a table or as measurements",
    .text = "Prints from files of records what the command that wrote them printed: the table of "
            "`run` (also with several backends side by side) and of suites, the rows of `sweep`, "
            "the measurements of `time`, the steps and operators of `replay`. You can sort and "
            "filter rows and choose columns; docs/show.md describes the grammar.\n\n"
            "With --measurements, and for files that hold only measurements, prints each "
            "measurement: its task, the median, the interquartile range and a warning if that is "
            "wide. Files hold the record lines that opbench writes, or JSON objects "
            "{number_per_run, raw_times, task_spec, metadata}, alone or in lists. Results without "
            "samples are left out, and standard error says how many.",
    .words = ob__cli_measurement_words,
    .options = OPTIONS,
    .options_size = sizeof(show_options),
    .example = "opbench show results.json\n"
               "opbench show results.json --filter 'status == ok and median > 5us' --sort=-median\n"
               "opbench show results.json --step\n"
               "opbench show results.json --plot --top 20\n"
               "opbench show results.json --columns operator,id,median,p90,threads --format csv\n"
               "opbench show --merge --json monday.json tuesday.json",
    .run = run,
};
