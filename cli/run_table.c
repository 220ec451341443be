/* SPDX-License-Identifier: Apache-2.0
 *
 * The table that a run ends with. A row is made of texts when its result comes; the three forms differ
 * only in how the cells are put on a line. Times have the unit that suits each row and figures few digits,
 * but csv has all times in ns and all digits, because programs read it.
 */
#include "run_table.h"

#include "columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPERATOR,
    ID,
    STATUS,
    PASS,
    MEDIAN,
    SPREAD,
    P99,
    COUNT,
    GFLOPS,
    GBS,
    INSTRUCTIONS, /* only if something was counted */
    COLUMNS
};

static const char *const TITLES[COLUMNS] = {"operator", "id",      "status", "pass",
                                            "median",   "+- 95 %", "p99",    "samples",
                                            "GFLOP/s",  "GB/s",    "instr."};
static const char *const CSV_TITLES[COLUMNS] = {
    "operator", "id",      "status",           "pass",          "median_ns",   "half_width_95_ns",
    "p99_ns",   "samples", "gflop_per_second", "gb_per_second", "instructions"};

typedef struct row {
    char *cells[COLUMNS];
    double figures[COLUMNS]; /* of the number columns, for csv: times in ns; NaN = none */
    char *reason;            /* NULL = none */
    char *warnings;          /* NULL = none */
    char *backend;
    int64_t weight; /* OB_NO_INT = not known */
} row;

struct ob_run_table {
    row *rows;
    size_t count, capacity;
    bool counted; /* a result says something of instructions */
};

/* How many columns are shown. */
static int column_count(const ob_run_table *table)
{
    return table->counted ? COLUMNS : INSTRUCTIONS;
}

ob_run_table *ob__run_table_create(void)
{
    return calloc(1, sizeof(ob_run_table));
}

void ob__run_table_destroy(ob_run_table *table)
{
    for (size_t i = 0; table != NULL && i < table->count; i++) {
        for (int c = 0; c < COLUMNS; c++)
            free(table->rows[i].cells[c]);
        free(table->rows[i].reason);
        free(table->rows[i].warnings);
        free(table->rows[i].backend);
    }
    if (table != NULL)
        free(table->rows);
    free(table);
}

static void number_text(double value, char *out, size_t size)
{
    if (isnan(value))
        snprintf(out, size, "-");
    else
        snprintf(out, size, "%.4g", value);
}

static bool set(row *r, int column, const char *text)
{
    r->cells[column] = strdup(text);
    return r->cells[column] != NULL;
}

static bool set_time(row *r, int column, double ns)
{
    char text[32];
    r->figures[column] = ns;
    ob__time_text(ns, text, sizeof text);
    return set(r, column, text);
}

static bool set_number(row *r, int column, double value)
{
    char text[32];
    r->figures[column] = value;
    number_text(value, text, sizeof text);
    return set(r, column, text);
}

static bool set_count(row *r, size_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", count);
    return set(r, COUNT, text);
}

/* All digits: two counts are compared to the last one. */
static bool set_instructions(row *r, double count)
{
    char text[32];
    r->figures[INSTRUCTIONS] = count;
    snprintf(text, sizeof text, "%.15g", count);
    return set(r, INSTRUCTIONS, isnan(count) ? "-" : text);
}

/* All of them, with "; " between. False: out of memory. */
static bool join(ob_strings texts, char **out)
{
    size_t size = 1;
    *out = NULL;
    if (texts.count == 0)
        return true;
    for (size_t i = 0; i < texts.count; i++)
        size += strlen(texts.items[i]) + 2;
    char *to = *out = malloc(size);
    for (size_t i = 0; to != NULL && i < texts.count; i++)
        to = stpcpy(stpcpy(to, i > 0 ? "; " : ""), texts.items[i]);
    return to != NULL;
}

/* A mark behind the word, which the notes below the table explain; csv has the warnings themselves. */
static bool set_status(row *r, const ob_record_result *result)
{
    const ob_record_status_info *info = ob_record_status_get_info(result->status);
    char text[64];
    snprintf(text, sizeof text, "%s%s", info != NULL ? info->word : "?",
             result->warnings.count > 0 ? "*" : "");
    return join(result->warnings, &r->warnings) && set(r, STATUS, text);
}

