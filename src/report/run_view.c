/* SPDX-License-Identifier: Apache-2.0
 *
 * The table that a run ends with: a row per result and pass.
 */
#include "report/case_shapes.h"
#include "report/views.h"

#include <string.h>

/* What a column shows that is no field as it stands. */
enum {
    FIELD,
    CALL, /* people see it first, programs last: it has commas */
    PLAIN_CALL,
    SHOWN_ID, /* where calls alone do not tell the rows apart */
    MARKED_STATUS,
    PASS,
    HALF_WIDTH,
    SAMPLES,
    SPEED_UP,
    EFFICIENCY,
    CALLS,
    WEIGHTED,
    SHARE,
    SHAPES,
    DTYPES
};

static const struct {
    ob_column column;
    int what;
    const char *path; /* of a field */
} COLUMNS[] = {
    {{.title = "call", .flags = OB_COLUMN_SHORTENED}, CALL, NULL},
    {{.title = "id", .flags = OB_COLUMN_HIDDEN}, SHOWN_ID, NULL},
    {{.name = "operator"}, FIELD, "op_name"},
    {{.name = "id"}, FIELD, "id"},
    {{.title = "status"}, MARKED_STATUS, NULL},
    {{.name = "status"}, FIELD, "status"},
    {{.title = "pass", .name = "pass"}, PASS, NULL},
    {{.title = "threads", .name = "threads", .flags = OB_COLUMN_HIDDEN}, FIELD, "threads"},
    {{.title = "median", .name = "median_ns"}, FIELD, "statistics/*/median"},
    {{.title = OB__HALF_WIDTH_TITLE, .name = "half_width_95_ns", .hint = OB_HINT_TIME},
     HALF_WIDTH,
     NULL},
    {{.title = "p99", .name = "p99_ns", .flags = OB_COLUMN_LESSER}, FIELD, "statistics/*/p99"},
    {{.title = "samples", .name = "samples", .hint = OB_HINT_COUNT, .flags = OB_COLUMN_LESSER},
     SAMPLES,
     NULL},
    {{.title = "speed-up", .name = "speed_up", .hint = OB_HINT_FIGURE, .flags = OB_COLUMN_HIDDEN},
     SPEED_UP,
     NULL},
    {{.title = "efficiency",
      .name = "efficiency",
      .hint = OB_HINT_SHARE,
      .flags = OB_COLUMN_HIDDEN},
     EFFICIENCY,
     NULL},
    {{.title = "GFLOP/s", .name = "gflop_per_second", .flags = OB_COLUMN_SPARE},
     FIELD,
     "statistics/*/gflops_per_s"},
    {{.title = "GB/s", .name = "gb_per_second", .flags = OB_COLUMN_SPARE},
     FIELD,
     "statistics/*/gb_per_s"},
    {{.name = "attainable_ns", .flags = OB_COLUMN_NOT_EMPTY}, FIELD, "statistics/*/attainable"},
    {{.title = "of roof", .name = "of_attainable", .flags = OB_COLUMN_NOT_EMPTY},
     FIELD,
     "statistics/*/of_attainable"},
    {{.title = "bound by", .name = "bound_by", .flags = OB_COLUMN_NOT_EMPTY | OB_COLUMN_LESSER},
     FIELD,
     "statistics/*/bound_by"},
    {{.title = "instr.", .name = "instructions", .flags = OB_COLUMN_HIDDEN},
     FIELD,
     "instructions/*"},
    {{.name = "reason"}, FIELD, "reason"},
    {{.name = "warnings"}, FIELD, "warnings"},
    {{.name = "call"}, PLAIN_CALL, NULL},
    {{.name = "calls", .hint = OB_HINT_COUNT, .flags = OB_COLUMN_HIDDEN}, CALLS, NULL},
    {{.name = "weighted_total_ns", .hint = OB_HINT_TIME, .flags = OB_COLUMN_HIDDEN},
     WEIGHTED,
     NULL},
    {{.name = "share", .hint = OB_HINT_SHARE, .flags = OB_COLUMN_HIDDEN}, SHARE, NULL},
    {{.name = "backend"}, FIELD, "backend"},
    {{.title = "backend", .flags = OB_COLUMN_HIDDEN}, FIELD, "backend"},
    {{.name = "shapes"}, SHAPES, NULL},
    {{.name = "dtypes"}, DTYPES, NULL},
};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS };

