/* SPDX-License-Identifier: Apache-2.0
 *
 * TorchScript models: each a file of Python, all of them run by one process, for importing torch takes longer than
 * all models together. Sources are files because torch reads the source of what it scripts.
 */
#include "base/text.h"
#include "opbench/suite_run.h"
#include "snippet/build.h"
#include "snippet/child.h"
#include "snippet/lines.h"
#include "snippet/suite_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char MAKER[] = "import runpy, sys\n"
                            "for path in sys.argv[1:]:\n"
                            "    try:\n"
                            "        runpy.run_path(path)['jit_model'].save(path[:-3] + '.pt')\n"
                            "    except Exception as error:\n"
                            "        print(f'{path}: {error}')\n";

/* "x.py" for "x.pt". */
static const char *source_path(ob_arena *arena, const char *model)
{
    char *path = ob__arena_strdup(arena, model, strlen(model));
    if (path != NULL && strlen(path) > 0)
        path[strlen(path) - 1] = 'y';
    return path;
}

static ob_status write_source(const char *path, const char *text, ob_err *err)
{
    FILE *file = fopen(path, "wxe");
    bool ok = file != NULL && fputs(text, file) >= 0;
    if (file != NULL)
        ok = fclose(file) == 0 && ok;
    return ok ? OB_OK
              : ob_err_set(err, OB_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
}

/* Writes the source of each model once; words gets their paths. */
static ob_status write_sources(ob_arena *arena, const ob_snippets *snippets, const char **words,
                               size_t *count, ob_err *err)
{
    const char *last = NULL;
    for (size_t i = 0; i < ob_snippets_count(snippets); i++) {
        const ob_snippet *s = ob_snippets_get(snippets, i);
        if (s->model_path == NULL || (last != NULL && strcmp(last, s->model_path) == 0))
            continue; /* those of a definition stand together */
        last = s->model_path;
        const char *path = source_path(arena, s->model_path);
        if (path == NULL)
            return ob__snippet_no_memory(err);
        OB_TRY(write_source(path, s->model_source, err));
        words[(*count)++] = path;
    }
    words[*count] = NULL;
    return OB_OK;
}

static ob_status run_maker(const char *const *words, ob_err *err)
{
    ob_child child;
    const ob_child_params params = {.words = words};
    OB_TRY(ob__child_start(&params, &child, err));
    const int status = ob__child_end(&child, -1);
    ob_text text = {0};
    ob_status result = OB_OK;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        ob__child_output(&child, &text);
        result = ob_err_set(err, OB_ERR_BACKEND, "TorchScript models cannot be made: %.*s",
                            (int)text.size, text.data == NULL ? "" : text.data);
    }
    ob_text_fini(&text);
    ob__child_close(&child);
    return result;
}

ob_status ob_snippets_make_models(const ob_snippets *snippets, const ob_snippet_options *options,
                                  ob_err *err)
{
    static const char SYSTEM[] = "/usr/bin/python3";
    const char *python = options != NULL && options->python != NULL ? options->python
                         : access(SYSTEM, X_OK) == 0                ? SYSTEM
                                                                    : "python3";
    ob_arena arena;
    ob__arena_init(&arena, 0);
    size_t count = 0;
    const char **words =
        ob__arena_alloc_array(&arena, ob_snippets_count(snippets) + 4, sizeof *words);
    ob_status status = words == NULL ? ob__snippet_no_memory(err)
                                     : ob__find_program(&arena, python, &words[count++], err);
    if (status == OB_OK && words != NULL) {
        words[count++] = "-c";
        words[count++] = MAKER;
        status = write_sources(&arena, snippets, words, &count, err);
    }
    if (status == OB_OK && count > 3)
        status = run_maker(words, err);
    ob__arena_fini(&arena);
    return status;
}
