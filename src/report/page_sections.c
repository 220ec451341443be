/* SPDX-License-Identifier: Apache-2.0
 *
 * The sections above the table: what it comes to, sides beside each other, where a step's time goes, the roofline, and what
 * was not measured.
 */
#include "report/page_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- summary ---- */

static void print_tile(ob_html *html, const char *class_name, uint64_t count, const char *word)
{
    ob__html_printf(html, "<li%s%s%s><b>%" PRIu64 "</b> ", class_name[0] != '\0' ? " class=\"" : "",
                    class_name, class_name[0] != '\0' ? "\"" : "", count);
    ob__html_text(html, word, 64);
    ob__html_raw(html, "</li>");
}

static void print_places(const ob_page *page, ob_html *html)
{
    const ob_page_run *run = page->run_count > 0 ? &page->runs[0] : NULL;
    ob__html_raw(html, "<p class=\"lead\">");
    if (run != NULL) {
        ob__html_text(html, run->cpu != NULL && run->cpu[0] != '\0' ? run->cpu : "a machine", 128);
        if (run->host != NULL && run->host[0] != '\0') {
            ob__html_raw(html, ", ");
            ob__html_text(html, run->host, 128);
        }
        if (run->start != NULL) {
            ob__html_raw(html, " \302\267 <time>");
            ob__html_text(html, run->start, 32);
            ob__html_raw(html, "</time>");
        }
        if (!isnan(run->seconds))
            ob__html_printf(html, " \302\267 %.4g s", run->seconds);
        if (page->run_count > 1)
            ob__html_printf(html, " \302\267 and %zu more run%s", page->run_count - 1,
                            page->run_count == 2 ? "" : "s");
    }
    ob__html_raw(html, "</p>\n");
}

/* To the sections that there are. */
static void print_links(const ob_page *page, ob_html *html)
{
    ob__html_raw(html, "<nav aria-label=\"Sections\">");
    if (ob__page_has_nodes(page))
        ob__html_raw(html, "<a href=\"#nodes\">Nodes</a>");
    if (page->diff != NULL)
        ob__html_raw(html, "<a href=\"#sides\">Side by side</a>");
    if (page->weighted && page->step.main_ns > 0)
        ob__html_raw(html, "<a href=\"#step\">The step</a>");
    if (page->reasons.count > 0)
        ob__html_raw(html, "<a href=\"#failures\">Failed and skipped</a>");
    ob__html_raw(html, "<a href=\"#results\">Results</a>");
    for (size_t i = 0; i < page->row_count; i++)
        if (page->rows[i].count > 0) {
            ob__html_raw(html, "<a href=\"#cases\">Distributions</a>");
            break;
        }
    ob__html_raw(html, "<a href=\"#runs\">What was run, and where</a></nav>\n");
}

void ob__page_print_summary(const ob_page *page, ob_html *html)
{
    uint64_t cases = 0;
    print_places(page, html);
    for (size_t s = 0; s < OB_RECORD_STATUS_COUNT; s++)
        cases += page->statuses[s];
    ob__html_raw(html, "<ul class=\"tiles\">");
    print_tile(html, "", cases, cases == 1 ? "result" : "results");
    for (size_t s = 0; s < OB_RECORD_STATUS_COUNT; s++) {
        const ob_record_status_info *info = ob_record_status_get_info((ob_record_status)s);
        char word[32];
        snprintf(word, sizeof word, "%s", info->word);
        for (char *c = word; *c != '\0'; c++)
            *c = *c == '_' ? ' ' : *c;
        if (page->statuses[s] > 0)
            print_tile(html,
                       info->failed        ? "bad"
                       : s == OB_RECORD_OK ? "good"
                                           : "",
                       page->statuses[s], word);
    }
    if (page->sides.count > 1)
        print_tile(html, "", page->sides.count,
                   page->params.files_are_sides ? "files" : "backends");
    ob__html_raw(html, "</ul>\n");
    print_links(page, html);
    ob__html_raw(html, "</header>\n<main>\n");
}

/* ---- sides ---- */

ob_ratio_item ob__page_ratio_item(const ob_page *page, const ob_diff_row *row)
{
    const size_t side = ob__text_index_find(&page->sides, row->side);
    return (ob_ratio_item){.name = row->call,
                           .value = row->time.ratio,
                           .low = row->time.low,
                           .high = row->time.high,
                           .side = side != OB_NO_TEXT ? side : 0};
}

enum { STRIP = 300, STRIP_HEIGHT = 22 };

static void print_strip(ob_html *html, const ob_log_axis *axis, const ob_ratio_item *item)
{
    ob_svg svg = ob__svg_begin_beside(&html->text, STRIP, STRIP_HEIGHT);
    ob__draw_ratio_grid(&svg, axis, 0, STRIP_HEIGHT, false);
    ob__draw_ratio(&svg, axis, STRIP_HEIGHT / 2.0, item);
    ob__svg_end(&svg);
    ob__html_failed(html, svg.failed);
}

