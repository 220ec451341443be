/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of several backends in one row. A cell is a median with its unit, or the word of what went wrong, whose
 * reason stands below the row; the ratio to the first backend is that of the records, which is of
 * means and has an interval.
 */
#include "side_table.h"

#include "columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BACKENDS = 8, OPERATOR = 0, ID, PASS, FIXED };

/* What one backend gave. */
typedef struct cell {
    bool there;
    char status[24];
    char time[32], ratio[32], spread[32], instructions[32]; /* as shown */
    double median_ns, mean_ns, instruction_count;
    ob_record_ratio figures;
    char *reason;
} cell;

typedef struct row {
    char *op, *id;
    const char *pass;
    cell cells[MOST_BACKENDS];
    char *note; /* the reasons of all, for a terminal */
} row;

struct ob_side_table {
    char *backends[MOST_BACKENDS];
    size_t backend_count;
    row *rows;
    size_t count, capacity;
    bool counted; /* a result says something of instructions */
};

ob_side_table *ob__side_table_create(void)
{
    return calloc(1, sizeof(ob_side_table));
}

void ob__side_table_destroy(ob_side_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->count; i++) {
        row *r = &table->rows[i];
        for (size_t b = 0; b < MOST_BACKENDS; b++)
            free(r->cells[b].reason);
        free(r->op);
        free(r->id);
        free(r->note);
    }
    for (size_t b = 0; b < table->backend_count; b++)
        free(table->backends[b]);
    free(table->rows);
    free(table);
}

/* ---- adding ---- */

/* MOST_BACKENDS: there is no room. */
static size_t find_backend(ob_side_table *table, const char *name)
{
    size_t b = 0;
    while (b < table->backend_count && strcmp(table->backends[b], name) != 0)
        b++;
    if (b < table->backend_count || b == MOST_BACKENDS)
        return b;
    table->backends[b] = strdup(name);
    if (table->backends[b] == NULL)
        return MOST_BACKENDS;
    table->backend_count++;
    return b;
}

/* From the end: the backends of a case come one after the other. A cell that is taken belongs to an
 * earlier run in the same file. NULL: out of memory. */
static row *find_row(ob_side_table *table, const ob_record_result *r, const char *pass, size_t b)
{
    for (size_t i = table->count; i > 0; i--) {
        row *old = &table->rows[i - 1];
        if (strcmp(old->id, r->id) == 0 && strcmp(old->op, r->op_name) == 0 && old->pass == pass &&
            !old->cells[b].there)
            return old;
    }
    if (table->count == table->capacity) {
        const size_t capacity = table->capacity ? 2 * table->capacity : 64;
        row *rows = realloc(table->rows, capacity * sizeof *rows);
        if (rows == NULL)
            return NULL;
        table->rows = rows;
        table->capacity = capacity;
    }
    row *new = &table->rows[table->count++];
    *new = (row){.op = strdup(r->op_name), .id = strdup(r->id), .pass = pass};
    return new->op != NULL &&new->id != NULL ? new : NULL;
}

static bool add_note(row *r, const char *backend, const char *reason)
{
    const size_t old = r->note != NULL ? strlen(r->note) : 0;
    const size_t size = old + strlen(backend) + strlen(reason) + 4;
    char *note = realloc(r->note, size);
    if (note == NULL)
        return false;
    snprintf(note + old, size - old, "%s%s: %s", old > 0 ? "\n" : "", backend, reason);
    r->note = note;
    return true;
}

static void fill_figures(cell *c, const ob_record_pass *pass)
{
    const ob_record_ratio *ratio = &pass->ratio;
    c->median_ns = pass->time_ms.median * 1e6;
    c->mean_ns = pass->time_ms.mean * 1e6;
    c->figures = *ratio;
    ob__time_text(c->median_ns, c->time, sizeof c->time);
    if (!isnan(ratio->value))
        snprintf(c->ratio, sizeof c->ratio, "%.4g", ratio->value);
    if (!isnan(ratio->high))
        snprintf(c->spread, sizeof c->spread, "%.2g", (ratio->high - ratio->low) / 2);
}

static bool add_pass(ob_side_table *table, const ob_record_result *r, const ob_record_pass *pass,
                     const char *name)
{
    const size_t b = find_backend(table, r->backend != NULL ? r->backend : "?");
    row *to = b < MOST_BACKENDS ? find_row(table, r, name, b) : NULL;
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    if (to == NULL)
        return false;
    cell *c = &to->cells[b];
    *c = (cell){.there = true,
                .ratio = "-",
                .spread = "-",
                .instructions = "-",
                .instruction_count =
                    pass == &r->backward ? r->instructions.backward : r->instructions.forward,
                .median_ns = NAN,
                .mean_ns = NAN,
                .figures = {.value = NAN, .low = NAN, .high = NAN}};
    snprintf(c->status, sizeof c->status, "%s", info->word);
    snprintf(c->time, sizeof c->time, "%s", info->ran ? "-" : info->word);
    if (pass->measure_time_ms.count > 0 && info->ran)
        fill_figures(c, pass);
    table->counted = table->counted || r->instructions.source != NULL;
    if (!isnan(c->instruction_count))
        snprintf(c->instructions, sizeof c->instructions, "%.15g", c->instruction_count);
    if (r->reason == NULL || r->reason[0] == '\0')
        return true;
    c->reason = strdup(r->reason);
    return c->reason != NULL && add_note(to, table->backends[b], r->reason);
}

