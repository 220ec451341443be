/* SPDX-License-Identifier: Apache-2.0
 *
 * Suites on a command line: `count -s` and `time -s` take the same options.
 */
#ifndef OB_CLI_SUITE_LINE_H
#define OB_CLI_SUITE_LINE_H

#include "snippet_line.h"

#include "opbench/suite_run.h"

typedef struct ob_suite_line {
    const char *file; /* NULL = no suite */
    const char *only; /* NULL = all of it */
    int64_t retries;
} ob_suite_line;

/* Which snippets. */
#define OB_SUITE_CHOICE_ROWS(base)                                                                 \
    {.name = "suite",                                                                              \
     .letter = 's',                                                                                \
     .group = "Statements and suites",                                                             \
     .type = OB_OPTION_STRING,                                                                     \
     .offset = (base) + offsetof(ob_suite_line, file),                                             \
     .value = "FILE",                                                                              \
     .help = "A suite of snippets in YAML; - reads standard input."},                              \
    {                                                                                              \
        .name = "only", .rare = true, .group = "Statements and suites", .type = OB_OPTION_STRING,  \
        .offset = (base) + offsetof(ob_suite_line, only), .value = "TEXT",                         \
        .help = "With --suite: only snippets with this in their name, as shown by `count --list`." \
    }

#define OB_SUITE_ROWS(base)                                                                        \
    OB_SUITE_CHOICE_ROWS(base),                                                                    \
    {                                                                                              \
        .name = "retries", .rare = true, .group = "Statements and suites", .type = OB_OPTION_INT,  \
        .offset = (base) + offsetof(ob_suite_line, retries), .value = "N", .max = 100,             \
        .initial = "2",                                                                            \
        .help = "With --suite: how often to retry a snippet that fails or takes too long (but "    \
                "not one that does not compile)."                                                  \
    }

/* ---- the snippets ---- */

typedef struct ob_suite_set {
    ob_suite *suite;
    ob_snippets *snippets;
} ob_suite_set;

/* Those in one language only if lang is not NULL. options NULL = they are only looked at; else they can run, once
 * their TorchScript models are made. */
ob_status ob__suite_set_open(const ob_suite_line *line, const char *lang,
                             const ob_snippet_options *options, ob_suite_set *out, ob_err *err);
void ob__suite_set_close(ob_suite_set *set); /* zero is allowed */

#endif
