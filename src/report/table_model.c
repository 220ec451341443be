/* SPDX-License-Identifier: Apache-2.0
 *
 * The table model: columns, rows, cells. What a cell says to people and to programs follows from the column's
 * hint, in this file.
 */
#include "report/table_model.h"

#include "base/json_node.h"
#include "base/sized.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

static const ob_cell EMPTY = {.number = NAN};

ob_table *ob_table_create(void)
{
    ob_table *table = calloc(1, sizeof *table);
    if (table != NULL)
        ob__arena_init(&table->arena, 0);
    return table;
}

void ob_table_destroy(ob_table *table)
{
    if (table == NULL)
        return;
    ob__arena_fini(&table->arena);
    free(table->columns);
    free(table->order);
    free(table->rows);
    free((void *)table->lines);
    free(table);
}

const char *ob__table_keep(ob_table *table, const char *text)
{
    const char *kept = text != NULL ? ob__arena_strdup(&table->arena, text, strlen(text)) : NULL;
    table->no_memory = table->no_memory || (text != NULL && kept == NULL);
    return kept;
}

/* Room for one more; once memory is out, there is none any more. */
#define HAS_ROOM(table, items, count, room)                                                        \
    (!((table)->no_memory = (table)->no_memory || !OB_RESERVE(items, room, (count) + 1)))

/* A column with something set that is not known here is one without that. */
size_t ob_table_add_column_sized(ob_table *table, const ob_column *column, size_t size)
{
    if (!HAS_ROOM(table, table->columns, table->column_count, table->column_room))
        return 0;
    ob_column *to = &table->columns[table->column_count];
    memset(to, 0, sizeof *to);
    memcpy(to, column, size < sizeof *to ? size : sizeof *to);
    to->title = ob__table_keep(table, column->title);
    to->name = ob__table_keep(table, column->name);
    to->group = ob__table_keep(table, column->group);
    return table->column_count++;
}

void ob_table_add_row(ob_table *table)
{
    if (HAS_ROOM(table, table->rows, table->row_count, table->row_room))
        table->rows[table->row_count++] = (ob_row){.cells = NULL};
}

size_t ob_table_row_count(const ob_table *table)
{
    return table->row_count;
}

ob_cell *ob__table_cell(ob_table *table, size_t row, size_t column)
{
    if (row >= table->row_count || column >= table->column_count || table->no_memory)
        return NULL;
    ob_row *r = &table->rows[row];
    if (column >= r->cell_count) {
        ob_cell *cells = ob__arena_alloc_array(&table->arena, table->column_count, sizeof *cells);
        if (cells == NULL) {
            table->no_memory = true;
            return NULL;
        }
        for (size_t i = 0; i < table->column_count; i++)
            cells[i] = i < r->cell_count ? r->cells[i] : EMPTY;
        r->cells = cells;
        r->cell_count = table->column_count;
    }
    return &r->cells[column];
}

const ob_cell *ob__table_peek(const ob_table *table, size_t row, size_t column)
{
    const ob_row *r = &table->rows[row];
    return column < r->cell_count ? &r->cells[column] : &EMPTY;
}

void ob_table_set_text(ob_table *table, size_t column, const char *text)
{
    ob_cell *cell = ob__table_cell(table, table->row_count - 1, column);
    if (cell != NULL)
        cell->text = ob__table_keep(table, text);
}

void ob_table_set_number(ob_table *table, size_t column, double number)
{
    ob_cell *cell = ob__table_cell(table, table->row_count - 1, column);
    if (cell != NULL)
        cell->number = number;
}

void ob__table_set_flag(ob_table *table, size_t column, bool value)
{
    ob_cell *cell = ob__table_cell(table, table->row_count - 1, column);
    if (cell == NULL)
        return;
    cell->text = value ? "yes" : "no";
    cell->json = value ? "true" : "false";
}

void ob_table_set_heading(ob_table *table, const char *lines)
{
    if (table->row_count > 0)
        table->rows[table->row_count - 1].heading = ob__table_keep(table, lines);
}

void ob_table_set_note(ob_table *table, const char *lines)
{
    if (table->row_count == 0)
        return;
    table->rows[table->row_count - 1].notes = NULL;
    if (lines != NULL)
        ob__table_add_note(table, lines);
}

void ob__table_add_note(ob_table *table, const char *lines)
{
    ob_row_note **at = &table->rows[table->row_count - 1].notes;
    while (*at != NULL)
        at = &(*at)->next;
    ob_row_note *note = ob__arena_alloc(&table->arena, sizeof *note);
    if (note == NULL) {
        table->no_memory = true;
        return;
    }
    *note = (ob_row_note){.text = ob__table_keep(table, lines)};
    *at = note->text != NULL ? note : NULL;
}

void ob__table_set_mark(ob_table *table, size_t column, ob_mark mark)
{
    ob_cell *cell = ob__table_cell(table, table->row_count - 1, column);
    if (cell != NULL)
        cell->mark = mark;
}

