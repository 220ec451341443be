/* SPDX-License-Identifier: Apache-2.0
 *
 * The table that a run ends with. A row is made of texts when its result comes; the three forms differ
 * only in how the cells are put on a line. Times have the unit that suits each row and figures few digits,
 * but csv has all times in ns and all digits, because programs read it.
 */
#include "run_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATOR, ID, STATUS, PASS, MEDIAN, SPREAD, P99, COUNT, GFLOPS, GBS, COLUMNS };

static const char *const TITLES[COLUMNS] = {"operator", "id",  "status",  "pass",    "median",
                                            "+- 95 %",  "p99", "samples", "GFLOP/s", "GB/s"};
static const char *const CSV_TITLES[COLUMNS] = {
    "operator", "id",      "status",           "pass",         "median_ns", "half_width_95_ns",
    "p99_ns",   "samples", "gflop_per_second", "gb_per_second"};

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
};

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

void ob__run_time_text(double ns, char *out, size_t size)
{
    static const struct {
        double ns;
        const char *unit;
    } UNITS[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
    if (isnan(ns)) {
        snprintf(out, size, "-");
        return;
    }
    size_t u = 0;
    while (fabs(ns) < UNITS[u].ns)
        u++;
    snprintf(out, size, "%.4g %s", UNITS[u].ns > 0 ? ns / UNITS[u].ns : ns, UNITS[u].unit);
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
    ob__run_time_text(ns, text, sizeof text);
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
           set_number(r, GBS, measured ? pass->gb_per_s : NAN);
}

bool ob__run_table_add(ob_run_table *table, const ob_record_result *result)
{
    const bool backward = result->backward.measure_time_ms.count > 0;
    return add_row(table, result, &result->forward, "forward") &&
           (!backward || add_row(table, result, &result->backward, "backward"));
}

/* ---- printing ---- */

/* Code points: what a terminal shows of plain text. */
static size_t width(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static bool is_text(int column)
{
    return column <= PASS;
}

/* A bar would end a cell of Markdown. */
static void escape_bars(const char *text, char *out, size_t size)
{
    size_t at = 0;
    for (; *text != '\0' && at + 3 < size; text++) {
        if (*text == '|')
            out[at++] = '\\';
        out[at++] = *text;
    }
    out[at] = '\0';
}

static bool print_cell(ob_cli *cli, const char *text, size_t wide, bool left)
{
    const size_t shown = width(text);
    const int pad = wide > shown ? (int)(wide - shown) : 0;
    return left ? ob__cli_printf(cli, "%s%*s", text, pad, "")
                : ob__cli_printf(cli, "%*s%s", pad, "", text);
}

static bool print_line(ob_cli *cli, const char *const *cells, const size_t *wide, bool markdown)
{
    bool ok = !markdown || ob__cli_printf(cli, "| ");
    for (int c = 0; ok && c < COLUMNS; c++) {
        char escaped[512];
        escape_bars(cells[c], escaped, sizeof escaped);
        ok = (c == 0 || ob__cli_printf(cli, markdown ? " | " : "  ")) &&
             print_cell(cli, markdown ? escaped : cells[c], wide[c], is_text(c));
    }
    return ok && ob__cli_printf(cli, markdown ? " |\n" : "\n");
}

static bool print_aligned(ob_cli *cli, const ob_run_table *table, bool markdown)
{
    size_t wide[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        wide[c] = width(TITLES[c]);
        for (size_t i = 0; i < table->count; i++) {
            const size_t w = width(table->rows[i].cells[c]);
            wide[c] = w > wide[c] ? w : wide[c];
        }
    }
    bool ok = print_line(cli, TITLES, wide, markdown);
    for (int c = 0; ok && markdown && c < COLUMNS; c++) {
        ok = ob__cli_printf(cli, c == 0 ? "|" : "");
        for (size_t i = 0; ok && i < wide[c] + 1; i++)
            ok = ob__cli_write(cli, "-", 1);
        ok = ok && ob__cli_printf(cli, is_text(c) ? "-|" : ":|");
    }
    ok = ok && (!markdown || ob__cli_printf(cli, "\n"));
    for (size_t i = 0; ok && i < table->count; i++) {
        ok = print_line(cli, (const char *const *)table->rows[i].cells, wide, markdown);
        if (ok && !markdown && table->rows[i].reason != NULL)
            ok = ob__cli_printf(cli, "    %s\n", table->rows[i].reason);
    }
    return ok;
}

/* RFC 4180: quotes around everything that is not plain. */
static bool print_csv_text(ob_cli *cli, const char *text)
{
    if (text[strcspn(text, ",\"\n\r")] == '\0')
        return ob__cli_printf(cli, "%s", text);
    bool ok = ob__cli_printf(cli, "\"");
    for (; ok && *text != '\0'; text++)
        ok = *text == '"' ? ob__cli_printf(cli, "\"\"") : ob__cli_write(cli, text, 1);
    return ok && ob__cli_printf(cli, "\"");
}

/* The fewest digits that read back as the same number; times are known to the picosecond. */
static bool print_csv_figure(ob_cli *cli, int column, double value)
{
    char text[32];
    if (isnan(value))
        return true;
    if (column <= P99)
        return ob__cli_printf(cli, "%.15g", round(value * 1e3) / 1e3);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) >= value && strtod(text, NULL) <= value)
            break;
    }
    return ob__cli_printf(cli, "%s", text);
}

static bool print_csv_cell(ob_cli *cli, const row *r, int column)
{
    if (column == COUNT || column <= PASS)
        return column == STATUS ? ob__cli_printf(cli, "%.*s", (int)strcspn(r->cells[column], "*"),
                                                 r->cells[column])
                                : print_csv_text(cli, r->cells[column]);
    return print_csv_figure(cli, column, r->figures[column]);
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
    return print_csv_figure(cli, MEDIAN, ns) && ob__cli_printf(cli, ",") &&
           (all <= 0 || ob__cli_printf(cli, "%.17g", ns / all));
}

static bool print_csv(ob_cli *cli, const ob_run_table *table, const ob_run_totals *totals)
{
    const bool weighted = !ob__run_totals_empty(totals);
    bool ok = true;
    for (int c = 0; ok && c < COLUMNS; c++)
        ok = ob__cli_printf(cli, "%s%s", c == 0 ? "" : ",", CSV_TITLES[c]);
    ok = ok && ob__cli_printf(cli, ",reason,warnings%s\n",
                              weighted ? ",calls,weighted_total_ns,share" : "");
    for (size_t i = 0; ok && i < table->count; i++) {
        const row *r = &table->rows[i];
        for (int c = 0; ok && c < COLUMNS; c++)
            ok = (c == 0 || ob__cli_printf(cli, ",")) && print_csv_cell(cli, r, c);
        ok = ok && ob__cli_printf(cli, ",") &&
             (r->reason == NULL || print_csv_text(cli, r->reason)) && ob__cli_printf(cli, ",") &&
             (r->warnings == NULL || print_csv_text(cli, r->warnings)) &&
             (!weighted || print_csv_weights(cli, r, totals)) && ob__cli_printf(cli, "\n");
    }
    return ok;
}

bool ob__run_table_print(ob_cli *cli, const ob_run_table *table, const ob_run_totals *totals,
                         const char *format)
{
    return strcmp(format, "csv") == 0 ? print_csv(cli, table, totals)
                                      : print_aligned(cli, table, strcmp(format, "markdown") == 0);
}
