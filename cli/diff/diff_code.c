/* SPDX-License-Identifier: Apache-2.0
 *
 * Code as sides: one statement that differs between them, or a suite that is compiled or run in other ways.
 */
#include "diff_line.h"

#include <stdlib.h>
#include <string.h>

bool ob__diff_takes_code(const ob_diff_line *line)
{
    return line->snippet.lang != NULL || line->suite.file != NULL || line->b_stmt != NULL;
}

/* ---- the command line ---- */

/* What operators alone have. */
static const char *find_foreign(const ob_diff_line *line)
{
    const ob_run_options *run = &line->run;
    const struct {
        const char *name;
        bool given;
    } OPTIONS[] = {{"-c", line->config != NULL},
                   {"--op", line->op != NULL},
                   {"--case", line->only_case != NULL},
                   {"--backend", run->backend != NULL},
                   {"--backend-options", run->backend_options != NULL},
                   {"--device", run->device != NULL},
                   {"--backward", run->backward},
                   {"--cache", run->cache != NULL && strcmp(run->cache, "cold") == 0},
                   {"--inference-mode", run->inference_mode},
                   {"--check", run->check}};
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
        if (OPTIONS[i].given)
            return OPTIONS[i].name;
    return NULL;
}

static int check_line(ob_cli *cli, const ob_diff_line *line, size_t word_count)
{
    const char *foreign = find_foreign(line);
    const bool is_suite = line->suite.file != NULL;
    if (foreign != NULL)
        return ob__cli_usage_error(cli, "%s goes with operators, not with code; leave it out",
                                   foreign);
    if (!is_suite && line->snippet.lang == NULL)
        return ob__cli_usage_error(cli, "--b-stmt is a statement; give its language with --lang");
    if (!is_suite && line->suite.only != NULL)
        return ob__cli_usage_error(cli,
                                   "--only says which snippets of a suite; give it with -s FILE");
    if (is_suite && (word_count > 0 || line->b_stmt != NULL || line->snippet.setup != NULL ||
                     line->snippet.global_setup != NULL))
        return ob__cli_usage_error(cli,
                                   "a suite brings its own statements and setups; leave out %s",
                                   word_count > 0 ? "the word" : "--b-stmt and --setup");
    return OB_EXIT_OK;
}

/* The line with what the side changes. */
static ob_snippet_line line_of(const ob_diff_line *line, const ob_cli_side_code *side)
{
    ob_snippet_line own = line->snippet;
    const struct {
        const char **to, *from;
    } TEXTS[] = {{&own.setup, side->line.setup},     {&own.global_setup, side->line.global_setup},
                 {&own.cc, side->line.cc},           {&own.cxx, side->line.cxx},
                 {&own.python, side->line.python},   {&own.cflags, side->line.cflags},
                 {&own.ldflags, side->line.ldflags}, {&own.libs, side->line.libs},
                 {&own.std, side->line.std}};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        if (TEXTS[i].from != NULL)
            *TEXTS[i].to = TEXTS[i].from;
    return own;
}

/* ---- cases ---- */

static bool make_room(ob_diff_code *out, size_t cases, size_t sides)
{
    if (cases == 0 || sides == 0)
        return false;
    out->cases = calloc(cases, sizeof *out->cases);
    out->list = calloc(cases, sizeof *out->list);
    out->sides = calloc(cases * sides, sizeof *out->sides);
    out->side_list = calloc(cases * sides, sizeof *out->side_list);
    out->names = calloc(cases, sizeof *out->names);
    out->count = cases;
    return out->cases != NULL && out->list != NULL && out->sides != NULL &&
           out->side_list != NULL && out->names != NULL;
}

/* A case, whose sides have their code already. */
static void add_case(ob_diff_code *to, size_t index, const char *name, const ob_cli_sides *sides)
{
    const size_t first = index * sides->count;
    for (size_t i = 0; i < sides->count; i++) {
        ob_code_side *side = &to->sides[first + i];
        side->size = sizeof *side;
        side->name = sides->items[i].name;
        side->options = &to->options[i];
        to->side_list[first + i] = side;
    }
    to->cases[index] = (ob_code_case){.size = sizeof to->cases[index],
                                      .name = name,
                                      .sides = &to->side_list[first],
                                      .side_count = sides->count};
    to->list[index] = &to->cases[index];
}

/* Whoever comes second would find nothing there. */
static bool reads_stdin_twice(const ob_cli_call *call, const ob_cli_sides *sides)
{
    size_t readers = 0;
    for (size_t i = 0; i < sides->count; i++) {
        const ob_snippet_line own = line_of(call->options, &sides->code[i]);
        const char *word = call->word_count > 0 ? call->words[0] : "";
        const char *const texts[] = {sides->code[i].stmt != NULL ? sides->code[i].stmt : word,
                                     own.setup, own.global_setup};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            readers += texts[t] != NULL && strcmp(texts[t], "-") == 0;
    }
    return readers > 1;
}

