/* SPDX-License-Identifier: Apache-2.0
 *
 * Measurements into tables: which rows and columns there are, in which order, and which measurement
 * stands where. Keys are found by sorting, so many thousand columns or rows are no trouble.
 */
#include "opbench/compare.h"

#include "base/arena.h"
#include "compare/compare_names.h"
#include "measure/unique.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CELLS = 10 * 1000 * 1000 };

struct ob_compare {
    ob_measurements *merged;
    ob_measurement_stats *stats; /* of each */
    ob_compare_table *tables;
    size_t table_count;
    ob_arena arena; /* rows, columns, cells */
};

/* The measurements of one table. */
typedef struct members {
    const void **items; /* const ob_measurement * */
    const ob_measurement_stats **stats;
    size_t count;
    ob_unique rows, columns;
} members;

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a comparison");
}

static const ob_task_spec *task_of(const void *measurement)
{
    return &((const ob_measurement *)measurement)->task;
}

static int compare_labels(const void *a, const void *b)
{
    return ob__text_compare(task_of(a)->label, task_of(b)->label);
}

static int compare_columns(const void *a, const void *b)
{
    return ob__text_compare(task_of(a)->description, task_of(b)->description);
}

/* By thread count and environment: rows stand in this order. */
static int compare_places(const void *a, const void *b)
{
    const ob_task_spec *x = task_of(a), *y = task_of(b);
    if (x->num_threads != y->num_threads)
        return x->num_threads < y->num_threads ? -1 : 1;
    const int order = strcmp(ob__env_name(x->env), ob__env_name(y->env));
    return order != 0 ? order : (x->env != NULL) - (y->env != NULL);
}

static int compare_rows(const void *a, const void *b)
{
    const int order = compare_places(a, b);
    return order != 0
               ? order
               : strcmp(ob_task_spec_row_name(task_of(a)), ob_task_spec_row_name(task_of(b)));
}

/* ---- rows ---- */

typedef struct row_key {
    const void *measurement; /* the first of the row */
    size_t number;           /* by first appearance */
} row_key;

