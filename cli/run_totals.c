/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums by operator. A case that was not measured adds its calls to those that are missing, so that a share
 * is never read as one of the whole step when it is not.
 */
#include "run_totals.h"

#include "columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct total {
    char *op, *backend;
    uint64_t calls, missing; /* measured, and not */
    double ns;               /* of all measured calls */
} total;

struct ob_run_totals {
    total *items;
    size_t count, capacity;
};

ob_run_totals *ob__run_totals_create(void)
{
    return calloc(1, sizeof(ob_run_totals));
}

void ob__run_totals_destroy(ob_run_totals *totals)
{
    for (size_t i = 0; totals != NULL && i < totals->count; i++) {
        free(totals->items[i].op);
        free(totals->items[i].backend);
    }
    if (totals != NULL)
        free(totals->items);
    free(totals);
}

int64_t ob__run_weight(const ob_record_result *result)
{
    return result->outermost != OB_NO_INT ? result->outermost : result->count;
}

double ob__run_call_ns(const ob_record_result *result)
{
    if (result->forward.measure_time_ms.count == 0)
        return NAN;
    const bool backward = result->backward.measure_time_ms.count > 0;
    return (result->forward.time_ms.median + (backward ? result->backward.time_ms.median : 0)) *
           1e6;
}

static bool same(const total *t, const char *op, const char *backend)
{
    return strcmp(t->op, op) == 0 && strcmp(t->backend, backend) == 0;
}

/* NULL: out of memory. Results come operator by operator, so the last one is looked at first. */
static total *find(ob_run_totals *totals, const char *op, const char *backend)
{
    for (size_t i = totals->count; i-- > 0;)
        if (same(&totals->items[i], op, backend))
            return &totals->items[i];
    if (totals->count == totals->capacity) {
        const size_t capacity = totals->capacity ? 2 * totals->capacity : 32;
        total *items = realloc(totals->items, capacity * sizeof *items);
        if (items == NULL)
            return NULL;
        totals->items = items;
        totals->capacity = capacity;
    }
    total *t = &totals->items[totals->count];
    *t = (total){.op = strdup(op), .backend = strdup(backend)};
    if (t->op == NULL || t->backend == NULL) {
        free(t->op);
        free(t->backend);
        return NULL;
    }
    totals->count++;
    return t;
}

bool ob__run_totals_add(ob_run_totals *totals, const ob_record_result *result)
{
    const int64_t weight = ob__run_weight(result);
    if (weight == OB_NO_INT)
        return true;
    total *t = find(totals, result->op_name, result->backend != NULL ? result->backend : "");
    if (t == NULL)
        return false;
    const double ns = ob__run_call_ns(result);
    if (isnan(ns)) {
        t->missing += (uint64_t)weight;
    } else {
        t->calls += (uint64_t)weight;
        t->ns += (double)weight * ns;
    }
    return true;
}

bool ob__run_totals_empty(const ob_run_totals *totals)
{
    return totals->count == 0;
}

double ob__run_totals_ns(const ob_run_totals *totals, const char *backend)
{
    double sum = 0;
    for (size_t i = 0; i < totals->count; i++)
        if (strcmp(totals->items[i].backend, backend) == 0)
            sum += totals->items[i].ns;
    return sum;
}

/* ---- printing ---- */

/* By backend, then the longest first, then by name. */
static int compare(const void *a, const void *b)
{
    const total *left = a, *right = b;
    const int backends = strcmp(left->backend, right->backend);
    if (backends != 0)
        return backends;
    if (left->ns > right->ns || left->ns < right->ns)
        return left->ns > right->ns ? -1 : 1;
    return strcmp(left->op, right->op);
}

static double share_of(const ob_run_totals *totals, const total *t)
{
    const double all = ob__run_totals_ns(totals, t->backend);
    return all > 0 ? t->ns / all : 0;
}

enum { OPERATOR, BACKEND, CALLS, PER_CALL, TOTAL, SHARE, COLUMNS, CELL = 256 };
static const char *const TITLES[COLUMNS] = {"operator",      "backend",        "calls",
                                            "time per call", "weighted total", "share"};

static void fill_cells(const ob_run_totals *totals, const total *t, char cells[COLUMNS][CELL])
{
    snprintf(cells[OPERATOR], CELL, "%.250s", t->op);
    snprintf(cells[BACKEND], CELL, "%.250s", t->backend);
    snprintf(cells[CALLS], CELL, "%" PRIu64, t->calls);
    ob__time_text(t->calls > 0 ? t->ns / (double)t->calls : NAN, cells[PER_CALL], CELL);
    ob__time_text(t->ns, cells[TOTAL], CELL);
    snprintf(cells[SHARE], CELL, "%.1f %%", 100 * share_of(totals, t));
}

static bool print_row(ob_cli *cli, char cells[COLUMNS][CELL], const size_t *wide, bool markdown)
{
    bool ok = !markdown || ob__cli_printf(cli, "| ");
    for (int c = 0; ok && c < COLUMNS; c++)
        ok = (c == 0 || ob__cli_printf(cli, markdown ? " | " : "  ")) &&
             ob__cli_printf(cli, c <= BACKEND ? "%-*s" : "%*s", (int)wide[c], cells[c]);
    return ok && ob__cli_printf(cli, markdown ? " |\n" : "\n");
}

