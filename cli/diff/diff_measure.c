/* SPDX-License-Identifier: Apache-2.0
 *
 * Both sides now: in turns, in fresh processes, until the verdict is sure or the budget is spent.
 */
#include "backend_options.h"
#include "compare_way.h"
#include "diff_line.h"
#include "side_axes.h"
#include "time/case_job.h"

#include "opbench/doctor.h"

#include <math.h>
#include <string.h>

bool ob__diff_measures(const ob_diff_line *line)
{
    return line->config != NULL || line->op != NULL || line->a != NULL || line->b != NULL ||
           line->sides_file != NULL || line->sides.items[0] != NULL ||
           line->axes.items[0] != NULL || line->run.backend != NULL || ob__diff_takes_code(line);
}

/* ---- sides ---- */

/* "native,onednn" of --backend: each a side. */
static ob_status add_backends(ob_cli_sides *sides, const char *list, ob_err *err)
{
    char name[128];
    for (const char *at = list; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof name)
            return ob_err_set(err, OB_ERR_INVALID, "--backend=%s: a name is empty or too long",
                              list);
        memcpy(name, at, length);
        name[length] = '\0';
        OB_TRY(ob__cli_sides_add(sides, name, name, err));
        at += length + (at[length] == ',');
    }
    return OB_OK;
}

