/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding the row of an operator. The tables are sorted once, when the first question comes.
 */
#include "translate.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 1024, MAX_NAME = 128 };

static const ort_row *sorted[MAX_ROWS];
static size_t row_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int by_name(const void *a, const void *b)
{
    const ort_row *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static void sort_rows(void)
{
#define ORT_ROW_TABLE(group) ort_rows_##group,
    const ort_row *const tables[] = {ORT_ROW_GROUPS(ORT_ROW_TABLE)};
#undef ORT_ROW_TABLE
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const ort_row *row = tables[i]; row->name != NULL && row_count < MAX_ROWS; row++)
            sorted[row_count++] = row;
    qsort(sorted, row_count, sizeof *sorted, by_name);
}

static const ort_row *find(const char *name)
{
    const ort_row key = {.name = name}, *at = &key;
    const ort_row **found = bsearch(&at, sorted, row_count, sizeof *sorted, by_name);
    return found != NULL ? *found : NULL;
}

static bool changes_something(const ob_schema *schema)
{
    for (size_t i = 0; i < schema->arg_count; i++)
        if (schema->args[i].writes)
            return true;
    return false;
}

const ort_row *ort_row_find(const ob_op *op)
{
    const ob_schema *schema = op->schema;
    const char *dot = schema->overload[0] != '\0' ? "." : "";
    const size_t length = strlen(schema->name);
    char name[MAX_NAME];
    pthread_once(&once, sort_rows);
    snprintf(name, sizeof name, "%s%s%s", schema->name, dot, schema->overload);
    const ort_row *row = find(name);
    if (row != NULL || length == 0 || schema->name[length - 1] != '_' || !changes_something(schema))
        return row;
    /* aten::add_.Tensor is aten::add.Tensor whose result goes elsewhere. */
    snprintf(name, sizeof name, "%.*s%s%s", (int)(length - 1), schema->name, dot, schema->overload);
    return find(name);
}
