/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables for people: text and Markdown. Widths count code points.
 *
 * A boxed table is drawn as torch.utils.benchmark's Compare draws it: a title in brackets, bars between the
 * columns, headings of rows filled with dashes, line feeds as they are.
 */
#include "report/table_cut.h"
#include "report/table_layout.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

static const size_t MAX_TABLE_BYTES = (size_t)1 << 30;

static const char *const ESCAPES[] = {
#define ESCAPE(id, escape) [OB_MARK_##id] = escape,
    OB_MARK_MAP(ESCAPE)
#undef ESCAPE
};
/* Compare has two sequences before a cell, and two behind it. */
static const char RESET[] = "\033[0m", RESET_TWICE[] = "\033[0m\033[0m";

typedef ob_table_layout layout;

/* ---- widths ---- */

static size_t text_width(const ob_text *text)
{
    const char *at = text->data;
    size_t count = 0;
    for (; text->size > 0 && at < text->data + text->size; count++)
        ob__utf8_next(&at, text->data + text->size);
    return count;
}

static bool begins_group(const layout *l, size_t i)
{
    const char *group = ob__layout_column(l, i)->group;
    const char *before = i > 0 ? ob__layout_column(l, i - 1)->group : NULL;
    return group != NULL && (before == NULL || strcmp(group, before) != 0);
}

const char *ob__layout_gap(const ob_table_layout *l, size_t i)
{
    return begins_group(l, i) ? " | " : i == 0 ? "" : l->table->boxed != NULL ? "  |  " : "  ";
}

/* From column i to the last of its group; *last = that. */
static size_t group_width(const layout *l, size_t i, size_t *last)
{
    size_t width = l->widths[i];
    for (*last = i; *last + 1 < l->count && ob__layout_column(l, *last + 1)->group != NULL &&
                    !begins_group(l, *last + 1);
         ++*last)
        width += strlen(ob__layout_gap(l, *last + 1)) + l->widths[*last + 1];
    return width;
}

bool ob__layout_put_cell(ob_table_layout *l, size_t row, size_t i)
{
    const bool keep_lines =
        l->table->boxed != NULL || (ob__layout_column(l, i)->flags & OB_COLUMN_WRAPPED) != 0;
    l->cell.size = 0;
    return row < l->table->row_count
               ? ob__cell_append_shown(l->table, row, l->shown[i], keep_lines, &l->cell)
               : ob__append_harmless(&l->cell, ob__layout_column(l, i)->title,
                                     l->table->boxed != NULL);
}

/* What numbers of a kind may come to. */
static size_t usual_width(ob_hint hint)
{
    static const size_t WIDTHS[] = {
        [OB_HINT_TEXT] = 0,  [OB_HINT_TIME] = 8,  [OB_HINT_FIGURE] = 7, [OB_HINT_BRIEF] = 7,
        [OB_HINT_COUNT] = 7, [OB_HINT_SHARE] = 7, [OB_HINT_REAL] = 10};
    return WIDTHS[hint];
}

static bool measure(layout *l)
{
    bool ok = true;
    for (size_t i = 0; ok && i < l->count; i++) {
        const size_t usual = l->is_fixed ? usual_width(ob__layout_column(l, i)->hint) : 0;
        l->widths[i] = ob__layout_column(l, i)->least_width > usual
                           ? ob__layout_column(l, i)->least_width
                           : usual;
        /* The row behind the last: the titles. */
        const size_t rows = l->table->row_count;
        for (size_t row = l->is_fixed ? rows : 0; ok && row <= rows; row++) {
            ok = ob__layout_put_cell(l, row, i);
            const size_t width = text_width(&l->cell);
            l->widths[i] = width > l->widths[i] ? width : l->widths[i];
        }
    }
    /* The last column of a group makes room for the group's name. */
    for (size_t i = 0, last; ok && i < l->count; i++) {
        if (begins_group(l, i)) {
            const size_t width = group_width(l, i, &last);
            const size_t name = ob__utf8_count(ob__layout_column(l, i)->group);
            l->widths[last] += name > width ? name - width : 0;
        }
        l->total += strlen(ob__layout_gap(l, i)) + l->widths[i];
    }
    return ok;
}

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the text of a table");
}