static bool print_rule(ob_cli *cli, const size_t *wide)
{
    bool ok = true;
    for (int c = 0; ok && c < COLUMNS; c++) {
        ok = ob__cli_write(cli, "|", 1);
        for (size_t i = 0; ok && i < wide[c] + 1; i++)
            ok = ob__cli_write(cli, "-", 1);
        ok = ok && ob__cli_write(cli, c <= BACKEND ? "-" : ":", 1);
    }
    return ok && ob__cli_printf(cli, "|\n");
}

static bool print_missing(ob_cli *cli, const ob_run_totals *totals)
{
    uint64_t missing = 0, calls = 0;
    for (size_t i = 0; i < totals->count; i++) {
        missing += totals->items[i].missing;
        calls += totals->items[i].calls + totals->items[i].missing;
    }
    return missing == 0 ||
           ob__cli_printf(cli,
                          "%" PRIu64 " of %" PRIu64 " calls were not measured; shares are of "
                          "the others\n",
                          missing, calls);
}

static bool print_table(ob_cli *cli, const ob_run_totals *totals, bool markdown)
{
    char cells[COLUMNS][CELL];
    size_t wide[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        wide[c] = strlen(TITLES[c]);
    for (size_t i = 0; i < totals->count; i++) {
        fill_cells(totals, &totals->items[i], cells);
        for (int c = 0; c < COLUMNS; c++)
            wide[c] = strlen(cells[c]) > wide[c] ? strlen(cells[c]) : wide[c];
    }
    for (int c = 0; c < COLUMNS; c++)
        snprintf(cells[c], CELL, "%s", TITLES[c]);
    bool ok = ob__cli_printf(cli, "\n") && print_row(cli, cells, wide, markdown) &&
              (!markdown || print_rule(cli, wide));
    for (size_t i = 0; ok && i < totals->count; i++) {
        fill_cells(totals, &totals->items[i], cells);
        ok = print_row(cli, cells, wide, markdown);
    }
    return ok && (markdown || print_missing(cli, totals));
}

static ob_status fill_object(ob_json_doc *doc, const ob_run_totals *totals, const total *t,
                             ob_json *object, ob_err *err)
{
    const struct {
        const char *key;
        const ob_json *value;
    } members[] = {
        {"operator", ob_json_new_string(doc, t->op, strlen(t->op))},
        {"backend", ob_json_new_string(doc, t->backend, strlen(t->backend))},
        {"calls", ob_json_new_int(doc, (int64_t)t->calls)},
        {"calls_not_measured", ob_json_new_int(doc, (int64_t)t->missing)},
        {"time_per_call_ns",
         t->calls > 0 ? ob_json_new_real(doc, t->ns / (double)t->calls) : ob_json_new_null(doc)},
        {"weighted_total_ns", ob_json_new_real(doc, t->ns)},
        {"share", ob_json_new_real(doc, share_of(totals, t))},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (members[i].value == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the totals");
        OB_TRY(ob_json_set(doc, object, members[i].key, members[i].value, err));
    }
    return OB_OK;
}

static ob_status fill_document(ob_json_doc *doc, const ob_run_totals *totals, ob_err *err)
{
    ob_json *root = ob_json_new_object(doc), *list = ob_json_new_array(doc);
    if (root == NULL || list == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the totals");
    for (size_t i = 0; i < totals->count; i++) {
        ob_json *object = ob_json_new_object(doc);
        if (object == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the totals");
        OB_TRY(fill_object(doc, totals, &totals->items[i], object, err));
        OB_TRY(ob_json_append(doc, list, object, err));
    }
    OB_TRY(ob_json_set(doc, root, "totals", list, err));
    ob_json_doc_set_root(doc, root);
    return OB_OK;
}

static bool print_json(ob_cli *cli, const ob_run_totals *totals)
{
    ob_json_doc *doc = NULL;
    char *text = NULL;
    size_t length = 0;
    ob_err err;
    ob_status status = ob_json_doc_create(&doc, &err);
    if (status == OB_OK)
        status = fill_document(doc, totals, &err);
    if (status == OB_OK)
        status = ob_json_print(ob_json_doc_root(doc), &text, &length, &err);
    const bool ok =
        status == OB_OK && ob__cli_write(cli, text, length) && ob__cli_write(cli, "\n", 1);
    if (status != OB_OK)
        ob__cli_fail(cli, &err);
    free(text);
    ob_json_doc_destroy(doc);
    return ok;
}

bool ob__run_totals_print(ob_cli *cli, ob_run_totals *totals, const char *format)
{
    if (totals->count == 0)
        return true;
    qsort(totals->items, totals->count, sizeof *totals->items, compare);
    return strcmp(format, "json") == 0 ? print_json(cli, totals)
                                       : print_table(cli, totals, strcmp(format, "markdown") == 0);
}
