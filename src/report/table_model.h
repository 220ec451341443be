/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a table. Texts are in its arena; a row has as many cells as there were columns when one of
 * them was set last.
 */
#ifndef OB_REPORT_TABLE_MODEL_H
#define OB_REPORT_TABLE_MODEL_H

#include "base/arena.h"
#include "base/text_append.h"
#include "compare/compare_cells.h"
#include "opbench/report.h"

#include <math.h>
#include <stdio.h>

typedef struct ob_cell {
    const char *text; /* NULL = none */
    const char *json; /* the value as JSON, where neither text nor number is that; NULL = it is */
    double number;    /* NaN = none */
    ob_mark mark;
} ob_cell;

/* Lines below a row. */
typedef struct ob_row_note ob_row_note;
struct ob_row_note {
    const char *text;
    ob_row_note *next; /* NULL = it is the last */
};

typedef struct ob_row {
    ob_cell *cells;
    size_t cell_count;
    const char *heading; /* NULL = none */
    ob_row_note *notes;  /* NULL = none */
} ob_row;

struct ob_table {
    ob_arena arena;
    ob_column *columns;
    size_t column_count, column_room;
    size_t *order; /* which columns are printed, as chosen; NULL = all in their order */
    size_t order_count;
    ob_row *rows;
    size_t row_count, row_room;
    const char **lines; /* below the table */
    size_t line_count, line_room;
    /* What a column is likely to have in rows that are not there yet; borrowed. */
    const char *const *likely;
    size_t likely_count, likely_column;
    const char *boxed; /* the title of a table as torch's Compare draws it; NULL = another one */
    bool no_memory;
};

/* Address of a cell to be set; NULL when memory is out. */
ob_cell *ob__table_cell(ob_table *table, size_t row, size_t column);
/* The cell, or an empty one. */
const ob_cell *ob__table_peek(const ob_table *table, size_t row, size_t column);
const char *ob__table_keep(ob_table *table, const char *text); /* a copy in the arena */
/* Behind those that the last row has. */
void ob__table_add_note(ob_table *table, const char *lines);
/* A cell of the last row: yes or no, in JSON true or false. */
void ob__table_set_flag(ob_table *table, size_t column, bool value);
/* Whether all rows have the same text there. */
bool ob__table_is_uniform(const ob_table *table, size_t column);
/* In colours, where they are shown. */
void ob__table_set_mark(ob_table *table, size_t column, ob_mark mark);

/* ---- notes that many rows have ---- */

enum { OB_MOST_SAID = 64 };

/* Notes of rows that were printed as they came. Zero is empty. */
typedef struct ob_said_notes {
    struct {
        char *text;
        uint64_t count;
    } items[OB_MOST_SAID];
    size_t count;
} ob_said_notes;

void ob__said_notes_fini(ob_said_notes *said);
/* Counts the notes of the rows from `first` on; those that were there before are taken away. Beyond OB_MOST_SAID all stay. */
void ob__said_notes_take(ob_said_notes *said, ob_table *table, size_t first);

/* Which columns a form has: numbers of columns, to be freed; NULL when memory is out. */
size_t *ob__table_shown(const ob_table *table, bool for_people, size_t *count);
/* Appends what people see of a cell; false when memory is out. keep_lines: line feeds stay. */
bool ob__cell_append_shown(const ob_table *table, size_t row, size_t column, bool keep_lines,
                           ob_text *out);
/* Appends a number as programs read it. */
bool ob__number_append(double number, ob_hint hint, ob_text *out);

/* Notes below rows that are equal become one line below the table, with their number. */
void ob__table_fold_notes(ob_table *table);

/* ---- texts of unknown origin ---- */

/* Valid UTF-8 without what a terminal would obey: "?" stands for control characters. Line feeds and tabs stay, or
 * become blanks. */
bool ob__append_harmless(ob_text *out, const char *text, bool keep_lines);
/* A cell of Markdown: what Markdown or HTML would read is written so that it shows. */
bool ob__append_markdown(ob_text *out, const char *text);
/* A field of CSV (RFC 4180): quoted if need be. A text that a spreadsheet would take for a formula gets an apostrophe before
 * it. */
bool ob__append_csv(ob_text *out, const char *text);

/* ---- the printers ---- */

/* A part of a table in text. */
typedef struct ob_table_part {
    size_t first;       /* row that it begins with */
    bool is_fixed;      /* columns are as wide as rows may make them that are not there yet */
    bool is_continued;  /* the titles were printed */
    bool is_unfinished; /* more parts will follow: the lines below the table are not due */
} ob_table_part;

/* part NULL = all of it */
ob_status ob__table_print_text(const ob_table *table, const ob_table_style *style,
                               const ob_table_part *part, ob_text *out, ob_err *err);
ob_status ob__table_print_markdown(const ob_table *table, ob_text *out, ob_err *err);
bool ob__table_print_csv_head(const ob_table *table, ob_text *out);
bool ob__table_print_csv_row(const ob_table *table, size_t row, ob_text *out);
bool ob__table_print_json_row(const ob_table *table, size_t row, ob_text *out);

#endif
