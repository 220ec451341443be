/* SPDX-License-Identifier: Apache-2.0
 *
 * Results with several numbers of threads in one table: how much faster each is than with the fewest.
 */
#include "report/views.h"

#include <stdlib.h>
#include <string.h>

/* A row and what it is of. */
typedef struct place {
    const char *work[OB_SCALING_KEYS];
    size_t at, first; /* where it stood, and where the first of the same work did */
    ob_row row;
} place;

static int compare_work(const place *a, const place *b)
{
    int order = 0;
    for (size_t i = 0; order == 0 && i < OB_SCALING_KEYS; i++)
        order = strcmp(a->work[i], b->work[i]);
    return order;
}

static int by_work(const void *left, const void *right)
{
    const place *a = left, *b = right;
    const int order = compare_work(a, b);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static int by_first(const void *left, const void *right)
{
    const place *a = left, *b = right;
    return a->first != b->first ? (a->first > b->first) - (a->first < b->first)
                                : (a->at > b->at) - (a->at < b->at);
}

static const ob_cell *fewest_threads(const ob_table *table, const ob_scaling_columns *c,
                                     size_t from, size_t end, double *threads)
{
    size_t fewest = from;
    for (size_t i = from; i < end; i++)
        if (ob__table_peek(table, i, c->threads)->number <
            ob__table_peek(table, fewest, c->threads)->number)
            fewest = i;
    *threads = ob__table_peek(table, fewest, c->threads)->number;
    return ob__table_peek(table, fewest, c->median);
}

/* Rows [from, end) are of the same work. */
static void compare_rows(ob_table *table, const ob_scaling_columns *c, size_t from, size_t end)
{
    double fewest;
    const double base_ns = fewest_threads(table, c, from, end, &fewest)->number;
    for (size_t i = from; i < end; i++) {
        const double speed_up = base_ns / ob__table_peek(table, i, c->median)->number;
        const double threads = ob__table_peek(table, i, c->threads)->number;
        ob_cell *cell = ob__table_cell(table, i, c->speed_up);
        if (cell != NULL)
            cell->number = speed_up;
        cell = ob__table_cell(table, i, c->efficiency);
        if (cell != NULL)
            cell->number = speed_up * fewest / threads;
    }
}

/* They came in turns: all cases with one number of threads after all with the one before. */
static void gather(ob_table *table, const ob_scaling_columns *c, place *places)
{
    const size_t count = table->row_count;
    for (size_t i = 0; i < count; i++) {
        places[i] = (place){.at = i, .row = table->rows[i]};
        for (size_t k = 0; k < OB_SCALING_KEYS; k++) {
            const char *text = ob__table_peek(table, i, c->work[k])->text;
            places[i].work[k] = text != NULL ? text : "";
        }
    }
    qsort(places, count, sizeof *places, by_work);
    for (size_t i = 0; i < count; i++)
        places[i].first = i > 0 && compare_work(&places[i - 1], &places[i]) == 0
                              ? places[i - 1].first
                              : places[i].at;
    qsort(places, count, sizeof *places, by_first);
    for (size_t i = 0; i < count; i++)
        table->rows[i] = places[i].row;
}

void ob__run_view_scale(ob_table *table, const ob_scaling_columns *c)
{
    const size_t count = table->row_count;
    place *places = calloc(count + 1, sizeof *places);
    if (places == NULL) {
        table->no_memory = true;
        return;
    }
    gather(table, c, places);
    for (size_t from = 0, end; from < count; from = end) {
        for (end = from + 1; end < count && places[end].first == places[from].first; end++)
            continue;
        compare_rows(table, c, from, end);
    }
    free(places);
    table->columns[c->threads].flags = 0;
    table->columns[c->speed_up].flags = 0;
    table->columns[c->efficiency].flags = 0;
}
