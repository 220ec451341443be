/* SPDX-License-Identifier: Apache-2.0
 *
 * A job on the statement or suite that a command line names.
 */
#include "snippet_job.h"

#include "library_choice.h"

#include <stdlib.h>
#include <string.h>

typedef struct room {
    ob_snippet_options options;
    ob_snippet_code code;
    ob_suite_set set;
    char *path; /* of the suite, so that repro lines work from any folder */
    ob_text command;
} room;

/* ---- repro lines ---- */

static bool is_told(const ob_snippet_request *r, const char *name)
{
    for (size_t i = 0; r->told[i] != NULL; i++)
        if (strcmp(r->told[i], name) == 0)
            return true;
    return false;
}

/* opbench time --cc=clang --torch /opt/libtorch */
static bool append_command(const ob_cli *cli, const ob_snippet_request *r, const char *program,
                           ob_text *out)
{
    const char *const first[] = {program, cli->command->name};
    char value[4096], word[4200];
    bool ok = ob_text_append_command(out, first, 2);
    for (const ob_option *row = ob__cli_own_options(cli->command); ok && row->name != NULL; row++) {
        const char *const words[] = {word};
        if (!is_told(r, row->name) || ob_option_is_default(row, r->given))
            continue;
        ob_option_format_value(row, r->given, value, sizeof value);
        const bool is_flag = row->type == OB_OPTION_FLAG;
        snprintf(word, sizeof word, "--%s%s%s", row->name, is_flag ? "" : "=",
                 is_flag ? "" : value);
        ok = ob_text_append(out, " ", 1) && ob_text_append_command(out, words, 1);
    }
    return ok && ob__library_options_append(cli, out) && ob_text_append(out, "", 1);
}

/* ---- */

static int open_code(ob_cli *cli, ob_snippet_request *r, room *to)
{
    ob_job_snippets *what = &r->what;
    ob_err err;
    to->options = ob__snippet_line_options(cli, r->snippet, r->timeout_s);
    what->options = &to->options;
    if (r->suite->file == NULL) {
        const int code = ob__snippet_code_read(cli, r->snippet, r->words, r->word_count, &to->code);
        what->statement = &to->code.args;
        what->threads = r->threads->counts;
        what->thread_count = r->threads->size;
        return code;
    }
    if (ob__suite_set_open(r->suite, r->snippet->lang, &to->options, &to->set, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    to->path = strcmp(r->suite->file, "-") == 0 ? NULL : realpath(r->suite->file, NULL);
    what->suite = to->set.snippets;
    what->name = to->path;
    what->retries = r->suite->retries;
    return OB_EXIT_OK;
}

static ob_status open_job(ob_job_screen *screen, ob_snippet_request *r, room *to, ob_err *err)
{
    ob_own_path *own = &screen->job.own;
    ob__cli_own_path(own);
    if (!append_command(screen->job.cli, r, own->word, &to->command))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the repro line");
    r->what.size = sizeof r->what;
    r->what.command = to->command.data;
    if (r->prepare != NULL)
        OB_TRY(r->prepare(r->ctx, r->what.suite, err));
    OB_TRY(ob__job_screen_init(screen, r->values, err));
    return ob_job_open_snippets(NULL, &r->what, &screen->job.params, &screen->job.job, err);
}

int ob__snippets_measure(ob_job_screen *screen, ob_snippet_request *r)
{
    ob_cli *cli = screen->job.cli;
    room to = {.path = NULL};
    ob_err err;
    screen->job.at_once = screen->job.is_threaded = true;
    screen->is_single = r->suite->file == NULL;
    int code = open_code(cli, r, &to);
    if (code == OB_EXIT_OK)
        code = open_job(screen, r, &to, &err) == OB_OK ? ob__job_screen_run(screen)
                                                       : ob__snippet_fail(cli, &err);
    if (code == OB_EXIT_OK && r->suite->file == NULL && !screen->job.line->quiet)
        ob__snippet_warn_removed(cli, &to.code.args, &to.options, NULL, false);
    if (screen->has_run && r->finish != NULL)
        code = r->finish(r->ctx, r->what.suite, code);
    code = ob__job_screen_fini(screen, code);
    ob__snippet_code_fini(&to.code);
    ob__suite_set_close(&to.set);
    free(to.path);
    ob_text_fini(&to.command);
    return code;
}
