/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench report: stored results as one page for a browser, or a history as a folder of pages.
 */
#include "command_rows.h"
#include "history_choice.h"
#include "measurement_files.h"
#include "output_file.h"

#include "opbench/page.h"
#include "opbench/site.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct report_options {
    const char *output, *title;
    ob_history_choice history;
    bool force, diff, quiet;
} report_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, report_options, field, __VA_ARGS__)
#define HISTORY offsetof(report_options, history)

static const ob_option OPTIONS[] = {
    ROW(STRING, "output", output, .letter = 'o', .value = "FILE",
        .otherwise = "report.html; with --db the folder site",
        .help = "Write the page to this file; - is standard output. With --db: the folder for the "
                "pages."),
    ROW(FLAG, "force", force, .help = "Replace existing files."),
    ROW(FLAG, "quiet", quiet, .letter = 'q', .help = OB_QUIET_HELP),
    ROW(STRING, "title", title, .value = "TEXT",
        .otherwise = "the name of the config, or the calls", .help = "Title of the page."),
    ROW(FLAG, "diff", diff,
        .help = "Treat the files as sides, as in `opbench diff`: each is compared with the first."),
    OB_OPTION_ROWS_OF(ob__history_choice_rows, "db", HISTORY,
                      .help = "Instead of files: the history in this database (see `opbench "
                              "history`), as a folder of pages; postgresql://... is a server."),
    OB_OPTION_ROWS_OF(ob__history_choice_rows, "branch|tag", HISTORY),
    {.name = NULL},
};

static const ob_cli_word WORDS[] = {
    {.name = "FILE",
     .many = true,
     .help = "Results of `run`, `time` or `sweep`; - is standard input."},
    {.name = NULL},
};

typedef struct pages_input {
    ob_page *page;
    size_t results;
} pages_input;

static ob_status add_record(void *ctx, const ob_record *record, ob_err *err)
{
    pages_input *in = ctx;
    in->results += record->kind == OB_RECORD_RESULT_LINE;
    return ob_page_add(in->page, record, err);
}

static ob_status read_file(ob_cli *cli, const char *path, pages_input *in, ob_err *err)
{
    ob_cli_input input;
    OB_TRY(ob__cli_input_open(path, &input, err));
    ob_status status = ob_page_begin_file(in->page, input.name, err);
    if (status == OB_OK)
        status = ob__cli_input_each(cli, &input, add_record, in, err);
    ob__cli_input_close(&input);
    return status;
}

static bool append(void *ctx, const char *bytes, size_t count)
{
    return ob_text_append(ctx, bytes, count);
}

/* ---- a site ---- */

typedef struct folder {
    ob_cli *cli;
    const char *path;
    int code;
} folder;

/* Whether opbench made this file: a folder may have others of the same name, and links that lead out of it. */
static bool is_own_page(const char *path)
{
    char head[1024];
    struct stat info;
    bool own = false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        const ssize_t got = read(fd, head, sizeof head - 1);
        head[got > 0 ? got : 0] = '\0';
        own = info.st_size == 0 || strstr(head, OB_SITE_MARK) != NULL;
    }
    close(fd);
    return own;
}

static int refuse_page(ob_cli *cli, const char *path)
{
    ob_err err;
    ob_err_set_at(
        &err, OB_ERR_IO, path, 0, 0, NULL,
        "is not a page that opbench made, and is left alone; choose another folder with -o");
    return ob__cli_fail(cli, &err);
}

static int write_own(ob_cli *cli, const char *path, const char *bytes, size_t count)
{
    struct stat info;
    return lstat(path, &info) == 0 && !is_own_page(path)
               ? refuse_page(cli, path)
               : ob__cli_write_file(cli, path, bytes, count);
}

static ob_status write_page(void *ctx, const char *name, const char *bytes, size_t count,
                            ob_err *err)
{
    folder *f = ctx;
    ob_text path = {.data = NULL};
    const bool ok = ob_text_append_str(&path, f->path) && ob_text_append(&path, "/", 1) &&
                    ob_text_append_str(&path, name) && ob_text_append(&path, "", 1);
    if (ok)
        f->code = write_own(f->cli, path.data, bytes, count);
    ob_text_fini(&path);
    if (!ok)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a name");
    return f->code == OB_EXIT_OK ? OB_OK : ob_err_set(err, OB_ERR_IO, "a page cannot be written");
}

