/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of results, all of it: a page without its script has every row. Columns that no row has anything in are left out.
 */
#include "report/page_model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What a cell shows; the order is that of the columns. */
typedef enum page_column {
    CALL,
    SIDE,
    PASS,
    STATUS,
    MEDIAN,
    HALF_WIDTH,
    P99,
    SAMPLES,
    RATIO,
    GFLOPS,
    GBS,
    OF_ROOF,
    BOUND,
    THREADS,
    CALLS,
    WEIGHTED,
    OPERATOR,
    ID,
    COLUMNS
} page_column;

/* hidden: not shown at first. */
static const struct {
    const char *title, *about;
    bool number, hidden;
} ROWS[COLUMNS] = {
    [CALL] = {"case", "the call with its shapes and dtypes", false, false},
    [SIDE] = {"backend", "the backend, or the side", false, false},
    [PASS] = {"pass", "forward or backward", false, false},
    [STATUS] = {"status", "a * marks a warning", false, false},
    [MEDIAN] = {"median", "of the measured samples", true, false},
    [HALF_WIDTH] = {"\302\261 CI95", "half of the median's 95 % interval", true, false},
    [P99] = {"p99", "99 % quantile", true, false},
    [SAMPLES] = {"samples", "measured", true, true},
    [RATIO] = {"ratio", "time relative to the reference, from pairs", true, false},
    [GFLOPS] = {"GFLOP/s", "at the median", true, false},
    [GBS] = {"GB/s", "at the median", true, false},
    [OF_ROOF] = {"of roof", "share of what was attainable", true, false},
    [BOUND] = {"bound by", "the ceiling that explains the time", false, false},
    [THREADS] = {"threads", "of the library", true, true},
    [CALLS] = {"calls", "in the recorded step", true, false},
    [WEIGHTED] = {"in the step", "the median times the calls", true, false},
    [OPERATOR] = {"operator", "its full name", false, true},
    [ID] = {"id", "its number in the config", false, true},
};

static double figure(const ob_page_row *row, page_column column)
{
    switch (column) {
    case MEDIAN:
        return row->median_ns;
    case HALF_WIDTH:
        return (row->high_ns - row->low_ns) / 2;
    case P99:
        return row->p99_ns;
    case SAMPLES:
        return (double)row->samples;
    case RATIO:
        return row->ratio.value;
    case GFLOPS:
        return row->gflops > 0 ? row->gflops : NAN;
    case GBS:
        return row->gbs > 0 ? row->gbs : NAN;
    case OF_ROOF:
        return row->of_roof > 0 ? row->of_roof : NAN;
    case THREADS:
        return row->threads != OB_NO_INT ? (double)row->threads : NAN;
    case CALLS:
        return row->calls > 0 ? (double)row->calls : NAN;
    case WEIGHTED:
        return row->calls > 0 ? (double)row->calls * row->median_ns : NAN;
    default:
        return NAN;
    }
}

static const char *word(const ob_page_row *row, page_column column)
{
    switch (column) {
    case CALL:
        return row->call;
    case SIDE:
        return row->side;
    case PASS:
        return row->backward ? "backward" : "forward";
    case STATUS:
        return row->status;
    case BOUND:
        return row->bound_by != NULL ? row->bound_by : "";
    case OPERATOR:
        return row->op;
    case ID:
        return row->id;
    default:
        return "";
    }
}

static bool is_time(page_column column)
{
    return column == MEDIAN || column == HALF_WIDTH || column == P99 || column == WEIGHTED;
}

/* Which columns have something. */
static void find_used(const ob_page *page, bool used[COLUMNS])
{
    for (size_t i = 0; i < page->row_count; i++)
        for (int c = 0; c < COLUMNS; c++)
            used[c] = used[c] || (ROWS[c].number ? !isnan(figure(&page->rows[i], (page_column)c))
                                                 : word(&page->rows[i], (page_column)c)[0] != '\0');
}

