/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons as tables. Text is to the byte what torch.utils.benchmark prints. Markdown has no groups of rows, so thread
 * count and environment are columns there; one that would be the same in every row is left out. CSV has one heading for all
 * comparisons, with every description that any of them has, so that the file is one rectangle; its numbers are medians
 * in the row's unit, all digits unless they are trimmed.
 */
#include "report/table_model.h"

#include "base/sized.h"
#include "base/utf8.h"
#include "compare/compare_names.h"
#include "measure/unique.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a comparison");
}

static void add_column(ob_table *table, const char *title, ob_hint hint, uint32_t flags)
{
    ob_table_add_column(table, &(ob_column){.title = ob__or_empty(title),
                                            .name = ob__or_empty(title),
                                            .hint = hint,
                                            .flags = flags});
}

/* The scratch as the text of a cell of the last row; empties it. */
static void take_text(ob_table *table, size_t column, ob_text *scratch, bool ok)
{
    if (ok && ob_text_append(scratch, "", 1))
        ob_table_set_text(table, column, scratch->data);
    else
        table->no_memory = true;
    scratch->size = 0;
}

/* ---- text and Markdown ---- */

typedef struct drawing {
    const ob_compare_table *from;
    const ob_compare_style *style;
    ob_table *to;
    ob_column_format *formats;
    ob_mark *marks;
    ob_text scratch;
    size_t first; /* column of the first number */
} drawing;

static void set_numbers(drawing *d, size_t row)
{
    const size_t columns = d->from->column_count;
    for (size_t i = 0; i < columns; i++) {
        const ob_compare_cell *cell = &d->from->cells[row * columns + i];
        take_text(d->to, d->first + i, &d->scratch,
                  ob__cell_append(&d->scratch, &d->formats[i], d->from, cell, d->style));
        ob_cell *to = ob__table_cell(d->to, row, d->first + i);
        if (to != NULL)
            to->mark = d->marks[row * columns + i];
    }
}