static ob_status open_layout(const ob_table *table, const ob_table_style *style, bool is_fixed,
                             ob_text *out, layout *l, ob_err *err)
{
    *l = (layout){.table = table, .style = style, .is_fixed = is_fixed, .out = out};
    l->shown = ob__table_shown(table, true, &l->count);
    l->widths = calloc(l->count + 1, sizeof *l->widths);
    l->least = calloc(l->count + 1, sizeof *l->least);
    l->tails = calloc(l->count + 1, sizeof *l->tails);
    if (l->shown == NULL || l->widths == NULL || l->least == NULL || l->tails == NULL ||
        !measure(l) || !ob__layout_fit(l))
        return no_memory(err);
    l->wraps = style->width > 0 && l->count > 0 &&
               (ob__layout_column(l, l->count - 1)->flags & OB_COLUMN_WRAPPED) != 0;
    if (l->total > MAX_TABLE_BYTES / (2 * table->row_count + 2))
        return ob_err_set(err, OB_ERR_LIMIT,
                          "the table would take more than 1 GiB: %zu rows of %zu characters; "
                          "shorten the labels, or compare fewer measurements",
                          table->row_count, l->total);
    return OB_OK;
}

static void close_layout(layout *l)
{
    free(l->shown);
    free(l->widths);
    free(l->least);
    free(l->tails);
    ob_text_fini(&l->left_out);
    ob_text_fini(&l->cell);
}

/* ---- text ---- */

typedef enum align { LEFT, RIGHT, CENTRE } align;

static align align_of(const layout *l, size_t i)
{
    const ob_column *column = ob__layout_column(l, i);
    return column->flags & OB_COLUMN_CENTRED ? CENTRE : column->hint == OB_HINT_TEXT ? LEFT : RIGHT;
}

/* The scratch in so many columns; centred as Python's str.center does it. */
static bool append_placed(layout *l, size_t width, align how, char with)
{
    const size_t length = text_width(&l->cell);
    const size_t pad = width > length ? width - length : 0;
    const size_t left = how == LEFT ? 0 : how == RIGHT ? pad : pad / 2 + (pad & width & 1);
    return ob__text_append_fill(l->out, with, left) &&
           ob_text_append(l->out, l->cell.data, l->cell.size) &&
           ob__text_append_fill(l->out, with, pad - left);
}

static bool end_line(layout *l)
{
    while (l->style->trimmed && l->out->size > 0 && l->out->data[l->out->size - 1] == ' ')
        l->out->size--;
    return ob_text_append(l->out, "\n", 1);
}

/* The last column, which the scratch holds, below its title; where there is too little room, on lines of its own. */
static bool append_wrapped(layout *l, size_t row)
{
    enum { LEAST_WIDTH = 24, OWN_INDENT = 4 };
    const size_t place = l->total - l->widths[l->count - 1];
    const bool own_line = place + LEAST_WIDTH > l->style->width;
    const ob_wrap how = {.column = own_line ? 0 : place,
                         .indent = own_line ? OWN_INDENT : place,
                         .width = row < l->table->row_count ? l->style->width : SIZE_MAX};
    return ob_text_append(&l->cell, "", 1) && (!own_line || ob_text_append(l->out, "\n", 1)) &&
           ob_text_append_wrapped(l->out, l->cell.data, &how);
}

/* How the cell is marked. Whoever makes a boxed table knows whether it is for a screen. */
static ob_mark mark_of(const layout *l, size_t row, size_t i)
{
    return row < l->table->row_count && (l->table->boxed != NULL || l->style->coloured)
               ? ob__table_peek(l->table, row, l->shown[i])->mark
               : OB_MARK_NONE;
}

