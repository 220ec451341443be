/* SPDX-License-Identifier: Apache-2.0
 *
 * What the marks in a run's table mean: the warnings of its results, each kind once.
 */
#ifndef OB_CLI_RUN_NOTES_H
#define OB_CLI_RUN_NOTES_H

#include "command.h"

#include "opbench/record.h"

enum { OB_MOST_NOTES = 16 };

typedef struct ob_run_note {
    char text[256];  /* of the first result that has it */
    char first[192]; /* which result */
    uint64_t count;  /* results that have it */
} ob_run_note;

/* Zero is empty. */
typedef struct ob_run_notes {
    ob_run_note items[OB_MOST_NOTES];
    size_t count;
    uint64_t others; /* warnings beyond */
} ob_run_notes;

void ob__run_notes_add(ob_run_notes *notes, const ob_record_result *result);
/* Says on standard error that fewer threads were used than asked for, once for each number asked for in a
 * row: *told is the last, 0 at first. */
void ob__warn_of_threads(ob_cli *cli, const ob_record_result *result, int64_t *told);
bool ob__run_notes_print(ob_cli *cli, const ob_run_notes *notes);

#endif