static int check_folder(ob_cli *cli, const char *path, bool force)
{
    ob_text index = {.data = NULL};
    int code = OB_EXIT_OK;
    struct stat info;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return ob__cli_usage_error(cli, "%s cannot be made: %s; choose another folder with -o",
                                   path, strerror(errno));
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return ob__cli_usage_error(cli, "%s is not a folder; choose another with -o", path);
    if (ob_text_append_str(&index, path) && ob_text_append_str(&index, "/index.html") &&
        ob_text_append(&index, "", 1))
        code = lstat(index.data, &info) == 0 && !is_own_page(index.data)
                   ? refuse_page(cli, index.data)
                   : ob__cli_check_new(cli, index.data, force);
    ob_text_fini(&index);
    return code;
}

static int write_site(ob_cli *cli, const report_options *o)
{
    folder f = {.cli = cli, .path = o->output != NULL ? o->output : "site"};
    const ob_store_filter filter = ob__history_choice_filter(&o->history);
    const ob_site_params params = {.size = sizeof params,
                                   .title = o->title,
                                   .filter = &filter,
                                   .write = write_page,
                                   .ctx = &f};
    ob_store *store = NULL;
    ob_err err;
    ob_status status = ob__history_choice_open(&o->history, &store, &err);
    if (status == OB_OK && check_folder(cli, f.path, o->force) != OB_EXIT_OK) {
        ob_store_close(store);
        return OB_EXIT_USAGE;
    }
    if (status == OB_OK)
        status = ob_site_write(store, &params, &err);
    ob_store_close(store);
    if (f.code != OB_EXIT_OK) /* it was said */
        return f.code;
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    if (!o->quiet)
        ob__cli_say("%s/index.html: the history\n", f.path);
    return OB_EXIT_OK;
}

/* ---- */

static int write_report(ob_cli *cli, const ob_cli_call *call)
{
    const report_options *o = call->options;
    const char *output = o->output != NULL ? o->output : "report.html";
    const ob_page_params params = {
        .size = sizeof params, .title = o->title, .files_are_sides = o->diff};
    pages_input in = {.page = NULL};
    ob_text text = {.data = NULL};
    ob_err err;
    int code = ob__cli_check_new(cli, output, o->force);
    if (code != OB_EXIT_OK)
        return code;
    ob_status status = ob_page_create(&params, &in.page, &err);
    for (size_t i = 0; i < call->word_count && status == OB_OK; i++)
        status = read_file(cli, call->words[i], &in, &err);
    if (status == OB_OK)
        status = ob_page_print(in.page, append, &text, &err);
    ob_page_destroy(in.page);
    code = status == OB_OK ? ob__cli_write_file(cli, output, text.data, text.size)
                           : ob__cli_fail(cli, &err);
    ob_text_fini(&text);
    if (code == OB_EXIT_OK && !o->quiet && strcmp(output, "-") != 0)
        ob__cli_say("%s: %zu result%s\n", output, in.results, in.results == 1 ? "" : "s");
    return code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const report_options *o = call->options;
    const int code = ob__history_choice_check(cli, &o->history, call->word_count);
    if (code != OB_EXIT_OK)
        return code;
    if (o->diff && o->history.db != NULL)
        return ob__cli_usage_error(cli, "--diff compares files; leave it out with --db");
    if (o->diff && call->word_count < 2)
        return ob__cli_usage_error(cli, "--diff needs two files or more");
    return o->history.db != NULL ? write_site(cli, o) : write_report(cli, call);
}

const ob_cli_command ob__command_report = {
    .name = "report",
    .help = "make an HTML page of stored results",
    .text =
        "Makes one HTML page from files of records, to read and to share: what was run, where and "
        "with which libraries; a table with search and filters; the distribution of each case; "
        "sides next to each other with verdicts; the roofline; where a step's time goes; and what "
        "failed, with commands to run each failure alone. The page is self-contained, loads "
        "nothing from the network, and works without scripts; docs/report.md describes it.\n\n"
        "With --db, writes a folder of pages from a history: what changed lately, a page per "
        "operator and case with its change points, and a comparison of machines.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(report_options),
    .example = "opbench report results.json -o report.html\n"
               "opbench report --diff before.json after.json -o change.html\n"
               "opbench report --db history.db -o site",
    .run = run,
};
