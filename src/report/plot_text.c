/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of results with characters: a table whose last column is drawn, in eighths of a block, or in ASCII.
 */
#include "report/plot_kinds.h"
#include "report/table_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 32 };

/* From nothing to full. */
static const char *const LEVELS[] = {" ",
                                     "\342\226\201",
                                     "\342\226\202",
                                     "\342\226\203",
                                     "\342\226\204",
                                     "\342\226\205",
                                     "\342\226\206",
                                     "\342\226\207",
                                     "\342\226\210"};
static const char *const ASCII_LEVELS[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
enum { FULL = 8 };

typedef struct drawing {
    const ob_plot *plot;
    ob_table *table;
    bool ascii, no_memory;
    ob_text line;
} drawing;

static void add(drawing *d, const char *text)
{
    d->no_memory = d->no_memory || !ob_text_append_str(&d->line, text);
}

static void add_level(drawing *d, double share)
{
    const int level = share <= 0 ? 0 : (int)fmin(fmax(ceil(share * FULL), 1), FULL);
    add(d, d->ascii ? ASCII_LEVELS[level] : LEVELS[level]);
}

/* The drawn cell of the last row. */
static void set_drawn(drawing *d, size_t column)
{
    if (ob_text_append(&d->line, "", 1))
        ob_table_set_text(d->table, column, d->line.data);
    else
        d->no_memory = true;
    d->line.size = 0;
}

static void add_columns(ob_table *table, const ob_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ob_table_add_column(table, &columns[i]);
}

/* ---- distribution ---- */

static void draw_bins(drawing *d, const ob_distribution *of, double low, double high,
                      const double *sorted)
{
    size_t bins[CELLS] = {0}, most = 1;
    for (size_t i = 0; i < of->count && sorted[i] <= high; i++) {
        const double place = (sorted[i] - low) / (high - low) * CELLS;
        size_t *bin = &bins[(size_t)fmin(place, CELLS - 1)];
        most = ++*bin > most ? *bin : most;
    }
    for (size_t i = 0; i < CELLS; i++)
        add_level(d, (double)bins[i] / (double)most);
}

static ob_status draw_distributions(drawing *d, ob_err *err)
{
    enum { CALL, SIDE, PASS, MEDIAN, LOW, DRAWN, HIGH, BEYOND };
    static const ob_column COLUMNS[] = {
        {.title = "call", .flags = OB_COLUMN_SHORTENED},
        {.title = "backend"},
        {.title = "pass"},
        {.title = "median", .hint = OB_HINT_TIME},
        {.title = "from", .hint = OB_HINT_TIME},
        {.title = "distribution", .least_width = CELLS},
        {.title = "to", .hint = OB_HINT_TIME},
        {.title = "beyond", .hint = OB_HINT_COUNT, .flags = OB_COLUMN_NOT_EMPTY}};
    const ob_page_choice choice = {.only = d->plot->only, .most = d->plot->params.most};
    const ob_page_row **rows;
    size_t count;
    double scratch[OB_PAGE_SAMPLES + 2];
    OB_TRY(ob__page_choose(d->plot->page, &choice, &rows, &count, err));
    add_columns(d->table, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
    for (size_t i = 0; i < count; i++) {
        const ob_distribution of = ob__page_distribution(d->plot->page, rows[i]);
        double low, high;
        size_t inside = 0;
        ob__distribution_range(&of, scratch, &low, &high);
        while (inside < of.count && scratch[inside] <= high)
            inside++;
        ob_table_add_row(d->table);
        ob_table_set_text(d->table, CALL, rows[i]->call);
        ob_table_set_text(d->table, SIDE, rows[i]->side);
        ob_table_set_text(d->table, PASS, rows[i]->backward ? "backward" : "forward");
        ob_table_set_number(d->table, MEDIAN, rows[i]->median_ns);
        ob_table_set_number(d->table, LOW, low);
        ob_table_set_number(d->table, HIGH, high);
        if (inside < of.count)
            ob_table_set_number(d->table, BEYOND, (double)(of.count - inside));
        draw_bins(d, &of, low, high, scratch);
        set_drawn(d, DRAWN);
    }
    free(rows);
    return OB_OK;
}

/* ---- ratio ---- */

/* Like "   |--o-- ": the bar is 1, the line the interval. */
static void draw_strip(drawing *d, const ob_log_axis *axis, const ob_ratio_item *item)
{
    const int one = (int)lround(ob__axis_place(axis, 1));
    const int dot = (int)lround(ob__axis_place(axis, item->value));
    const int from = isnan(item->low) ? dot : (int)lround(ob__axis_place(axis, item->low));
    const int to = isnan(item->high) ? dot : (int)lround(ob__axis_place(axis, item->high));
    for (int i = 0; i < CELLS; i++)
        add(d, i == dot               ? (d->ascii ? "o" : "\342\227\217")
               : i == one             ? (d->ascii ? "|" : "\342\224\202")
               : i >= from && i <= to ? (d->ascii ? "-" : "\342\224\200")
                                      : " ");
}

static ob_status draw_ratios(drawing *d, ob_err *err)
{
    enum { CALL, PASS, SIDE, RATIO, LOW, DRAWN, HIGH, VERDICT };
    const ob_page_choice choice = {.only = d->plot->only, .most = d->plot->params.most};
    const ob_diff_row **rows;
    size_t count;
    char scale[CELLS + 1], most[32];
    OB_TRY(ob__page_differences(d->plot->page, &choice, &rows, &count, err));
    ob_ratio_item *items = calloc(count, sizeof *items);
    d->no_memory = d->no_memory || items == NULL;
    for (size_t i = 0; items != NULL && i < count; i++)
        items[i] = ob__page_ratio_item(d->plot->page, rows[i]);
    const ob_log_axis axis = ob__ratio_axis(items, items != NULL ? count : 0, 0, CELLS - 1);
    memset(scale, ' ', CELLS);
    scale[CELLS] = '\0';
    scale[lround(ob__axis_place(&axis, 1))] = '1';
    memcpy(scale, most, (size_t)snprintf(most, sizeof most, "%.3g", axis.low));
    const size_t length = (size_t)snprintf(most, sizeof most, "%.3g", axis.high);
    memcpy(scale + CELLS - length, most, length);
    const ob_column columns[] = {{.title = "call", .flags = OB_COLUMN_SHORTENED},
                                 {.title = "pass"},
                                 {.title = "side"},
                                 {.title = "ratio", .hint = OB_HINT_FIGURE},
                                 {.title = "low", .hint = OB_HINT_FIGURE},
                                 {.title = scale, .least_width = CELLS},
                                 {.title = "high", .hint = OB_HINT_FIGURE},
                                 {.title = "verdict"}};
    add_columns(d->table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; items != NULL && i < count; i++) {
        ob_table_add_row(d->table);
        ob_table_set_text(d->table, CALL, rows[i]->call);
        ob_table_set_text(d->table, PASS, rows[i]->pass);
        ob_table_set_text(d->table, SIDE, rows[i]->side);
        ob_table_set_number(d->table, RATIO, items[i].value);
        ob_table_set_number(d->table, LOW, items[i].low);
        ob_table_set_number(d->table, HIGH, items[i].high);
        ob_table_set_text(d->table, VERDICT, ob_verdict_word(rows[i]->time.kind));
        draw_strip(d, &axis, &items[i]);
        set_drawn(d, DRAWN);
    }
    free(items);
    free(rows);
    return OB_OK;
}

/* ---- step ---- */

/* A bar of so many cells, to an eighth. */
static void draw_bar(drawing *d, double share)
{
    static const char *const EIGHTHS[] = {"",
                                          "\342\226\217",
                                          "\342\226\216",
                                          "\342\226\215",
                                          "\342\226\214",
                                          "\342\226\213",
                                          "\342\226\212",
                                          "\342\226\211"};
    const int eighths = isnan(share) ? 0 : (int)lround(fmin(share, 1) * CELLS * 8);
    for (int i = 0; i < eighths / 8; i++)
        add(d, d->ascii ? "#" : "\342\226\210");
    add(d, d->ascii ? "" : EIGHTHS[eighths % 8]);
}

static ob_status draw_step(drawing *d, ob_err *err)
{
    enum { OPERATOR, PASS, CALLS, SHARE, DRAWN };
    static const ob_column COLUMNS[] = {{.title = "operator", .flags = OB_COLUMN_SHORTENED},
                                        {.title = "pass"},
                                        {.title = "calls", .hint = OB_HINT_COUNT},
                                        {.title = "share", .hint = OB_HINT_SHARE},
                                        {.title = "of the step", .least_width = CELLS}};
    const ob_step *step = &d->plot->page->step;
    const size_t most = d->plot->params.most;
    double largest = 0;
    if (!(step->main_ns > 0))
        return ob_err_set(err, OB_ERR_NOT_FOUND, "nothing of the step was measured");
    for (size_t i = 0; i < step->count; i++) {
        const double share = ob__step_share(step, &step->rows[i]);
        largest = share > largest ? share : largest;
    }
    add_columns(d->table, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
    for (size_t i = 0; i < step->count && (most == 0 || i < most); i++) {
        const ob_step_row *row = &step->rows[i];
        const double share = ob__step_share(step, row);
        ob_table_add_row(d->table);
        ob_table_set_text(d->table, OPERATOR, row->op);
        ob_table_set_text(d->table, PASS, row->backward ? "backward" : "forward");
        ob_table_set_number(d->table, CALLS, (double)row->calls);
        ob_table_set_number(d->table, SHARE, share);
        draw_bar(d, share / largest);
        set_drawn(d, DRAWN);
    }
    return OB_OK;
}

/* ---- scaling and history ---- */

/* A level for each point, from the least to the largest of them. */
static void draw_levels(drawing *d, const ob_plot_line *line)
{
    double least = INFINITY, largest = 0;
    const size_t every = 1 + line->count / (2 * CELLS);
    for (size_t i = 0; i < line->count; i++) {
        least = fmin(least, line->points[i].value);
        largest = fmax(largest, line->points[i].value);
    }
    for (size_t i = 0; i < line->count; i += every)
        add_level(d, largest > least * (1 + 1e-9)
                         ? 0.125 + 0.875 * (line->points[i].value - least) / (largest - least)
                         : 0.5);
}

static ob_status draw_over(drawing *d, bool over_runs, ob_err *err)
{
    enum { CALL, SIDE, PASS, SETTINGS, MACHINE, FROM, DRAWN, TO, CHANGE };
    const ob_column columns[] = {
        {.title = "call", .flags = OB_COLUMN_SHORTENED},
        {.title = "backend"},
        {.title = "pass"},
        {.title = "measured", .flags = OB_COLUMN_NOT_EMPTY | OB_COLUMN_SHORTENED},
        {.title = "machine", .flags = OB_COLUMN_NOT_EMPTY | OB_COLUMN_SHORTENED},
        {.title = over_runs ? "first" : "fewest threads", .hint = OB_HINT_TIME},
        {.title = over_runs ? "medians by run" : "medians by threads"},
        {.title = over_runs ? "last" : "most threads", .hint = OB_HINT_TIME},
        {.title = over_runs ? "last/first" : "speed-up", .hint = OB_HINT_FIGURE}};
    ob_plot_lines lines;
    OB_TRY(ob__plot_lines(d->plot, over_runs, d->plot->params.most, &lines, err));
    add_columns(d->table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < lines.count; i++) {
        const ob_plot_line *line = &lines.items[i];
        const double first = line->points[0].value, last = line->points[line->count - 1].value;
        ob_table_add_row(d->table);
        ob_table_set_text(d->table, CALL, line->call);
        ob_table_set_text(d->table, SIDE, line->side);
        ob_table_set_text(d->table, PASS, line->pass);
        ob_table_set_text(d->table, SETTINGS, line->settings);
        ob_table_set_text(d->table, MACHINE, line->machine);
        ob_table_set_number(d->table, FROM, first);
        ob_table_set_number(d->table, TO, last);
        ob_table_set_number(d->table, CHANGE, over_runs ? last / first : first / last);
        draw_levels(d, line);
        set_drawn(d, DRAWN);
    }
    ob__plot_lines_fini(&lines);
    return OB_OK;
}

static ob_status draw_kind(drawing *d, ob_err *err)
{
    switch (d->plot->params.kind) {
    case OB_PLOT_RATIO:
        return draw_ratios(d, err);
    case OB_PLOT_STEP:
        return draw_step(d, err);
    case OB_PLOT_SCALING:
    case OB_PLOT_HISTORY:
        return draw_over(d, d->plot->params.kind == OB_PLOT_HISTORY, err);
    default:
        return draw_distributions(d, err);
    }
}

ob_status ob__plot_kind_text(const ob_plot *plot, const ob_plot_style *style, ob_text *text,
                             ob_err *err)
{
    drawing d = {.plot = plot, .table = ob_table_create(), .ascii = style->ascii};
    const ob_table_style how = {.size = sizeof how, .width = style->width, .trimmed = true};
    ob_status status = plot->history == NULL ? ob__page_end(plot->page, err) : OB_OK;
    if (status == OB_OK && d.table != NULL)
        status = draw_kind(&d, err);
    if (status == OB_OK)
        status = d.table != NULL && !d.no_memory
                     ? ob_table_print(d.table, &how, text, err)
                     : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the picture");
    ob_table_destroy(d.table);
    ob_text_fini(&d.line);
    return status;
}