static bool add_row(ob_run_table *table, const ob_record_result *result, const ob_record_pass *pass,
                    const char *pass_name)
{
    if (table->count == table->capacity) {
        const size_t capacity = table->capacity ? 2 * table->capacity : 64;
        row *rows = realloc(table->rows, capacity * sizeof *rows);
        if (rows == NULL)
            return false;
        table->rows = rows;
        table->capacity = capacity;
    }
    row *r = &table->rows[table->count++];
    *r = (row){.backend = strdup(result->backend != NULL ? result->backend : ""),
               .weight = ob__run_weight(result)};
    if (r->backend == NULL)
        return false;
    const bool measured = pass != NULL && pass->measure_time_ms.count > 0;
    const ob_record_instructions *instructions = &result->instructions;
    table->counted = table->counted || instructions->source != NULL;
    if (result->reason != NULL && result->reason[0] != '\0' &&
        (r->reason = strdup(result->reason)) == NULL)
        return false;
    return set(r, OPERATOR, result->op_name) && set(r, ID, result->id) && set_status(r, result) &&
           set(r, PASS, pass_name) &&
           set_time(r, MEDIAN, measured ? pass->time_ms.median * 1e6 : NAN) &&
           set_time(r, SPREAD,
                    measured ? (pass->interval_ms.high - pass->interval_ms.low) / 2 * 1e6 : NAN) &&
           set_time(r, P99, measured ? pass->time_ms.p99 * 1e6 : NAN) &&
           set_count(r, measured ? pass->measure_time_ms.count : 0) &&
           set_number(r, GFLOPS, measured ? pass->gflops_per_s : NAN) &&
           set_number(r, GBS, measured ? pass->gb_per_s : NAN) &&
           set_instructions(r, pass == &result->backward ? instructions->backward
                                                         : instructions->forward);
}

bool ob__run_table_add(ob_run_table *table, const ob_record_result *result)
{
    const bool backward = result->backward.measure_time_ms.count > 0;
    return add_row(table, result, &result->forward, "forward") &&
           (!backward || add_row(table, result, &result->backward, "backward"));
}

/* ---- printing ---- */

static const char *cell_of(const void *ctx, size_t row_index, size_t column)
{
    const ob_run_table *table = ctx;
    return table->rows[row_index].cells[column];
}

static const char *note_of(const void *ctx, size_t row_index)
{
    const ob_run_table *table = ctx;
    return table->rows[row_index].reason;
}

static bool print_csv_cell(ob_cli *cli, const row *r, int column)
{
    if (column == COUNT || column <= PASS)
        return column == STATUS ? ob__cli_printf(cli, "%.*s", (int)strcspn(r->cells[column], "*"),
                                                 r->cells[column])
                                : ob__csv_text(cli, r->cells[column]);
    /* cppcheck-suppress arrayIndexOutOfBoundsCond */
    const double figure = r->figures[column];
    return column <= P99 ? ob__csv_time(cli, figure) : ob__csv_figure(cli, figure);
}

/* ",calls,weighted time,share" of a row. */
static bool print_csv_weights(ob_cli *cli, const row *r, const ob_run_totals *totals)
{
    const double ns = (double)r->weight * r->figures[MEDIAN];
    const double all = ob__run_totals_ns(totals, r->backend);
    if (r->weight == OB_NO_INT)
        return ob__cli_printf(cli, ",,,");
    if (!ob__cli_printf(cli, ",%lld,", (long long)r->weight) || isnan(ns))
        return ob__cli_printf(cli, ",");
    return ob__csv_time(cli, ns) && ob__cli_printf(cli, ",") &&
           (all <= 0 || ob__cli_printf(cli, "%.17g", ns / all));
}

static bool print_csv(ob_cli *cli, const ob_run_table *table, const ob_run_totals *totals)
{
    const bool weighted = !ob__run_totals_empty(totals);
    bool ok = true;
    for (int c = 0; ok && c < column_count(table); c++)
        ok = ob__cli_printf(cli, "%s%s", c == 0 ? "" : ",", CSV_TITLES[c]);
    ok = ok && ob__cli_printf(cli, ",reason,warnings%s\n",
                              weighted ? ",calls,weighted_total_ns,share" : "");
    for (size_t i = 0; ok && i < table->count; i++) {
        const row *r = &table->rows[i];
        for (int c = 0; ok && c < column_count(table); c++)
            ok = (c == 0 || ob__cli_printf(cli, ",")) && print_csv_cell(cli, r, c);
        ok = ok && ob__cli_printf(cli, ",") &&
             (r->reason == NULL || ob__csv_text(cli, r->reason)) && ob__cli_printf(cli, ",") &&
             (r->warnings == NULL || ob__csv_text(cli, r->warnings)) &&
             (!weighted || print_csv_weights(cli, r, totals)) && ob__cli_printf(cli, "\n");
    }
    return ok;
}

bool ob__run_table_print(ob_cli *cli, const ob_run_table *table, const ob_run_totals *totals,
                         const char *format)
{
    const ob_columns columns = {.titles = TITLES,
                                .columns = (size_t)column_count(table),
                                .text_columns = PASS + 1,
                                .rows = table->count,
                                .cell = cell_of,
                                .note = note_of,
                                .ctx = table};
    return strcmp(format, "csv") == 0
               ? print_csv(cli, table, totals)
               : ob__columns_print(cli, &columns, strcmp(format, "markdown") == 0);
}
