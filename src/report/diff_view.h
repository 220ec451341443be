/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of a difference.
 */
#ifndef OB_REPORT_DIFF_VIEW_H
#define OB_REPORT_DIFF_VIEW_H

#include "opbench/diff.h"
#include "report/table_model.h"

/* Which rows of a difference a table has. */
typedef enum ob_diff_choice {
    OB_DIFF_ALL,
    OB_DIFF_CHANGED, /* failed, slower, faster, other memory */
    OB_DIFF_UNDECIDED_ROWS,
    OB_DIFF_UNCHANGED,
} ob_diff_choice;

bool ob__diff_row_is(const ob_diff_row *row, ob_diff_choice choice);
/* The first `most` of these rows. NULL when memory is out. */
ob_table *ob__diff_table(const ob_diff *diff, ob_diff_choice choice, size_t most);
/* "slower", "fails": what came of the row, in a word. */
const char *ob__diff_row_word(const ob_diff_row *row);
/* "+1.2 %", or "2.1 times" where per cents are hard to read; out holds 32 bytes. Returns out. */
char *ob__diff_change(double ratio, char *out);
/* Appends what is said of the row beside its numbers; nothing if there is nothing to say. */
bool ob__diff_append_remark(const ob_diff_row *row, ob_text *out);
/* Appends "3 slower, 1 faster, 96 the same, 2 undecided", and the geometric mean. */
bool ob__diff_append_totals(const ob_diff_summary *sum, ob_text *out);

/* Of each row, where there are several sides: "best" where its side is the fastest of the case and pass, "baseline" where
 * that is; NULL where the intervals do not tell. malloc'ed; NULL: memory was out. */
const char **ob__diff_best(const ob_diff *diff);

#endif
