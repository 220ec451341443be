/* SPDX-License-Identifier: Apache-2.0
 *
 * From definitions to snippets that run: runtime, autograd, language, number of threads, outermost first.
 * A statement in C is eager and forward only. Models that are made ahead (the suites' torchscript) are what a backend's
 * manifest says. They are named, not made: the text that makes one goes with its snippets, and who runs them saves
 * it first.
 */
#include "snippet/suite_int.h"

#include "base/sized.h"
#include "base/text_append.h"
#include "opbench/vec.h"
#include "snippet/lines.h"

#include <ctype.h>
#include <stdlib.h>

struct ob_snippets {
    ob_arena arena;
    ob_snippet *items;
    size_t count, capacity;
    ob_manifests *manifests; /* their texts stand in the snippets; NULL until one is needed */
    const ob_manifest_models *models; /* how they are made ahead */
    const ob_expand_options *wanted;  /* while it is made; may be NULL */
};

/* What is being made. */
typedef struct variant {
    const ob_definition *of;
    const ob_manifest_models *ahead; /* NULL = eager */
    bool backward;
    ob_language language;
    const char *model_source, *model_path; /* NULL unless there is a model */
} variant;

void ob_snippets_destroy(ob_snippets *snippets)
{
    if (snippets == NULL)
        return;
    free(snippets->items);
    ob_manifests_destroy(snippets->manifests);
    ob__arena_fini(&snippets->arena);
    free(snippets);
}

size_t ob_snippets_count(const ob_snippets *snippets)
{
    return snippets->count;
}

const ob_snippet *ob_snippets_at(const ob_snippets *snippets, size_t index)
{
    return index < snippets->count ? &snippets->items[index] : NULL;
}

ob_status ob_snippet_name(const ob_snippet *s, char **name, ob_err *err)
{
    ob_text text = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < s->label_parts; i++)
        ok = ob_text_printf(&text, "%s%s", i > 0 ? " / " : "", s->label[i]);
    if (ok && s->runtime[0] != '\0')
        ok = ob_text_printf(&text, "  %s, %s", s->runtime, s->autograd);
    ok = ok &&
         ob_text_printf(&text, "  %s, %lld thread%s", ob_language_label(s->args.language),
                        (long long)s->args.num_threads, s->args.num_threads > 1 ? "s" : "") &&
         ob_text_append(&text, "", 1);
    *name = ok ? text.data : NULL;
    if (!ok)
        ob_text_fini(&text);
    return ok ? OB_OK : ob__snippet_no_memory(err);
}

/* False when memory is out. */
static bool is_chosen(const ob_expand_options *wanted, const ob_snippet *snippet, bool *chosen)
{
    char *name;
    *chosen = wanted == NULL || wanted->only == NULL || *wanted->only == snippet->args.language;
    if (!*chosen || wanted == NULL || wanted->name_part == NULL)
        return true;
    if (ob_snippet_name(snippet, &name, NULL) != OB_OK || name == NULL)
        return false;
    *chosen = strstr(name, wanted->name_part) != NULL;
    free(name);
    return true;
}

static bool push(ob_snippets *s, const ob_snippet *snippet)
{
    bool chosen;
    if (!is_chosen(s->wanted, snippet, &chosen))
        return false;
    if (!chosen)
        return true;
    if (!OB_RESERVE(s->items, s->capacity, s->count + 1))
        return false;
    s->items[s->count++] = *snippet;
    return true;
}

/* The end of an ob__join. */
#define JOIN(arena, between, ...)                                                                  \
    ob__join((arena), (between), (const char *const[]){__VA_ARGS__, NULL})

/* ---- texts; NULL when memory is out ---- */

static const char *make_stmt(ob_arena *arena, const variant *v)
{
    const ob_definition *d = v->of;
    const char *forward =
        v->ahead != NULL
            ? ob__call_model(arena, &d->signature, v->language, v->ahead)
            : ob__arena_strdup(arena, d->stmt[v->language], strlen(d->stmt[v->language]));
    if (!v->backward || forward == NULL)
        return forward;
    const char *call = v->language == OB_LANGUAGE_PYTHON ? ".backward()"
                       : v->ahead != NULL                ? v->ahead->cpp_backward
                                                         : ".backward();";
    return JOIN(arena, "", forward, "\n", d->signature.output, call);
}

