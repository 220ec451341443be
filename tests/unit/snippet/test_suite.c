/* SPDX-License-Identifier: Apache-2.0
 *
 * Suites in YAML: labels, shared setups, C beside the others, and what is refused where.
 */
#include "check.h"

#include "opbench/snippet.h"
#include "snippet/lines.h"

#include <stdlib.h>

static ob_suite *parse(const char *yaml)
{
    ob_suite *suite = NULL;
    ob_err err = {0};
    CHECK_INT(ob_suite_parse("s.yaml", yaml, strlen(yaml), &suite, &err), OB_OK);
    CHECK_STR(err.message, "");
    return suite;
}

static void check_snippet(const ob_snippets *all, size_t index, const char *key, const char *stmt,
                          const char *setup)
{
    const ob_snippet *s = ob_snippets_at(all, index);
    char *got = NULL;
    CHECK(s != NULL);
    if (s == NULL)
        return;
    CHECK_INT(ob_snippet_key(s, &got, NULL), OB_OK);
    CHECK_STR(got, key);
    CHECK_STR(s->args.stmt, stmt);
    CHECK_STR(s->args.setup, setup);
    free(got);
}

#define KEY(label, language)                                                                       \
    "{\"label\": [" label "], \"autolabels\": {\"runtime\": \"Eager\", \"autograd\": "             \
    "\"Forward\", \"language\": \"" language "\"}, \"num_threads\": 1}"

/* C is one more language, eager and forward only, and does not change the hash. */
static void three_languages(void)
{
    static const char WITH_C[] =
        "setups:\n  s: {python: x = 1, c: int x = 1;, c_global_setup: '#include <a.h>'}\n"
        "definitions:\n  a:\n    ~:\n      b:\n        stmts:\n          python: y = x\n"
        "          c: int y = x;\n          setup: s\n          signature: f(x) -> y\n"
        "          torchscript: true\n          autograd: true\n"
        "  \"\xc3\xa9\\\"\":\n    variants:\n"
        "      python: \"# @v\\nf\\n\\ng\"\n      c: \"// @v\\nh;\\nk;\"\n";
    ob_suite *suite = parse(WITH_C);
    ob_snippets *all = NULL;
    CHECK_INT(ob_suite_expand(suite, NULL, &all, NULL), OB_OK);
    CHECK_INT(ob_suite_definition_count(suite), 4);
    CHECK_INT(ob_snippets_count(all), 11);
    check_snippet(all, 0, KEY("\"a\", \"b\"", "Python"), "y = x",
                  "x = 1\ndef model(x):\n    y = x\n    return y\n");
    check_snippet(all, 1, KEY("\"a\", \"b\"", "C"), "int y = x;", "int x = 1;");
    CHECK_STR(ob_snippets_at(all, 1)->args.global_setup, "#include <a.h>");
    CHECK_STR(ob_snippets_at(all, 3)->model_path, "TorchScript_models/torchscript_a_b_0.pt");
    check_snippet(all, 7, KEY("\"\\u00e9\\\"\", \"v\", \"Case:  0\"", "Python"), "f", "\n");
    check_snippet(all, 8, KEY("\"\\u00e9\\\"\", \"v\", \"Case:  0\"", "C"), "h;", "");
    check_snippet(all, 9, KEY("\"\\u00e9\\\"\", \"v\", \"Case:  1\"", "C"), "k;", "");
    check_snippet(all, 10, KEY("\"\\u00e9\\\"\", \"v\", \"Case:  2\"", "Python"), "g", "\n");
    ob_snippets_destroy(all);
    ob_suite_destroy(suite);
}

/* What the original parsed and dropped. */
static void global_setup(void)
{
    ob_suite *suite = parse("definitions: {a: {variants: {c++: \"// @Global Setup\\n#include "
                            "<x>\\n// @setup\\nint i;\\n// @n\\ni++;\"}}}");
    ob_snippets *all = NULL;
    CHECK_INT(ob_suite_expand(suite, NULL, &all, NULL), OB_OK);
    CHECK_INT(ob_snippets_count(all), 1);
    CHECK_STR(ob_snippets_at(all, 0)->args.global_setup, "#include <x>");
    CHECK_STR(ob_snippets_at(all, 0)->args.setup, "int i;\n");
    ob_snippets_destroy(all);
    ob_suite_destroy(suite);
}

