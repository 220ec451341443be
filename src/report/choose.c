/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rows and columns of a table are shown, and in which order.
 */
#include "base/nearest.h"
#include "base/sized.h"
#include "report/filter.h"

#include <stdlib.h>
#include <string.h>

/* Programs' names come before people's titles: of a cell that is marked for people they have the plain text. */
static bool is_called(const ob_column *column, bool by_name, const char *name, size_t length)
{
    const char *word = by_name ? column->name : column->title;
    return word != NULL && strlen(word) == length && memcmp(word, name, length) == 0;
}

ob_status ob__table_find(const ob_table *table, const char *name, size_t length, const char *option,
                         size_t *out, ob_err *err)
{
    ob_nearest nearest;
    ob__nearest_start(&nearest, name, length);
    for (int by_name = 1; by_name >= 0; by_name--)
        for (size_t i = 0; i < table->column_count; i++) {
            const ob_column *column = &table->columns[i];
            const char *word = by_name ? column->name : column->title;
            *out = i;
            if (is_called(column, by_name, name, length))
                return OB_OK;
            if (word != NULL)
                ob__nearest_offer(&nearest, word);
        }
    ob_text all = {.data = NULL};
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].title != NULL && !(table->columns[i].flags & OB_COLUMN_HIDDEN))
            ob_text_printf(&all, "%s%.60s", all.size > 0 ? ", " : "", table->columns[i].title);
    ob_err_set(err, OB_ERR_NOT_FOUND, "%s: there is no column \"%.*s\"; %she columns are %.*s",
               option, (int)(length < 100 ? length : 100), name,
               ob__near_text(nearest.best, "did you mean \"", "\"? T", "t").text,
               (int)(all.size < 400 ? all.size : 400), all.size > 0 ? all.data : "none");
    ob_text_fini(&all);
    return OB_ERR_NOT_FOUND;
}

/* Adds all columns that are called so: people and programs may have one each. What only the others have is shown by the
 * word that they have for it. Returns how many. */
static size_t add_called(ob_table *table, const char *name, size_t length, size_t *order)
{
    size_t count = 0;
    bool title = false, word = false;
    for (size_t i = 0; i < table->column_count; i++) {
        const ob_column *c = &table->columns[i];
        if (!is_called(c, true, name, length) && !is_called(c, false, name, length))
            continue;
        order[count++] = i;
        title = title || c->title != NULL;
        word = word || c->name != NULL;
    }
    for (size_t i = 0; i < count; i++) {
        ob_column *c = &table->columns[order[i]];
        c->title = title ? c->title : c->name;
        c->name = word ? c->name : c->title;
    }
    return count;
}

static ob_status choose_columns(ob_table *table, const char *list, ob_err *err)
{
    size_t found, room = 1;
    for (const char *c = list; *c != '\0'; c++)
        room += *c == ',';
    if (room > 1000)
        return ob_err_set(err, OB_ERR_LIMIT, "--columns: %zu names are too many", room);
    size_t *order = calloc(room * (table->column_count + 1), sizeof *order);
    size_t count = 0;
    ob_status status =
        order != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for columns");
    for (const char *at = list; status == OB_OK && *at != '\0';) {
        at += strspn(at, ", ");
        size_t length = strcspn(at, ",");
        const char *next = at + length;
        while (length > 0 && at[length - 1] == ' ')
            length--;
        if (length == 0)
            break;
        status = ob__table_find(table, at, length, "--columns", &found, err);
        if (status == OB_OK)
            count += add_called(table, at, length, order + count);
        at = next;
    }
    if (status == OB_OK && count == 0)
        status = ob_err_set(err, OB_ERR_INVALID, "--columns: no column is named");
    if (status != OB_OK) {
        free(order);
        return status;
    }
    free(table->order);
    table->order = order;
    table->order_count = count;
    return OB_OK;
}

/* ---- rows ---- */

static ob_status keep_rows(ob_table *table, const char *text, ob_err *err)
{
    ob_filter *filter;
    size_t kept = 0;
    OB_TRY(ob__filter_open(table, text, &filter, err));
    for (size_t i = 0; i < table->row_count; i++)
        if (ob__filter_takes(filter, i))
            table->rows[kept++] = table->rows[i];
    table->row_count = kept;
    ob__filter_close(filter);
    return OB_OK;
}

typedef struct sort_key {
    ob_row row;
    const ob_cell *cell;
    size_t place;
    bool down, is_text;
} sort_key;

/* What has nothing is last, whatever the direction; equal rows stay as they are. */
static int compare_keys(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    const bool x_there = x->is_text ? x->cell->text != NULL : !isnan(x->cell->number);
    const bool y_there = x->is_text ? y->cell->text != NULL : !isnan(y->cell->number);
    int order = x_there != y_there ? (x_there ? -1 : 1) : 0;
    if (order == 0 && x_there) {
        order = x->is_text
                    ? strcmp(x->cell->text, y->cell->text)
                    : (x->cell->number > y->cell->number) - (x->cell->number < y->cell->number);
        if (x->down)
            order = order > 0 ? -1 : order < 0;
    }
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static ob_status sort_rows(ob_table *table, const char *name, ob_err *err)
{
    const bool down = name[0] == '-';
    size_t column;
    OB_TRY(ob__table_find(table, name + down, strlen(name + down), "--sort", &column, err));
    sort_key *keys = calloc(table->row_count + 1, sizeof *keys);
    if (keys == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory to sort %zu rows", table->row_count);
    for (size_t i = 0; i < table->row_count; i++)
        keys[i] = (sort_key){.row = table->rows[i],
                             .cell = ob__table_peek(table, i, column),
                             .place = i,
                             .down = down,
                             .is_text = table->columns[column].hint == OB_HINT_TEXT};
    qsort(keys, table->row_count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < table->row_count; i++)
        table->rows[i] = keys[i].row;
    free(keys);
    return OB_OK;
}

ob_status ob_table_choose(ob_table *table, const ob_table_choice *choice, ob_err *err)
{
    ob_table_choice own;
    OB_TRY(OB__TAKE(ob_table_choice, &own, choice, err));
    choice = &own;
    if (choice->filter != NULL)
        OB_TRY(keep_rows(table, choice->filter, err));
    if (choice->sort != NULL)
        OB_TRY(sort_rows(table, choice->sort, err));
    if (choice->top > 0 && (uint64_t)choice->top < table->row_count)
        table->row_count = (size_t)choice->top;
    return choice->columns != NULL ? choose_columns(table, choice->columns, err) : OB_OK;
}