/* Titles for the row behind the last. A text in the last column is not filled up. */
static bool append_line(layout *l, size_t row)
{
    const char *reset = l->table->boxed != NULL ? RESET_TWICE : RESET;
    bool ok = true;
    for (size_t i = 0; ok && i < l->count; i++) {
        const ob_mark mark = mark_of(l, row, i);
        const align how = align_of(l, i);
        ok = ob__layout_put_cell(l, row, i) && ob_text_append_str(l->out, ob__layout_gap(l, i));
        if (l->wraps && i + 1 == l->count)
            return ok && append_wrapped(l, row);
        if (ok && ob__layout_is_shortened(l, i))
            ok = ob__cut_text(&l->cell, l->widths[i], l->tails[i]);
        ok = ok && ob_text_append_str(l->out, ESCAPES[mark]) &&
             append_placed(l, how == LEFT && i + 1 == l->count ? 0 : l->widths[i], how, ' ') &&
             (mark == OB_MARK_NONE || ob_text_append_str(l->out, reset));
    }
    return ok && end_line(l);
}

/* The names of groups, if there are any. */
static bool append_groups(layout *l)
{
    bool ok = true, any = false;
    for (size_t i = 0; i < l->count; i++)
        any = any || begins_group(l, i);
    for (size_t i = 0, last; ok && any && i < l->count; i = last + 1) {
        last = i;
        const size_t width = begins_group(l, i) ? group_width(l, i, &last) : l->widths[i];
        l->cell.size = 0;
        ok = (ob__layout_column(l, i)->group == NULL ||
              ob__append_harmless(&l->cell, ob__layout_column(l, i)->group, false)) &&
             ob_text_append_str(l->out, ob__layout_gap(l, i)) && append_placed(l, width, LEFT, ' ');
    }
    return ok && (!any || end_line(l));
}

static bool append_titles(layout *l)
{
    const char *title = l->table->boxed;
    l->cell.size = 0;
    if (title != NULL &&
        !(ob_text_append(&l->cell, " ", 1) && ob__append_harmless(&l->cell, title, true) &&
          ob_text_append(&l->cell, " ", 1) && ob_text_append(l->out, "[", 1) &&
          append_placed(l, l->total > 2 ? l->total - 2 : 0, CENTRE, '-') &&
          ob_text_append(l->out, "]\n", 2)))
        return false;
    if (!l->style->bold_titles)
        return append_groups(l) && append_line(l, l->table->row_count);
    bool ok = append_groups(l) && ob_text_append_str(l->out, "\033[1m") &&
              append_line(l, l->table->row_count);
    if (ok)
        l->out->size--; /* the newline stands behind the escape */
    return ok && ob_text_append_str(l->out, "\033[0m\n");
}

/* Each line of a text that stands between rows. */
static bool append_lines(layout *l, const char *lines, const char *indent)
{
    bool ok = ob__append_harmless((l->cell.size = 0, &l->cell), lines, true);
    for (size_t at = 0; ok && at < l->cell.size;) {
        const char *end = memchr(l->cell.data + at, '\n', l->cell.size - at);
        const size_t length = end != NULL ? (size_t)(end - l->cell.data) - at : l->cell.size - at;
        ok = ob_text_append_str(l->out, indent) &&
             ob_text_append(l->out, l->cell.data + at, length) && end_line(l);
        at += length + 1;
    }
    return ok;
}

static bool append_heading(layout *l, const char *heading)
{
    if (l->table->boxed == NULL)
        return append_lines(l, heading, "");
    l->cell.size = 0;
    return ob__append_harmless(&l->cell, heading, true) && append_placed(l, l->total, LEFT, '-') &&
           end_line(l);
}

static bool append_row(layout *l, size_t i)
{
    const ob_row *row = &l->table->rows[i];
    bool ok = (row->heading == NULL || append_heading(l, row->heading)) && append_line(l, i);
    for (const ob_row_note *note = row->notes; ok && note != NULL; note = note->next)
        ok = append_lines(l, note->text, "    ");
    return ok;
}

