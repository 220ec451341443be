/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a suite. Labels stand once, each level further to the right; modes head the columns of
 * their languages.
 */
#include "suite_line.h"

#include "columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64, INDENT = 2, GAP = 2, MOST_LABEL = 1024, MOST_CELL = 32 };

typedef struct column {
    const char *runtime, *autograd;
    ob_language language;
    size_t width;
} column;

typedef struct table {
    ob_cli *cli;
    const ob_snippets *snippets;
    const ob_suite_cell *cells;
    column columns[MOST_COLUMNS];
    size_t column_count;
    size_t label_width;
    size_t blanks; /* that stand before the next text of the line, if there is one */
} table;

/* ---- columns ---- */

static bool same_mode(const column *a, const char *runtime, const char *autograd)
{
    return strcmp(a->runtime, runtime) == 0 && strcmp(a->autograd, autograd) == 0;
}

/* Of "Eager, Forward". */
static size_t mode_width(const column *c)
{
    return strlen(c->runtime) + (c->runtime[0] != '\0' ? strlen(", ") : 0) + strlen(c->autograd);
}

/* Modes in the order in which they first appear, their languages beside each other. */
static void add_column(table *t, const ob_snippet *s)
{
    size_t at = t->column_count;
    for (size_t i = 0; i < t->column_count; i++) {
        const column *c = &t->columns[i];
        if (!same_mode(c, s->runtime, s->autograd))
            continue;
        if (c->language == s->args.language)
            return;
        at = c->language < s->args.language ? i + 1 : at > i ? i : at;
        if (c->language > s->args.language)
            break;
    }
    if (t->column_count == MOST_COLUMNS)
        return;
    memmove(&t->columns[at + 1], &t->columns[at], (t->column_count - at) * sizeof t->columns[0]);
    t->column_count++;
    t->columns[at] = (column){.runtime = s->runtime,
                              .autograd = s->autograd,
                              .language = s->args.language,
                              .width = strlen(ob_language_label(s->args.language))};
}

static column *find_column(table *t, const ob_snippet *s)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (same_mode(&t->columns[i], s->runtime, s->autograd) &&
            t->columns[i].language == s->args.language)
            return &t->columns[i];
    return NULL;
}

static const char *cell_text(const ob_suite_cell *cell, char text[MOST_CELL])
{
    const bool whole = cell->value >= 1000 || cell->value == floor(cell->value);
    if (cell->kind == OB_CELL_VALUE)
        snprintf(text, MOST_CELL, "%.*f", whole ? 0 : cell->value >= 10 ? 1 : 2, cell->value);
    else
        snprintf(text, MOST_CELL, "%s", cell->kind == OB_CELL_FAILED ? "failed" : "");
    return text;
}

/* ---- rows ---- */

static bool same_row(const ob_snippet *a, const ob_snippet *b)
{
    return a->label == b->label && a->args.num_threads == b->args.num_threads;
}

/* Whether an earlier snippet has begun this row. Those of a definition stand together. */
static bool is_begun(const table *t, size_t index)
{
    const ob_snippet *s = ob_snippets_get(t->snippets, index);
    for (size_t i = index; i-- > 0;) {
        const ob_snippet *before = ob_snippets_get(t->snippets, i);
        if (before->label != s->label)
            return false;
        if (same_row(before, s))
            return true;
    }
    return false;
}

/* The row's own text; gives where it ends. */
static size_t leaf_text(const ob_snippet *s, char out[MOST_LABEL])
{
    const char *leaf = s->label_parts > 0 ? s->label[s->label_parts - 1] : "";
    char threads[32] = "";
    if (s->args.num_threads > 1)
        snprintf(threads, sizeof threads, ", %lld threads", (long long)s->args.num_threads);
    snprintf(out, MOST_LABEL, "%s%s", leaf, threads);
    return (s->label_parts > 0 ? s->label_parts - 1 : 0) * INDENT + ob__columns_width(out);
}

static void measure(table *t)
{
    for (size_t i = 0; i < ob_snippets_count(t->snippets); i++) {
        const ob_snippet *s = ob_snippets_get(t->snippets, i);
        char text[MOST_LABEL], cell[MOST_CELL];
        column *c = find_column(t, s);
        const size_t label = leaf_text(s, text);
        const size_t width = strlen(cell_text(&t->cells[i], cell));
        t->label_width = label > t->label_width ? label : t->label_width;
        if (c != NULL)
            c->width = width > c->width ? width : c->width;
    }
    /* The last language of a mode makes room for its name. */
    for (size_t i = 0; i < t->column_count;) {
        const column *first = &t->columns[i];
        size_t width = 0, k = i;
        for (; k < t->column_count && same_mode(&t->columns[k], first->runtime, first->autograd);
             k++)
            width += t->columns[k].width + (k > i ? GAP : 0);
        const size_t name = mode_width(first);
        if (name > width)
            t->columns[k - 1].width += name - width;
        i = k;
    }
}

