/* SPDX-License-Identifier: Apache-2.0
 *
 * What PyTorch's instruction counts made of signatures, columns, blocks and groups, and its standard set
 * (tests/golden/torch/instruction_counts.json).
 * Changed on purpose: a global setup is kept, and models have numbers instead of random names.
 */
#include "check.h"
#include "opbench/suite_run.h"
#include "snippet/core_pool.h"

#include <ctype.h>
#include <stdlib.h>

#define GOLDENS OB_SOURCE_DIR "/tests/golden/torch/"

static const char *text_of(const ob_json *object, const char *key)
{
    return ob_json_string(ob_json_get(object, key), NULL);
}

/* NULL when the case expects no error. */
static const char *wanted_error(const ob_json *c)
{
    const ob_json *error = ob_json_get(ob_json_get(c, "expect"), "error");
    return error == NULL ? NULL : ob_json_string(ob_json_item(error, 1), NULL);
}

static void check_signature(const ob_json *c)
{
    ob_json_doc *doc = NULL;
    ob_json *args = NULL, *output = NULL;
    ob_err err = {0};
    CHECK_INT(ob_json_doc_create(&doc, NULL), OB_OK);
    const ob_status status = ob_signature_parse(text_of(c, "input"), doc, &args, &output, &err);
    if (wanted_error(c) != NULL) {
        CHECK_INT(status, OB_ERR_CONFIG);
        CHECK_STR(err.message, wanted_error(c));
    } else {
        const ob_json *want = ob_json_get(ob_json_get(c, "expect"), "value");
        const ob_json *want_args = ob_json_item(want, 0);
        CHECK_INT(status, OB_OK);
        CHECK_INT(ob_json_count(args), ob_json_count(want_args));
        for (size_t i = 0; i < ob_json_count(want_args); i++)
            CHECK_STR(ob_json_string(ob_json_item(args, i), NULL),
                      ob_json_string(ob_json_item(want_args, i), NULL));
        CHECK_STR(ob_json_string(output, NULL), ob_json_string(ob_json_item(want, 1), NULL));
    }
    ob_json_doc_destroy(doc);
}

static void check_columns(const ob_json *c)
{
    char *python = NULL, *cpp = NULL;
    ob_err err = {0};
    const ob_status status = ob_stmts_parse(text_of(c, "input"), &python, &cpp, &err);
    if (wanted_error(c) != NULL) {
        CHECK_INT(status, OB_ERR_CONFIG);
        CHECK_STR(err.message, wanted_error(c));
    } else {
        const ob_json *want = ob_json_get(ob_json_get(c, "expect"), "value");
        CHECK_INT(status, OB_OK);
        CHECK_STR(python, ob_json_string(ob_json_item(want, 0), NULL));
        CHECK_STR(cpp, ob_json_string(ob_json_item(want, 1), NULL));
    }
    free(python);
    free(cpp);
}

/* ---- blocks ---- */

/* The snippet of a label in a language, or NULL. */
static const ob_snippet *find_snippet(const ob_snippets *all, const ob_json *label,
                                      ob_language language)
{
    for (size_t i = 0; i < ob_snippets_count(all); i++) {
        const ob_snippet *s = ob_snippets_at(all, i);
        bool same = s->args.language == language && s->label_parts == ob_json_count(label);
        for (size_t k = 0; same && k < s->label_parts; k++)
            same = strcmp(s->label[k], ob_json_string(ob_json_item(label, k), NULL)) == 0;
        if (same)
            return s;
    }
    return NULL;
}

