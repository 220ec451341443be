/* SPDX-License-Identifier: Apache-2.0
 *
 * From definitions to snippets that run: runtime, autograd, language, number of threads, outermost first.
 * A statement in C is eager and forward only. TorchScript models are named, not made: the text that
 * makes one goes with its snippets, and who runs them saves it first.
 */
#include "snippet/suite_int.h"

#include "base/text_append.h"
#include "snippet/lines.h"

#include <ctype.h>
#include <stdlib.h>

struct ob_snippets {
    ob_arena arena;
    ob_snippet *items;
    size_t count, capacity;
    const ob_expand_options *wanted; /* while it is made; may be NULL */
};

/* What is being made. */
typedef struct variant {
    const ob_definition *of;
    bool torchscript, backward;
    ob_language language;
    const char *model_source, *model_path; /* NULL unless there is a model */
} variant;

void ob_snippets_destroy(ob_snippets *snippets)
{
    if (snippets == NULL)
        return;
    free(snippets->items);
    ob__arena_fini(&snippets->arena);
    free(snippets);
}

size_t ob_snippets_count(const ob_snippets *snippets)
{
    return snippets->count;
}

const ob_snippet *ob_snippets_get(const ob_snippets *snippets, size_t index)
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
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity == 0 ? 64 : 2 * s->capacity;
        ob_snippet *items = capacity > SIZE_MAX / sizeof *items
                                ? NULL
                                : realloc(s->items, capacity * sizeof *items);
        if (items == NULL)
            return false;
        s->items = items;
        s->capacity = capacity;
    }
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
    const char *forward = v->torchscript ? ob__call_model(arena, &d->signature, v->language, true)
                                         : ob__arena_strdup(arena, d->stmt[v->language],
                                                            strlen(d->stmt[v->language]));
    if (!v->backward || forward == NULL)
        return forward;
    const char *call = v->language == OB_LANGUAGE_PYTHON ? ".backward()"
                       : v->torchscript                  ? ".toTensor().backward();"
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
    if (!v->torchscript)
        return JOIN(arena, "\n", shared, model != NULL ? model : "");
    const char *body = ob__indent(arena, stmt, "    ");
    if (body == NULL)
        return NULL;
    if (v->language == OB_LANGUAGE_PYTHON)
        return JOIN(arena, "", shared, "\n\njit_model = torch.jit.load(\"", v->model_path,
                    "\")\n\n# Warmup `jit_model`\nfor _ in range(3):\n", body, "\n");
    static const char LOAD_AND_WARM_UP[] =
        "\";\nauto jit_model = torch::jit::load(fpath);\n\n// Warmup `jit_model`\n"
        "for (int i = 0; i < 3; i++) {\n";
    return JOIN(arena, "", shared, "\n\nconst std::string fpath = \"", v->model_path,
                LOAD_AND_WARM_UP, body, "\n}\n");
}

static const char *make_global_setup(ob_arena *arena, const variant *v)
{
    static const char FOR_MODELS[] =
        "\n#include <string>\n#include <vector>\n#include <torch/script.h>\n";
    const char *own = v->of->setup.global_setup[v->language];
    const bool needs_model = v->torchscript && v->language == OB_LANGUAGE_CPP;
    return JOIN(arena, "", needs_model ? FOR_MODELS : "", own);
}

/* ---- models ---- */

/* "torchscript_<label>_<number>.pt": the original's name with a number instead of a random one. */
static const char *make_model_path(ob_arena *arena, const char *dir, const ob_definition *d,
                                   size_t number)
{
    enum { MOST_NAME = 150 }; /* file names have an end */
    ob_text text = {0};
    bool ok = ob_text_printf(&text, "%s/torchscript_", dir);
    const size_t most = text.size + MOST_NAME;
    for (size_t i = 0; ok && i < d->label_parts; i++) {
        for (const char *c = d->label[i]; ok && *c != '\0' && text.size < most; c++) {
            const char lower = (char)tolower((unsigned char)*c);
            ok = ob_text_append(&text, isalnum((unsigned char)lower) ? &lower : "_", 1);
        }
        ok = ok && ob_text_append(&text, "_", 1);
    }
    ok = ok && ob_text_printf(&text, "%zu.pt", number);
    const char *path = ok ? ob__arena_strdup(arena, text.data, text.size) : NULL;
    ob_text_fini(&text);
    return path;
}

/* ---- the product ---- */

static bool is_wanted(const variant *v)
{
    const ob_definition *d = v->of;
    if (v->language == OB_LANGUAGE_C)
        return !v->torchscript && !v->backward && d->stmt[OB_LANGUAGE_C] != NULL;
    return (v->torchscript || d->stmt[v->language] != NULL) &&
           (!v->torchscript || d->torchscript) && (!v->backward || d->autograd);
}

static ob_status add_variant(ob_snippets *s, const variant *v, ob_err *err)
{
    const ob_definition *d = v->of;
    if (!is_wanted(v))
        return OB_OK;
    ob_snippet snippet = {
        .label = d->label,
        .label_parts = d->label_parts,
        .runtime = v->torchscript ? "TorchScript" : "Eager",
        .autograd = v->backward ? "Forward + Backward" : "Forward",
        .args = {.language = v->language, .stmt = make_stmt(&s->arena, v)},
        .model_source = v->torchscript ? v->model_source : NULL,
        .model_path = v->torchscript ? v->model_path : NULL,
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

static ob_status expand_group(ob_snippets *s, const ob_definition *d, const char *dir,
                              size_t number, ob_err *err)
{
    variant v = {.of = d};
    if (d->torchscript) {
        v.model_path = make_model_path(&s->arena, dir, d, number);
        v.model_source = JOIN(&s->arena, "", "import torch\n", d->model_setup[OB_LANGUAGE_PYTHON],
                              "\njit_model = torch.jit.script(model)");
        if (v.model_path == NULL || v.model_source == NULL)
            return ob__snippet_no_memory(err);
    }
    for (int runtime = 0; runtime < 2; runtime++)
        for (int autograd = 0; autograd < 2; autograd++)
            for (int language = 0; language < OB_LANGUAGE_COUNT; language++) {
                v.torchscript = runtime == 1;
                v.backward = autograd == 1;
                v.language = (ob_language)language;
                OB_TRY(add_variant(s, &v, err));
            }
    return OB_OK;
}

/* A text for a string of Python and C++ alike. */
static ob_status check_dir(const char *dir, ob_err *err)
{
    for (const char *c = dir; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || iscntrl((unsigned char)*c))
            return ob_err_set(err, OB_ERR_INVALID,
                              "quotes, backslashes and control characters cannot stand in the name "
                              "of the folder for models");
    return OB_OK;
}

static ob_status expand_all(const ob_suite *suite, const char *dir, ob_snippets *s, ob_err *err)
{
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
    const char *dir =
        options != NULL && options->models_dir != NULL ? options->models_dir : "TorchScript_models";
    *out = NULL;
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
