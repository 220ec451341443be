/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench plot: stored results as a picture.
 */
#include "history_choice.h"
#include "measurement_files.h"
#include "output_file.h"
#include "screen.h"

#include "opbench/old_option.h"
#include "opbench/plot.h"

#include <string.h>

typedef struct plot_options {
    const char *kind, *output, *roofline, *only;
    ob_history_choice history;
    int64_t threads, top, width, height;
    bool force, text;
} plot_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, plot_options, field, __VA_ARGS__)
#define CHOICE(id, word, help) "|" word
#define HELP(id, word, help) " " word ", " help ";"
#define WORD(id, word, help) word,

#define HISTORY offsetof(plot_options, history)

static const char CHOICES[] = OB_PLOT_MAP(CHOICE);
static const char *const KINDS[] = {OB_PLOT_MAP(WORD)};

static const ob_option OPTIONS[] = {
    ROW(CHOICE, "kind", kind, .value = "KIND", .choices = CHOICES + 1, .initial = "roofline",
        .help = "What to draw:" OB_PLOT_MAP(HELP) " docs/report.md shows them."),
    ROW(STRING, "output", output, .letter = 'o', .value = "FILE", .otherwise = "standard output",
        .help = "Write the SVG to this file."),
    ROW(FLAG, "force", force, .help = "Replace the file if it exists."),
    ROW(FLAG, "text", text, .help = "Draw it as text on standard output."),
    ROW(STRING, "roofline", roofline, .value = "FILE", .otherwise = "those in the results' headers",
        .help = "Ceilings measured by `opbench roofline -o FILE`."),
    ROW(STRING, "only", only, .value = "TEXT",
        .help = "Not for rooflines: only cases whose call contains TEXT."),
    ROW(INT, "top", top, .value = "N", .min = 1, .max = 100000,
        .otherwise = "12 in SVG, 48 ratios, all in text",
        .help = "Not for rooflines: draw this many cases, the most notable ones."),
    ROW(INT, "num-threads", threads, .value = "N", .min = 1, .max = 65536,
        .otherwise = "as most of the results have",
        .help = "Draw the ceilings for this many threads."),
    OB_OPTION_OLD_NAME("threads", "num-threads"),
    ROW(INT, "width", width, .value = "N", .min = 40, .max = 10000,
        .otherwise = "900 pixels, or the terminal's characters", .help = "Width of the picture."),
    ROW(INT, "height", height, .value = "N", .min = 10, .max = 10000,
        .otherwise = "600 pixels, or 24 lines",
        .help = "Height of the picture, not counting what is below it."),
    OB_OPTION_ROWS_OF(ob__history_choice_rows, "db", HISTORY,
                      .help = "With --kind history, instead of files: the history in this "
                              "database (see `opbench history`), with its steps; "
                              "postgresql://... is a server."),
    OB_OPTION_ROWS_OF(ob__history_choice_rows, "branch|tag", HISTORY),
    {.name = NULL},
};

static const ob_cli_word WORDS[] = {
    {.name = "FILE",
     .many = true,
     .help = "Results of `run` or `time`, or JSON measurements; - is standard input."},
    {.name = NULL},
};

static ob_status add_record(void *ctx, const ob_record *record, ob_err *err)
{
    return ob_plot_add(ctx, record, err);
}

static ob_status read_file(ob_cli *cli, const char *path, ob_plot *plot, ob_err *err)
{
    ob_cli_input input;
    OB_TRY(ob__cli_input_open(path, &input, err));
    const ob_status status = ob__cli_input_each(cli, &input, add_record, plot, err);
    ob__cli_input_close(&input);
    return status;
}

static ob_status read_store(const plot_options *o, ob_plot *plot, ob_err *err)
{
    const ob_store_filter filter = ob__history_choice_filter(&o->history);
    ob_store *store = NULL;
    OB_TRY(ob__history_choice_open(&o->history, &store, err));
    const ob_status status = ob_plot_add_store(plot, store, &filter, err);
    ob_store_close(store);
    return status;
}

