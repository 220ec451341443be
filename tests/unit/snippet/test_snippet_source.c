/* SPDX-License-Identifier: Apache-2.0
 *
 * The source that a snippet is compiled as: the user's lines with their own numbers, and the task that a record has.
 */
#include "check.h"

#include "snippet/snippet_build.h"

#include <stdlib.h>

static ob_arena arena;
static ob_manifests *manifests;

static ob_snippet_source source_of(const ob_timer_args *args)
{
    ob_snippet_source source = {.text = NULL};
    CHECK_INT(ob__snippet_source(&arena, manifests, args, &source, NULL), OB_OK);
    return source;
}

/* How often the text has it. */
static int times(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

static void c(void)
{
    const ob_snippet_source source = source_of(&(ob_timer_args){.stmt = "\n    a();\n      b();\n",
                                                                .setup = "int x = 1;",
                                                                .global_setup = "#include <a.h>",
                                                                .language = OB_LANGUAGE_C});
    CHECK_INT(source.language, OB_LANGUAGE_C);
    CHECK(source.with == NULL);
    CHECK_STR(source.flags[0], "-std=gnu17");
    /* One newline before the text is left out, but it was a line. */
    CHECK_HAS(source.text, "#line 2 \"stmt\"\na();\n  b();\n}\n#line 1 \"opbench\"\n");
    CHECK_HAS(source.text, "#line 1 \"setup\"\nint x = 1;\nwhile\n");
    CHECK_HAS(source.text, "#line 1 \"global setup\"\n#include <a.h>\nstruct ob_snippet_tensor\n");
    CHECK_HAS(source.text, "#define ob_op_call(op)");
    CHECK_INT(times(source.text, "a();"), 1);
    CHECK_INT(times(source.text, "try {"), 0);
    CHECK_INT(times(source.text, "extern \"C\""), 0);
}

static void cpp(void)
{
    const ob_snippet_source source =
        source_of(&(ob_timer_args){.stmt = "f();", .setup = "pass", .language = OB_LANGUAGE_CPP});
    CHECK(source.with == NULL);
    CHECK_STR(source.flags[0], "-std=gnu++17");
    /* "pass" is what a Timer has without a setup. */
    CHECK_HAS(source.text, "#line 1 \"setup\"\n\nwhile\n");
    CHECK_HAS(source.text, "extern \"C\" void ob_snippet_entry(");
    CHECK_HAS(source.text, "} catch (const std::exception &ob_snippet_e) {\n");
    CHECK_INT(times(source.text, "ob_op_call"), 0);
    CHECK_INT(times(source.text, "set_num_threads"), 0);
}

/* A library whose names the code mentions, in any of its texts; in C++ only. */
static void libraries(void)
{
    static const struct {
        ob_timer_args args;
        const char *with;
    } ROWS[] = {
        {{.stmt = "torch::ones({1});", .language = OB_LANGUAGE_CPP}, "torch"},
        {{.stmt = "x;", .setup = "auto x = at::ones({1});", .language = OB_LANGUAGE_CPP}, "torch"},
        {{.stmt = "x;", .global_setup = "using c10::Scalar;", .language = OB_LANGUAGE_CPP},
         "torch"},
        {{.stmt = "cat();", .language = OB_LANGUAGE_CPP}, NULL},
        {{.stmt = "torch();", .language = OB_LANGUAGE_C}, NULL},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const ob_snippet_source source = source_of(&ROWS[i].args);
        CHECK_STR(source.with != NULL ? source.with->name : "",
                  ROWS[i].with != NULL ? "torch" : "");
        CHECK_INT(times(source.text, "at::set_num_threads((int)ob_snippet_host_->threads);\n"),
                  ROWS[i].with != NULL);
    }
}

static void normalised(void)
{
    static const struct {
        const char *text, *want;
        int line;
    } ROWS[] = {
        {"x", "x", 1}, {"  x \n\t\n", "x", 1}, {"\n  x\n    y", "x\n  y", 2}, {"\n\nx", "\nx", 2},
        {"", "", 1},   {" \n ", "", 2},        {"\tx\n  y", "\tx\n  y", 1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        int line = 0;
        CHECK_STR(ob__snippet_normalise(&arena, ROWS[i].text, &line), ROWS[i].want);
        CHECK_INT(line, ROWS[i].line);
    }
}

static void tasks(void)
{
    const ob_task_spec given = {
        .stmt = "\n  x\n", .setup = "  y", .label = "  l", .description = "d", .num_threads = 3};
    ob_task_spec task;
    CHECK_INT(ob__snippet_task(&arena, &given, &task, NULL), OB_OK);
    CHECK_STR(task.stmt, "x");
    CHECK_STR(task.setup, "y");
    CHECK(task.global_setup == NULL);
    CHECK_STR(task.label, "  l"); /* names are the user's */
    CHECK_STR(task.description, "d");
    CHECK_INT(task.num_threads, 3);
}

int main(void)
{
    ob__arena_init(&arena, 0);
    CHECK_INT(ob_manifests_open("/nowhere", &manifests, NULL), OB_OK);
    RUN(c);
    RUN(cpp);
    RUN(libraries);
    RUN(normalised);
    RUN(tasks);
    ob_manifests_destroy(manifests);
    ob__arena_fini(&arena);
    return ob_test_end();
}