static const char *make_setup(ob_arena *arena, const variant *v, const char *stmt)
{
    const char *shared = v->of->setup.code[v->language];
    const char *model = v->of->model_setup[v->language];
    if (v->language == OB_LANGUAGE_C) {
        const bool both = model != NULL && shared[0] != '\0';
        return JOIN(arena, "", shared, both ? "\n" : "", model != NULL ? model : "");
    }
    if (v->ahead == NULL)
        return JOIN(arena, "\n", shared, model != NULL ? model : "");
    const char *body = ob__indent(arena, stmt, "    ");
    const char *const names[] = {"{setup}", shared, "{path}", v->model_path, "{stmt}", body, NULL};
    return body == NULL ? NULL
                        : ob__fill_in(arena,
                                      v->language == OB_LANGUAGE_PYTHON ? v->ahead->python_setup
                                                                        : v->ahead->cpp_setup,
                                      names);
}

static const char *make_global_setup(ob_arena *arena, const variant *v)
{
    const char *own = v->of->setup.global_setup[v->language];
    const bool needs_model = v->ahead != NULL && v->language == OB_LANGUAGE_CPP;
    return JOIN(arena, "", needs_model ? v->ahead->cpp_global : "", own);
}

/* ---- models ---- */

/* The word in small letters, others than letters and digits as "_", and a "_" behind it. */
static bool append_name(ob_text *text, const char *word, size_t most)
{
    bool ok = true;
    for (const char *c = word; ok && *c != '\0' && text->size < most; c++) {
        const char lower = (char)tolower((unsigned char)*c);
        ok = ob_text_append(text, isalnum((unsigned char)lower) ? &lower : "_", 1);
    }
    return ok && ob_text_append(text, "_", 1);
}

/* "torchscript_<label>_<number>.pt": the original's name with a number instead of a random one. */
static const char *make_model_path(ob_arena *arena, const ob_manifest_models *models,
                                   const char *dir, const ob_definition *d, size_t number)
{
    enum { MOST_NAME = 150 }; /* file names have an end */
    ob_text text = {0};
    bool ok = dir != NULL ? ob_text_printf(&text, "%s/", dir)
                          : ob_text_printf(&text, "%s_models/", models->runtime);
    ok = ok && append_name(&text, models->runtime, SIZE_MAX);
    const size_t most = text.size + MOST_NAME;
    for (size_t i = 0; ok && i < d->label_parts; i++)
        ok = append_name(&text, d->label[i], most);
    ok = ok && ob_text_printf(&text, "%zu%s", number, models->end);
    const char *path = ok ? ob__arena_strdup(arena, text.data, text.size) : NULL;
    ob_text_fini(&text);
    return path;
}

/* ---- the product ---- */

static bool is_wanted(const variant *v)
{
    const ob_definition *d = v->of;
    if (v->language == OB_LANGUAGE_C)
        return v->ahead == NULL && !v->backward && d->stmt[OB_LANGUAGE_C] != NULL;
    return (v->ahead != NULL || d->stmt[v->language] != NULL) && (!v->backward || d->autograd);
}

static ob_status add_variant(ob_snippets *s, const variant *v, ob_err *err)
{
    const ob_definition *d = v->of;
    if (!is_wanted(v))
        return OB_OK;
    ob_snippet snippet = {
        .label = d->label,
        .label_parts = d->label_parts,
        .runtime = v->ahead != NULL ? v->ahead->runtime : "Eager",
        .autograd = v->backward ? "Forward + Backward" : "Forward",
        .args = {.size = sizeof(ob_timer_args),
                 .language = v->language,
                 .stmt = make_stmt(&s->arena, v)},
        .model_source = v->ahead != NULL ? v->model_source : NULL,
        .model_path = v->ahead != NULL ? v->model_path : NULL,
    };
    snippet.args.global_setup = make_global_setup(&s->arena, v);
    if (snippet.args.stmt != NULL)
        snippet.args.setup = make_setup(&s->arena, v, snippet.args.stmt);
    if (snippet.args.setup == NULL || snippet.args.global_setup == NULL)
        return ob__snippet_no_memory(err);
    for (size_t i = 0; i < d->num_threads_count; i++) {
        snippet.args.num_threads = d->num_threads[i];
        if (!push(s, &snippet))
            return ob__snippet_no_memory(err);
    }
    return OB_OK;
}