static void print_number(ob_html *html, const ob_page_row *row, page_column column)
{
    const double value = figure(row, column);
    ob__html_raw(html, "<td class=n>");
    if (isnan(value))
        ob__html_raw(html, "");
    else if (is_time(column))
        ob__html_time(html, value);
    else if (column == OF_ROOF)
        ob__html_printf(html, "%.1f %%", 100 * value);
    else if (column == SAMPLES || column == THREADS || column == CALLS)
        ob__html_printf(html, "%.0f", value);
    else
        ob__html_printf(html, "%.4g", value);
    ob__html_raw(html, "</td>");
}

/* End tags of cells and rows may be left out in HTML; of ten thousand rows they are a megabyte. */
static void print_row(const ob_page *page, ob_html *html, const ob_page_row *row,
                      const bool used[COLUMNS])
{
    (void)page;
    ob__html_raw(html, row->ran ? "<tr>" : "<tr class=bad>");
    for (int c = 0; c < COLUMNS; c++) {
        const page_column column = (page_column)c;
        if (!used[c])
            continue;
        if (ROWS[c].number) {
            print_number(html, row, column);
            continue;
        }
        ob__html_raw(html, c == CALL ? "<th scope=row class=call>" : "<td>");
        if (c == CALL && row->notable_rank > 0)
            ob__html_printf(html, "<a href=#c%zu>", row->notable_rank);
        ob__html_text(html, word(row, column), OB_PAGE_NAME);
        if (c == CALL && row->notable_rank > 0)
            ob__html_raw(html, "</a>");
        if (c == CALL)
            ob__html_rest(html, row->call);
        if (c == STATUS && row->warning != NULL)
            ob__html_raw(html, "*");
        ob__html_raw(html, c == CALL ? "</th>" : "</td>");
    }
    ob__html_raw(html, "\n");
}

static void print_tools(const ob_page *page, ob_html *html, const bool used[COLUMNS])
{
    ob__html_raw(
        html,
        "<form id=\"tools\" hidden><label>Search <input id=\"search\" type=\"search\" "
        "placeholder=\"conv f32 [64\" autocomplete=\"off\"></label>"
        "<label>Status <select id=\"status\"><option value=\"\">all</option></select></label>");
    if (page->sides.count > 1)
        ob__html_raw(html, "<label>Backend <select id=\"side\"><option value=\"\">all</option>"
                           "</select></label>");
    ob__html_raw(html, "<label>Pass <select id=\"pass\"><option value=\"\">both</option><option>"
                       "forward</option><option>backward</option></select></label>"
                       "<label>Longer than <input id=\"least\" size=\"8\" placeholder=\"5 us\" "
                       "autocomplete=\"off\"></label>"
                       "<details id=\"columns\"><summary>Columns</summary><div>");
    size_t number = 0;
    for (int c = 0; c < COLUMNS; c++)
        if (used[c]) {
            ob__html_printf(html, "<label><input type=\"checkbox\" value=\"%zu\"%s%s> %s</label>",
                            number, ROWS[c].hidden ? "" : " checked", c == CALL ? " disabled" : "",
                            ROWS[c].title);
            number++;
        }
    ob__html_raw(html,
                 "</div></details><output id=\"shown\" aria-live=\"polite\"></output></form>\n");
}

void ob__page_print_table(const ob_page *page, ob_html *html)
{
    bool used[COLUMNS] = {false};
    size_t number = 0;
    find_used(page, used);
    ob__html_raw(html, "<section id=\"results\"><h2>Results</h2>\n");
    print_tools(page, html, used);
    ob__html_raw(html, "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" "
                       "aria-label=\"Results\"><table id=\"table\" class=\"");
    for (int c = 0; c < COLUMNS; c++)
        if (used[c]) {
            if (ROWS[c].hidden)
                ob__html_printf(html, "hide%zu ", number);
            number++;
        }
    ob__html_raw(html, "\"><caption>Results</caption><thead><tr>");
    for (int c = 0; c < COLUMNS; c++)
        if (used[c])
            ob__html_printf(html, "<th scope=\"col\"%s title=\"%s\">%s</th>",
                            ROWS[c].number ? " class=\"n\"" : "", ROWS[c].about, ROWS[c].title);
    ob__html_raw(html, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < page->row_count; i++)
        print_row(page, html, &page->rows[i], used);
    ob__html_end_table(html);
    ob__html_raw(html, "</section>\n");
}