/* Threads given twice count once in the hash. */
static void repeated_threads(void)
{
    char once[OB_MD5_TEXT], twice[OB_MD5_TEXT];
    ob_suite *one = parse("definitions: {a: {stmts: {python: x, num_threads: [1, 2]}}}");
    ob_suite *two = parse("definitions: {a: {stmts: {python: x, num_threads: [1, 2, 1]}}}");
    ob_snippets *first = NULL, *second = NULL;
    CHECK_INT(ob_suite_expand(one, NULL, &first, NULL), OB_OK);
    CHECK_INT(ob_suite_expand(two, NULL, &second, NULL), OB_OK);
    CHECK_INT(ob_snippets_count(second), 3);
    CHECK_INT(ob_snippets_md5(first, once, NULL), OB_OK);
    CHECK_INT(ob_snippets_md5(second, twice, NULL), OB_OK);
    CHECK_STR(twice, once);
    ob_snippets_destroy(first);
    ob_snippets_destroy(second);
    ob_suite_destroy(one);
    ob_suite_destroy(two);
}

static void refused(void)
{
    static const struct {
        const char *yaml, *message;
        uint32_t line;
    } CASES[] = {
        {"a: 1", "unknown key 'a'; a suite has setups and definitions", 1},
        {"setups: {}", "a suite must be a mapping with definitions:", 1},
        {"definitions:\n  a: 3", "a definition must be a mapping with the key", 2},
        {"definitions:\n  a:\n    stmts: {pyhton: x}", "unknown key 'pyhton'; give one of python",
         3},
        {"definitions:\n  a:\n    stmts:\n      python: 3",
         "python is code, so it must be a string;", 4},
        {"definitions:\n  a:\n    stmts:\n      setup: s", "there is no setup 's'", 4},
        {"definitions: {}\nsetups: {s: {q: x}}", "unknown key 'q'", 2},
        {"definitions: {}", "definitions is empty;", 1},
        {"definitions:\n  a: {b: {}}", "definitions is empty;", 2},
        {"definitions: {a: {stmts: {autograd: 1}}}", "autograd must be true or false", 1},
        {"definitions: {a: {stmts: {num_threads: 0}}}", "num_threads must be a whole number", 1},
        {"definitions: {a: {stmts: {num_threads: []}}}", "num_threads has 0 numbers", 1},
        {"definitions: {a: {timer: {stmt: x, language: java}}}", "Invalid language `java`", 1},
        {"definitions: {a: {timer: {setup: x}}}", "there is no stmt", 1},
        {"definitions: {a: {timer: {stmt: x, global_setup: y}}}", "Python has no global_setup", 1},
        {"definitions: {a: {timer: {stmt: x, num_threads: [1, 2]}}}", "only one thread count", 1},
        {"definitions: {a: {modules: {python: model}}}", "signature is needed when", 1},
        {"definitions: {a: {modules: {python: x, signature: f() -> y}}}",
         "`py_model_setup` appears to be missing `model` definition.", 1},
        {"definitions: {a: {modules: {c++: model, signature: f() -> y, torchscript: true}}}",
         "a model in Python must be defined", 1},
        {"definitions: {a: {stmts: {python: x, torchscript: true}}}",
         "signature is needed in order to derive a model.", 1},
        {"definitions:\n  a:\n    b: {stmts: {python: x}}\n    ~:\n      b: {stmts: {python: x}}",
         "duplicate key: ('a', 'b')", 5},
        {"definitions: {a: {stmts: {columns: x}}}", "statements in columns need a heading", 1},
        {"definitions: {a: {variants: {python: '', signature: f() -> y}}}",
         "unknown key 'signature'", 1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_suite *suite = NULL;
        ob_err err = {0};
        const ob_status status =
            ob_suite_parse("s.yaml", CASES[i].yaml, strlen(CASES[i].yaml), &suite, &err);
        CHECK(status == OB_ERR_CONFIG || status == OB_ERR_DUPLICATE || status == OB_ERR_INVALID);
        CHECK(suite == NULL);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_INT(err.line, CASES[i].line);
        CHECK_STR(err.file, "s.yaml");
    }
    ob_suite *suite = parse("definitions: {a: {stmts: {c: x}}}");
    ob_snippets *all = NULL;
    const ob_expand_options options = {.size = sizeof options, .models_dir = "a\"b"};
    CHECK_INT(ob_suite_expand(suite, &options, &all, NULL), OB_ERR_INVALID);
    ob_suite_destroy(suite);
}

/* A block of YAML ends with a newline. */
static void signature_in_a_block(void)
{
    ob_suite *suite = parse("definitions:\n  m:\n    stmts:\n      python: y = x\n"
                            "      signature: |\n        f(x) -> y\n      autograd: true\n");
    ob_snippets *all = NULL;
    CHECK_INT(ob_suite_expand(suite, NULL, &all, NULL), OB_OK);
    CHECK_INT(ob_snippets_count(all), 2);
    CHECK_STR(ob_snippets_at(all, 1)->args.stmt, "y = x\ny.backward()");
    ob_snippets_destroy(all);
    ob_suite_destroy(suite);
}

/* A model in C is a prepared operator; it has no TorchScript. */
static void modules_in_c(void)
{
    static const char PREPARE[] = "ob_op *model = ob_op_prepare(\"torch.relu\", \"f32[1]\");";
    ob_suite *suite = parse("definitions:\n  m:\n    modules:\n"
                            "      python: model = f\n"
                            "      c: 'ob_op *model = ob_op_prepare(\"torch.relu\", \"f32[1]\");'\n"
                            "      setup: {c: int k = 1;}\n"
                            "      signature: f(x) -> y\n"
                            "      torchscript: true\n");
    ob_snippets *all = NULL;
    const ob_language c = OB_LANGUAGE_C;
    const ob_expand_options options = {.size = sizeof options, .only = &c};
    char setup[256], md5[OB_MD5_TEXT];
    CHECK_INT(ob_suite_expand(suite, &options, &all, NULL), OB_OK);
    CHECK_INT(ob_snippets_count(all), 1);
    snprintf(setup, sizeof setup, "int k = 1;\n%s", PREPARE);
    check_snippet(all, 0, KEY("\"m\"", "C"), "ob_op_call(model);", setup);
    CHECK_INT(ob_snippets_md5(all, md5, NULL), OB_OK);
    CHECK_STR(md5, "none"); /* nothing of the original's */
    ob_snippets_destroy(all);
    ob_suite_destroy(suite);
    ob_err err;
    static const char NO_MODEL[] = "definitions: {m: {modules: {c: int x;, signature: f(x) -> y}}}";
    CHECK_INT(ob_suite_parse("s.yaml", NO_MODEL, strlen(NO_MODEL), &suite, &err), OB_ERR_CONFIG);
    CHECK_HAS(err.message, "the code in C defines no `model`");
}

static void names(void)
{
    ob_suite *suite = parse("definitions:\n"
                            "  a: {b: {stmts: {python: x, c: x;, num_threads: [1, 2]}}}\n"
                            "  t: {timer: {stmt: x}}\n");
    static const struct {
        const char *part;
        size_t count;
        const char *first;
    } CASES[] = {
        {NULL, 5, "a / b  Eager, Forward  Python, 1 thread"},
        {"C, 2 threads", 1, "a / b  Eager, Forward  C, 2 threads"},
        {"t  Python, 1 thread", 1, "t  Python, 1 thread"},
        {"a / b", 4, "a / b  Eager, Forward  Python, 1 thread"},
        {"c", 0, NULL},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const ob_expand_options options = {.size = sizeof options, .name_part = CASES[i].part};
        ob_snippets *all = NULL;
        char *name = NULL;
        CHECK_INT(ob_suite_expand(suite, &options, &all, NULL), OB_OK);
        CHECK_INT(ob_snippets_count(all), CASES[i].count);
        if (CASES[i].count > 0)
            CHECK_INT(ob_snippet_name(ob_snippets_at(all, 0), &name, NULL), OB_OK);
        CHECK_STR(name, CASES[i].first);
        free(name);
        ob_snippets_destroy(all);
    }
    ob_suite_destroy(suite);
}

/* textwrap's rules: tabs and blanks are different, blank lines are emptied but kept. */
static void lines(void)
{
    ob_arena arena;
    ob__arena_init(&arena, 0);
    CHECK_STR(ob__dedent(&arena, "  a\n    b\n   \n  c\n "), "a\n  b\n\nc\n");
    CHECK_STR(ob__dedent(&arena, "\ta\n  b"), "\ta\n  b");
    CHECK_STR(ob__dedent(&arena, " \t a\n \tb"), " a\nb");
    CHECK_STR(ob__dedent(&arena, ""), "");
    CHECK_STR(ob__indent(&arena, "a\n\n b\n", "  "), "  a\n\n   b\n");
    CHECK_STR(ob__strip(&arena, " \n a b \t\n"), "a b");
    ob__arena_fini(&arena);
}

int main(void)
{
    RUN(three_languages);
    RUN(global_setup);
    RUN(repeated_threads);
    RUN(refused);
    RUN(signature_in_a_block);
    RUN(modules_in_c);
    RUN(names);
    RUN(lines);
    return ob_test_end();
}