/* How models are made ahead: as the first backend says that can. */
static ob_status find_models(ob_snippets *s, ob_err *err)
{
    if (s->manifests == NULL)
        OB_TRY(ob_manifests_open(NULL, &s->manifests, err));
    for (size_t i = 0; s->models == NULL && i < ob_manifests_count(s->manifests); i++)
        s->models = ob_manifests_at(s->manifests, i)->models;
    return s->models != NULL
               ? OB_OK
               : ob_err_set(err, OB_ERR_UNSUPPORTED,
                            "no backend here compiles models ahead of time; leave torchscript out");
}

static ob_status add_variants(ob_snippets *s, variant *v, ob_err *err)
{
    for (int autograd = 0; autograd < 2; autograd++)
        for (int language = 0; language < OB_LANGUAGE_COUNT; language++) {
            v->backward = autograd == 1;
            v->language = (ob_language)language;
            OB_TRY(add_variant(s, v, err));
        }
    return OB_OK;
}

static ob_status expand_group(ob_snippets *s, const ob_definition *d, const char *dir,
                              size_t number, ob_err *err)
{
    variant v = {.of = d};
    OB_TRY(add_variants(s, &v, err));
    if (!d->torchscript)
        return OB_OK;
    OB_TRY(find_models(s, err));
    const char *const names[] = {"{model}", d->model_setup[OB_LANGUAGE_PYTHON], NULL};
    v.ahead = s->models;
    v.model_path = make_model_path(&s->arena, s->models, dir, d, number);
    v.model_source = ob__fill_in(&s->arena, s->models->make, names);
    if (v.model_path == NULL || v.model_source == NULL)
        return ob__snippet_no_memory(err);
    return add_variants(s, &v, err);
}

/* A text for a string of Python and C++ alike. */
static ob_status check_dir(const char *dir, ob_err *err)
{
    for (const char *c = dir; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || iscntrl((unsigned char)*c))
            return ob_err_set(err, OB_ERR_INVALID,
                              "the name of the folder for models must not have quotes, backslashes "
                              "or control characters");
    return OB_OK;
}

static ob_status expand_all(const ob_suite *suite, const char *dir, ob_snippets *s, ob_err *err)
{
    if (dir != NULL)
        OB_TRY(check_dir(dir, err));
    for (size_t i = 0; i < suite->size; i++) {
        const ob_definition *d = &suite->definitions[i];
        if (d->is_group) {
            OB_TRY(expand_group(s, d, dir, i, err));
            continue;
        }
        const ob_snippet snippet = {.label = d->label,
                                    .label_parts = d->label_parts,
                                    .runtime = "",
                                    .autograd = "",
                                    .args = d->args};
        if (!push(s, &snippet))
            return ob__snippet_no_memory(err);
    }
    return OB_OK;
}

ob_status ob_suite_expand(const ob_suite *suite, const ob_expand_options *options,
                          ob_snippets **out, ob_err *err)
{
    ob_expand_options own;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_expand_options, &own, options, err));
    options = &own;
    const char *dir = own.models_dir;
    ob_snippets *s = calloc(1, sizeof *s);
    if (s == NULL)
        return ob__snippet_no_memory(err);
    ob__arena_init(&s->arena, (size_t)1 << 30);
    s->wanted = options;
    const ob_status status = expand_all(suite, dir, s, err);
    s->wanted = NULL;
    if (status != OB_OK) {
        ob_snippets_destroy(s);
        return status;
    }
    *out = s;
    return OB_OK;
}