static void print_verdict(const ob_page *page, ob_html *html, const ob_log_axis *axis,
                          const ob_diff_row *row)
{
    const ob_ratio_item item = ob__page_ratio_item(page, row);
    const char *word = ob_verdict_word(row->time.kind);
    ob__html_raw(html, "<tr><th scope=\"row\" class=\"call\">");
    ob__html_text(html, row->call, OB_PAGE_NAME);
    ob__html_rest(html, row->call);
    ob__html_raw(html, "</th><td>");
    ob__html_text(html, row->pass, 32);
    ob__html_raw(html, "</td><td>");
    ob__html_text(html, row->side, 64);
    ob__html_raw(html, "</td><td class=\"strip\">");
    print_strip(html, axis, &item);
    ob__html_printf(html, "</td><td class=\"n\">%.3g</td><td class=\"n\">", row->time.ratio);
    if (isnan(row->time.low))
        ob__html_raw(html, "\342\200\223");
    else
        ob__html_printf(html, "%.3g\342\200\223%.3g", row->time.low, row->time.high);
    ob__html_printf(html, "</td><td><span class=\"mark %s\">%s</span></td></tr>\n", word, word);
}

static void print_counts(const ob_page *page, ob_html *html)
{
    for (size_t s = 1; ob_diff_side(page->diff, s) != NULL; s++) {
        ob_diff_summary sum = {.size = sizeof sum};
        if (ob_diff_summarise_side(page->diff, s, &sum, NULL) != OB_OK)
            continue;
        ob__html_raw(html, "<p><b>");
        ob__html_text(html, ob_diff_side(page->diff, s), 64);
        ob__html_raw(html, "</b> against ");
        ob__html_text(html, ob_diff_side(page->diff, 0), 64);
        ob__html_raw(html, ":");
        for (size_t v = 0; v < OB_VERDICT_KIND_COUNT; v++)
            if (sum.verdicts[v] > 0)
                ob__html_printf(html, " %" PRIu64 " %s,", sum.verdicts[v],
                                ob_verdict_word((ob_verdict_kind)v));
        if (!isnan(sum.geometric_mean))
            ob__html_printf(html, " geometric mean of the ratios %.3g.", sum.geometric_mean);
        ob__html_raw(html, "</p>");
    }
    for (size_t i = 0; ob_diff_note(page->diff, i) != NULL; i++) {
        ob__html_raw(html, "<p class=\"faint\">");
        ob__html_sentence(html, ob_diff_note(page->diff, i), OB_PAGE_TEXT);
        ob__html_raw(html, "</p>");
    }
}

static void print_scale(ob_html *html, const ob_log_axis *axis)
{
    ob_svg svg = ob__svg_begin_inline(&html->text, STRIP, 18, "ratio, drawn");
    ob__draw_ratio_grid(&svg, axis, 18, 18, true);
    ob__svg_end(&svg);
    ob__html_failed(html, svg.failed);
}

void ob__page_print_verdicts(const ob_page *page, ob_html *html)
{
    const ob_page_choice choice = {.most = OB_PAGE_RATIOS};
    const ob_diff_row **rows;
    ob_ratio_item items[OB_PAGE_RATIOS];
    size_t count;
    const ob_status status = ob__page_differences(page, &choice, &rows, &count, NULL);
    ob__html_failed(html, status == OB_ERR_NOMEM);
    if (status != OB_OK)
        return;
    for (size_t i = 0; i < count; i++)
        items[i] = ob__page_ratio_item(page, rows[i]);
    const ob_log_axis axis = ob__ratio_axis(items, count, 12, STRIP - 12);
    ob__html_raw(html, "<section id=\"sides\"><h2>Side by side</h2>\n");
    print_counts(page, html);
    ob__html_begin_table(html, "Ratios", "short", "ratios");
    ob__html_raw(html, "<thead><tr><th scope=\"col\">case</th><th scope=\"col\">pass</th><th "
                       "scope=\"col\">side</th><th scope=\"col\" class=\"strip\">");
    print_scale(html, &axis);
    ob__html_raw(html, "</th><th scope=\"col\" class=\"n\">ratio</th><th scope=\"col\" "
                       "class=\"n\">95 % interval</th><th scope=\"col\">verdict</th></tr></thead>"
                       "<tbody>\n");
    for (size_t i = 0; i < count; i++)
        print_verdict(page, html, &axis, rows[i]);
    ob__html_end_table(html);
    if (count == OB_PAGE_RATIOS)
        ob__html_printf(html, "<p class=\"faint\">The %zu largest differences.</p>", count);
    ob__html_raw(html, "<p class=\"faint\">Left of 1 the side is faster than ");
    ob__html_text(html, ob_diff_side(page->diff, 0), 64);
    ob__html_raw(html, ", right of 1 it is slower.</p></section>\n");
    free(rows);
}

/* ---- the step ---- */

