/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of a sweep as rows: the variables of the point, then figures of a pass, or of an operator that ran inside
 * the case.
 */
#include "report/views.h"

#include "base/json_node.h"
#include "run/chrome_trace.h"
#include "sweep/sweep_int.h"

#include <stdlib.h>
#include <string.h>

static ob_hint hint_of(size_t column)
{
    return column < OB_SWEEP_COLUMN_samples || column >= OB_SWEEP_COLUMN_bound_by ? OB_HINT_TEXT
           : column == OB_SWEEP_COLUMN_samples || column == OB_SWEEP_COLUMN_peak_memory_bytes
               ? OB_HINT_COUNT
               : OB_HINT_REAL;
}

/* What a screen that is too narrow can do without. */
static uint32_t flags_of(size_t column)
{
    static const size_t MUST[] = {OB_SWEEP_COLUMN_precision,        OB_SWEEP_COLUMN_backend,
                                  OB_SWEEP_COLUMN_status,           OB_SWEEP_COLUMN_pass,
                                  OB_SWEEP_COLUMN_median_ns,        OB_SWEEP_COLUMN_gb_per_second,
                                  OB_SWEEP_COLUMN_gflop_per_second, OB_SWEEP_COLUMN_reason};
    for (size_t i = 0; i < sizeof MUST / sizeof *MUST; i++)
        if (column == MUST[i])
            return column == OB_SWEEP_COLUMN_reason ? OB_COLUMN_SHORTENED : 0;
    if (column == OB_SWEEP_COLUMN_call)
        return OB_COLUMN_NOT_EMPTY | OB_COLUMN_LESSER;
    return column >= OB_SWEEP_COLUMN_side ? OB_COLUMN_NOT_EMPTY : OB_COLUMN_LESSER;
}

/* Texts and lists are no numbers. */
static ob_hint hint_of_axis(const ob_sweep_axis *axis)
{
    for (size_t i = 0; i < ob_json_count(axis->values); i++)
        if (isnan(ob_json_real(ob_json_item(axis->values, i), NAN)))
            return OB_HINT_TEXT;
    return OB_HINT_FIGURE;
}

bool ob__sweep_view_open(ob_sweep_view *view, const ob_sweep *sweep, const ob_table_choice *choice)
{
    *view =
        (ob_sweep_view){.table = ob_table_create(), .variables = ob_sweep_variable_count(sweep)};
    for (size_t i = 0; view->table != NULL && i < view->variables + OB_SWEEP_COLUMN_COUNT; i++) {
        const bool variable = i < view->variables;
        const char *name =
            variable ? ob_sweep_variable(sweep, i) : ob__sweep_column(i - view->variables);
        ob_table_add_column(view->table,
                            &(ob_column){.title = name,
                                         .name = name,
                                         .hint = variable ? hint_of_axis(&sweep->space.variables[i])
                                                          : hint_of(i - view->variables),
                                         .flags = variable ? 0 : flags_of(i - view->variables)});
    }
    if (view->table != NULL)
        ob__field_columns_ask(&view->fields, view->table, choice);
    return view->table != NULL;
}

void ob__sweep_view_fix(ob_sweep_view *view)
{
    /* How long texts are, as far as one can say. */
    static const struct {
        size_t column, width;
    } USUAL[] = {
        {OB_SWEEP_COLUMN_precision, 8}, {OB_SWEEP_COLUMN_backend, 8},  {OB_SWEEP_COLUMN_kind, 6},
        {OB_SWEEP_COLUMN_name, 16},     {OB_SWEEP_COLUMN_status, 11},  {OB_SWEEP_COLUMN_reason, 20},
        {OB_SWEEP_COLUMN_pass, 8},      {OB_SWEEP_COLUMN_bound_by, 8}, {OB_SWEEP_COLUMN_call, 40}};
    for (size_t i = 0; i < sizeof USUAL / sizeof *USUAL && !view->table->no_memory; i++)
        view->table->columns[view->variables + USUAL[i].column].least_width = USUAL[i].width;
}