static int compare_keys(const void *a, const void *b)
{
    const row_key *x = a, *y = b;
    const int order = compare_places(x->measurement, y->measurement);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static bool has_several_envs(const members *m)
{
    for (size_t i = 1; i < m->count; i++)
        if (ob__text_compare(task_of(m->items[0])->env, task_of(m->items[i])->env) != 0)
            return true;
    return false;
}

/* Fills the sorted rows; positions[number of a row] = its place among them. */
static ob_status make_rows(const members *m, ob_compare_table *table, ob_compare_row *rows,
                           size_t *positions, ob_err *err)
{
    row_key *keys = calloc(table->row_count + 1, sizeof *keys);
    if (keys == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < table->row_count; i++)
        keys[i] = (row_key){.measurement = m->items[m->rows.firsts[i]], .number = i};
    qsort(keys, table->row_count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < table->row_count; i++) {
        const ob_task_spec *task = task_of(keys[i].measurement);
        const bool starts = i == 0 || rows[i - 1].num_threads != task->num_threads;
        const char *env_above = starts ? "" : rows[i - 1].env;
        positions[keys[i].number] = i;
        rows[i] = (ob_compare_row){
            .num_threads = task->num_threads,
            .env = task->env,
            .name = ob_task_spec_row_name(task),
            .group = i == 0 ? 0 : rows[i - 1].group + starts,
            .starts_group = starts,
            .shows_env = table->has_envs && ob__text_compare(task->env, env_above) != 0,
        };
    }
    free(keys);
    return OB_OK;
}

/* ---- cells ---- */

static ob_status same_cell(const ob_measurement *a, const ob_measurement *b, ob_err *err)
{
    const ob_task_spec *task = &a->task;
    const char *differs = ob__text_compare(task->stmt, b->task.stmt) != 0     ? "stmt"
                          : ob__text_compare(task->setup, b->task.setup) != 0 ? "setup"
                          : ob__text_compare(task->global_setup, b->task.global_setup) != 0
                              ? "global_setup"
                              : "sub_label";
    return ob_err_set(
        err, OB_ERR_DUPLICATE,
        "two different tasks share one cell: table \"%.80s\", row \"%.80s\", column \"%.80s\", "
        "%" PRId64 " threads; they differ in %s; give them different sub_labels or descriptions",
        task->label != NULL ? task->label : "", ob_task_spec_row_name(task),
        task->description != NULL ? task->description : "", task->num_threads, differs);
}

static ob_status make_cells(const members *m, ob_compare_table *table, ob_compare_cell *cells,
                            const size_t *positions, ob_err *err)
{
    double smallest = m->stats[0]->median;
    for (size_t i = 0; i < m->count; i++) {
        ob_compare_cell *cell =
            &cells[positions[m->rows.numbers[i]] * table->column_count + m->columns.numbers[i]];
        if (cell->measurement != NULL)
            return same_cell(cell->measurement, m->items[i], err);
        *cell = (ob_compare_cell){.measurement = m->items[i], .stats = m->stats[i]};
        smallest = m->stats[i]->median < smallest ? m->stats[i]->median : smallest;
        table->has_warnings = table->has_warnings || m->stats[i]->spread != OB_SPREAD_NARROW;
    }
    table->unit = ob_time_unit_select(smallest);
    return OB_OK;
}

static ob_status fill_table(ob_arena *arena, const members *m, ob_compare_table *table, ob_err *err)
{
    const size_t row_count = table->row_count, column_count = table->column_count;
    if (column_count > MAX_CELLS / row_count)
        return ob_err_set(
            err, OB_ERR_LIMIT,
            "the table would have %zu rows and %zu columns, more than ten million cells; "
            "use fewer distinct descriptions, or compare fewer files",
            row_count, column_count);
    ob_compare_row *rows = ob__arena_alloc_array(arena, row_count, sizeof *rows);
    const char **columns = ob__arena_alloc_array(arena, column_count, sizeof *columns);
    ob_compare_cell *cells = ob__arena_alloc_array(arena, row_count * column_count, sizeof *cells);
    size_t *positions = ob__arena_alloc_array(arena, row_count, sizeof *positions);
    if (rows == NULL || columns == NULL || cells == NULL || positions == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < row_count * column_count; i++)
        cells[i] = (ob_compare_cell){.measurement = NULL};
    for (size_t i = 0; i < column_count; i++)
        columns[i] = task_of(m->items[m->columns.firsts[i]])->description;
    table->rows = rows;
    table->columns = columns;
    table->cells = cells;
    OB_TRY(make_rows(m, table, rows, positions, err));
    return make_cells(m, table, cells, positions, err);
}

static ob_status make_table(ob_arena *arena, members *m, ob_compare_table *table, ob_err *err)
{
    OB_TRY(ob__unique_init(&m->rows, m->items, m->count, compare_rows, err));
    ob_status status = ob__unique_init(&m->columns, m->items, m->count, compare_columns, err);
    if (status == OB_OK) {
        *table = (ob_compare_table){.label = task_of(m->items[0])->label,
                                    .has_envs = has_several_envs(m),
                                    .row_count = m->rows.count,
                                    .column_count = m->columns.count};
        status = fill_table(arena, m, table, err);
        ob__unique_fini(&m->columns);
    }
    ob__unique_fini(&m->rows);
    return status;
}

/* ---- tables ---- */

/* One after the other, each from the measurements with its label. */
static ob_status make_tables(ob_compare *compare, const void *const *items, const ob_unique *labels,
                             ob_err *err)
{
    const size_t count = ob_measurements_count(compare->merged);
    members m = {.items = calloc(count + 1, sizeof *m.items),
                 .stats = calloc(count + 1, sizeof *m.stats)};
    /* ends[t]: where table t's members end in one array sorted by table. */
    size_t *ends = calloc(labels->count + 1, sizeof *ends);
    size_t *sorted = calloc(count + 1, sizeof *sorted);
    ob_status status = OB_OK;
    if (m.items == NULL || m.stats == NULL || ends == NULL || sorted == NULL)
        status = out_of_memory(err);
    for (size_t i = 0; status == OB_OK && i < count; i++)
        ends[labels->numbers[i] + 1]++;
    for (size_t t = 0; status == OB_OK && t < labels->count; t++)
        ends[t + 1] += ends[t];
    for (size_t i = 0; status == OB_OK && i < count; i++)
        sorted[ends[labels->numbers[i]]++] = i;
    for (size_t t = 0; status == OB_OK && t < labels->count; t++) {
        m.count = 0;
        for (size_t i = t > 0 ? ends[t - 1] : 0; i < ends[t]; i++, m.count++) {
            m.items[m.count] = items[sorted[i]];
            m.stats[m.count] = &compare->stats[sorted[i]];
        }
        status = make_table(&compare->arena, &m, &compare->tables[compare->table_count++], err);
    }
    free((void *)m.items);
    free((void *)m.stats);
    free(ends);
    free(sorted);
    return status;
}

static ob_status compute_stats(ob_compare *compare, ob_err *err)
{
    const size_t count = ob_measurements_count(compare->merged);
    for (size_t i = 0; i < count; i++) {
        const ob_measurement *m = ob_measurements_at(compare->merged, i);
        ob_err local;
        const ob_status status = ob_measurement_compute(m, &compare->stats[i], &local);
        if (status != OB_OK)
            return ob_err_set(
                err, status, "\"%.80s\", \"%.80s\", \"%.80s\": %s",
                m->task.label != NULL ? m->task.label : "", ob_task_spec_row_name(&m->task),
                m->task.description != NULL ? m->task.description : "", local.message);
    }
    return OB_OK;
}

static ob_status fill(ob_compare *compare, const void **items, ob_err *err)
{
    const size_t count = ob_measurements_count(compare->merged);
    ob_unique labels;
    OB_TRY(compute_stats(compare, err));
    for (size_t i = 0; i < count; i++)
        items[i] = ob_measurements_at(compare->merged, i);
    OB_TRY(ob__unique_init(&labels, items, count, compare_labels, err));
    compare->tables = calloc(labels.count + 1, sizeof *compare->tables);
    const ob_status status =
        compare->tables != NULL ? make_tables(compare, items, &labels, err) : out_of_memory(err);
    ob__unique_fini(&labels);
    return status;
}

ob_status ob_compare_create(const ob_measurements *results, ob_compare **out, ob_err *err)
{
    ob_compare *compare = calloc(1, sizeof *compare);
    *out = NULL;
    if (compare == NULL)
        return out_of_memory(err);
    ob__arena_init(&compare->arena, 0);
    const void **items = NULL;
    ob_status status = ob_measurements_merge(results, &compare->merged, err);
    if (status == OB_OK) {
        const size_t count = ob_measurements_count(compare->merged);
        items = calloc(count + 1, sizeof *items);
        compare->stats = calloc(count + 1, sizeof *compare->stats);
        status = items != NULL && compare->stats != NULL ? fill(compare, items, err)
                                                         : out_of_memory(err);
    }
    free((void *)items);
    if (status == OB_OK)
        *out = compare;
    else
        ob_compare_destroy(compare);
    return status;
}

void ob_compare_destroy(ob_compare *compare)
{
    if (compare == NULL)
        return;
    ob_measurements_destroy(compare->merged);
    ob__arena_fini(&compare->arena);
    free(compare->stats);
    free(compare->tables);
    free(compare);
}

size_t ob_compare_table_count(const ob_compare *compare)
{
    return compare->table_count;
}

const ob_compare_table *ob_compare_table_at(const ob_compare *compare, size_t index)
{
    return index < compare->table_count ? &compare->tables[index] : NULL;
}
