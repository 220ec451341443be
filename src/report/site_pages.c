/* SPDX-License-Identifier: Apache-2.0
 *
 * The pages of a site.
 */
#include "report/site_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPARK = 180,
    SPARK_HEIGHT = 30,
    SPARK_POINTS = 90, /* beyond, every second, third... is drawn */
    MOST_POINTS = 1000,
    MOST_GROUPS = 50,
    MOST_NAMED = 8,
    MOST_RUNS = 20,
    MOST_COMPARED = 1000
};

/* ---- pieces ---- */

static void print_link(ob_html *html, const char *page, const char *text)
{
    ob__html_printf(html, "<a href=\"%s\">", page);
    ob__html_text(html, text, OB_PAGE_NAME);
    ob__html_raw(html, "</a>");
}

/* A line without axes: how it went. What it says stands in the cells beside it. */
static void print_spark(ob_html *html, const ob_site_series *s)
{
    const size_t every = 1 + s->count / SPARK_POINTS;
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < s->count; i++) {
        low = fmin(low, s->points[i].value);
        high = fmax(high, s->points[i].value);
    }
    const double scale = high > low ? (SPARK_HEIGHT - 6) / (high - low) : 0;
    ob_svg svg = ob__svg_begin_beside(&html->text, SPARK, SPARK_HEIGHT);
    ob__svg_path_begin(&svg, "line c0");
    char command = 'M';
    for (size_t i = s->count > 0 ? (s->count - 1) % every : 0; i < s->count; i += every) {
        const double x = 3 + (SPARK - 6) * ((double)i + 0.5) / (double)s->count;
        ob__svg_path_to(&svg, command, x, SPARK_HEIGHT - 3 - (s->points[i].value - low) * scale);
        command = 'L';
    }
    ob__svg_path_end(&svg);
    for (size_t i = 0; i < s->count; i++) {
        const double x = 3 + (SPARK - 6) * (double)i / (double)s->count;
        if (s->points[i].step)
            ob__svg_line(&svg, "line c1", x, 0, x, SPARK_HEIGHT);
    }
    ob__svg_end(&svg);
    ob__html_failed(html, svg.failed);
}

static void print_step_word(ob_html *html, double ratio)
{
    if (isnan(ratio))
        return;
    ob__html_printf(html, "<span class=\"mark %s\">%+.1f %%</span>",
                    ratio > 1 ? "slower" : "faster", 100 * (ratio - 1));
}

/* Settings say device, threads, mode; a side its name. */
static void print_where(ob_html *html, const ob_store_series *s)
{
    ob__html_text(html, s->side[0] != '\0' ? s->side : s->backend, 64);
    ob__html_raw(html, "</td><td>");
    ob__html_text(html, s->pass, 32);
    ob__html_raw(html, "</td><td class=\"faint\">");
    ob__html_text(html, s->settings, OB_PAGE_NAME);
    ob__html_raw(html, "</td><td class=\"faint\">");
    ob__html_text(html, s->class_text, OB_PAGE_NAME);
}

/* ---- an operator, a case ---- */

ob_status ob__site_write_operator(ob_site *site, size_t first, size_t end, ob_err *err)
{
    const char *op = site->series[first].series->op;
    ob_html *html = &site->html;
    char page[OB_SITE_NAME], below[96];
    snprintf(below, sizeof below, "%zu series", end - first);
    ob__site_begin(site, op[0] != '\0' ? op : "Statements", below);
    ob__html_raw(html, "<section><h2>Cases</h2>");
    ob__html_begin_table(html, "Cases", "", "");
    ob__html_raw(
        html,
        "<thead><tr><th scope=\"col\">case</th><th scope=\"col\" class=\"n\">last median</th><th "
        "scope=\"col\">over time</th><th scope=\"col\">last step</th><th "
        "scope=\"col\" class=\"n\">points</th><th scope=\"col\">backend</th><th "
        "scope=\"col\">pass</th><th scope=\"col\">measured</th><th "
        "scope=\"col\">machine</th></tr></thead><tbody>\n");
    for (size_t i = first; i < end; i++) {
        const ob_site_series *s = &site->series[i];
        ob__html_raw(html, "<tr><th scope=\"row\" class=\"call\">");
        print_link(html, ob__site_case_page(s->series->key, page), s->series->call);
        ob__html_raw(html, "</th><td class=\"n\">");
        ob__html_time(html, s->last_ns);
        ob__html_raw(html, "</td><td>");
        print_spark(html, s);
        ob__html_raw(html, "</td><td>");
        print_step_word(html, s->last_step);
        ob__html_printf(html, "</td><td class=\"n\">%zu</td><td>", s->count);
        print_where(html, s->series);
        ob__html_raw(html, "</td></tr>\n");
    }
    ob__html_end_table(html);
    ob__html_raw(html, "</section>\n");
    return ob__site_end(site, ob__site_operator_page(op, page), err);
}