/* One of the choices. */
static ob_plot_kind kind_of(const char *word)
{
    for (size_t kind = 0; kind < OB_PLOT_KIND_COUNT; kind++)
        if (strcmp(KINDS[kind], word) == 0)
            return (ob_plot_kind)kind;
    return OB_PLOT_ROOFLINE;
}

static ob_status draw(ob_cli *cli, const ob_cli_call *call, ob_plot_form form, ob_text *text,
                      ob_err *err)
{
    const plot_options *o = call->options;
    ob_roofline *roofline = NULL;
    ob_plot *plot = NULL;
    const ob_plot_style style = {.size = sizeof style,
                                 .width = o->width > 0           ? (size_t)o->width
                                          : form == OB_PLOT_TEXT ? ob__cli_width(cli)
                                                                 : 0,
                                 .height = (size_t)o->height,
                                 .ascii = !ob__cli_is_utf8()};
    ob_status status = o->roofline != NULL ? ob_roofline_read(o->roofline, &roofline, err) : OB_OK;
    const ob_plot_params params = {.size = sizeof params,
                                   .kind = kind_of(o->kind),
                                   .roofline = roofline,
                                   .threads = o->threads,
                                   .only = o->only,
                                   .most = (size_t)o->top};
    if (status == OB_OK)
        status = ob_plot_create(&params, &plot, err);
    if (status == OB_OK && o->history.db != NULL)
        status = read_store(o, plot, err);
    for (size_t i = 0; i < call->word_count && status == OB_OK; i++)
        status = read_file(cli, call->words[i], plot, err);
    if (status == OB_OK)
        status = ob_plot_print(plot, form, &style, text, err);
    ob_plot_destroy(plot);
    ob_roofline_destroy(roofline);
    return status;
}

static int check_source(ob_cli *cli, const ob_cli_call *call)
{
    const plot_options *o = call->options;
    const int code = ob__history_choice_check(cli, &o->history, call->word_count);
    return code == OB_EXIT_OK && o->history.db != NULL && kind_of(o->kind) != OB_PLOT_HISTORY
               ? ob__cli_usage_error(cli, "--db goes with --kind history")
               : code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const plot_options *o = call->options;
    const ob_plot_form form = o->text ? OB_PLOT_TEXT : OB_PLOT_SVG;
    ob_text text = {.data = NULL};
    ob_err err;
    if (o->text && o->output != NULL)
        return ob__cli_usage_error(cli, "--text goes to standard output; leave out --output");
    int code = check_source(cli, call);
    if (code == OB_EXIT_OK)
        code = ob__cli_check_new(cli, o->output, o->force);
    if (code != OB_EXIT_OK)
        return code;
    code = draw(cli, call, form, &text, &err) == OB_OK
               ? ob__cli_write_file(cli, o->output, text.data, text.size)
               : ob__cli_fail(cli, &err);
    ob_text_fini(&text);
    return code;
}

const ob_cli_command ob__command_plot = {
    .name = "plot",
    .help = "draw stored results",
    .text = "Draws stored results as a self-contained SVG that follows the reader's light or dark "
            "theme; with --text, as characters.\n\n"
            "Besides the roofline it draws the samples of cases, sides next to each other, the "
            "speed-up with more threads, where a step's time goes, and medians over the runs of "
            "several files or of a history; docs/report.md shows them all.\n\n"
            "The roofline shows the ceilings measured by `opbench roofline` before the run, and "
            "how far each result is from what was attainable; docs/roofline.md explains it.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(plot_options),
    .example = "opbench plot results.json --kind roofline -o roofline.svg\n"
               "opbench plot results.json --kind distribution --only softmax -o softmax.svg\n"
               "opbench plot results.json --kind ratio --text\n"
               "opbench plot --kind history --db history.db --only softmax -o softmax.svg",
    .run = run,
};