static void check_variants(const ob_json *c)
{
    const ob_snippet_group group = {.size = sizeof group,
                                    .code = {[OB_LANGUAGE_PYTHON] = text_of(c, "py_block"),
                                             [OB_LANGUAGE_CPP] = text_of(c, "cpp_block")}};
    ob_suite *suite = NULL;
    ob_snippets *all = NULL;
    ob_err err = {0};
    CHECK_INT(ob_suite_create(&suite, NULL), OB_OK);
    const ob_status status = ob_suite_add_variants(suite, NULL, 0, &group, &err);
    if (wanted_error(c) != NULL) {
        CHECK_INT(status, OB_ERR_CONFIG);
    } else {
        const ob_json *want = ob_json_get(ob_json_get(c, "expect"), "value");
        CHECK_INT(status, OB_OK);
        CHECK_INT(ob_suite_definition_count(suite), ob_json_count(want));
        CHECK_INT(ob_suite_expand(suite, NULL, &all, NULL), OB_OK);
        for (size_t i = 0; i < ob_json_count(want); i++) {
            const ob_json *row = ob_json_item(want, i);
            for (size_t k = 0; k < 2; k++) {
                const ob_snippet *s = find_snippet(all, ob_json_item(row, 0), (ob_language)k);
                CHECK_STR(s == NULL ? NULL : s->args.stmt,
                          ob_json_string(ob_json_item(row, 1 + k), NULL));
            }
        }
    }
    ob_snippets_destroy(all);
    ob_suite_destroy(suite);
}

/* ---- groups ---- */

static const char PY_SETUP[] = "x = torch.ones((4, 4))\nw = torch.ones((4, 4), requires_grad=True)";
static const char CPP_SETUP[] = "auto x = torch::ones({4, 4});";
static const int64_t ONE_AND_TWO[] = {1, 2};

static const ob_grouped_setup SETUP = {
    .code = {[OB_LANGUAGE_PYTHON] = PY_SETUP, [OB_LANGUAGE_CPP] = CPP_SETUP}};

/* The definitions behind the recorded expansions and errors, by their names. */
static ob_status define(ob_suite *suite, const char *name, ob_err *err)
{
    static const char *const E[] = {"e"}, *const C[] = {"c"}, *const M[] = {"m"},
                             *const P_Q[] = {"p", "q"};
    static const ob_timer_args ARGS[] = {
        {.size = sizeof *ARGS, .stmt = "y = x - 5", .setup = "x = 1", .num_threads = 3},
        {.size = sizeof *ARGS, .stmt = "y;", .language = OB_LANGUAGE_CPP}};
    ob_snippet_group group = {.size = sizeof group, .setup = SETUP, .signature = "f(x, w) -> y"};
    group.code[OB_LANGUAGE_PYTHON] = "y = x * w";
    group.code[OB_LANGUAGE_CPP] = "auto y = x * w;";
    if (strcmp(name, "explicit") == 0) {
        OB_TRY(ob_suite_add_timer(suite, E, 1, &ARGS[0], err));
        return ob_suite_add_timer(suite, C, 1, &ARGS[1], err);
    }
    if (strcmp(name, "stmts_full") == 0) {
        group.torchscript = group.autograd = true;
        group.num_threads = ONE_AND_TWO;
        group.num_threads_count = 2;
        return ob_suite_add_stmts(suite, P_Q, 2, &group, err);
    }
    if (strcmp(name, "model") == 0) {
        group.code[OB_LANGUAGE_PYTHON] = "model = torch.nn.Linear(4, 2)";
        group.code[OB_LANGUAGE_CPP] = "auto model = torch::nn::Linear(4, 2);";
        group.signature = "f(x) -> y";
        group.torchscript = group.autograd = true;
        return ob_suite_add_modules(suite, M, 1, &group, err);
    }
    if (strcmp(name, "model_no_output") == 0) {
        group.code[OB_LANGUAGE_PYTHON] = "model = f";
        group.code[OB_LANGUAGE_CPP] = NULL;
        group.signature = "f(x, w) -> None";
        group.torchscript = true;
        return ob_suite_add_modules(suite, M, 1, &group, err);
    }
    if (strcmp(name, "autograd_without_output") == 0)
        group.signature = NULL;
    if (strcmp(name, "autograd_output_None") == 0)
        group.signature = "f(x) -> None";
    group.autograd = strncmp(name, "autograd", 8) == 0;
    group.torchscript = strcmp(name, "torchscript_cpp_only") == 0;
    if (group.torchscript)
        group.code[OB_LANGUAGE_PYTHON] = NULL;
    return ob_suite_add_stmts(suite, M, 1, &group, err);
}