static void print_step_row(const ob_page *page, ob_html *html, const ob_step_row *row)
{
    const ob_step *step = &page->step;
    const double share = ob__step_share(step, row);
    ob__html_raw(html, "<tr><th scope=\"row\" class=\"call\">");
    ob__html_text(html, row->op, OB_PAGE_NAME);
    ob__html_rest(html, row->op);
    ob__html_printf(html, "</th><td>%s</td><td class=\"n\">%" PRIu64 "</td>",
                    row->backward ? "backward" : "forward", row->calls);
    for (size_t s = 0; s < step->side_count; s++) {
        ob__html_raw(html, "<td class=\"n\">");
        ob__html_time(html, row->sides[s].calls > 0 ? row->sides[s].ns : NAN);
        if (row->sides[s].calls > 0 && row->sides[s].calls < row->calls)
            ob__html_printf(html, " <span class=\"faint\">(%" PRIu64 " of %" PRIu64 ")</span>",
                            row->sides[s].calls, row->calls);
        ob__html_raw(html, "</td>");
    }
    if (isnan(share))
        ob__html_raw(html, "<td class=\"n\">\342\200\223</td>");
    else
        ob__html_printf(html, "<td class=\"n\">%.1f %%</td>", 100 * share);
    if (step->side_count > 1) {
        ob__html_raw(html, "<td>");
        if (row->best < OB_STEP_SIDES && !isnan(row->lead))
            ob__html_text(html, step->sides[row->best], 64);
        ob__html_raw(html, "</td><td class=\"n\">");
        if (!isnan(row->lead))
            ob__html_printf(html, "%.2f\303\227%s", row->lead, row->clear ? "" : " ?");
        ob__html_raw(html, "</td>");
    }
    ob__html_raw(html, "</tr>\n");
}

static void print_step_table(const ob_page *page, ob_html *html)
{
    enum { OPEN = 12 };
    const ob_step *step = &page->step;
    ob__html_begin_table(html, "The step by operators", "", "");
    ob__html_raw(html, "<thead><tr><th scope=\"col\">operator</th><th scope=\"col\">pass</th><th "
                       "scope=\"col\" class=\"n\">calls</th>");
    for (size_t s = 0; s < step->side_count; s++) {
        ob__html_raw(html, "<th scope=\"col\" class=\"n\">");
        ob__html_text(html, step->sides[s], 64);
        ob__html_raw(html, "</th>");
    }
    ob__html_raw(html, "<th scope=\"col\" class=\"n\">share</th>");
    if (step->side_count > 1)
        ob__html_raw(html, "<th scope=\"col\">best</th><th scope=\"col\" class=\"n\">lead</th>");
    ob__html_raw(html, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < step->count && i < OB_PAGE_RATIOS; i++) {
        if (i == OPEN)
            ob__html_raw(html, "</tbody><tbody class=\"rest\">\n");
        print_step_row(page, html, &step->rows[i]);
    }
    ob__html_end_table(html);
    if (step->count > OB_PAGE_RATIOS)
        ob__html_printf(html, "<p class=\"faint\">The %d longest of %zu.</p>", (int)OB_PAGE_RATIOS,
                        step->count);
}

void ob__page_print_step(ob_page *page, ob_html *html)
{
    const ob_step *step = &page->step;
    enum { WIDTH = 1000 };
    if (!page->weighted || !(step->main_ns > 0))
        return;
    ob__html_raw(html, "<section id=\"step\"><h2>Where the step\342\200\231s time goes</h2>\n");
    for (size_t s = 0; s < step->side_count; s++) {
        ob_text line = {.data = NULL};
        const bool ok = ob__step_append_side(step, s, &line) && ob_text_append(&line, "", 1);
        ob__html_raw(html, "<p>");
        ob__html_text(html, ok ? line.data : "", OB_PAGE_TEXT);
        ob__html_raw(html, ".</p>");
        ob__html_failed(html, !ok);
        ob_text_fini(&line);
    }
    ob__html_begin_figure(html, "Picture of the step");
    ob_svg svg = ob__svg_begin_inline(&html->text, WIDTH, ob__step_picture_height(step, WIDTH),
                                      "Where the time of the step goes, by operator");
    ob__svg_describe(&svg,
                     "One bar per side, divided by operator; the table below has the figures.");
    ob__draw_step(&svg, step, &(ob_box){.width = WIDTH});
    ob__svg_end(&svg);
    ob__html_failed(html, svg.failed);
    ob__html_end_figure(html);
    print_step_table(page, html);
    ob__html_raw(html, "</section>\n");
}

void ob__page_print_roofline(const ob_page *page, ob_html *html)
{
    ob_text picture = {.data = NULL};
    const ob_plot_style style = {.size = sizeof style, .width = 1000, .height = 560};
    if (page->roofline != NULL &&
        ob_plot_print(page->roofline, OB_PLOT_INLINE, &style, &picture, NULL) == OB_OK &&
        ob_text_append(&picture, "", 1)) {
        ob__html_raw(html, "<section id=\"roofline\"><h2>Below the roofline</h2>\n");
        ob__html_begin_figure(html, "Picture of the roofline");
        ob__html_raw(html, picture.data);
        ob__html_end_figure(html);
        ob__html_raw(html, "</section>\n");
    }
    ob_text_fini(&picture);
}