static size_t longest_env(const ob_compare_table *table)
{
    size_t longest = 0;
    for (size_t i = 0; table->has_envs && i < table->row_count; i++) {
        const size_t length = ob__utf8_count(ob__env_name(table->rows[i].env));
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* "  (env)  name", and the number of threads above the first that has it. */
static void set_text_row(drawing *d, const ob_compare_row *row, size_t env_width)
{
    const char *env = row->shows_env ? ob__env_name(row->env) : NULL;
    const size_t used = env != NULL ? ob__utf8_count(env) + strlen("()") : 0;
    char heading[64];
    snprintf(heading, sizeof heading, "%" PRId64 " threads: ", row->num_threads);
    if (row->starts_group)
        ob_table_set_heading(d->to, heading);
    take_text(d->to, 0, &d->scratch,
              ob_text_append_str(&d->scratch, "  ") &&
                  (env == NULL || ob_text_printf(&d->scratch, "(%s)", env)) &&
                  ob__text_append_fill(&d->scratch, ' ', env_width > used ? env_width - used : 0) &&
                  ob_text_append_str(&d->scratch, row->name));
}

static void set_markdown_row(drawing *d, const ob_compare_row *row, bool threads)
{
    if (threads)
        ob_table_set_number(d->to, 0, (double)row->num_threads);
    if (d->from->has_envs)
        ob_table_set_text(d->to, threads, ob__env_name(row->env));
    ob_table_set_text(d->to, d->first - 1, row->name);
}

static void draw(drawing *d)
{
    const ob_compare_table *from = d->from;
    const bool text = d->style->format == OB_TABLE_TEXT;
    const bool threads =
        !text && (from->rows[from->row_count - 1].group > 0 || from->rows[0].num_threads != 1);
    const size_t env_width = longest_env(from) + strlen("()  ");
    d->to->boxed = ob__or_empty(from->label);
    if (threads)
        add_column(d->to, "threads", OB_HINT_COUNT, 0);
    if (!text && from->has_envs)
        add_column(d->to, "env", OB_HINT_TEXT, 0);
    add_column(d->to, "", OB_HINT_TEXT, 0);
    d->first = d->to->column_count;
    for (size_t i = 0; i < from->column_count; i++)
        add_column(d->to, from->columns[i], OB_HINT_TEXT, OB_COLUMN_CENTRED);
    for (size_t i = 0; i < from->row_count; i++) {
        ob_table_add_row(d->to);
        if (text)
            set_text_row(d, &from->rows[i], env_width);
        else
            set_markdown_row(d, &from->rows[i], threads);
        set_numbers(d, i);
    }
}

static ob_status print_table(const ob_compare_table *table, const ob_compare_style *style,
                             ob_text *text, ob_err *err)
{
    drawing d = {.from = table,
                 .style = style,
                 .to = ob_table_create(),
                 .formats = ob__column_formats(table, style),
                 .marks = ob__marks_make(table, style->colorize)};
    const ob_table_style form = {.size = sizeof form, .format = style->format};
    ob_status status =
        d.to != NULL && d.formats != NULL && d.marks != NULL ? OB_OK : no_memory(err);
    if (status == OB_OK) {
        draw(&d);
        status = ob_table_print(d.to, &form, text, err);
    }
    if (status == OB_OK && !(ob_text_append(text, "\n", 1) && ob__note_append(text, table, style)))
        status = no_memory(err);
    ob_text_fini(&d.scratch);
    free(d.formats);
    free(d.marks);
    ob_table_destroy(d.to);
    return status;
}

/* ---- CSV ---- */

enum { LABEL, THREADS, ENV, NAME, UNIT, FIXED };

static int compare_names(const void *a, const void *b)
{
    return ob__text_compare(a, b);
}

/* Columns of all tables, one table behind the other. */
typedef struct columns {
    const char **names;
    ob_unique unique;
} columns;

static ob_status gather_columns(const ob_compare *compare, columns *out, ob_err *err)
{
    size_t count = 0;
    for (size_t t = 0; t < ob_compare_table_count(compare); t++)
        count += ob_compare_table_at(compare, t)->column_count;
    out->names = calloc(count + 1, sizeof *out->names);
    if (out->names == NULL)
        return no_memory(err);
    count = 0;
    for (size_t t = 0; t < ob_compare_table_count(compare); t++) {
        const ob_compare_table *table = ob_compare_table_at(compare, t);
        for (size_t i = 0; i < table->column_count; i++)
            out->names[count++] = table->columns[i];
    }
    return ob__unique_init(&out->unique, (const void *const *)out->names, count, compare_names,
                           err);
}

/* numbers[i] = which of the file's columns the table's column i is. */
static bool add_rows(ob_table *to, const ob_compare_table *table, const ob_compare_style *style,
                     const size_t *numbers)
{
    ob_column_format *formats = ob__column_formats(table, style);
    ob_text scratch = {.data = NULL};
    for (size_t row = 0; formats != NULL && row < table->row_count; row++) {
        const ob_compare_row *r = &table->rows[row];
        ob_table_add_row(to);
        ob_table_set_text(to, LABEL, table->label);
        ob_table_set_number(to, THREADS, (double)r->num_threads);
        ob_table_set_text(to, ENV, r->env);
        ob_table_set_text(to, NAME, r->name);
        ob_table_set_text(to, UNIT, table->unit->symbol);
        for (size_t i = 0; i < table->column_count; i++) {
            const ob_compare_cell *cell = &table->cells[row * table->column_count + i];
            const ob_column_format format = {.decimals = formats[i].decimals};
            if (cell->stats != NULL && style->trim_significant_figures)
                take_text(to, FIXED + numbers[i], &scratch,
                          ob__cell_append(&scratch, &format, table, cell, style));
            else if (cell->stats != NULL)
                ob_table_set_number(to, FIXED + numbers[i],
                                    cell->stats->median / table->unit->scale);
        }
    }
    ob_text_fini(&scratch);
    free(formats);
    return formats != NULL;
}

static ob_status print_csv(const ob_compare *compare, const ob_compare_style *style, ob_text *text,
                           ob_err *err)
{
    static const char *const NAMES[FIXED] = {"label", "num_threads", "env", "name", "unit"};
    columns all = {.names = NULL};
    ob_table *to = ob_table_create();
    ob_status status = to != NULL ? gather_columns(compare, &all, err) : no_memory(err);
    for (int i = 0; status == OB_OK && i < FIXED; i++)
        add_column(to, NAMES[i], i == THREADS ? OB_HINT_COUNT : OB_HINT_TEXT, 0);
    for (size_t i = 0; status == OB_OK && i < all.unique.count; i++)
        add_column(to, all.names[all.unique.firsts[i]], OB_HINT_REAL, 0);
    for (size_t t = 0, base = 0; status == OB_OK && t < ob_compare_table_count(compare); t++) {
        const ob_compare_table *table = ob_compare_table_at(compare, t);
        if (!add_rows(to, table, style, all.unique.numbers + base))
            status = no_memory(err);
        base += table->column_count;
    }
    if (status == OB_OK)
        status = ob_table_print(
            to, &(ob_table_style){.size = sizeof(ob_table_style), .format = OB_TABLE_CSV}, text,
            err);
    if (all.names != NULL)
        ob__unique_fini(&all.unique);
    free((void *)all.names);
    ob_table_destroy(to);
    return status;
}

/* ---- */

static ob_status print_all(const ob_compare *compare, const ob_compare_style *style, ob_text *text,
                           ob_err *err)
{
    if (style->format == OB_TABLE_CSV)
        return print_csv(compare, style, text, err);
    if (style->format == OB_TABLE_JSON)
        return ob__json_tables_print(compare, style, text, err);
    for (size_t i = 0; i < ob_compare_table_count(compare); i++) {
        if (i > 0 && !ob_text_append(text, "\n", 1))
            return no_memory(err);
        OB_TRY(print_table(ob_compare_table_at(compare, i), style, text, err));
    }
    return OB_OK;
}

ob_status ob_compare_print(const ob_compare *compare, const ob_compare_style *style, ob_text *text,
                           ob_err *err)
{
    ob_compare_style own;
    const size_t before = text->size;
    OB_TRY(OB__TAKE_OPTIONAL(ob_compare_style, &own, style, err));
    const ob_status status = print_all(compare, &own, text, err);
    if (status != OB_OK)
        text->size = before;
    return status;
}
