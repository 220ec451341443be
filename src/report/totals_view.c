/* SPDX-License-Identifier: Apache-2.0
 *
 * What the cases of a recorded program come to: each operator's time weighted by how often the program called it. A case
 * that was not measured adds its calls to those that are missing, so that a share is never read as one of the
 * whole step when it is not.
 */
#include "report/views.h"

#include "opbench/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t ob__result_weight(const ob_record_result *result)
{
    return result->outermost != OB_NO_INT ? result->outermost : result->count;
}

/* Median of the passes that were measured together, in ns; NaN = nothing was measured. */
static double call_ns(const ob_record_result *result)
{
    if (result->forward.measure_time_ms.count == 0)
        return NAN;
    const bool backward = result->backward.measure_time_ms.count > 0;
    return (result->forward.time_ms.median + (backward ? result->backward.time_ms.median : 0)) *
           1e6;
}

void ob__totals_fini(ob_totals *totals)
{
    ob__arena_fini(&totals->arena);
    free(totals->items);
}

/* NULL: out of memory. Results come operator by operator, so the last one is looked at first. */
static ob_total *find(ob_totals *totals, const char *op, const char *backend)
{
    for (size_t i = totals->count; i-- > 0;)
        if (strcmp(totals->items[i].op, op) == 0 && strcmp(totals->items[i].backend, backend) == 0)
            return &totals->items[i];
    if (!OB_RESERVE(totals->items, totals->room, totals->count + 1))
        return NULL;
    ob_total *t = &totals->items[totals->count];
    *t = (ob_total){.op = ob__arena_strdup(&totals->arena, op, strlen(op)),
                    .backend = ob__arena_strdup(&totals->arena, backend, strlen(backend))};
    if (t->op == NULL || t->backend == NULL)
        return NULL;
    totals->count++;
    return t;
}

void ob__totals_add(ob_totals *totals, const ob_record_result *result)
{
    const int64_t weight = ob__result_weight(result);
    if (weight == OB_NO_INT)
        return;
    /* With several numbers of threads each call would count several times. */
    if (totals->threads == 0)
        totals->threads = result->threads;
    if (result->threads != totals->threads)
        return;
    const char *name = result->side != NULL ? result->side : result->backend;
    ob_total *t =
        find(totals, result->op_name != NULL ? result->op_name : "", name != NULL ? name : "");
    const double ns = call_ns(result);
    totals->no_memory = totals->no_memory || t == NULL;
    if (t == NULL)
        return;
    if (isnan(ns)) {
        t->missing += (uint64_t)weight;
    } else {
        t->calls += (uint64_t)weight;
        t->ns += (double)weight * ns;
    }
}

double ob__totals_ns(const ob_totals *totals, const char *backend)
{
    double sum = 0;
    for (size_t i = 0; i < totals->count; i++)
        if (strcmp(totals->items[i].backend, backend) == 0)
            sum += totals->items[i].ns;
    return sum;
}

/* By backend, then the longest first, then by name. */
static int compare(const void *a, const void *b)
{
    const ob_total *left = a, *right = b;
    const int backends = strcmp(left->backend, right->backend);
    if (backends != 0)
        return backends;
    if (left->ns > right->ns || left->ns < right->ns)
        return left->ns > right->ns ? -1 : 1;
    return strcmp(left->op, right->op);
}

enum { OPERATOR, BACKEND, CALLS, MISSING, PER_CALL, TOTAL, SHARE, COLUMNS };
static const ob_column COLUMN_ROWS[COLUMNS] = {
    [OPERATOR] = {.title = "operator", .name = "operator"},
    [BACKEND] = {.title = "backend", .name = "backend"},
    [CALLS] = {.title = "calls", .name = "calls", .hint = OB_HINT_COUNT},
    [MISSING] = {.name = "calls_not_measured", .hint = OB_HINT_COUNT},
    [PER_CALL] = {.title = "time per call", .name = "time_per_call_ns", .hint = OB_HINT_TIME},
    [TOTAL] = {.title = "weighted total", .name = "weighted_total_ns", .hint = OB_HINT_TIME},
    [SHARE] = {.title = "share", .name = "share", .hint = OB_HINT_SHARE},
};

ob_table *ob__totals_table(ob_totals *totals)
{
    ob_table *table = ob_table_create();
    uint64_t missing = 0, calls = 0;
    for (int c = 0; table != NULL && c < COLUMNS; c++)
        ob_table_add_column(table, &COLUMN_ROWS[c]);
    if (totals->count > 0)
        qsort(totals->items, totals->count, sizeof *totals->items, compare);
    for (size_t i = 0; table != NULL && i < totals->count; i++) {
        const ob_total *t = &totals->items[i];
        const double all = ob__totals_ns(totals, t->backend);
        ob_table_add_row(table);
        ob_table_set_text(table, OPERATOR, t->op);
        ob_table_set_text(table, BACKEND, t->backend);
        ob_table_set_number(table, CALLS, (double)t->calls);
        ob_table_set_number(table, MISSING, (double)t->missing);
        ob_table_set_number(table, PER_CALL, t->calls > 0 ? t->ns / (double)t->calls : NAN);
        ob_table_set_number(table, TOTAL, t->ns);
        ob_table_set_number(table, SHARE, all > 0 ? t->ns / all : 0);
        missing += t->missing;
        calls += t->calls + t->missing;
    }
    char line[128];
    snprintf(line, sizeof line,
             "%" PRIu64 " of %" PRIu64 " calls were not measured; shares are of the others",
             missing, calls);
    if (table != NULL && missing > 0)
        ob_table_add_line(table, line);
    return table;
}
