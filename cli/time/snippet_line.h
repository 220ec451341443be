/* SPDX-License-Identifier: Apache-2.0
 *
 * The options with which a command takes a statement in some language: `count` and `time` have the same.
 */
#ifndef OB_CLI_SNIPPET_LINE_H
#define OB_CLI_SNIPPET_LINE_H

#include "command.h"

#include "opbench/snippet_run.h"

typedef struct ob_snippet_line {
    const char *lang; /* NULL = no statement is wanted */
    const char *setup, *global_setup;
    const char *cc, *cxx, *python, *std, *cflags, *ldflags, *libs, *cache_dir;
    double compile_timeout_s; /* 0 = as long as it takes */
} ob_snippet_line;

#define OB_SNIPPET_ROW(base, row_name, field, word, text, usual, ...)                              \
    {                                                                                              \
        .name = (row_name), .group = "Statements and suites", .type = OB_OPTION_STRING,            \
        .offset = (base) + offsetof(ob_snippet_line, field), .value = (word), .help = (text),      \
        .otherwise = (usual), __VA_ARGS__                                                          \
    }

/* The rows; base is the offset of the ob_snippet_line in the struct that is filled. */
#define OB_SNIPPET_ROWS(base)                                                                      \
    {.name = "lang",                                                                               \
     .group = "Statements and suites",                                                             \
     .type = OB_OPTION_CHOICE,                                                                     \
     .offset = (base) + offsetof(ob_snippet_line, lang),                                           \
     .choices = "c|c++|cpp|python|py",                                                             \
     .help = "Measure a statement in this language, in its own process. With --suite: only its "   \
             "snippets in this language."},                                                        \
        OB_SNIPPET_ROW(                                                                            \
            base, "setup", setup, "CODE",                                                          \
            "Code to run before the statement, not timed or counted; @FILE reads a file.", NULL,   \
            .rare = false),                                                                        \
        OB_SNIPPET_ROW(base, "global-setup", global_setup, "CODE",                                 \
                       "C and C++: code outside the function, such as #include lines.", NULL,      \
                       .rare = true),                                                              \
        OB_SNIPPET_ROW(base, "cc", cc, "PROGRAM", "The compiler for C.", "cc", .rare = true),      \
        OB_SNIPPET_ROW(base, "cxx", cxx, "PROGRAM", "The compiler for C++.", "c++", .rare = true), \
        OB_SNIPPET_ROW(base, "python", python, "PROGRAM", "The interpreter for Python code.",      \
                       "python3 of the active virtual environment, or of PATH", .rare = true),     \
        OB_SNIPPET_ROW(base, "std", std, "NAME",                                                   \
                       "C and C++: the standard, such as c11 or gnu++20.",                         \
                       "gnu17, and gnu++17 or what the code's library needs", .rare = true),       \
        OB_SNIPPET_ROW(base, "cflags", cflags, "FLAGS",                                            \
                       "C and C++: more compiler flags, such as '-O3 -march=native'; the code is " \
                       "then compiled every time.",                                                \
                       NULL, .rare = true),                                                        \
        OB_SNIPPET_ROW(base, "ldflags", ldflags, "FLAGS",                                          \
                       "C and C++: flags after the source, such as '-L. -lmine'.", NULL,           \
                       .rare = true),                                                              \
        OB_SNIPPET_ROW(base, "libs", libs, "NAMES",                                                \
                       "C and C++: libraries, such as 'openblas ./libmine.so'.", NULL,             \
                       .rare = true),                                                              \
        {.name = "compile-timeout",                                                                \
         .group = "Statements and suites",                                                         \
         .rare = true,                                                                             \
         .type = OB_OPTION_DOUBLE,                                                                 \
         .offset = (base) + offsetof(ob_snippet_line, compile_timeout_s),                          \
         .unit = "seconds",                                                                        \
         .max = 1e9,                                                                               \
         .initial = OB_OPTION_NUMBER(OB_SNIPPET_COMPILE_S),                                        \
         .help = "C and C++: stop a compiler that takes longer; 0: no limit."},                    \
        OB_SNIPPET_ROW(base, "cache-dir", cache_dir, "DIR", "Where to keep compiled snippets.",    \
                       "opbench/snippets in your cache", .rare = true)

/* Those of them that a repro line has. */
#define OB_SNIPPET_TOLD                                                                            \
    "cc", "cxx", "python", "std", "cflags", "ldflags", "libs", "compile-timeout", "cache-dir"

/* The code of a line: what is given as it is, as @FILE, or as - for standard input. */
typedef struct ob_snippet_code {
    ob_timer_args args; /* num_threads is the caller's to set */
    char *stmt, *setup, *global_setup;
} ob_snippet_code;

/* `words` must be the one statement. Says what is wrong and returns an exit code. */
int ob__snippet_code_read(ob_cli *cli, const ob_snippet_line *line, const char *const *words,
                          size_t count, ob_snippet_code *out);
void ob__snippet_code_fini(ob_snippet_code *code);
/* Notices go to standard error. */
ob_snippet_options ob__snippet_line_options(ob_cli *cli, const ob_snippet_line *line,
                                            double timeout_s);
/* Whether the compiler left nothing of the statement, with a warning then unless it is to be quiet. side: whose it is, or NULL. */
bool ob__snippet_warn_removed(ob_cli *cli, const ob_timer_args *args,
                              const ob_snippet_options *options, const char *side, bool quiet);
/* Says what went wrong with a snippet and gives the exit code: 2 when the line or the code is wrong or a
 * program is missing, 1 when the code failed or took too long, 130 after an interrupt. */
int ob__snippet_fail(ob_cli *cli, const ob_err *err);

#endif