bool ob__side_table_add(ob_side_table *table, const ob_record_result *result)
{
    const bool backward = result->backward.measure_time_ms.count > 0;
    return add_pass(table, result, &result->forward, "forward") &&
           (!backward || add_pass(table, result, &result->backward, "backward"));
}

/* ---- printing ---- */

/* Behind the times stand two columns for each backend but the first, and behind those the instructions. */
static const char *cell_of(const void *ctx, size_t index, size_t column)
{
    const ob_side_table *table = ctx;
    const row *r = &table->rows[index];
    if (column < FIXED)
        return column == OPERATOR ? r->op : column == ID ? r->id : r->pass;
    column -= FIXED;
    if (column < table->backend_count)
        return r->cells[column].there ? r->cells[column].time : "-";
    column -= table->backend_count;
    const size_t ratios = 2 * (table->backend_count - 1);
    if (column >= ratios)
        return r->cells[column - ratios].there ? r->cells[column - ratios].instructions : "-";
    const cell *c = &r->cells[1 + column / 2];
    return !c->there ? "-" : column % 2 == 0 ? c->ratio : c->spread;
}

static const char *note_of(const void *ctx, size_t index)
{
    return ((const ob_side_table *)ctx)->rows[index].note;
}

static bool print_grid(ob_cli *cli, const ob_side_table *table, bool markdown)
{
    const char *titles[FIXED + 4 * MOST_BACKENDS] = {
        [OPERATOR] = "operator", [ID] = "id", [PASS] = "pass"};
    char ratios[MOST_BACKENDS][128], counts[MOST_BACKENDS][128];
    size_t columns = FIXED;
    for (size_t b = 0; b < table->backend_count; b++)
        titles[columns++] = table->backends[b];
    for (size_t b = 1; b < table->backend_count; b++) {
        snprintf(ratios[b], sizeof ratios[b], "%.60s/%.60s", table->backends[b],
                 table->backends[0]);
        titles[columns++] = ratios[b];
        titles[columns++] = "+- 95 %";
    }
    for (size_t b = 0; table->counted && b < table->backend_count; b++) {
        snprintf(counts[b], sizeof counts[b], "%.100s instr.", table->backends[b]);
        titles[columns++] = counts[b];
    }
    const ob_columns grid = {.titles = titles,
                             .columns = columns,
                             .text_columns = FIXED,
                             .rows = table->count,
                             .cell = cell_of,
                             .note = note_of,
                             .ctx = table};
    return ob__columns_print(cli, &grid, markdown);
}

static bool print_csv_titles(ob_cli *cli, const ob_side_table *table)
{
    static const char *const OF_EACH[] = {"status", "median_ns", "mean_ns", "reason"};
    static const char *const OF_OTHERS[] = {"ratio", "ratio_low", "ratio_high"};
    bool ok = ob__cli_printf(cli, "operator,id,pass");
    for (size_t b = 0; ok && b < table->backend_count; b++) {
        for (size_t i = 0; ok && i < sizeof OF_EACH / sizeof *OF_EACH; i++)
            ok = ob__cli_printf(cli, ",%s_%s", table->backends[b], OF_EACH[i]);
        for (size_t i = 0; ok && b > 0 && i < sizeof OF_OTHERS / sizeof *OF_OTHERS; i++)
            ok = ob__cli_printf(cli, ",%s_%s", table->backends[b], OF_OTHERS[i]);
    }
    for (size_t b = 0; ok && table->counted && b < table->backend_count; b++)
        ok = ob__cli_printf(cli, ",%s_instructions", table->backends[b]);
    return ok && ob__cli_printf(cli, "\n");
}

static bool print_csv_cell(ob_cli *cli, const cell *c, bool is_reference)
{
    const double ratio[] = {c->figures.value, c->figures.low, c->figures.high};
    if (!c->there)
        return ob__cli_printf(cli, is_reference ? ",,,," : ",,,,,,,");
    bool ok = ob__cli_printf(cli, ",%s,", c->status) && ob__csv_time(cli, c->median_ns) &&
              ob__cli_printf(cli, ",") && ob__csv_time(cli, c->mean_ns) &&
              ob__cli_printf(cli, ",") && (c->reason == NULL || ob__csv_text(cli, c->reason));
    for (size_t i = 0; ok && !is_reference && i < sizeof ratio / sizeof *ratio; i++)
        ok = ob__cli_printf(cli, ",") && ob__csv_figure(cli, ratio[i]);
    return ok;
}

static bool print_csv(ob_cli *cli, const ob_side_table *table)
{
    bool ok = print_csv_titles(cli, table);
    for (size_t i = 0; ok && i < table->count; i++) {
        const row *r = &table->rows[i];
        ok = ob__csv_text(cli, r->op) && ob__cli_printf(cli, ",") && ob__csv_text(cli, r->id) &&
             ob__cli_printf(cli, ",%s", r->pass);
        for (size_t b = 0; ok && b < table->backend_count; b++)
            ok = print_csv_cell(cli, &r->cells[b], b == 0);
        for (size_t b = 0; ok && table->counted && b < table->backend_count; b++)
            ok = ob__cli_printf(cli, ",") &&
                 (!r->cells[b].there || ob__csv_figure(cli, r->cells[b].instruction_count));
        ok = ok && ob__cli_printf(cli, "\n");
    }
    return ok;
}

bool ob__side_table_print(ob_cli *cli, const ob_side_table *table, const char *format)
{
    return strcmp(format, "csv") == 0 ? print_csv(cli, table)
                                      : print_grid(cli, table, strcmp(format, "markdown") == 0);
}
