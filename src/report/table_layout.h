/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the columns of a text stand.
 */
#ifndef OB_REPORT_TABLE_LAYOUT_H
#define OB_REPORT_TABLE_LAYOUT_H

#include "report/table_model.h"

typedef struct ob_table_layout {
    const ob_table *table;
    const ob_table_style *style;
    size_t *shown, count; /* columns */
    size_t *widths;
    size_t *
        least; /* widths down to which texts are shortened, of columns where they are; 0 = as far as it goes */
    size_t *tails;    /* how many characters of a shortened text are its last ones */
    size_t total;     /* width of a line */
    ob_text left_out; /* titles of columns for which there was no room */
    bool wraps;       /* the last column is broken */
    bool is_fixed;    /* see ob_table_part */
    ob_text cell;     /* scratch */
    ob_text *out;
} ob_table_layout;

static inline const ob_column *ob__layout_column(const ob_table_layout *l, size_t i)
{
    return &l->table->columns[l->shown[i]];
}

static inline bool ob__layout_is_shortened(const ob_table_layout *l, size_t i)
{
    return (ob__layout_column(l, i)->flags & OB_COLUMN_SHORTENED) != 0;
}

/* What stands before a column. */
const char *ob__layout_gap(const ob_table_layout *l, size_t i);
/* The text of a cell into l->cell; of the row behind the last the title. False: memory is out. */
bool ob__layout_put_cell(ob_table_layout *l, size_t row, size_t i);
/* Cuts texts and leaves out columns until it fits the style's width. False: memory is out. */
bool ob__layout_fit(ob_table_layout *l);

#endif