static ob_status read_sides(const ob_diff_line *line, ob_cli_sides *sides, ob_err *err)
{
    if (line->sides_file != NULL)
        OB_TRY(ob__cli_sides_add_file(sides, line->sides_file, err));
    if (line->a != NULL)
        OB_TRY(ob__cli_sides_add(sides, line->a, "a", err));
    if (line->b != NULL)
        OB_TRY(ob__cli_sides_add(sides, line->b, "b", err));
    for (size_t i = 0; line->sides.items[i] != NULL; i++)
        OB_TRY(ob__cli_sides_add(sides, line->sides.items[i], line->sides.items[i], err));
    if (sides->count > 0 && line->axes.items[0] != NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--axis defines the sides; leave out --a, --b, --side and --sides");
    OB_TRY(ob__cli_sides_add_axes(sides, line->axes.items, err));
    if (sides->count == 0 && line->run.backend != NULL)
        OB_TRY(add_backends(sides, line->run.backend, err));
    if (sides->count == 0 && line->b_stmt != NULL) {
        OB_TRY(ob__cli_sides_add(sides, "a:", "a", err));
        OB_TRY(ob__cli_sides_add(sides, "b:", "b", err));
    }
    if (sides->count > 1 && line->b_stmt != NULL)
        sides->code[1].stmt = line->b_stmt;
    if (sides->count < 2 && ob__diff_takes_code(line))
        return ob_err_set(err, OB_ERR_INVALID,
                          "a comparison needs two sides; give a second statement with --b-stmt, or "
                          "name the sides, such as --a gcc:cc=gcc --b clang:cc=clang");
    return sides->count > 1
               ? OB_OK
               : ob_err_set(err, OB_ERR_INVALID,
                            "a comparison needs two sides; name them with --a and --b, "
                            "such as --a old:plugin=old/mine.so,backend=mine --b "
                            "new:plugin=new/mine.so,backend=mine, or --backend native,onednn");
}

/* A backend may have an interpreter, as code has one. */
static ob_status take_interpreters(const ob_cli *cli, const ob_diff_line *line, ob_cli_sides *sides,
                                   ob_err *err)
{
    for (size_t i = 0; i < sides->count; i++) {
        const char *own = sides->items[i].backend;
        const char *backend = own != NULL ? own : line->run.backend;
        const char *variable = sides->code[i].line.python != NULL && backend != NULL
                                   ? ob__backend_variable_of(cli, backend, "python")
                                   : NULL;
        if (variable != NULL)
            OB_TRY(ob__cli_side_make_variable(sides, i, variable, err));
    }
    return OB_OK;
}

/* What a side may have depends on what is measured. */
static int check_keys(ob_cli *cli, const ob_diff_line *line, const ob_cli_sides *sides)
{
    const bool is_code = ob__diff_takes_code(line);
    for (size_t i = 0; i < sides->count; i++) {
        const char *name = sides->items[i].name;
        const char *of_code = ob__cli_side_has_key(sides, i, OB_CLI_KEY_OF_CODE);
        const char *of_statement = ob__cli_side_has_key(sides, i, OB_CLI_KEY_OF_STATEMENT);
        const char *of_operators = ob__cli_side_has_key(sides, i, OB_CLI_KEY_OF_OPERATORS);
        if (sides->items[i].plugins != NULL && sides->items[i].backend == NULL &&
            line->run.backend == NULL)
            return ob__cli_usage_error(cli,
                                       "side %s: say which backend of the plug-in to measure with "
                                       "backend=NAME; without it the default backend is measured",
                                       name);
        if (is_code && of_operators != NULL)
            return ob__cli_usage_error(cli, "side %s: code has no %s; that goes with -c and --op",
                                       name, of_operators);
        if (!is_code && (of_code != NULL || of_statement != NULL))
            return ob__cli_usage_error(
                cli, "side %s: operators have no %s; that goes with --lang and -s%s", name,
                of_code != NULL ? of_code : of_statement,
                sides->code[i].line.python != NULL ? ", or with a backend that runs in Python"
                                                   : "");
        if (line->suite.file != NULL && (of_statement != NULL || sides->items[i].threads > 0))
            return ob__cli_usage_error(cli, "side %s: a suite brings its own %s; leave it out",
                                       name, of_statement != NULL ? of_statement : "threads");
    }
    return OB_EXIT_OK;
}

/* A table without rows has all columns: the choice is checked before hours are measured. */
static ob_status check_choice(const ob_diff_line *line, const ob_cli_sides *sides, ob_err *err)
{
    const ob_diff_params params = {.size = sizeof params};
    const ob_table_choice choice = {.size = sizeof choice, .sort = line->job.sort};
    ob_diff *diff = NULL;
    ob_text text = {.data = NULL};
    if (line->job.sort == NULL)
        return OB_OK;
    ob_status status = ob_diff_create(&params, &diff, err);
    for (size_t i = 0; status == OB_OK && i < sides->count; i++)
        status = ob_diff_add_side(diff, sides->items[i].name, err);
    if (status == OB_OK)
        status = ob_diff_print(diff, OB_DIFF_FORM_TABLE, NULL, &choice, &text, err);
    ob_text_fini(&text);
    ob_diff_destroy(diff);
    return status;
}

/* ---- measuring ---- */

double ob__diff_floor(const ob_diff_line *line)
{
    ob_json_doc *doc = NULL;
    double floor = OB_VERDICT_FLOOR;
    if (line->floor > 0)
        return line->floor;
    if (ob_self_test_read(&doc, NULL) == OB_OK && ob_self_test_floor(ob_json_doc_root(doc)) > floor)
        floor = ob_self_test_floor(ob_json_doc_root(doc));
    ob_json_doc_destroy(doc);
    return fmin(floor, line->threshold); /* what the threshold fails for can always be told */
}

typedef struct measuring {
    ob_diff *diff;
    ob_verdict_looks looks;
    bool is_whole; /* it came to its end */
} measuring;

static ob_status take_result(void *ctx, const ob_job_event *event, ob_err *err)
{
    return ob_diff_add(((measuring *)ctx)->diff, event->record, err);
}

/* What others did to the machine meanwhile, as the finish record of a file says it. */
static void tell_load(measuring *m, const ob_job_screen *screen)
{
    ob_record record;
    ob_record_init(&record, OB_RECORD_FINISH_LINE);
    record.finish.noise_foreign = screen->foreign;
    record.finish.noise_steal = screen->steal;
    ob_diff_add(m->diff, &record, NULL);
}

static int measure(ob_cli *cli, const ob_cli_call *call, const ob_cli_sides *sides,
                   const ob_diff_code *code, measuring *m)
{
    const ob_diff_line *line = call->options;
    const ob_thread_list threads = {
        .counts = {code->threads > 0 ? code->threads : line->run.threads}, .size = 1};
    ob_job_line job = line->job;
    job.force = line->force;
    job.named_by = "--records";
    ob_job_screen screen = {.job = {.cli = cli, .line = &job},
                            .view = OB_VIEW_SIDES,
                            .is_muted = true,
                            .also = take_result,
                            .also_ctx = m};
    ob_case_request request = {.config = line->config,
                               .op = line->op,
                               .only_case = line->only_case,
                               .words = call->words,
                               .word_count = call->word_count,
                               .run = line->run,
                               .threads = &threads,
                               .values = line,
                               .sides = sides->list,
                               .side_count = sides->count,
                               .code = code->list,
                               .code_count = code->count,
                               .looks = &m->looks};
    ob__run_to_compare(&request.run, line->budget_s, sides->count);
    if (line->run.count)
        request.run.count_with = "callgrind";
    const int result = ob__cases_measure(&screen, &request);
    m->is_whole = screen.has_run;
    if (screen.has_run)
        tell_load(m, &screen);
    return result;
}

int ob__diff_measure(ob_cli *cli, const ob_cli_call *call, ob_diff *diff)
{
    const ob_diff_line *line = call->options;
    measuring m = {.diff = diff,
                   .looks = {.size = sizeof m.looks,
                             .most = (uint64_t)line->run.processes,
                             .budget_s = line->budget_s,
                             .params = {.size = sizeof m.looks.params,
                                        .floor = ob__diff_floor(line),
                                        .threshold = line->threshold}}};
    ob_cli_sides sides = {.count = 0};
    ob_diff_code statements = {.count = 0};
    ob_err err;
    int code = OB_EXIT_OK;
    if (read_sides(line, &sides, &err) != OB_OK ||
        (!ob__diff_takes_code(line) && take_interpreters(cli, line, &sides, &err) != OB_OK) ||
        check_choice(line, &sides, &err) != OB_OK)
        code = err.file[0] != '\0' ? ob__cli_fail(cli, &err)
                                   : ob__cli_usage_error(cli, "%s", err.message);
    if (code == OB_EXIT_OK)
        code = check_keys(cli, line, &sides);
    if (code == OB_EXIT_OK && ob__diff_takes_code(line))
        code = ob__diff_code_open(cli, call, &sides, &statements);
    if (code == OB_EXIT_OK)
        code = measure(cli, call, &sides, &statements, &m);
    for (size_t i = 0; i < sides.count; i++)
        if (statements.removed[i]) /* a side without a record has no verdict either */
            ob_diff_set_removed(diff, sides.items[i].name, &err);
    ob__diff_code_fini(&statements);
    ob__cli_sides_fini(&sides);
    /* What failed is a row of the verdict; a run that broke off has none, and is not "something is worse". */
    if (code == OB_EXIT_FAILED)
        code = m.is_whole ? OB_EXIT_OK : OB_EXIT_USAGE;
    return code;
}
