/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a table as narrow as the screen: what tells the rows apart stays, what says least goes first.
 */
#include "report/table_cut.h"
#include "report/table_layout.h"

#include <stdlib.h>
#include <string.h>

typedef ob_table_layout layout;

static bool is_too_wide(const layout *l)
{
    return l->style->width > 0 && l->total > l->style->width;
}

/* The widest first, down to a width that still tells something. */
static void shorten(layout *l, size_t least, bool keep_apart)
{
    while (is_too_wide(l)) {
        size_t widest = l->count, most = 0;
        for (size_t i = 0; i < l->count; i++) {
            const size_t own = keep_apart && l->least[i] > least ? l->least[i] : least;
            if (ob__layout_is_shortened(l, i) && l->widths[i] > own && l->widths[i] > most) {
                widest = i;
                most = l->widths[i];
            }
        }
        if (widest == l->count)
            return;
        const size_t own = keep_apart && l->least[widest] > least ? l->least[widest] : least;
        const size_t over = l->total - l->style->width, room = l->widths[widest] - own;
        l->widths[widest] -= over < room ? over : room;
        l->total -= over < room ? over : room;
    }
}

static void remove_column(layout *l, size_t i)
{
    size_t *const lists[] = {l->shown, l->widths, l->least, l->tails};
    l->total -= strlen(ob__layout_gap(l, i)) + l->widths[i];
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        memmove(lists[k] + i, lists[k] + i + 1, (l->count - i - 1) * sizeof *lists[k]);
    l->count--;
}

/* Columns of a kind, from the last on, each with what goes with it, until the others fit. */
static void leave_out(layout *l, uint32_t kind)
{
    for (size_t i = l->count; i > 0 && is_too_wide(l); i--) {
        if ((ob__layout_column(l, i - 1)->flags & kind) == 0)
            continue;
        if (i < l->count && (ob__layout_column(l, i)->flags & OB_COLUMN_WITH_LAST) != 0)
            remove_column(l, i);
        remove_column(l, i - 1);
    }
}

/* Titles of what is no longer among the columns. */
static bool list_left_out(layout *l, const size_t *before, size_t count)
{
    bool ok = true;
    for (size_t i = 0, at = 0; ok && i < count; i++) {
        if (at < l->count && l->shown[at] == before[i]) {
            at++;
            continue;
        }
        ok = (l->left_out.size == 0 || ob_text_append_str(&l->left_out, ", ")) &&
             ob__append_harmless(&l->left_out, l->table->columns[before[i]].title, false);
    }
    return ok;
}

/* What people read in the column; of rows that are not there yet what they are likely to be. */
static bool list_texts(layout *l, size_t i, ob_cut_texts *texts)
{
    const ob_table *table = l->table;
    const bool known = l->is_fixed && table->likely_column == l->shown[i];
    bool ok = true;
    for (size_t k = 0; ok && known && k < table->likely_count; k++)
        ok = ob__cut_texts_add(texts, table->likely[k], strlen(table->likely[k]));
    for (size_t row = 0; ok && !l->is_fixed && row < table->row_count; row++)
        ok = ob__layout_put_cell(l, row, i) && ob__cut_texts_add(texts, l->cell.data, l->cell.size);
    return ok && ob__cut_texts_close(texts);
}

enum { READABLE_WIDTH = 20, LEAST_WIDTH = 10 };

/* The least width at which texts that differ still do. */
static size_t find_least(const ob_cut_texts *texts, size_t width)
{
    size_t least = READABLE_WIDTH;
    bool apart = false;
    for (; least < width && !apart; least += !apart)
        ob__cut_tail(texts, least, &apart);
    return least;
}

/* What was given up beyond need comes back. */
static void give_back(layout *l, const ob_cut_texts *texts, size_t i, size_t natural)
{
    bool apart;
    const size_t spare = l->style->width > l->total ? l->style->width - l->total : 0;
    const size_t lost = natural > l->widths[i] ? natural - l->widths[i] : 0;
    l->widths[i] += spare < lost ? spare : lost;
    l->total += spare < lost ? spare : lost;
    l->tails[i] = ob__cut_tail(texts, l->widths[i], &apart);
}

/* The call gives way first, as far as calls stay apart, then lesser columns and those that can be spared, then what the call has
 * left. Tables have one column of calls. */
bool ob__layout_fit(ob_table_layout *l)
{
    ob_cut_texts texts = {.count = 0};
    size_t call = 0;
    bool ok = true;
    if (!is_too_wide(l))
        return true;
    const size_t count = l->count;
    size_t *before = calloc(count + 1, sizeof *before);
    if (before == NULL)
        return false;
    memcpy(before, l->shown, count * sizeof *before);
    while (call < l->count && !ob__layout_is_shortened(l, call))
        call++;
    const size_t natural = call < l->count ? l->widths[call] : 0;
    if (call < l->count) {
        ok = list_texts(l, call, &texts);
        l->least[call] = ok ? find_least(&texts, natural) : 0;
    }
    shorten(l, READABLE_WIDTH, true);
    leave_out(l, OB_COLUMN_LESSER);
    leave_out(l, OB_COLUMN_SPARE);
    ok = ok && list_left_out(l, before, count);
    free(before);
    shorten(l, LEAST_WIDTH, false);
    for (size_t i = 0; ok && i < l->count; i++)
        if (ob__layout_is_shortened(l, i)) {
            give_back(l, &texts, i, natural);
            break;
        }
    ob__cut_texts_fini(&texts);
    return ok;
}
