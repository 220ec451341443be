/* SPDX-License-Identifier: Apache-2.0
 *
 * Which operators a backend takes, in which dtypes and passes. A list of it is kept for every backend
 * (backends/<name>/support/<name>.tsv): a backend that takes less than it did fails its tests, and docs/ops.md
 * is made from the lists, also where a backend is missing.
 *
 * A line: operator, dtypes of forward, dtypes of backward, separated by tabs; "-" is none, "f32*" is some of
 * the calls in the goldens. The list of a release begins with "as x.tsv, but:" and has the lines that are others there.
 */
#ifndef OB_TEST_CONFORM_SUPPORT_H
#define OB_TEST_CONFORM_SUPPORT_H

#include "opbench/op.h"

#include <stdio.h>

typedef enum taken { TAKEN_NONE, TAKEN_SOME, TAKEN_ALL } taken;

/* How many calls were tried, and how many were taken. */
typedef struct support_cell {
    int tried, taken;
} support_cell;

typedef struct support_row {
    support_cell cells[2][OB_DTYPE_COUNT]; /* by pass and dtype */
} support_row;

typedef struct support {
    const ob_op_table *table;
    support_row *rows; /* one per operator of the table */
} support;

ob_status support_init(support *s, const ob_op_table *table, ob_err *err);
void support_fini(support *s);
/* NULL when the table has no such operator. */
support_row *support_find(const support *s, const char *op);
taken support_taken(const support_row *row, int pass, ob_dtype dtype);
ob_status support_read(support *s, const char *path, ob_err *err);
void support_print(const support *s, FILE *out);
/* What is not as in the list before it, which lies in `file` of the same folder. */
void support_print_changes(const support *s, const support *before, const char *file, FILE *out);
/* The dtypes of a pass as a line has them. */
void support_dtypes(const support_row *row, int pass, char *out, size_t size);
/* "aten::add.Tensor" */
void support_op_name(const ob_op *op, char *out, size_t size);

#endif
