/* SPDX-License-Identifier: Apache-2.0
 *
 * Definitions, checked and written out as they are added, so that expansion cannot fail on them. Messages
 * are the original's where it had one.
 */
#include "snippet/suite_int.h"

#include "base/sized.h"
#include "base/text_append.h"
#include "opbench/vec.h"
#include "snippet/lines.h"

#include <stdio.h>
#include <stdlib.h>

#define LANGUAGE_LABEL(id, label, json, name, other) [OB_LANGUAGE_##id] = (label),
static const char *const LABELS[] = {OB_LANGUAGE_MAP(LANGUAGE_LABEL)};

const char *ob_language_label(ob_language language)
{
    return LABELS[language];
}

#define LANGUAGE_WORD(id, label, json, name, other) [OB_LANGUAGE_##id] = (name),
static const char *const LANGUAGE_WORDS[] = {OB_LANGUAGE_MAP(LANGUAGE_WORD)};

const char *ob_language_word(ob_language language)
{
    return LANGUAGE_WORDS[language];
}

ob_status ob_language_parse(const char *text, ob_language *out, ob_err *err)
{
#define LANGUAGE_FIND(id, label, json, name, other)                                                \
    if (strcmp(text, name) == 0 || strcmp(text, other) == 0) {                                     \
        *out = OB_LANGUAGE_##id;                                                                   \
        return OB_OK;                                                                              \
    }
    OB_LANGUAGE_MAP(LANGUAGE_FIND)
    return ob_err_set(err, OB_ERR_INVALID, "Invalid language `%s`; give python, c++ or c", text);
}

ob_status ob__snippet_no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a suite");
}

/* ---- the suite ---- */

ob_status ob_suite_create(ob_suite **out, ob_err *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return ob__snippet_no_memory(err);
    ob__arena_init(&(*out)->arena, (size_t)1 << 30);
    return OB_OK;
}

void ob_suite_destroy(ob_suite *suite)
{
    if (suite == NULL)
        return;
    ob__index_fini(&suite->labels);
    free(suite->definitions);
    ob__arena_fini(&suite->arena);
    free(suite);
}

size_t ob_suite_definition_count(const ob_suite *suite)
{
    return suite->size;
}

/* ('a', 'b'), as the original shows labels. */
static bool append_label(ob_text *text, const char *const *label, size_t parts)
{
    bool ok = ob_text_append_str(text, "(");
    for (size_t i = 0; ok && i < parts; i++)
        ok = ob_text_printf(text, "%s'%s'", i > 0 ? ", " : "", label[i]);
    return ok && ob_text_append_str(text, parts == 1 ? ",)" : ")");
}

static ob_status refuse_duplicate(ob_suite *suite, const char *const *label, size_t parts,
                                  ob_err *err)
{
    ob_text text = {0};
    ob_status status = OB_ERR_NOMEM;
    char *kept = NULL;
    if (!append_label(&text, label, parts) || !ob__index_reserve(&suite->labels, 1)) {
        ob__snippet_no_memory(err);
    } else if (ob__index_find(&suite->labels, text.data, text.size) != OB__INDEX_NONE) {
        status =
            ob_err_set(err, OB_ERR_DUPLICATE, "duplicate key: %.*s", (int)text.size, text.data);
    } else if ((kept = ob__arena_strdup(&suite->arena, text.data, text.size)) == NULL) {
        ob__snippet_no_memory(err);
    } else {
        ob__index_put(&suite->labels, kept, text.size, (uint32_t)suite->size);
        status = OB_OK;
    }
    ob_text_fini(&text);
    return status;
}

/* NULL stays NULL. */
static bool copy_text(ob_arena *arena, const char *text, const char **out)
{
    *out = text == NULL ? NULL : ob__arena_strdup(arena, text, strlen(text));
    return text == NULL || *out != NULL;
}

static const char *const *copy_label(ob_arena *arena, const char *const *label, size_t parts)
{
    const char **copy = ob__arena_alloc_array(arena, parts + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < parts; i++)
        if (!copy_text(arena, label[i], &copy[i]))
            return NULL;
    return (const char *const *)copy;
}

static ob_status push(ob_suite *suite, const char *const *label, size_t parts,
                      const ob_definition *definition, ob_err *err)
{
    if (!OB_RESERVE(suite->definitions, suite->capacity, suite->size + 1))
        return ob__snippet_no_memory(err);
    ob_definition kept = *definition;
    kept.label = copy_label(&suite->arena, label, parts);
    kept.label_parts = parts;
    if (kept.label == NULL)
        return ob__snippet_no_memory(err);
    OB_TRY(refuse_duplicate(suite, label, parts, err));
    suite->definitions[suite->size++] = kept;
    return OB_OK;
}

