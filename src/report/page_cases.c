/* SPDX-License-Identifier: Apache-2.0
 *
 * The samples: pictures of the most notable cases, and all of them packed for the script, which draws the others.
 */
#include "report/page_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL = 460, PANEL_HEIGHT = 190 };

/* The sign marks a disturbed sample. Not fmin and fmax: gcc 12 for aarch64 crashes over loops of them. */
static void widen(double *least, double *largest, float sample)
{
    const double ns = fabs((double)sample);
    *least = ns < *least ? ns : *least;
    *largest = ns > *largest ? ns : *largest;
}

/* What the pictures show, in words. */
static const char *describe(const ob_page_row *row, const ob_distribution *d, char *out,
                            size_t size)
{
    double least = INFINITY, largest = 0;
    char from[48], to[48], median[48];
    for (size_t i = d->warmups; i < d->warmups + d->count; i++)
        widen(&least, &largest, d->samples[i]);
    snprintf(out, size, "%.200s on %.64s: from %s to %s, median %s", row->call, row->side,
             ob__picture_time(least, from, sizeof from), ob__picture_time(largest, to, sizeof to),
             ob__picture_time(row->median_ns, median, sizeof median));
    return out;
}

static void print_panels(const ob_page *page, ob_html *html, const ob_page_row *row,
                         double scratch[OB_PAGE_SAMPLES + 2])
{
    static const ob_box HISTOGRAM = {.x = 8, .y = 18, .width = PANEL - 24, .height = 140};
    static const ob_box ORDER = {.x = 74, .y = 18, .width = PANEL - 84, .height = 140};
    const ob_distribution d = ob__page_distribution(page, row);
    char text[512];
    ob_svg svg = ob__svg_begin_inline(&html->text, PANEL, PANEL_HEIGHT,
                                      "Histogram, and the share of samples below each time");
    ob__svg_describe(&svg, describe(row, &d, text, sizeof text));
    ob__draw_histogram(&svg, &d, &HISTOGRAM, scratch);
    ob__svg_end(&svg);
    bool failed = svg.failed;
    svg = ob__svg_begin_inline(&html->text, PANEL, PANEL_HEIGHT,
                               "Samples in time order, the warm-up first");
    ob__svg_describe(&svg, text);
    ob__draw_time_order(&svg, &d, &ORDER, scratch);
    ob__svg_end(&svg);
    ob__html_failed(html, failed || svg.failed);
}

static void print_case(const ob_page *page, ob_html *html, const ob_page_row *row, double *scratch)
{
    ob__html_printf(html, "<article id=\"c%zu\"><h3 class=\"call\">", row->notable_rank);
    ob__html_text(html, row->call, OB_PAGE_NAME);
    ob__html_raw(html, "</h3>");
    ob__html_rest(html, row->call);
    ob__html_raw(html, "<p class=\"faint\">");
    ob__html_text(html, row->side, 64);
    ob__html_printf(html, " \302\267 %s \302\267 median ", row->backward ? "backward" : "forward");
    ob__html_time(html, row->median_ns);
    if (!isnan(row->low_ns)) {
        ob__html_raw(html, " (");
        ob__html_time(html, row->low_ns);
        ob__html_raw(html, " to ");
        ob__html_time(html, row->high_ns);
        ob__html_raw(html, ")");
    }
    ob__html_printf(html, " \302\267 %" PRIu64 " sample%s", row->samples,
                    row->samples == 1 ? "" : "s");
    if (row->set_aside > 0)
        ob__html_printf(html, ", %" PRIu64 " disturbed", row->set_aside);
    if (row->every > 1)
        ob__html_printf(html, ", one of %" PRIu32 " drawn", row->every);
    ob__html_raw(html, "</p><figure class=\"pair\">");
    print_panels(page, html, row, scratch);
    ob__html_raw(html, "</figure>");
    if (row->warning != NULL) {
        ob__html_raw(html, "<p><b class=\"mark\">warning</b> ");
        ob__html_sentence(html, row->warning, OB_PAGE_TEXT);
        ob__html_raw(html, "</p>");
    }
    ob__html_command(html, "p", row->repro);
    ob__html_raw(html, "</article>\n");
}