/* What the picture shows, in words. */
static void describe(const ob_site_series *s, ob_svg *svg)
{
    char text[256], first[48], last[48];
    snprintf(text, sizeof text, "from %s on %.32s to %s on %.32s",
             ob__picture_time(s->points[0].value, first, sizeof first), s->points[0].label,
             ob__picture_time(s->last_ns, last, sizeof last), s->points[s->count - 1].label);
    for (size_t i = 0, named = 0; i < s->count && named < 4; i++)
        if (s->points[i].step) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "; a step of %.16s on %.10s",
                     s->points[i].mark, s->points[i].label);
            named++;
        }
    ob__svg_describe(svg, text);
}

static void print_series(ob_site *site, const ob_site_series *s)
{
    static const ob_box BOX = {.x = 78, .y = 16, .width = 900, .height = 170};
    const size_t drawn = s->count < MOST_POINTS ? s->count : MOST_POINTS;
    ob_html *html = &site->html;
    ob__html_raw(html, "<article><h3>");
    ob__html_text(html, s->series->side[0] != '\0' ? s->series->side : s->series->backend, 64);
    ob__html_raw(html, ", ");
    ob__html_text(html, s->series->pass, 32);
    ob__html_raw(html, " ");
    print_step_word(html, s->last_step);
    ob__html_raw(html, "</h3><p class=\"faint\">");
    ob__html_text(html, s->series->settings, OB_PAGE_NAME);
    ob__html_raw(html, " \302\267 ");
    ob__html_text(html, s->series->class_text, OB_PAGE_NAME);
    ob__html_printf(html, " \302\267 %zu point%s, %zu step%s", s->count, s->count == 1 ? "" : "s",
                    s->changes, s->changes == 1 ? "" : "s");
    if (s->count > MOST_POINTS)
        ob__html_printf(html, "; the last %d are drawn", (int)MOST_POINTS);
    ob__html_raw(html, "</p>");
    if (s->count == 0) {
        ob__html_raw(html, "<p>No results with times.</p></article>\n");
        return;
    }
    ob__html_begin_figure(html, "Picture of the history");
    ob_svg svg = ob__svg_begin_inline(&html->text, 1000, 215, "Medians over time");
    describe(s, &svg);
    ob__draw_series(&svg, s->points + s->count - drawn, drawn, &BOX);
    ob__svg_end(&svg);
    ob__html_failed(html, svg.failed);
    ob__html_end_figure(html);
    ob__html_raw(html, "</article>\n");
}

ob_status ob__site_write_case(ob_site *site, const ob_site_series **list, size_t count, ob_err *err)
{
    const ob_store_series *s = list[0]->series;
    ob_html *html = &site->html;
    char page[OB_SITE_NAME];
    ob__site_begin(site, s->call, s->key);
    ob__html_rest(html, s->call);
    ob__html_raw(html, "<p>Operator: ");
    print_link(html, ob__site_operator_page(s->op, page), s->op[0] != '\0' ? s->op : "statements");
    ob__html_raw(html, ". Coloured lines are steps, dashed ones changes of kernel, libraries or "
                       "opbench.</p><section><h2>History</h2><div class=\"cards\">\n");
    for (size_t i = 0; i < count; i++)
        print_series(site, list[i]);
    ob__html_raw(html, "</div></section>\n");
    return ob__site_end(site, ob__site_case_page(s->key, page), err);
}

/* ---- machines ---- */

static bool same_work(const ob_store_series *a, const ob_store_series *b)
{
    return strcmp(a->key, b->key) == 0 && strcmp(a->backend, b->backend) == 0 &&
           strcmp(a->side, b->side) == 0 && strcmp(a->pass, b->pass) == 0 &&
           strcmp(a->settings, b->settings) == 0;
}

static int by_work(const void *left, const void *right)
{
    const ob_site_series *a = *(const ob_site_series *const *)left;
    const ob_site_series *b = *(const ob_site_series *const *)right;
    const ob_store_series *x = a->series, *y = b->series;
    const char *const texts[][2] = {
        {x->op, y->op},     {x->call, y->call}, {x->key, y->key},          {x->backend, y->backend},
        {x->side, y->side}, {x->pass, y->pass}, {x->settings, y->settings}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const int order = strcmp(texts[i][0], texts[i][1]);
        if (order != 0)
            return order;
    }
    return (x->machine > y->machine) - (x->machine < y->machine);
}