static size_t column_of(int what, const char *path)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (COLUMNS[i].what == what && (path == NULL || strcmp(COLUMNS[i].path, path) == 0))
            return i;
    return 0;
}

bool ob__run_view_open(ob_run_view *view, const ob_table_choice *choice)
{
    *view = (ob_run_view){.table = ob_table_create()};
    for (size_t i = 0; view->table != NULL && i < COLUMN_COUNT; i++)
        if (COLUMNS[i].what == FIELD)
            ob__field_columns_add(&view->fields, view->table, COLUMNS[i].path, &COLUMNS[i].column);
        else
            ob_table_add_column(view->table, &COLUMNS[i].column);
    if (view->table != NULL)
        ob__field_columns_ask(&view->fields, view->table, choice);
    return view->table != NULL;
}

ob_mark ob__mark_of_result(const ob_record_result *r)
{
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    return info->failed                          ? OB_MARK_FAILED
           : info->ran && r->warnings.count == 0 ? OB_MARK_FINE
                                                 : OB_MARK_DOUBTFUL;
}

/* A mark behind the word, which the notes below the table explain; programs get the warnings themselves. */
static void set_status(ob_table *table, const ob_record_result *r)
{
    char text[64];
    snprintf(text, sizeof text, "%s%s", ob_record_status_get_info(r->status)->word,
             r->warnings.count > 0 ? "*" : "");
    ob_table_set_text(table, column_of(MARKED_STATUS, NULL), text);
    ob__table_set_mark(table, column_of(MARKED_STATUS, NULL), ob__mark_of_result(r));
}

static void set_tensors(ob_table *table, const ob_record_result *r)
{
    ob_text text = {.data = NULL};
    const bool ok = ob__append_shapes(&text, r) && ob_text_append(&text, "", 1);
    if (ok && text.size > 1)
        ob_table_set_text(table, column_of(SHAPES, NULL), text.data);
    text.size = 0;
    if (ok && ob__append_dtypes(&text, r) && ob_text_append(&text, "", 1) && text.size > 1)
        ob_table_set_text(table, column_of(DTYPES, NULL), text.data);
    ob_text_fini(&text);
}

static void add_row(ob_run_view *view, const ob_record *record, bool backward)
{
    const ob_record_result *r = &record->result;
    const ob_record_pass *pass = backward ? &r->backward : &r->forward;
    const int64_t weight = ob__result_weight(r);
    ob_table *table = view->table;
    ob_table_add_row(table);
    ob__field_columns_fill(&view->fields, table, record, backward);
    char room[OB_CALL_ROOM];
    const char *call = ob__record_call(r, room);
    ob_table_set_text(table, column_of(CALL, NULL), call);
    ob_table_set_text(table, column_of(SHOWN_ID, NULL), r->id);
    ob_table_set_text(table, column_of(PLAIN_CALL, NULL), call);
    set_status(table, r);
    set_tensors(table, r);
    ob_table_set_text(table, column_of(PASS, NULL), backward ? "backward" : "forward");
    ob_table_set_number(table, column_of(HALF_WIDTH, NULL),
                        (pass->interval_ms.high - pass->interval_ms.low) / 2 * 1e6);
    const size_t blocks = backward || r->op_name != NULL ? 0 : r->raw_times_s.count; /* of code */
    ob_table_set_number(table, column_of(SAMPLES, NULL),
                        (double)(blocks > 0 ? blocks : pass->measure_time_ms.count));
    if (weight != OB_NO_INT) {
        ob_table_set_number(table, column_of(CALLS, NULL), (double)weight);
        ob_table_set_number(table, column_of(WEIGHTED, NULL),
                            (double)weight * pass->time_ms.median * 1e6);
    }
    if (r->reason != NULL && r->reason[0] != '\0')
        ob_table_set_note(table, r->reason);
    view->has_operators = view->has_operators || r->op_name != NULL;
    view->counted = view->counted || r->instructions.source != NULL;
    if (view->threads == 0)
        view->threads = r->threads;
    view->scales = view->scales || r->threads != view->threads;
}

void ob__run_view_add(ob_run_view *view, const ob_record *record)
{
    const ob_record_result *r = &record->result;
    const bool counts_alone = r->mode != NULL && strcmp(r->mode, "count") == 0;
    view->timed = view->timed || !counts_alone;
    view->counts_alone = view->counts_alone || counts_alone;
    add_row(view, record, false);
    if (r->backward.measure_time_ms.count > 0 || (counts_alone && !isnan(r->instructions.backward)))
        add_row(view, record, true);
}

