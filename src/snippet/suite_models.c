/* SPDX-License-Identifier: Apache-2.0
 *
 * Models that are made ahead: each a file of Python, all of them run by one process, for importing what makes them takes
 * longer than all models together. Sources are files because their maker may read the source of what it compiles. The models of a
 * suite have a folder in the cache that stays the same, because their paths are in the code of snippets,
 * which would be compiled again otherwise.
 */
#include "base/scratch.h"
#include "base/sized.h"
#include "base/text_append.h"
#include "opbench/suite_run.h"
#include "process/process.h"
#include "snippet/lines.h"
#include "snippet/snippet_build.h"
#include "snippet/suite_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#define JOIN(...) ob__join(arena, "", (const char *const[]){__VA_ARGS__, NULL})

#define MADE ".model"
static const char MAKER[] =
    "import runpy, sys\n"
    "for path in sys.argv[1:]:\n"
    "    try:\n"
    "        runpy.run_path(path)['jit_model'].save(path[:-3] + '" MADE "')\n"
    "    except Exception as error:\n"
    "        print(f'{path}: {error}')\n";

/* ---- the models of a suite, each once ---- */

/* The next snippet from *at on that has a model of its own, or NULL. Those of a definition stand together. */
static const ob_snippet *next_model(const ob_snippets *snippets, size_t *at, const char **last)
{
    while (*at < ob_snippets_count(snippets)) {
        const ob_snippet *s = ob_snippets_at(snippets, (*at)++);
        if (s->model_path == NULL || (*last != NULL && strcmp(*last, s->model_path) == 0))
            continue;
        *last = s->model_path;
        return s;
    }
    return NULL;
}

