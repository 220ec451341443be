/* SPDX-License-Identifier: Apache-2.0
 *
 * A table whose cells are texts already: what text and Markdown are laid out from. ob__grid_make fills it
 * from a comparison; further columns are further headers and cells.
 */
#ifndef OB_COMPARE_GRID_H
#define OB_COMPARE_GRID_H

#include "base/arena.h"
#include "opbench/compare.h"

/* How a cell stands against the best: enum name, escape sequences before it. */
#define OB_MARK_MAP(X)                                                                             \
    X(NONE, "")                                                                                    \
    X(BEST, "\033[92m\033[1m")                                                                     \
    X(GOOD, "\033[34m\033[1m")                                                                     \
    X(BAD, "\033[2m\033[91m")                                                                      \
    X(VERY_BAD, "\033[31m\033[1m")

typedef enum ob_mark {
#define OB_MARK_ENUM(id, escape) OB_MARK_##id,
    OB_MARK_MAP(OB_MARK_ENUM)
#undef OB_MARK_ENUM
        OB_MARK_COUNT
} ob_mark;

typedef struct ob_grid_cell {
    const char *text;
    ob_mark mark;
} ob_grid_cell;

typedef struct ob_grid_row {
    const char *separator; /* stands on a line of its own before the row; NULL = none */
    const char *name;
} ob_grid_row;

typedef struct ob_grid {
    const char *title;
    size_t row_count, column_count; /* without the column of the names */
    const char *const *headers;
    const ob_grid_row *rows;
    const ob_grid_cell *cells; /* row by row */
    const char *note;          /* lines below the table, each with a newline */
} ob_grid;

/* Everything it points to is in the arena or belongs to the table. */
ob_status ob__grid_make(const ob_compare_table *table, const ob_compare_style *style,
                        ob_arena *arena, ob_grid *out, ob_err *err);
/* Appends the grid as the original lays it out. */
ob_status ob__grid_print(const ob_grid *grid, ob_text *text, ob_err *err);

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
/* marks has room for all cells and is zero. */
ob_status ob__marks_make(const ob_compare_table *table, ob_colorize colorize, ob_mark *marks,
                         ob_err *err);

/* The forms that are not laid out from a grid, or not only. */
ob_status ob__markdown_print(const ob_compare_table *table, const ob_compare_style *style,
                             ob_text *text, ob_err *err);
ob_status ob__csv_print(const ob_compare *compare, const ob_compare_style *style, ob_text *text,
                        ob_err *err);
ob_status ob__json_tables_print(const ob_compare *compare, const ob_compare_style *style,
                                ob_text *text, ob_err *err);

#endif