static const char *text_at(const ob_table *table, size_t row, int what)
{
    const char *text = ob__table_peek(table, row, column_of(what, NULL))->text;
    return text != NULL ? text : "";
}

/* Whether a config has the same call twice, one behind the other as iterators make them. */
static bool repeats_calls(const ob_table *table)
{
    for (size_t i = 1; i < table->row_count; i++)
        if (strcmp(text_at(table, i, CALL), text_at(table, i - 1, CALL)) == 0 &&
            strcmp(text_at(table, i, SHOWN_ID), text_at(table, i - 1, SHOWN_ID)) != 0)
            return true;
    return false;
}

/* Which columns there are for the results so far. */
static void show_columns(const ob_run_view *view)
{
    ob_table *table = view->table;
    if (repeats_calls(table))
        table->columns[column_of(SHOWN_ID, NULL)].flags = 0;
    if (view->counted)
        table->columns[column_of(FIELD, "instructions/*")].flags = 0;
    if (!view->has_operators) /* code has no passes */
        table->columns[column_of(PASS, NULL)].title = NULL;
    /* Counts have no times. */
    for (size_t c = column_of(FIELD, "statistics/*/median");
         view->counts_alone && !view->timed && c <= column_of(FIELD, "statistics/*/bound_by"); c++)
        table->columns[c].flags |= OB_COLUMN_HIDDEN;
}

void ob__run_view_fix(ob_run_view *view, const ob_expected *expected)
{
    /* How long texts are, as far as one can say. */
    static const struct {
        int what;
        const char *path;
        size_t width;
    } USUAL[] = {{CALL, NULL, 40},
                 {SHOWN_ID, NULL, 8},
                 {MARKED_STATUS, NULL, 11},
                 {PASS, NULL, 8},
                 {FIELD, "statistics/*/bound_by", 8}};
    ob_table *table = view->table;
    if (table->no_memory)
        return;
    show_columns(view);
    table->likely = expected->calls;
    table->likely_count = expected->call_count;
    table->likely_column = column_of(CALL, NULL);
    if (expected->one_pass)
        table->columns[column_of(PASS, NULL)].flags |= OB_COLUMN_LESSER;
    for (size_t i = 0; i < sizeof USUAL / sizeof *USUAL; i++)
        table->columns[column_of(USUAL[i].what, USUAL[i].path)].least_width = USUAL[i].width;
    if (expected->call_width > 0)
        table->columns[column_of(CALL, NULL)].least_width = expected->call_width;
    if (expected->repeats_calls)
        table->columns[column_of(SHOWN_ID, NULL)].flags = 0;
}

void ob__run_view_end(ob_run_view *view, const ob_totals *totals)
{
    ob_table *table = view->table;
    const ob_scaling_columns scaling = {.work = {column_of(FIELD, "op_name"),
                                                 column_of(FIELD, "id"), column_of(PASS, NULL),
                                                 column_of(FIELD, "backend")},
                                        .threads = column_of(FIELD, "threads"),
                                        .median = column_of(FIELD, "statistics/*/median"),
                                        .speed_up = column_of(SPEED_UP, NULL),
                                        .efficiency = column_of(EFFICIENCY, NULL)};
    const size_t backend = column_of(FIELD, "backend"), weighted = column_of(WEIGHTED, NULL);
    if (table->no_memory)
        return;
    show_columns(view);
    if (ob__table_is_uniform(table, column_of(PASS, NULL)))
        table->columns[column_of(PASS, NULL)].flags |= OB_COLUMN_LESSER;
    if (view->scales)
        ob__run_view_scale(table, &scaling);
    for (size_t c = column_of(CALLS, NULL); totals->count > 0 && c <= column_of(SHARE, NULL); c++)
        table->columns[c].flags = 0;
    for (size_t i = 0; totals->count > 0 && i < table->row_count; i++) {
        const char *name = ob__table_peek(table, i, backend)->text;
        const double ns = ob__table_peek(table, i, weighted)->number;
        const double all = ob__totals_ns(totals, name != NULL ? name : "");
        ob_cell *cell = ob__table_cell(table, i, column_of(SHARE, NULL));
        if (cell != NULL && all > 0)
            cell->number = ns / all;
    }
}