static void print_compared(ob_html *html, const ob_site_series **same, size_t count)
{
    char page[OB_SITE_NAME];
    ob__html_raw(html, "<tbody>");
    for (size_t i = 0; i < count; i++) {
        const ob_store_series *s = same[i]->series;
        ob__html_raw(html, "<tr>");
        if (i == 0) {
            ob__html_printf(html, "<th scope=\"rowgroup\" rowspan=\"%zu\" class=\"call\">", count);
            print_link(html, ob__site_case_page(s->key, page), s->call);
            ob__html_raw(html, "</th>");
        }
        ob__html_raw(html, "<td>");
        print_where(html, s);
        ob__html_raw(html, "</td><td class=\"n\">");
        ob__html_time(html, same[i]->last_ns);
        ob__html_raw(html, "</td><td class=\"n\">");
        if (!isnan(same[i]->last_ns / same[0]->last_ns))
            ob__html_printf(html, "%.3g", same[i]->last_ns / same[0]->last_ns);
        ob__html_raw(html, "</td></tr>\n");
    }
    ob__html_raw(html, "</tbody>");
}

ob_status ob__site_write_machines(ob_site *site, ob_err *err)
{
    ob_html *html = &site->html;
    const ob_site_series **order = calloc(site->count, sizeof(ob_site_series *));
    size_t shown = 0, left_out = 0;
    if (order == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the site");
    for (size_t i = 0; i < site->count; i++)
        order[i] = &site->series[i];
    qsort(order, site->count, sizeof *order, by_work);
    ob__site_begin(site, "Machines", "cases measured in the same way on several machines");
    ob__html_raw(html, "<section><h2>Side by side</h2>");
    ob__html_begin_table(html, "Machines side by side", "", "");
    ob__html_raw(html, "<thead><tr><th scope=\"col\">case</th><th scope=\"col\">backend</th><th "
                       "scope=\"col\">pass</th><th scope=\"col\">measured</th><th "
                       "scope=\"col\">machine</th><th scope=\"col\" class=\"n\">last "
                       "median</th><th scope=\"col\" class=\"n\">over the "
                       "first</th></tr></thead>\n");
    for (size_t first = 0, end; first < site->count; first = end) {
        for (end = first + 1;
             end < site->count && same_work(order[first]->series, order[end]->series); end++)
            continue;
        if (end - first < 2)
            continue;
        if (shown < MOST_COMPARED)
            print_compared(html, order + first, end - first);
        else
            left_out++;
        shown++;
    }
    ob__html_end_table(html);
    if (shown == 0)
        ob__html_raw(html, "<p>None: each case was measured on only one machine.</p>");
    if (left_out > 0)
        ob__html_printf(html, "<p class=\"faint\">and %zu more cases.</p>", left_out);
    ob__html_raw(html, "</section>\n");
    free(order);
    return ob__site_end(site, "machines.html", err);
}

/* ---- overview ---- */

static void print_count(ob_html *html, size_t count, const char *word, bool *any)
{
    if (count > 0)
        ob__html_printf(html, "%s%zu %s", *any ? ", " : "", count, word);
    *any = *any || count > 0;
}

static void print_group(ob_site *site, size_t number)
{
    ob_html *html = &site->html;
    const ob_store_group *g = ob_store_check_group(site->check, number);
    char date[32], page[OB_SITE_NAME];
    size_t named = 0, all = 0;
    bool any = false;
    ob_record_format_time(g->time, date);
    ob__html_printf(html, "<article><h3>%.10s ", date);
    print_step_word(html, g->ratio);
    ob__html_raw(html, "</h3><p>");
    print_count(html, g->slower, "slower", &any);
    print_count(html, g->faster, "faster", &any);
    print_count(html, g->noisier, "noisier", &any);
    print_count(html, g->quieter, "quieter", &any);
    print_count(html, g->drifting, "drifting", &any);
    print_count(html, g->accepted, "of these accepted", &any);
    if (g->commit_after[0] != '\0') {
        ob__html_raw(html, " \302\267 commits <code>");
        ob__html_text(html, g->commit_before, 12);
        ob__html_raw(html, "</code> to <code>");
        ob__html_text(html, g->commit_after, 12);
        ob__html_raw(html, "</code>");
    }
    if (g->marks[0] != '\0') {
        ob__html_raw(html, " \302\267 also changed: ");
        ob__html_text(html, g->marks, OB_PAGE_NAME);
    }
    ob__html_raw(html, "</p><ul class=\"cases\">");
    for (size_t i = 0; i < ob_store_check_count(site->check); i++) {
        const ob_store_change *c = ob_store_check_at(site->check, i);
        if (c->group != number || ++all > MOST_NAMED)
            continue;
        named++;
        ob__html_raw(html, "<li class=\"call\">");
        print_link(html, ob__site_case_page(c->series->key, page), c->series->call);
        ob__html_raw(html, " ");
        ob__html_text(html, c->series->backend, 64);
        ob__html_raw(html, ", ");
        ob__html_text(html, c->series->pass, 32);
        ob__html_printf(html, " %+.1f %%</li>", 100 * (c->change.ratio - 1));
    }
    ob__html_raw(html, "</ul>");
    if (all > named)
        ob__html_printf(html, "<p class=\"faint\">and %zu more.</p>", all - named);
    ob__html_raw(html, "</article>\n");
}

static void print_operators(ob_site *site)
{
    ob_html *html = &site->html;
    char page[OB_SITE_NAME];
    ob__html_raw(html, "<section><h2>Operators</h2>");
    ob__html_begin_table(html, "Operators", "", "");
    ob__html_raw(html, "<thead><tr><th "
                       "scope=\"col\">operator</th><th scope=\"col\" class=\"n\">series</th><th "
                       "scope=\"col\" class=\"n\">steps</th></tr></thead><tbody>\n");
    for (size_t first = 0, end; first < site->count; first = end) {
        const char *op = site->series[first].series->op;
        size_t steps = 0;
        for (end = first; end < site->count && strcmp(site->series[end].series->op, op) == 0; end++)
            steps += site->series[end].changes;
        ob__html_raw(html, "<tr><th scope=\"row\" class=\"call\">");
        print_link(html, ob__site_operator_page(op, page), op[0] != '\0' ? op : "statements");
        ob__html_printf(html, "</th><td class=\"n\">%zu</td><td class=\"n\">%zu</td></tr>\n",
                        end - first, steps);
    }
    ob__html_end_table(html);
    ob__html_raw(html, "</section>\n");
}

static void print_runs(ob_site *site)
{
    ob_html *html = &site->html;
    const size_t count = ob_store_runs_count(site->runs);
    char date[32];
    ob__html_raw(html, "<section><h2>Latest runs</h2>");
    ob__html_begin_table(html, "Latest runs", "", "");
    ob__html_raw(html, "<thead><tr><th "
                       "scope=\"col\">when</th><th scope=\"col\">host</th><th "
                       "scope=\"col\">machine</th><th scope=\"col\">commit</th><th "
                       "scope=\"col\">branch</th><th scope=\"col\" class=\"n\">results</th><th "
                       "scope=\"col\" class=\"n\">failed</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < count && i < MOST_RUNS; i++) {
        const ob_store_run *run = ob_store_runs_at(site->runs, count - 1 - i);
        const char *const texts[] = {run->host, run->class_text, run->commit, run->branch};
        ob__html_printf(html, "<tr><td>%s</td>", ob_record_format_time(run->time, date));
        for (size_t k = 0; k < 4; k++) {
            ob__html_raw(html, "<td>");
            ob__html_text(html, texts[k], k == 2 ? 12 : 128);
            ob__html_raw(html, "</td>");
        }
        ob__html_printf(html,
                        "<td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td></tr>\n",
                        run->results, run->failed);
    }
    ob__html_end_table(html);
    ob__html_raw(html, "</section>\n");
}

ob_status ob__site_write_index(ob_site *site, ob_err *err)
{
    ob_html *html = &site->html;
    const size_t groups = ob_store_check_groups(site->check);
    const size_t runs = ob_store_runs_count(site->runs);
    const size_t changes = ob_store_check_count(site->check);
    char below[128];
    snprintf(below, sizeof below, "%zu run%s, %zu series, %zu change%s", runs, runs == 1 ? "" : "s",
             site->count, changes, changes == 1 ? "" : "s");
    ob__site_begin(site, site->params.title != NULL ? site->params.title : "History", below);
    ob__html_raw(html, "<section><h2>What changed lately</h2><div class=\"cards\">\n");
    for (size_t i = 0; i < groups && i < MOST_GROUPS; i++)
        print_group(site, i);
    if (groups == 0)
        ob__html_raw(html, "<p>Nothing that is certain.</p>");
    ob__html_raw(html, "</div>");
    if (groups > MOST_GROUPS)
        ob__html_printf(html, "<p class=\"faint\">and %zu earlier ones.</p>", groups - MOST_GROUPS);
    ob__html_raw(html, "</section>\n");
    print_operators(site);
    print_runs(site);
    return ob__site_end(site, "index.html", err);
}
