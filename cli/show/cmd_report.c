/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench report: stored results as one page for a browser.
 */
#include "measurement_files.h"
#include "output_file.h"

#include "opbench/page.h"

#include <string.h>

typedef struct report_options {
    const char *output, *title;
    bool force, diff;
} report_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, report_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(STRING, "output", output, .letter = 'o', .value = "FILE", .initial = "report.html",
        .help = "Write the page there; - is standard output."),
    ROW(FLAG, "force", force, .help = "Replace the file if there is one."),
    ROW(STRING, "title", title, .value = "TEXT", .otherwise = "the name of the config",
        .help = "What stands at the top."),
    ROW(FLAG, "diff", diff,
        .help = "The files are sides, as in `opbench diff`: each beside the first one."),
    {.name = NULL},
};

static ob_status add_record(void *ctx, const ob_record *record, ob_err *err)
{
    return ob_page_add(ctx, record, err);
}

static ob_status read_file(ob_cli *cli, const char *path, ob_page *page, ob_err *err)
{
    ob_cli_input input;
    OB_TRY(ob__cli_input_open(path, &input, err));
    ob_status status = ob_page_begin_file(page, input.name, err);
    if (status == OB_OK)
        status = ob__cli_input_each(cli, &input, add_record, page, err);
    ob__cli_input_close(&input);
    return status;
}

static bool append(void *ctx, const char *bytes, size_t count)
{
    return ob_text_append(ctx, bytes, count);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const report_options *o = call->options;
    const ob_page_params params = {
        .size = sizeof params, .title = o->title, .files_are_sides = o->diff};
    ob_page *page = NULL;
    ob_text text = {.data = NULL};
    ob_err err;
    if (o->diff && call->word_count < 2)
        return ob__cli_usage_error(cli, "--diff needs two files or more");
    int code = ob__cli_check_new(cli, o->output, o->force);
    if (code != OB_EXIT_OK)
        return code;
    ob_status status = ob_page_create(&params, &page, &err);
    for (size_t i = 0; i < call->word_count && status == OB_OK; i++)
        status = read_file(cli, call->words[i], page, &err);
    if (status == OB_OK)
        status = ob_page_print(page, append, &text, &err);
    ob_page_destroy(page);
    code = status == OB_OK ? ob__cli_write_file(cli, o->output, text.data, text.size)
                           : ob__cli_fail(cli, &err);
    ob_text_fini(&text);
    return code;
}

const ob_cli_command ob__command_report = {
    .name = "report",
    .help = "make a page of stored results",
    .text = "Makes one HTML page of files of records, to look at and to send: what was run, where "
            "and with which libraries, the table with search and filters, the distribution of each "
            "case, sides beside each other with verdicts, the roofline, where a step's time goes, "
            "and what failed, with the commands that run it alone. The page needs nothing else, "
            "asks nothing of any network, and works without scripts; docs/report.md describes it.",
    .words = ob__cli_measurement_words,
    .options = OPTIONS,
    .options_size = sizeof(report_options),
    .example = "opbench report results.json -o report.html\n"
               "opbench report --diff before.json after.json -o change.html",
    .run = run,
};