void ob__sweep_view_fini(ob_sweep_view *view)
{
    ob_table_destroy(view->table);
    free(view->fields.items);
}

/* ---- a row ---- */

static void set_text(ob_sweep_view *view, size_t column, const char *text)
{
    ob_table_set_text(view->table, view->variables + column, text);
}

static void set_number(ob_sweep_view *view, size_t column, double number)
{
    ob_table_set_number(view->table, view->variables + column, number);
}

/* To the picosecond: below that is the rounding of the milliseconds, which nobody measured. */
static void set_time(ob_sweep_view *view, size_t column, double ms)
{
    set_number(view, column, round(ms * 1e9) / 1e3);
}

/* As the sweep's file has it; programs read True and False, numbers as they were written, and lists as JSON. */
static void set_variable(ob_sweep_view *view, size_t column, const ob_json *value)
{
    ob_table *table = view->table;
    ob_cell *cell = ob__table_cell(table, table->row_count - 1, column);
    ob_text json = {.data = NULL};
    if (cell == NULL || !ob__json_write(&json, value) || !ob_text_append(&json, "", 1)) {
        table->no_memory = true;
    } else {
        const ob_json_kind kind = ob_json_get_kind(value);
        cell->json = ob__table_keep(table, json.data);
        cell->text = kind == OB_JSON_NULL     ? NULL
                     : kind == OB_JSON_STRING ? ob__table_keep(table, ob_json_string(value, NULL))
                     : kind == OB_JSON_BOOL   ? (ob_json_bool(value, false) ? "True" : "False")
                                              : cell->json;
        cell->number = ob_json_real(value, NAN);
    }
    ob_text_fini(&json);
}

typedef struct row {
    ob_sweep_view *view;
    const ob_sweep *sweep;
    const ob_record *record;
    uint64_t point;
    const ob_sweep_job *job;
} row;

static void begin_row(const row *r, bool backward)
{
    const ob_record_result *result = &r->record->result;
    ob_table_add_row(r->view->table);
    for (size_t i = 0; i < r->view->variables; i++)
        set_variable(r->view, i, ob__sweep_space_value(&r->sweep->space, r->point, i));
    set_text(r->view, OB_SWEEP_COLUMN_precision, r->job->precision);
    set_text(r->view, OB_SWEEP_COLUMN_backend, result->backend);
    set_text(r->view, OB_SWEEP_COLUMN_status, ob_record_status_get_info(result->status)->word);
    ob__table_set_mark(r->view->table, r->view->variables + OB_SWEEP_COLUMN_status,
                       ob__mark_of_result(result));
    set_text(r->view, OB_SWEEP_COLUMN_reason, result->reason);
    set_text(r->view, OB_SWEEP_COLUMN_side, result->side);
    char room[OB_CALL_ROOM];
    set_text(r->view, OB_SWEEP_COLUMN_call, ob__record_call(result, room));
    ob__field_columns_fill(&r->view->fields, r->view->table, r->record, backward);
}

static void add_pass(const row *r, bool backward)
{
    const ob_record_result *result = &r->record->result;
    const ob_record_pass *pass = backward ? &result->backward : &result->forward;
    const ob_stats *t = &pass->time_ms;
    const uint64_t peak =
        pass->allocator_peak_bytes > 0 ? pass->allocator_peak_bytes : result->process_peak_bytes;
    ob_sweep_view *view = r->view;
    begin_row(r, backward);
    set_text(view, OB_SWEEP_COLUMN_kind, "operator");
    set_text(view, OB_SWEEP_COLUMN_name, r->sweep->title);
    set_text(view, OB_SWEEP_COLUMN_pass, backward ? "backward" : "forward");
    set_number(view, OB_SWEEP_COLUMN_samples, (double)pass->measure_time_ms.count);
    if (pass->measure_time_ms.count == 0)
        return;
    set_time(view, OB_SWEEP_COLUMN_median_ns, t->median);
    set_time(view, OB_SWEEP_COLUMN_mean_ns, t->mean);
    set_time(view, OB_SWEEP_COLUMN_iqr_ns, t->iqr);
    set_time(view, OB_SWEEP_COLUMN_min_ns, t->min);
    set_time(view, OB_SWEEP_COLUMN_p99_ns, t->p99);
    set_number(view, OB_SWEEP_COLUMN_gflop_per_second, pass->gflops_per_s);
    set_number(view, OB_SWEEP_COLUMN_gb_per_second, pass->gb_per_s);
    set_number(view, OB_SWEEP_COLUMN_peak_memory_bytes, peak > 0 ? (double)peak : NAN);
    set_time(view, OB_SWEEP_COLUMN_attainable_ns, pass->attainable_ms);
    set_number(view, OB_SWEEP_COLUMN_of_attainable, pass->of_attainable);
    set_text(view, OB_SWEEP_COLUMN_bound_by, pass->bound_by);
    if ((backward ? result->best_backward : result->best_forward) == 1)
        set_text(view, OB_SWEEP_COLUMN_best, "best");
}