void ob__page_print_cases(const ob_page *page, ob_html *html)
{
    const ob_page_row *notable[OB_PAGE_NOTABLE + 1] = {NULL};
    double scratch[OB_PAGE_SAMPLES + 2];
    size_t measured = 0;
    for (size_t i = 0; i < page->row_count; i++) {
        measured += page->rows[i].count > 0;
        notable[page->rows[i].notable_rank] = &page->rows[i];
    }
    if (measured == 0)
        return;
    ob__html_raw(html, "<section id=\"cases\"><h2>");
    if (measured > OB_PAGE_NOTABLE)
        ob__html_printf(html, "The %d most notable of %zu distributions", (int)OB_PAGE_NOTABLE,
                        measured);
    else
        ob__html_raw(html, "Distributions");
    ob__html_raw(html,
                 "</h2>\n<ul class=\"legend\"><li><i class=\"key bars\"></i>histogram</li><li><i "
                 "class=\"key ecdf\"></i>share of the samples below a time</li><li><i class=\"key "
                 "median\"></i>median and its 95 % interval</li><li><i class=\"key "
                 "dot\"></i>sample</li><li><i class=\"key warmup\"></i>warm-up</li><li><b "
                 "class=\"key cross\">\303\227</b>disturbed, set aside</li></ul>\n<div "
                 "class=\"cards\">\n");
    for (size_t rank = 1; rank <= OB_PAGE_NOTABLE && notable[rank] != NULL; rank++)
        print_case(page, html, notable[rank], scratch);
    ob__html_raw(html, "</div></section>\n");
}

/* ---- packed ---- */

uint16_t ob__page_pack_sample(float sample, double least, double largest)
{
    const double ns = fabs((double)sample);
    const double share = largest > least ? log(ns / least) / log(largest / least) : 0;
    return (uint16_t)((unsigned)lround(fmin(fmax(share, 0), 1) * 32767) |
                      (signbit(sample) ? 0x8000U : 0U));
}

/* Six bytes are eight letters: three samples, so that a row's samples begin with a letter of their own. */
static void print_three(ob_html *html, const uint16_t values[3])
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint64_t bits = (uint64_t)values[0] << 32 | (uint64_t)values[1] << 16 | values[2];
    char text[9] = "";
    for (size_t i = 0; i < 8; i++)
        text[i] = DIGITS[bits >> (42 - 6 * i) & 63];
    ob__html_raw(html, text);
}

static void find_ends(const ob_page *page, const ob_page_row *row, double *least, double *largest)
{
    *least = INFINITY;
    *largest = 0;
    for (size_t i = 0; i < (size_t)row->warmups + row->count; i++)
        widen(least, largest, page->samples[row->sample_at + i]);
}

/* A number as JSON has it, or null. */
static void print_json_number(ob_html *html, double value)
{
    if (isfinite(value))
        ob__html_printf(html, ",%.7g", value);
    else
        ob__html_raw(html, ",null");
}

void ob__page_print_packed(const ob_page *page, ob_html *html)
{
    size_t at = 0;
    double least, largest;
    ob__html_raw(html, "<script type=\"application/json\" id=\"packed\">{\"rows\":[");
    for (size_t i = 0; i < page->row_count; i++) {
        const ob_page_row *row = &page->rows[i];
        const size_t all = (size_t)row->warmups + row->count;
        find_ends(page, row, &least, &largest);
        ob__html_printf(html, "%s[%zu,%" PRIu32 ",%" PRIu32 ",%" PRIu32, i > 0 ? "," : "", at,
                        row->warmups, row->count, row->every);
        if (all > 0) {
            print_json_number(html, least);
            print_json_number(html, largest);
            print_json_number(html, row->median_ns);
            print_json_number(html, row->low_ns);
            print_json_number(html, row->high_ns);
        }
        ob__html_raw(html, "]");
        at += (all + 2) / 3;
    }
    ob__html_raw(html, "],\n\"samples\":\"");
    for (size_t i = 0; i < page->row_count; i++) {
        const ob_page_row *row = &page->rows[i];
        const size_t all = (size_t)row->warmups + row->count;
        find_ends(page, row, &least, &largest);
        for (size_t s = 0; s < all; s += 3) {
            uint16_t values[3] = {0};
            for (size_t k = 0; k < 3 && s + k < all; k++)
                values[k] =
                    ob__page_pack_sample(page->samples[row->sample_at + s + k], least, largest);
            print_three(html, values);
        }
    }
    ob__html_raw(html, "\"}</script>\n");
}
