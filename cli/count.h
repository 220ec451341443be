/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of opbench count: its options, and one function per thing it does.
 */
#ifndef OB_CLI_COUNT_H
#define OB_CLI_COUNT_H

#include "command.h"

typedef struct ob_count_options {
    bool json;
    /* show and diff */
    bool inclusive, denoise, standardise, less_baseline, all_rows;
    const char *match; /* NULL = all rows */
    int64_t width, part;
} ob_count_options;

int ob__count_show(ob_cli *cli, const ob_count_options *options, const char *const *files,
                   size_t count);
int ob__count_diff(ob_cli *cli, const ob_count_options *options, const char *const *files,
                   size_t count);

#endif
