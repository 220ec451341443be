/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the statement of a command line, and its setups.
 */
#include "snippet_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* *made is to be freed. */
static ob_status read_code(const char *text, char **made, ob_err *err)
{
    enum { PIECE = 1 << 16 };
    *made = NULL;
    if (text[0] != '@' && strcmp(text, "-") != 0) {
        *made = strdup(text);
        return *made != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for code");
    }
    FILE *file = text[0] == '@' ? fopen(text + 1, "re") : stdin;
    if (file == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "%s cannot be read: %s", text + 1, strerror(errno));
    ob_text read = {0};
    bool whole = false;
    while (!whole && ob_text_reserve(&read, PIECE + 1)) {
        const size_t got = fread(read.data + read.size, 1, PIECE, file);
        read.size += got;
        whole = got == 0;
    }
    if (file != stdin)
        fclose(file);
    if (!whole) {
        ob_text_fini(&read);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for code");
    }
    read.data[read.size] = '\0';
    *made = read.data;
    if (strlen(*made) == read.size)
        return OB_OK;
    free(*made);
    *made = NULL;
    return ob_err_set(err, OB_ERR_INVALID, "%s is not text: it has NUL bytes", text);
}

void ob__snippet_code_fini(ob_snippet_code *code)
{
    free(code->stmt);
    free(code->setup);
    free(code->global_setup);
    *code = (ob_snippet_code){.stmt = NULL};
}

static ob_status read_all(const ob_snippet_line *line, const char *word, ob_snippet_code *out,
                          ob_err *err)
{
    OB_TRY(ob_language_parse(line->lang, &out->args.language, err));
    OB_TRY(read_code(word, &out->stmt, err));
    if (line->setup != NULL)
        OB_TRY(read_code(line->setup, &out->setup, err));
    return line->global_setup == NULL ? OB_OK
                                      : read_code(line->global_setup, &out->global_setup, err);
}

/* Whoever comes second would find nothing there. */
static bool reads_stdin_twice(const ob_snippet_line *line, const char *word)
{
    const char *const texts[] = {word, line->setup, line->global_setup};
    int readers = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        readers += texts[i] != NULL && strcmp(texts[i], "-") == 0;
    return readers > 1;
}

int ob__snippet_code_read(ob_cli *cli, const ob_snippet_line *line, const char *const *words,
                          size_t count, ob_snippet_code *out)
{
    ob_err err;
    *out = (ob_snippet_code){.stmt = NULL};
    if (count != 1)
        return ob__cli_usage_error(cli, count == 0
                                            ? "no statement given; give its code, @FILE, or -"
                                            : "one statement at a time; quote it");
    if (reads_stdin_twice(line, words[0]))
        return ob__cli_usage_error(cli, "standard input can be read only once; put the statement "
                                        "or its setup in a file and give @FILE");
    if (read_all(line, words[0], out, &err) != OB_OK) {
        ob__snippet_code_fini(out);
        return ob__cli_fail(cli, &err);
    }
    const ob_language language = out->args.language;
    if (line->std != NULL && !ob_snippet_std_fits(line->std, language)) {
        ob__snippet_code_fini(out);
        return ob__cli_usage_error(cli, "%s is not a standard of %s; %s", line->std,
                                   ob_language_label(language),
                                   language == OB_LANGUAGE_PYTHON ? "leave out --std"
                                   : language == OB_LANGUAGE_C    ? "give one such as c17"
                                                                  : "give one such as c++20");
    }
    out->args.size = sizeof out->args;
    out->args.stmt = out->stmt;
    out->args.setup = out->setup != NULL ? out->setup : "pass";
    out->args.global_setup = out->global_setup != NULL ? out->global_setup : "";
    return OB_EXIT_OK;
}

static void tell(void *ctx, const char *text)
{
    const ob_cli *cli = ctx;
    ob__cli_say("opbench %s: %s\n", cli->command->name, text);
}

ob_snippet_options ob__snippet_line_options(ob_cli *cli, const ob_snippet_line *line,
                                            double timeout_s)
{
    return (ob_snippet_options){
        .size = sizeof(ob_snippet_options),
        .cc = line->cc,
        .cxx = line->cxx,
        .python = line->python,
        .cflags = line->cflags,
        .ldflags = line->ldflags,
        .std = line->std,
        .libs = line->libs,
        .compile_timeout_s = line->compile_timeout_s == OB_SNIPPET_COMPILE_S ? 0
                             : line->compile_timeout_s == 0                  ? -1
                                                            : line->compile_timeout_s,
        .rebuild = line->cflags != NULL || line->ldflags != NULL || line->libs != NULL,
        .cache_dir = line->cache_dir,
        .timeout_s = timeout_s,
        .notice = tell,
        .ctx = cli};
}

bool ob__snippet_warn_removed(ob_cli *cli, const ob_timer_args *args,
                              const ob_snippet_options *options, const char *side, bool quiet)
{
    bool removed = false;
    ob_err err;
    ob_snippet_options brief = *options;
    brief.compile_timeout_s = 10; /* nobody waits for a hint */
    removed = ob_snippet_is_removed(args, &brief, &removed, &err) == OB_OK && removed;
    if (removed && !quiet)
        ob__cli_warn(
            cli,
            "%s%s%sthe compiler removed the statement because its result is never used, so only "
            "the loop around it is measured; keep the result, for example in a volatile variable",
            side != NULL ? "side " : "", side != NULL ? side : "", side != NULL ? ": " : "");
    return removed;
}

int ob__snippet_fail(ob_cli *cli, const ob_err *err)
{
    const int code = ob__cli_fail(cli, err);
    return err->code == OB_ERR_LIMIT ? OB_EXIT_FAILED : code;
}