static ob_status name_dir(const ob_snippets *snippets, const char *cache, char *dir, size_t size,
                          ob_err *err)
{
    const char *last = NULL;
    size_t at = 0, count = 0;
    ob_text all = {0};
    bool ok = true;
    for (const ob_snippet *s = next_model(snippets, &at, &last); s != NULL && ok;
         s = next_model(snippets, &at, &last), count++)
        ok = ob_text_append_str(&all, s->model_path) && ob_text_append(&all, "\n", 1) &&
             ob_text_append_str(&all, s->model_source) && ob_text_append(&all, "\n", 1);
    dir[0] = '\0';
    if (ok && count > 0)
        ok = snprintf(dir, size, "%s/" OB_MODELS_PREFIX "%016" PRIx64, cache,
                      (uint64_t)XXH3_64bits(all.data, all.size)) < (int)size;
    ob_text_fini(&all);
    if (!ok)
        return ob__snippet_no_memory(err);
    if (count > 0 && mkdir(dir, 0700) != 0 && errno != EEXIST)
        return ob_err_set(err, OB_ERR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
    return OB_OK;
}

ob_status ob_suite_models_dir(const ob_suite *suite, const ob_snippet_options *options, char *dir,
                              size_t size, ob_err *err)
{
    ob_snippets *snippets;
    ob_arena arena;
    const char *cache;
    ob_snippet_options own;
    OB_TRY(OB__TAKE_OPTIONAL(ob_snippet_options, &own, options, err));
    OB_TRY(ob_suite_expand(suite, NULL, &snippets, err));
    ob__arena_init(&arena, 0);
    ob_status status = ob__snippet_cache_open(&arena, own.cache_dir, &cache, err);
    if (status == OB_OK)
        status = name_dir(snippets, cache, dir, size, err);
    ob__arena_fini(&arena);
    ob_snippets_destroy(snippets);
    return status;
}

/* ---- making them ---- */

typedef struct maker {
    ob_arena arena;
    const ob_snippets *snippets;
    const ob_snippet_options *options;
    ob_scratch scratch;
    const char **words; /* of the command line */
    size_t word_count, first;
} maker;

static ob_status write_source(const char *path, const char *text, ob_err *err)
{
    FILE *file = fopen(path, "wxe");
    bool ok = file != NULL && fputs(text, file) >= 0;
    if (file != NULL)
        ok = fclose(file) == 0 && ok;
    return ok ? OB_OK
              : ob_err_set(err, OB_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
}

/* "<scratch>/N.py", or with the other ending. */
static const char *scratch_path(maker *m, size_t number, const char *ending)
{
    ob_arena *arena = &m->arena;
    char digits[32];
    snprintf(digits, sizeof digits, "/%zu", number);
    return JOIN(m->scratch.dir, digits, ending);
}

static ob_status write_sources(maker *m, ob_err *err)
{
    const char *last = NULL;
    size_t at = 0;
    m->first = m->word_count;
    for (const ob_snippet *s = next_model(m->snippets, &at, &last); s != NULL;
         s = next_model(m->snippets, &at, &last)) {
        const char *path = scratch_path(m, m->word_count - m->first, ".py");
        if (path == NULL)
            return ob__snippet_no_memory(err);
        OB_TRY(write_source(path, s->model_source, err));
        m->words[m->word_count++] = path;
    }
    m->words[m->word_count] = NULL;
    return OB_OK;
}

/* Puts what was made in its place; what could not be made is not there afterwards. */
static ob_status keep_models(maker *m, bool *all, ob_err *err)
{
    const char *last = NULL;
    size_t at = 0, number = 0;
    *all = true;
    for (const ob_snippet *s = next_model(m->snippets, &at, &last); s != NULL;
         s = next_model(m->snippets, &at, &last)) {
        const char *made = scratch_path(m, number++, MADE);
        if (made == NULL)
            return ob__snippet_no_memory(err);
        if (rename(made, s->model_path) == 0)
            continue;
        if (errno != ENOENT || access(made, F_OK) == 0)
            return ob_err_set(err, OB_ERR_IO, "%s cannot be written: %s", s->model_path,
                              strerror(errno));
        *all = false;
        unlink(s->model_path);
    }
    return OB_OK;
}

static ob_status run_maker(maker *m, ob_err *err)
{
    ob_process child;
    const ob_process_params params = {.words = m->words,
                                      .capture = true,
                                      .stop = {.fn = m->options->stop, .ctx = m->options->ctx}};
    OB_TRY(ob__process_start(&params, &child, err));
    const int status = ob__process_end(&child, -1);
    ob_text text = {0};
    bool all = true;
    ob__process_output(&child, &text);
    const int length = (int)text.size;
    const char *output = text.data == NULL ? "" : text.data;
    ob_status result = OB_OK;
    if (ob__is_stopped(&child.stop))
        result = ob__interrupted(err);
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        result = ob_err_set(err, OB_ERR_BACKEND, "cannot make the models of the suite: %.*s",
                            length, output);
    else
        result = keep_models(m, &all, err);
    if (!all && m->options->notice != NULL) {
        ob_err told;
        ob_err_set(&told, OB_ERR_BACKEND, "cannot make a model of the suite: %.*s", length, output);
        m->options->notice(m->options->ctx, told.message);
    }
    ob_text_fini(&text);
    ob__process_close(&child);
    return result;
}

static ob_status make_all(maker *m, ob_err *err)
{
    const char *last = NULL, *cache;
    size_t at = 0;
    if (next_model(m->snippets, &at, &last) == NULL)
        return OB_OK;
    m->words =
        ob__arena_alloc_array(&m->arena, ob_snippets_count(m->snippets) + 4, sizeof *m->words);
    if (m->words == NULL)
        return ob__snippet_no_memory(err);
    OB_TRY(ob__find_python(&m->arena, m->options, &m->words[m->word_count++], err));
    m->words[m->word_count++] = "-c";
    m->words[m->word_count++] = MAKER;
    /* On the file system of the cache, so that models can be moved there. */
    OB_TRY(ob__snippet_cache_open(&m->arena, m->options->cache_dir, &cache, err));
    OB_TRY(ob__scratch_open(&m->scratch, cache, "models", err));
    OB_TRY(write_sources(m, err));
    return run_maker(m, err);
}

ob_status ob_snippets_make_models(const ob_snippets *snippets, const ob_snippet_options *options,
                                  ob_err *err)
{
    ob_snippet_options own;
    OB_TRY(OB__TAKE_OPTIONAL(ob_snippet_options, &own, options, err));
    maker m = {.snippets = snippets, .options = &own};
    ob__arena_init(&m.arena, 0);
    const ob_status status = make_all(&m, err);
    ob__scratch_close(&m.scratch);
    ob__arena_fini(&m.arena);
    return status;
}