/* ---- printing ---- */

static void put_blanks(table *t, size_t count)
{
    t->blanks += count;
}

static void put(table *t, const char *text)
{
    if (text[0] == '\0')
        return;
    ob__cli_printf(t->cli, "%*s%s", (int)t->blanks, "", text);
    t->blanks = 0;
}

static void put_right(table *t, const char *text, size_t width)
{
    const size_t length = strlen(text);
    put_blanks(t, width > length ? width - length : 0);
    put(t, text);
}

static void end_line(table *t)
{
    ob__cli_write(t->cli, "\n", 1);
    t->blanks = 0;
}

static bool begins_mode(const table *t, size_t i)
{
    return i == 0 ||
           !same_mode(&t->columns[i], t->columns[i - 1].runtime, t->columns[i - 1].autograd);
}

static void put_gap(table *t, size_t i)
{
    put_blanks(t, begins_mode(t, i) ? 1 : GAP);
    if (!begins_mode(t, i))
        return;
    put(t, "|");
    put_blanks(t, 1);
}

static void print_head(table *t)
{
    put_blanks(t, t->label_width);
    for (size_t i = 0; i < t->column_count; i++) {
        if (!begins_mode(t, i))
            continue;
        const column *first = &t->columns[i];
        size_t width = first->width;
        for (size_t k = i + 1; k < t->column_count && !begins_mode(t, k); k++)
            width += GAP + t->columns[k].width;
        const size_t name = mode_width(first);
        put_gap(t, i);
        put(t, first->runtime);
        put(t, first->runtime[0] != '\0' ? ", " : "");
        put(t, first->autograd);
        put_blanks(t, width > name ? width - name : 0);
    }
    end_line(t);
    put_blanks(t, t->label_width);
    for (size_t i = 0; i < t->column_count; i++) {
        put_gap(t, i);
        put_right(t, ob_language_label(t->columns[i].language), t->columns[i].width);
    }
    end_line(t);
}

/* The parts of the label that the row before does not have, but for the last. */
static void print_headings(table *t, const ob_snippet *s, const ob_snippet *before)
{
    size_t level = 0;
    while (before != NULL && level + 1 < s->label_parts && level + 1 < before->label_parts &&
           strcmp(s->label[level], before->label[level]) == 0)
        level++;
    for (; level + 1 < s->label_parts; level++) {
        put_blanks(t, level * INDENT);
        put(t, s->label[level]);
        end_line(t);
    }
}

static void print_cells(table *t, size_t first)
{
    const ob_snippet *row = ob_snippets_get(t->snippets, first);
    for (size_t c = 0; c < t->column_count; c++) {
        ob_suite_cell cell = {.kind = OB_CELL_NONE};
        for (size_t i = first; i < ob_snippets_count(t->snippets); i++) {
            const ob_snippet *s = ob_snippets_get(t->snippets, i);
            if (s->label != row->label)
                break;
            if (same_row(s, row) && s->args.language == t->columns[c].language &&
                same_mode(&t->columns[c], s->runtime, s->autograd))
                cell = t->cells[i];
        }
        char text[MOST_CELL];
        put_gap(t, c);
        put_right(t, cell_text(&cell, text), t->columns[c].width);
    }
}

void ob__suite_table(ob_cli *cli, const ob_snippets *snippets, const ob_suite_cell *cells,
                     const char *title)
{
    table t = {.cli = cli, .snippets = snippets, .cells = cells};
    const ob_snippet *before = NULL;
    for (size_t i = 0; i < ob_snippets_count(snippets); i++)
        add_column(&t, ob_snippets_get(snippets, i));
    measure(&t);
    put(&t, title);
    end_line(&t);
    print_head(&t);
    for (size_t i = 0; i < ob_snippets_count(snippets); i++) {
        const ob_snippet *s = ob_snippets_get(snippets, i);
        char text[MOST_LABEL];
        if (is_begun(&t, i))
            continue;
        print_headings(&t, s, before);
        before = s;
        const size_t used = leaf_text(s, text);
        put_blanks(&t, (s->label_parts > 0 ? s->label_parts - 1 : 0) * INDENT);
        put(&t, text);
        put_blanks(&t, t.label_width - used);
        print_cells(&t, i);
        end_line(&t);
    }
}