static void check_error(const ob_json *c)
{
    const char *name = text_of(c, "name");
    ob_suite *suite = NULL;
    ob_err err = {0};
    if (strcmp(name, "bad_value") == 0) {
        CHECK_INT(ob_suite_parse("x", "definitions: {a: 3}", 19, &suite, &err), OB_ERR_CONFIG);
        CHECK_HAS(err.message, "a definition must be a mapping");
        return;
    }
    CHECK_INT(ob_suite_create(&suite, NULL), OB_OK);
    CHECK_INT(define(suite, name, &err), OB_ERR_CONFIG);
    CHECK_STR(err.message, wanted_error(c));
    ob_suite_destroy(suite);
}

/* got with the path of our model replaced by the recorded one. */
static void check_text(const char *got, const char *path, const char *want)
{
    static const char THEIRS[] = "/T/model.pt";
    char text[4096];
    const char *found = path == NULL ? NULL : strstr(got, path);
    if (found == NULL)
        snprintf(text, sizeof text, "%s", got);
    else
        snprintf(text, sizeof text, "%.*s%s%s", (int)(found - got), got, THEIRS,
                 found + strlen(path));
    CHECK_STR(text, want);
}

static void check_item(const ob_snippet *s, const ob_json *want)
{
    const ob_json *label = ob_json_get(want, "label"), *labels = ob_json_get(want, "autolabels");
    CHECK_INT(s->label_parts, ob_json_count(label));
    for (size_t i = 0; i < s->label_parts; i++)
        CHECK_STR(s->label[i], ob_json_string(ob_json_item(label, i), NULL));
    CHECK_STR(s->runtime, text_of(labels, "runtime"));
    CHECK_STR(s->autograd, text_of(labels, "autograd"));
    CHECK_STR(ob_language_label(s->args.language), text_of(labels, "language"));
    CHECK_INT(s->args.num_threads, ob_json_int(ob_json_get(want, "num_threads"), -1));
    check_text(s->args.stmt, s->model_path, text_of(want, "stmt"));
    check_text(s->args.setup, s->model_path, text_of(want, "setup"));
    CHECK_STR(s->args.global_setup, text_of(want, "global_setup"));
}

static void check_expansion(const ob_json *c)
{
    const ob_json *expect = ob_json_get(c, "expect"), *items = ob_json_get(expect, "items");
    const ob_json *models = ob_json_get(expect, "torchscript_sources");
    ob_suite *suite = NULL;
    ob_snippets *all = NULL;
    ob_err err = {0};
    CHECK_INT(ob_suite_create(&suite, NULL), OB_OK);
    CHECK_INT(define(suite, text_of(c, "name"), &err), OB_OK);
    CHECK_STR(err.message, "");
    const ob_expand_options options = {.size = sizeof options, .models_dir = "/T"};
    CHECK_INT(ob_suite_expand(suite, &options, &all, NULL), OB_OK);
    CHECK_INT(ob_snippets_count(all), ob_json_count(items));
    for (size_t i = 0; i < ob_json_count(items) && i < ob_snippets_count(all); i++) {
        const ob_snippet *s = ob_snippets_at(all, i);
        check_item(s, ob_json_item(items, i));
        if (s->model_source != NULL)
            CHECK_STR(s->model_source, ob_json_string(ob_json_item(models, 0), NULL));
    }
    ob_snippets_destroy(all);
    ob_suite_destroy(suite);
}

/* ---- the standard set ---- */

/* Equal but for blanks at the ends of the whole text. */
static void check_stripped(const char *got, const char *want)
{
    size_t length = got == NULL ? 0 : strlen(got);
    while (length > 0 && isspace((unsigned char)got[length - 1]))
        length--;
    char text[2048];
    snprintf(text, sizeof text, "%.*s", (int)length, got == NULL ? "" : got);
    CHECK_STR(got == NULL ? NULL : text, want);
}