/* What stands below the table. */
static bool append_end(layout *l)
{
    bool ok = true;
    for (size_t i = 0; ok && i < l->table->line_count; i++)
        ok = ob__append_harmless(l->out, l->table->lines[i], true) &&
             ob_text_append(l->out, "\n", 1);
    return ok && (l->left_out.size == 0 ||
                  ob_text_printf(l->out, "left out because the screen is too narrow: %.*s\n",
                                 (int)l->left_out.size, l->left_out.data));
}

ob_status ob__table_print_text(const ob_table *table, const ob_table_style *style,
                               const ob_table_part *part, ob_text *out, ob_err *err)
{
    static const ob_table_part ALL = {.first = 0};
    layout l;
    if (part == NULL)
        part = &ALL;
    ob_status status = open_layout(table, style, part->is_fixed, out, &l, err);
    bool ok =
        status == OB_OK && (part->is_continued || table->column_count == 0 || append_titles(&l));
    for (size_t i = part->first; ok && i < table->row_count; i++)
        ok = append_row(&l, i);
    if (ok && !part->is_unfinished)
        ok = append_end(&l);
    close_layout(&l);
    return status != OB_OK || ok ? status : no_memory(err);
}

/* ---- Markdown ---- */

/* The blanks that place a cell in a boxed table mean nothing here; what is best is bold. */
static bool append_markdown_cell(layout *l, size_t row, size_t i)
{
    const bool boxed = l->table->boxed != NULL;
    bool ok = ob__layout_put_cell(l, row, i);
    while (boxed && l->cell.size > 0 && l->cell.data[l->cell.size - 1] == ' ')
        l->cell.size--;
    ok = ok && ob_text_append(&l->cell, "", 1);
    const char *text = ok ? l->cell.data + (boxed ? strspn(l->cell.data, " ") : 0) : "";
    const bool bold = row < l->table->row_count && text[0] != '\0' &&
                      ob__table_peek(l->table, row, l->shown[i])->mark == OB_MARK_BEST;
    const size_t width = ob__utf8_count(text);
    const size_t pad = !boxed && l->widths[i] > width ? l->widths[i] - width : 0;
    const bool left = align_of(l, i) == LEFT;
    return ok && ob_text_append_str(l->out, bold ? " **" : " ") &&
           ob__text_append_fill(l->out, ' ', left ? 0 : pad) && ob__append_markdown(l->out, text) &&
           ob__text_append_fill(l->out, ' ', left ? pad : 0) &&
           ob_text_append_str(l->out, bold ? "** |" : " |");
}

static bool append_markdown_line(layout *l, size_t row)
{
    bool ok = ob_text_append(l->out, "|", 1);
    for (size_t i = 0; ok && i < l->count; i++)
        ok = append_markdown_cell(l, row, i);
    return ok && ob_text_append(l->out, "\n", 1);
}

static bool append_rule(layout *l)
{
    bool ok = ob_text_append(l->out, "|", 1);
    for (size_t i = 0; ok && i < l->count; i++) {
        const bool left = align_of(l, i) == LEFT;
        const size_t dashes = l->table->boxed != NULL ? (left ? 2 : 3) : l->widths[i] + 1;
        ok = ob__text_append_fill(l->out, '-', dashes) &&
             ob_text_append_str(l->out, left ? "-|" : ":|");
    }
    return ok && ob_text_append(l->out, "\n", 1);
}

ob_status ob__table_print_markdown(const ob_table *table, ob_text *out, ob_err *err)
{
    static const ob_table_style PLAIN = {.size = sizeof PLAIN, .format = OB_TABLE_MARKDOWN};
    layout l;
    const ob_status status = open_layout(table, &PLAIN, false, out, &l, err);
    bool ok = status == OB_OK;
    if (ok && table->boxed != NULL && table->boxed[0] != '\0')
        ok = ob_text_append_str(out, "### ") && ob__append_markdown(out, table->boxed) &&
             ob_text_append_str(out, "\n\n");
    ok = ok && append_markdown_line(&l, table->row_count) && append_rule(&l);
    for (size_t i = 0; ok && i < table->row_count; i++)
        ok = append_markdown_line(&l, i);
    close_layout(&l);
    return status != OB_OK || ok ? status : no_memory(err);
}
