/* SPDX-License-Identifier: Apache-2.0
 *
 * The source of a compiled snippet. The loop is around the statement, in the same function as the setup, so
 * that nothing is called per run; the statement stands in it once, so that a compiler complains once. User
 * code is pasted between #line directives, never substituted into anything, so it arrives untouched.
 */
#include "base/text_append.h"
#include "snippet/lines.h"
#include "snippet/snippet_build.h"
#include "snippet/suite_int.h"

#include <ctype.h>

/* Flags are the same for all snippets of a language. -w: warnings about unused values would hide the
 * rest; -g1: names and lines, for callgrind; -gdwarf-4: from DWARF 5 valgrind names files by the folder of the
 * compilation, which is another one each time. */
static const char *const C_FLAGS[] = {"-std=gnu17", "-O2", "-gdwarf-4", "-g1", "-w", "-fPIC", NULL};
static const char *const CPP_FLAGS[] = {"-std=gnu++17", "-O2",   "-gdwarf-4", "-g1",
                                        "-w",           "-fPIC", "-shared",   NULL};

static const char HEADERS[OB_LANGUAGE_COUNT][256] = {
    [OB_LANGUAGE_C] = "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n"
                      "#include <stdlib.h>\n#include <string.h>\n",
    [OB_LANGUAGE_CPP] = "#include <cmath>\n#include <cstdint>\n#include <cstdio>\n"
                        "#include <exception>\n#include <string>\n#include <vector>\n",
};

static const char HOST[] =
    " {\n"
    "    void *data;\n"
    "    const char *dtype;\n"
    "    int ndim;\n"
    "    int64_t numel, sizes[16], strides[16];\n"
    "};\n"
    "struct ob_snippet_host {\n"
    "    int (*next)(struct ob_snippet_host *, unsigned long, unsigned long *);\n"
    "    void (*fail)(struct ob_snippet_host *, const char *);\n"
    "    long threads;\n"
    "    void *(*op_prepare)(struct ob_snippet_host *, const char *const *);\n"
    "    void (*op_call)(struct ob_snippet_host *, void *);\n"
    "    struct ob_snippet_tensor (*op_tensor)(struct ob_snippet_host *, void *, int, unsigned "
    "long);\n"
    "};\n";

/* Operators of the native backend; the words are those of `opbench time --op`. */
static const char OPERATORS[] =
    "typedef struct ob_op ob_op;\n"
    "#define ob_op_prepare(...) ((ob_op *)ob_snippet_host_->op_prepare(ob_snippet_host_, "
    "(const char *const[]){__VA_ARGS__, 0}))\n"
    "#define ob_op_call(op) ob_snippet_host_->op_call(ob_snippet_host_, op)\n"
    "typedef struct ob_snippet_tensor ob_tensor;\n"
    "#define ob_op_input(op, i) ob_snippet_host_->op_tensor(ob_snippet_host_, op, 0, i)\n"
    "#define ob_op_output(op, i) ob_snippet_host_->op_tensor(ob_snippet_host_, op, 1, i)\n";

/* The host is told how many runs there were: a statement that leaves the loop (break, goto) is found by it. */
static const char COUNTERS[] = "    unsigned long ob_snippet_runs, ob_snippet_i = 0;\n";
static const char LOOP[] =
    "    (ob_snippet_host_->next(ob_snippet_host_, ob_snippet_i, &ob_snippet_runs)) {\n"
    "        for (ob_snippet_i = 0; ob_snippet_i < ob_snippet_runs; ob_snippet_i++) {\n"
    "            __asm__ volatile(\"\" ::: \"memory\");\n";

const char *ob__snippet_normalise(ob_arena *arena, const char *text, int *first_line)
{
    const char *dedented = ob__dedent(arena, text);
    if (dedented == NULL)
        return NULL;
    *first_line = dedented[0] == '\n' ? 2 : 1;
    dedented += dedented[0] == '\n';
    size_t length = strlen(dedented);
    while (length > 0 && isspace((unsigned char)dedented[length - 1]))
        length--;
    return ob__arena_strdup(arena, dedented, length);
}

ob_status ob__snippet_task(ob_arena *arena, const ob_task_spec *task, ob_task_spec *out,
                           ob_err *err)
{
    *out = *task;
    const char **const texts[] = {&out->stmt, &out->setup, &out->global_setup};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int line;
        if (*texts[i] == NULL)
            continue;
        *texts[i] = ob__snippet_normalise(arena, *texts[i], &line);
        if (*texts[i] == NULL)
            return ob__snippet_no_memory(err);
    }
    return OB_OK;
}