static void check_standard(const ob_json *c)
{
    ob_suite *suite = NULL;
    ob_snippets *all = NULL;
    ob_err err = {0};
    char md5[OB_MD5_TEXT];
    CHECK_INT(ob_suite_read(OB_SOURCE_DIR "/examples/suites/standard.yaml", &suite, &err), OB_OK);
    CHECK_STR(err.message, "");
    if (suite == NULL)
        return;
    CHECK_INT(ob_suite_definition_count(suite), ob_json_int(ob_json_get(c, "n_definitions"), 0));
    CHECK_INT(ob_suite_expand(suite, NULL, &all, NULL), OB_OK);
    CHECK_INT(ob_snippets_md5(all, md5, NULL), OB_OK);
    CHECK_STR(md5, text_of(c, "md5"));

    const ob_json *keys = ob_json_get(c, "keys");
    size_t number = 0;
    for (size_t i = 0; i < ob_snippets_count(all); i++) {
        char *key = NULL;
        if (ob_snippets_at(all, i)->args.language == OB_LANGUAGE_C)
            continue;
        CHECK_INT(ob_snippet_key(ob_snippets_at(all, i), &key, NULL), OB_OK);
        CHECK_STR(key, ob_json_string(ob_json_item(keys, number++), NULL));
        free(key);
    }
    CHECK_INT(number, ob_json_int(ob_json_get(c, "n_items"), 0));

    const ob_json *definitions = ob_json_get(c, "definitions");
    for (size_t i = 0; i < ob_json_count(definitions); i++) {
        const ob_json *d = ob_json_item(definitions, i);
        for (size_t k = 0; k < 2; k++) {
            const ob_snippet *s = find_snippet(all, ob_json_item(d, 0), (ob_language)k);
            check_stripped(s == NULL ? NULL : s->args.stmt,
                           ob_json_string(ob_json_item(d, 1 + k), NULL));
        }
    }
    ob_snippets_destroy(all);
    ob_suite_destroy(suite);
}

/* ---- running ---- */

/* Keys are "2" or "3-4". */
static void check_core_pool(const ob_json *c)
{
    const ob_json *trace = ob_json_get(c, "trace");
    ob_core_pool *pool = NULL;
    CHECK_INT(ob__core_pool_create((int)ob_json_int(ob_json_get(c, "min"), -1),
                                   (int)ob_json_int(ob_json_get(c, "max"), -1), &pool, NULL),
              OB_OK);
    for (size_t i = 0; i < ob_json_count(trace); i++) {
        const ob_json *step = ob_json_item(trace, i);
        const ob_json *what = ob_json_item(step, 1);
        if (strcmp(ob_json_string(ob_json_item(step, 0), NULL), "release") == 0) {
            int first = -1, last = -1;
            if (sscanf(ob_json_string(what, NULL), "%d-%d", &first, &last) == 1)
                last = first;
            ob__core_pool_release(pool, first, last - first + 1);
            continue;
        }
        const int count = (int)ob_json_int(what, 0);
        int core = -1;
        char key[32];
        const bool got = ob__core_pool_reserve(pool, count, &core);
        snprintf(key, sizeof key, count == 1 ? "%d" : "%d-%d", core, core + count - 1);
        CHECK_STR(got ? key : NULL, ob_json_string(ob_json_item(step, 2), NULL));
    }
    ob__core_pool_destroy(pool);
}

/* ---- */

typedef struct kind {
    const char *name;
    void (*check)(const ob_json *c); /* NULL = not here */
    size_t want;
} kind;

static const kind KINDS[] = {
    {"signature", check_signature, 10},  {"parse_stmts", check_columns, 4},
    {"variants", check_variants, 6},     {"error", check_error, 4},
    {"materialize", check_expansion, 4}, {"standard", check_standard, 1},
    {"core_pool", check_core_pool, 1},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static void goldens(void)
{
    ob_json_doc *doc = NULL;
    size_t seen[KIND_COUNT] = {0};
    CHECK_INT(ob_json_parse_file(GOLDENS "instruction_counts.json", NULL, &doc, NULL), OB_OK);
    const ob_json *cases = doc == NULL ? NULL : ob_json_get(ob_json_doc_root(doc), "cases");
    for (size_t i = 0; i < ob_json_count(cases); i++) {
        const ob_json *c = ob_json_item(cases, i);
        for (size_t k = 0; k < KIND_COUNT; k++)
            if (strcmp(KINDS[k].name, text_of(c, "kind")) == 0 && KINDS[k].check != NULL) {
                KINDS[k].check(c);
                seen[k]++;
            }
    }
    for (size_t k = 0; k < KIND_COUNT; k++)
        CHECK_INT(seen[k], KINDS[k].want);
    ob_json_doc_destroy(doc);
}

int main(void)
{
    RUN(goldens);
    return ob_test_end();
}