void ob_table_add_line(ob_table *table, const char *line)
{
    if (HAS_ROOM(table, table->lines, table->line_count, table->line_room))
        table->lines[table->line_count++] = ob__table_keep(table, line);
}

/* ---- what a cell says ---- */

char *ob_time_format(double ns, char *out, size_t size)
{
    static const struct {
        double ns;
        const char *unit;
    } UNITS[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
    size_t u = 0;
    while (fabs(ns) < UNITS[u].ns)
        u++;
    if (isnan(ns))
        snprintf(out, size, "-");
    else
        snprintf(out, size, "%.4g %s", UNITS[u].ns > 0 ? ns / UNITS[u].ns : ns, UNITS[u].unit);
    return out;
}

bool ob__cell_append_shown(const ob_table *table, size_t row, size_t column, bool keep_lines,
                           ob_text *out)
{
    const ob_cell *cell = ob__table_peek(table, row, column);
    const ob_hint hint = table->columns[column].hint;
    char time[32];
    if (cell->text != NULL)
        return ob__append_harmless(out, cell->text, keep_lines);
    if (isnan(cell->number))
        return ob_text_append_str(out, hint == OB_HINT_TEXT ? "" : "-");
    switch (hint) {
    case OB_HINT_TIME:
        return ob_text_append_str(out, ob_time_format(cell->number, time, sizeof time));
    case OB_HINT_BRIEF:
        return ob_text_printf(out, "%.2g", cell->number);
    case OB_HINT_COUNT:
        return ob_text_printf(out, "%.15g", cell->number);
    case OB_HINT_SHARE:
        return ob_text_printf(out, "%.1f %%", 100 * cell->number);
    case OB_HINT_REAL:
        return ob__text_append_real(out, cell->number);
    default:
        return ob_text_printf(out, "%.4g", cell->number);
    }
}

/* The fewest digits that read back as the same number; times are known to the picosecond. */
bool ob__number_append(double number, ob_hint hint, ob_text *out)
{
    char text[32];
    if (hint == OB_HINT_REAL)
        return ob__text_append_real(out, number);
    const double value = hint == OB_HINT_TIME ? round(number * 1e3) / 1e3 : number;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (hint == OB_HINT_TIME || strtod(text, NULL) == value)
            break;
    }
    return ob_text_append_str(out, text);
}

/* ---- printing ---- */

size_t *ob__table_shown(const ob_table *table, bool for_people, size_t *count)
{
    const size_t all = table->order != NULL ? table->order_count : table->column_count;
    size_t *shown = calloc(all + 1, sizeof *shown);
    *count = 0;
    for (size_t i = 0; shown != NULL && i < all; i++) {
        const size_t c = table->order != NULL ? table->order[i] : i;
        const ob_column *column = &table->columns[c];
        const bool hidden = table->order == NULL && (column->flags & OB_COLUMN_HIDDEN) != 0;
        bool empty = for_people && (column->flags & OB_COLUMN_NOT_EMPTY) != 0;
        for (size_t row = 0; empty && row < table->row_count; row++) {
            const ob_cell *cell = ob__table_peek(table, row, c);
            empty = isnan(cell->number) && (cell->text == NULL || cell->text[0] == '\0');
        }
        if ((for_people ? column->title : column->name) != NULL && !hidden && !empty)
            shown[(*count)++] = c;
    }
    return shown;
}

static bool print_csv(const ob_table *table, ob_text *out)
{
    bool ok = ob__table_print_csv_head(table, out);
    for (size_t i = 0; ok && i < table->row_count; i++)
        ok = ob__table_print_csv_row(table, i, out);
    return ok;
}

static bool print_json(const ob_table *table, const char *list, ob_text *out)
{
    bool ok = list == NULL ||
              (ob_text_append(out, "{", 1) && ob__json_write_any(out, list, strlen(list)) &&
               ob_text_append_str(out, ": ["));
    for (size_t i = 0; ok && i < table->row_count; i++)
        ok = (list == NULL || i == 0 || ob_text_append(out, ", ", 2)) &&
             ob__table_print_json_row(table, i, out) &&
             (list != NULL || ob_text_append(out, "\n", 1));
    return ok && (list == NULL || ob_text_append_str(out, "]}\n"));
}

ob_status ob_table_print(const ob_table *table, const ob_table_style *style, ob_text *text,
                         ob_err *err)
{
    ob_table_style own;
    const size_t before = text->size;
    ob_status status = OB_OK;
    bool ok = !table->no_memory;
    OB_TRY(OB__TAKE_OPTIONAL(ob_table_style, &own, style, err));
    style = &own;
    if (ok && style->format == OB_TABLE_TEXT)
        status = ob__table_print_text(table, style, NULL, text, err);
    else if (ok && style->format == OB_TABLE_MARKDOWN)
        status = ob__table_print_markdown(table, text, err);
    else if (ok)
        ok = style->format == OB_TABLE_CSV ? print_csv(table, text)
                                           : print_json(table, style->list, text);
    if (!ok)
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for a table of %zu rows",
                            table->row_count);
    if (status != OB_OK)
        text->size = before;
    return status;
}