static int read_statement(ob_cli *cli, const ob_cli_call *call, const ob_cli_sides *sides,
                          ob_diff_code *out)
{
    const ob_diff_line *line = call->options;
    if (reads_stdin_twice(call, sides))
        return ob__cli_usage_error(cli, "standard input can be read only once, but each side reads "
                                        "its code; put it in a file and give @FILE");
    if (!make_room(out, 1, sides->count))
        return ob__cli_out_of_memory(cli);
    for (size_t i = 0; i < sides->count; i++) {
        const ob_snippet_line own = line_of(line, &sides->code[i]);
        const bool has_own = sides->code[i].stmt != NULL;
        const int code =
            ob__snippet_code_read(cli, &own, has_own ? &sides->code[i].stmt : call->words,
                                  has_own ? 1 : call->word_count, &out->code[i]);
        if (code != OB_EXIT_OK)
            return code;
        out->sides[i].args = &out->code[i].args;
    }
    add_case(out, 0, "statement", sides);
    return OB_EXIT_OK;
}

static ob_status read_suite(const ob_diff_line *line, const ob_cli_sides *sides, ob_diff_code *out,
                            ob_err *err)
{
    OB_TRY(ob__suite_set_open(&line->suite, line->snippet.lang, &out->options[0], &out->set, err));
    OB_TRY(ob_snippets_make_models(out->set.snippets, &out->options[0], err));
    if (!make_room(out, ob_snippets_count(out->set.snippets), sides->count))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the snippets");
    for (size_t i = 0; i < out->count; i++) {
        const ob_snippet *snippet = ob_snippets_at(out->set.snippets, i);
        OB_TRY(ob_snippet_name(snippet, &out->names[i], err));
        for (size_t s = 0; s < sides->count; s++)
            out->sides[i * sides->count + s].args = &snippet->args;
        if (snippet->args.num_threads > out->threads)
            out->threads = snippet->args.num_threads;
        add_case(out, i, out->names[i], sides);
    }
    return OB_OK;
}

/* ---- compiling ---- */

/* A statement that does not compile is found before anything is measured; workers find what was compiled. In a suite it is a
 * row like any failure, so it is left to them, unless what the user's words include may be another by now. */
static ob_status try_all(const ob_diff_code *code, size_t sides, bool is_suite, ob_err *err)
{
    for (size_t i = 0; i < code->count * sides; i++) {
        const ob_code_side *side = &code->sides[i];
        ob_snippet_process *process = NULL;
        if (is_suite && !side->options->rebuild)
            continue;
        ob_err why;
        const ob_status status = ob_snippet_open(side->args, side->options, &process, &why);
        ob_snippet_close(process);
        if (status != OB_OK && !is_suite)
            return ob_err_set(err, status, "side %s: %s", side->name, why.message);
    }
    return OB_OK;
}

int ob__diff_code_open(ob_cli *cli, const ob_cli_call *call, const ob_cli_sides *sides,
                       ob_diff_code *out)
{
    const ob_diff_line *line = call->options;
    const bool is_suite = line->suite.file != NULL;
    ob_err err;
    int code = check_line(cli, line, call->word_count);
    for (size_t i = 0; i < sides->count; i++) {
        const ob_snippet_line own = line_of(line, &sides->code[i]);
        out->options[i] = ob__snippet_line_options(cli, &own, 0);
    }
    if (code == OB_EXIT_OK && !is_suite)
        code = read_statement(cli, call, sides, out);
    if (code == OB_EXIT_OK && is_suite && read_suite(line, sides, out, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    if (code == OB_EXIT_OK && try_all(out, sides->count, is_suite, &err) != OB_OK)
        code = ob__snippet_fail(cli, &err);
    for (size_t i = 0; code == OB_EXIT_OK && !is_suite && i < sides->count; i++)
        out->removed[i] = ob__snippet_warn_removed(cli, out->sides[i].args, &out->options[i],
                                                   out->sides[i].name, line->job.quiet);
    return code;
}

void ob__diff_code_fini(ob_diff_code *code)
{
    for (size_t i = 0; i < OB_CLI_MOST_SIDES; i++)
        ob__snippet_code_fini(&code->code[i]);
    for (size_t i = 0; code->names != NULL && i < code->count; i++)
        free(code->names[i]);
    ob__suite_set_close(&code->set);
    free(code->names);
    free(code->cases);
    free(code->list);
    free(code->sides);
    free(code->side_list);
    *code = (ob_diff_code){.count = 0};
}