/* ---- single snippets ---- */

static ob_status check_threads(int64_t threads, ob_err *err)
{
    return threads >= 1 && threads <= 4096
               ? OB_OK
               : ob_err_set(err, OB_ERR_CONFIG, "%lld threads; give 1 to 4096", (long long)threads);
}

ob_status ob_suite_add_timer(ob_suite *suite, const char *const *label, size_t parts,
                             const ob_timer_args *args, ob_err *err)
{
    ob_definition d = {.args = {.stmt = NULL}};
    OB_TRY(OB__TAKE(ob_timer_args, &d.args, args, err));
    ob_timer_args *own = &d.args;
    own->num_threads = own->num_threads == 0 ? 1 : own->num_threads;
    OB_TRY(check_threads(own->num_threads, err));
    if (own->stmt == NULL)
        return ob_err_set(err, OB_ERR_CONFIG, "there is no stmt");
    if (own->language == OB_LANGUAGE_PYTHON && own->global_setup != NULL &&
        own->global_setup[0] != '\0')
        return ob_err_set(err, OB_ERR_CONFIG, "Python has no global_setup; use setup");
    if (!copy_text(&suite->arena, own->stmt, &own->stmt) ||
        !copy_text(&suite->arena, own->setup != NULL ? own->setup : "pass", &own->setup) ||
        !copy_text(&suite->arena, own->global_setup != NULL ? own->global_setup : "",
                   &own->global_setup))
        return ob__snippet_no_memory(err);
    return push(suite, label, parts, &d, err);
}

/* ---- groups ---- */

static bool dedent_text(ob_arena *arena, const char *text, const char **out)
{
    *out = text == NULL ? NULL : ob__dedent(arena, text);
    return text == NULL || *out != NULL;
}

/* What stmts and modules have in common: setup, signature, threads. */
static ob_status start_group(ob_suite *suite, const ob_snippet_group *group, ob_definition *d,
                             ob_err *err)
{
    static const int64_t ONE = 1;
    *d = (ob_definition){
        .is_group = true, .torchscript = group->torchscript, .autograd = group->autograd};
    for (size_t i = 0; i < OB_LANGUAGE_COUNT; i++) {
        const char *code = group->setup.code[i], *global = group->setup.global_setup[i];
        if (!dedent_text(&suite->arena, code != NULL ? code : "", &d->setup.code[i]) ||
            !dedent_text(&suite->arena, global != NULL ? global : "", &d->setup.global_setup[i]))
            return ob__snippet_no_memory(err);
    }
    if (d->setup.global_setup[OB_LANGUAGE_PYTHON][0] != '\0')
        return ob_err_set(err, OB_ERR_CONFIG, "Python has no global setup; use its setup");
    if (group->signature != NULL)
        OB_TRY(ob__snippet_signature_parse(&suite->arena, group->signature, &d->signature, err));
    const bool given = group->num_threads != NULL;
    const int64_t *threads = given ? group->num_threads : &ONE;
    d->num_threads_count = given ? group->num_threads_count : 1;
    int64_t *copy = ob__arena_alloc_array(&suite->arena, d->num_threads_count, sizeof *copy);
    if (copy == NULL)
        return ob__snippet_no_memory(err);
    for (size_t i = 0; i < d->num_threads_count; i++) {
        OB_TRY(check_threads(threads[i], err));
        copy[i] = threads[i];
    }
    d->num_threads = copy;
    return OB_OK;
}

static ob_status finish_group(ob_suite *suite, const char *const *label, size_t parts,
                              const ob_definition *d, ob_err *err)
{
    const char *python = d->model_setup[OB_LANGUAGE_PYTHON];
    const char *cpp = d->model_setup[OB_LANGUAGE_CPP];
    if (d->autograd && d->signature.output == NULL)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "An output variable must be specified when `autograd=True`.");
    if (python != NULL && python[0] != '\0' && strstr(python, "model") == NULL)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "`py_model_setup` appears to be missing `model` definition.");
    if (cpp != NULL && cpp[0] != '\0' && strstr(cpp, "model") == NULL)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "`cpp_model_setup` appears to be missing `model` definition.");
    const char *c = d->model_setup[OB_LANGUAGE_C];
    if (c != NULL && strstr(c, "model") == NULL)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "the code in C defines no `model`, such as ob_op *model = "
                          "ob_op_prepare(...);");
    if (d->torchscript && (python == NULL || python[0] == '\0'))
        return ob_err_set(err, OB_ERR_CONFIG,
                          "a model in Python must be defined for `torchscript=True`.");
    return push(suite, label, parts, d, err);
}

