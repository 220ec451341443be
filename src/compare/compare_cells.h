/* SPDX-License-Identifier: Apache-2.0
 *
 * What the cells of a comparison say: digits, suffixes, and how each stands against the best. Who prints them is in
 * src/report.
 */
#ifndef OB_COMPARE_COMPARE_CELLS_H
#define OB_COMPARE_COMPARE_CELLS_H

#include "opbench/compare.h"

/* How a cell stands against the best, or how a result ended: enum name, escape sequences before it. */
#define OB_MARK_MAP(X)                                                                             \
    X(NONE, "")                                                                                    \
    X(BEST, "\033[92m\033[1m")                                                                     \
    X(GOOD, "\033[34m\033[1m")                                                                     \
    X(BAD, "\033[2m\033[91m")                                                                      \
    X(VERY_BAD, "\033[31m\033[1m")                                                                 \
    X(FINE, "\033[32m")                                                                            \
    X(DOUBTFUL, "\033[33m")                                                                        \
    X(FAILED, "\033[1;31m")

typedef enum ob_mark {
#define OB_MARK_ENUM(id, escape) OB_MARK_##id,
    OB_MARK_MAP(OB_MARK_ENUM)
#undef OB_MARK_ENUM
        OB_MARK_COUNT
} ob_mark;

/* How the numbers of a column are written. */
typedef struct ob_column_format {
    size_t width;
    int decimals;
    bool warns; /* room for a suffix on every cell */
} ob_column_format;

/* One per column, to be freed; NULL when memory is out. */
ob_column_format *ob__column_formats(const ob_compare_table *table, const ob_compare_style *style);
/* Appends the cell's text; blanks of the same width for an empty cell. */
bool ob__cell_append(ob_text *text, const ob_column_format *format, const ob_compare_table *table,
                     const ob_compare_cell *cell, const ob_compare_style *style);
/* The lines below the table; false when memory is out. */
bool ob__note_append(ob_text *text, const ob_compare_table *table, const ob_compare_style *style);
/* One mark per cell, to be freed; NULL when memory is out. */
ob_mark *ob__marks_make(const ob_compare_table *table, ob_colorize colorize);

/* The tables with all figures of each cell, in one line: a document, not a table. */
ob_status ob__json_tables_print(const ob_compare *compare, const ob_compare_style *style,
                                ob_text *text, ob_err *err);

#endif