/* The time is the mean of all calls in an iteration, without what they call: so they add up to the
 * case's. Records of older programs do not say over how many iterations; it was one. */
static ob_status add_kernel(void *ctx, const ob_record *record, ob_err *err)
{
    const row *r = ctx;
    const ob_record_kernel *kernel = &record->kernel;
    (void)err;
    begin_row(r, false);
    set_text(r->view, OB_SWEEP_COLUMN_kind, "kernel");
    set_text(r->view, OB_SWEEP_COLUMN_name, kernel->name);
    set_text(r->view, OB_SWEEP_COLUMN_pass, kernel->pass);
    set_number(r->view, OB_SWEEP_COLUMN_samples,
               kernel->iterations > 0 ? (double)kernel->iterations : 1);
    set_number(r->view, OB_SWEEP_COLUMN_mean_ns, kernel->own_ns);
    return OB_OK;
}

ob_status ob__sweep_view_add(ob_sweep_view *view, const ob_sweep *sweep, const ob_record *record,
                             ob_err *err)
{
    row r = {.view = view, .sweep = sweep, .record = record};
    if (record->kind != OB_RECORD_RESULT_LINE)
        return OB_OK;
    OB_TRY(ob__sweep_locate(sweep, &record->result, &r.point, &r.job, err));
    add_pass(&r, false);
    if (record->result.backward.measure_time_ms.count > 0)
        add_pass(&r, true);
    return ob__profile_sum_kernels(record, add_kernel, &r, err);
}

/* ---- row by row, while a sweep runs ---- */

static ob_status print(const ob_sweep *sweep, const ob_record *record, ob_table_format format,
                       ob_text *text, ob_err *err)
{
    ob_sweep_view view;
    const size_t mark = text->size;
    bool ok = ob__sweep_view_open(&view, sweep, NULL);
    ob_status status = OB_OK;
    if (ok && record == NULL)
        ok = ob__table_print_csv_head(view.table, text);
    if (ok && record != NULL)
        status = ob__sweep_view_add(&view, sweep, record, err);
    for (size_t i = 0; ok && status == OB_OK && i < view.table->row_count; i++)
        ok = format == OB_TABLE_CSV
                 ? ob__table_print_csv_row(view.table, i, text)
                 : ob__table_print_json_row(view.table, i, text) && ob_text_append(text, "\n", 1);
    if (status == OB_OK && (!ok || view.table->no_memory))
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for a row");
    if (status != OB_OK)
        text->size = mark;
    ob__sweep_view_fini(&view);
    return status;
}

ob_status ob_sweep_print_csv_head(const ob_sweep *sweep, ob_text *text, ob_err *err)
{
    return print(sweep, NULL, OB_TABLE_CSV, text, err);
}

ob_status ob_sweep_print_csv(const ob_sweep *sweep, const ob_record *record, ob_text *text,
                             ob_err *err)
{
    return print(sweep, record, OB_TABLE_CSV, text, err);
}

ob_status ob_sweep_print_json(const ob_sweep *sweep, const ob_record *record, ob_text *text,
                              ob_err *err)
{
    return print(sweep, record, OB_TABLE_JSON, text, err);
}