/* "def model(a, b):", the statement, "return y". */
static ob_status derive_model(ob_suite *suite, ob_definition *d, ob_err *err)
{
    const char *stmt = d->stmt[OB_LANGUAGE_PYTHON];
    if (stmt == NULL)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "`py_stmt` must be defined in order to derive a model.");
    if (d->signature.args == NULL)
        return ob_err_set(err, OB_ERR_CONFIG, "signature is needed in order to derive a model.");
    const char *body = ob__indent(&suite->arena, stmt, "    ");
    ob_text text = {0};
    bool ok = body != NULL && ob_text_append_str(&text, "def model(");
    for (size_t i = 0; ok && i < d->signature.arg_count; i++)
        ok = ob_text_printf(&text, "%s%s", i > 0 ? ", " : "", d->signature.args[i]);
    ok = ok && ob_text_printf(&text, "):\n%s\n    return %s\n", body,
                              d->signature.output != NULL ? d->signature.output : "None");
    const char *model = ok ? ob__arena_strdup(&suite->arena, text.data, text.size) : NULL;
    ob_text_fini(&text);
    d->model_setup[OB_LANGUAGE_PYTHON] = model;
    return model != NULL ? OB_OK : ob__snippet_no_memory(err);
}

ob_status ob_suite_add_stmts(ob_suite *suite, const char *const *label, size_t parts,
                             const ob_snippet_group *group, ob_err *err)
{
    ob_snippet_group own;
    OB_TRY(OB__TAKE(ob_snippet_group, &own, group, err));
    group = &own;
    ob_definition d;
    OB_TRY(start_group(suite, group, &d, err));
    for (size_t i = 0; i < OB_LANGUAGE_COUNT; i++)
        if (!dedent_text(&suite->arena, group->code[i], &d.stmt[i]))
            return ob__snippet_no_memory(err);
    if (d.torchscript)
        OB_TRY(derive_model(suite, &d, err));
    return finish_group(suite, label, parts, &d, err);
}

ob_status ob_suite_add_modules(ob_suite *suite, const char *const *label, size_t parts,
                               const ob_snippet_group *group, ob_err *err)
{
    ob_snippet_group own;
    OB_TRY(OB__TAKE(ob_snippet_group, &own, group, err));
    group = &own;
    ob_definition d;
    OB_TRY(start_group(suite, group, &d, err));
    if (d.signature.args == NULL)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "signature is needed when initializing from model definitions.");
    for (int i = 0; i < OB_LANGUAGE_COUNT; i++) {
        const ob_language language = (ob_language)i;
        if (language == OB_LANGUAGE_C && group->code[i] == NULL)
            continue; /* as the original, which has C++ even without a model */
        d.stmt[i] = ob__call_model(&suite->arena, &d.signature, language, NULL);
        if (d.stmt[i] == NULL || !copy_text(&suite->arena, group->code[i], &d.model_setup[i]))
            return ob__snippet_no_memory(err);
    }
    return finish_group(suite, label, parts, &d, err);
}

/* ---- variants ---- */

static ob_status add_variant(ob_suite *suite, const char *const *label, size_t parts,
                             const ob_variant *variant, const ob_snippet_group *group, ob_err *err)
{
    enum { NUMBER_BYTES = 32 };
    char number[NUMBER_BYTES];
    const char **whole = ob__arena_alloc_array(&suite->arena, parts + 2, sizeof *whole);
    if (whole == NULL)
        return ob__snippet_no_memory(err);
    for (size_t i = 0; i < parts; i++)
        whole[i] = label[i];
    whole[parts++] = variant->label;
    if (variant->number >= 0) {
        snprintf(number, sizeof number, "Case: %2d", variant->number);
        whole[parts++] = number;
    }
    ob_snippet_group one = *group;
    for (size_t i = 0; i < OB_LANGUAGE_COUNT; i++)
        one.code[i] = variant->stmt[i];
    return ob_suite_add_stmts(suite, whole, parts, &one, err);
}

ob_status ob_suite_add_variants(ob_suite *suite, const char *const *label, size_t parts,
                                const ob_snippet_group *group, ob_err *err)
{
    ob_snippet_group own;
    OB_TRY(OB__TAKE(ob_snippet_group, &own, group, err));
    group = &own;
    ob_variants variants;
    if (group->signature != NULL || group->torchscript || group->autograd)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "variants have no signature, torchscript or autograd; use stmts");
    OB_TRY(ob__variants_parse(&suite->arena, group->code, &variants, err));
    const ob_snippet_group shared = {.size = sizeof shared,
                                     .setup = variants.setup,
                                     .num_threads = group->num_threads,
                                     .num_threads_count = group->num_threads_count};
    for (size_t i = 0; i < variants.count; i++)
        OB_TRY(add_variant(suite, label, parts, &variants.items[i], &shared, err));
    return OB_OK;
}