/* Whether a word of the list stands in a text of the user's. */
static bool mentions(const ob_timer_args *args, const char *words)
{
    const char *const texts[] = {args->stmt, args->setup, args->global_setup};
    for (; *(words += strspn(words, " ")) != '\0'; words += strcspn(words, " "))
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
            if (texts[i] != NULL &&
                memmem(texts[i], strlen(texts[i]), words, strcspn(words, " ")) != NULL)
                return true;
    return false;
}

/* The backend whose library the code needs, by the words that it says; NULL = none. */
static const ob_manifest *find_library(const ob_manifests *manifests, const ob_timer_args *args)
{
    for (size_t i = 0; i < ob_manifests_count(manifests); i++) {
        const ob_manifest *m = ob_manifests_at(manifests, i);
        if (args->language == OB_LANGUAGE_CPP && m->library != NULL &&
            mentions(args, m->library->words))
            return m;
    }
    return NULL;
}

/* then: what comes next; it counts as a line of the user's, for code that lacks its end is complained about there. */
static bool append_user(ob_text *text, ob_arena *arena, const char *name, const char *code,
                        const char *then)
{
    int line;
    const char *clean = ob__snippet_normalise(arena, code, &line);
    return clean != NULL && ob_text_printf(text, "#line %d \"%s\"\n", line, name) &&
           ob_text_append_str(text, clean) &&
           ob_text_printf(text, "\n%s\n#line 1 \"opbench\"\n", then);
}

/* What a library asks for before everything else. */
static bool append_begin(ob_text *text, ob_arena *arena, const ob_manifest *with)
{
    static const char *const NAMES[] = {"{threads}", "(int)ob_snippet_host_->threads", NULL};
    const char *begin = with == NULL ? NULL : with->library->begin;
    const char *line = begin == NULL ? "" : ob__fill_in(arena, begin, NAMES);
    return line != NULL && ob_text_append_str(text, line) &&
           ob_text_append_str(text, begin == NULL ? "" : "\n");
}

static bool append_all(ob_text *text, ob_arena *arena, const ob_timer_args *args,
                       const ob_manifest *with)
{
    const bool is_cpp = args->language == OB_LANGUAGE_CPP;
    const char *setup = args->setup == NULL || strcmp(args->setup, "pass") == 0 ? "" : args->setup;
    const char *global = args->global_setup == NULL ? "" : args->global_setup;
    static const char ENTRY[] = "void ob_snippet_entry(struct ob_snippet_host *ob_snippet_host_)";
    return ob_text_append_str(text, HEADERS[args->language]) &&
           append_user(text, arena, "global setup", global, "struct ob_snippet_tensor") &&
           ob_text_append_str(text, HOST) && ob_text_append_str(text, is_cpp ? "" : OPERATORS) &&
           ob_text_printf(text, "%s%s;\n%s\n{\n", is_cpp ? "extern \"C\" " : "", ENTRY, ENTRY) &&
           ob_text_append_str(text, is_cpp ? "try {\n" : "") && append_begin(text, arena, with) &&
           ob_text_append_str(text, COUNTERS) &&
           append_user(text, arena, "setup", setup, "while") && ob_text_append_str(text, LOOP) &&
           append_user(text, arena, "stmt", args->stmt, "}") && ob_text_append_str(text, "}\n") &&
           ob_text_append_str(text, is_cpp ? "} catch (const std::exception &ob_snippet_e) {\n"
                                             "ob_snippet_host_->fail(ob_snippet_host_, "
                                             "ob_snippet_e.what());\n"
                                             "} catch (...) {\n"
                                             "ob_snippet_host_->fail(ob_snippet_host_, "
                                             "\"an exception of unknown type\");\n}\n"
                                           : "") &&
           ob_text_append_str(text, "}\n");
}

ob_status ob__snippet_source(ob_arena *arena, const ob_manifests *manifests,
                             const ob_timer_args *args, ob_snippet_source *out, ob_err *err)
{
    ob_text text = {0};
    *out = (ob_snippet_source){.language = args->language,
                               .flags = args->language == OB_LANGUAGE_CPP ? CPP_FLAGS : C_FLAGS,
                               .with = find_library(manifests, args)};
    if (append_all(&text, arena, args, out->with))
        out->text = ob__arena_strdup(arena, text.data, text.size);
    ob_text_fini(&text);
    return out->text != NULL ? OB_OK : ob__snippet_no_memory(err);
}
