/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count: instruction counts. This file has its options and says which part does what.
 */
#include "count.h"

#include <string.h>

static const ob_option OPTIONS[] = {
    {.name = "json",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, json),
     .help = "One JSON object per line; show and diff read it again."},
    {.name = "inclusive",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, inclusive),
     .help = "show, diff: count what a function called with it, instead of what it executed "
             "itself."},
    {.name = "denoise",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, denoise),
     .help = "show, diff: without CPython's dictionary look-ups, whose number varies."},
    {.name = "standardise",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, standardise),
     .help = "show, diff: without the parts of paths that differ between machines and builds."},
    {.name = "less-baseline",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, less_baseline),
     .help = "show, diff: subtract the counts of the empty statement, where they are known."},
    {.name = "match",
     .type = OB_OPTION_STRING,
     .offset = offsetof(ob_count_options, match),
     .value = "TEXT",
     .help = "show, diff: only functions with this text in \"file:function [object]\"."},
    {.name = "part",
     .type = OB_OPTION_INT,
     .offset = offsetof(ob_count_options, part),
     .value = "N",
     .min = 1,
     .max = 1e9,
     .help = "show, diff: only this part of each file; callgrind writes one per dump."},
    {.name = "all",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(ob_count_options, all_rows),
     .help = "show, diff: every row of a table; the middle of a long one is left out otherwise."},
    {.name = "width",
     .type = OB_OPTION_INT,
     .offset = offsetof(ob_count_options, width),
     .value = "COLUMNS",
     .min = 1,
     .max = 10000,
     .help = "show, diff: how wide a line may be; 80 if not given."},
    {.name = NULL},
};

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const ob_count_options *options = call->options;
    const char *what = call->word_count > 0 ? call->words[0] : "";
    if (strcmp(what, "show") == 0)
        return ob__count_show(cli, options, call->words + 1, call->word_count - 1);
    return ob__count_diff(cli, options, call->words + 1, call->word_count - 1);
}

static const ob_cli_word WORDS[] = {
    {.name = "WHAT", .choices = "show|diff", .required = true, .help = "What to do."},
    {.name = "FILE",
     .many = true,
     .help = "Counts: a file of callgrind, a text of callgrind_annotate, or what --json wrote; - "
             "reads standard input."},
    {.name = NULL},
};

const ob_cli_command ob__command_count = {
    .name = "count",
    .help = "show and compare instruction counts",
    .text = "show prints the counts of each function in files of callgrind. diff OLD NEW prints "
            "what changed from one file to the other, function by function; a positive count is "
            "one that grew.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(ob_count_options),
    .example = "opbench count show callgrind.out.1\n"
               "opbench count diff old.out new.out --standardise\n"
               "opbench count show callgrind.out.1 --inclusive --json",
    .run = run,
};
