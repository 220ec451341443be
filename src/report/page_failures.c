/* SPDX-License-Identifier: Apache-2.0
 *
 * What failed or was skipped: each reason once, its cases below it with the command that runs one alone.
 */
#include "report/page_model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CASES = 50, MOST_REASONS = 200 };

static void print_case(ob_html *html, const ob_page_row *row)
{
    ob__html_raw(html, "<li><span class=\"call\">");
    ob__html_text(html, row->call, OB_PAGE_NAME);
    ob__html_raw(html, "</span>");
    ob__html_rest(html, row->call);
    ob__html_command(html, "span", row->repro);
    ob__html_raw(html, "</li>\n");
}

/* Rows of a reason, linked: first[number], next[row]; + 1, 0 = no more. */
typedef struct lists {
    size_t *first, *last, *next;
} lists;

static bool link_rows(const ob_page *page, lists *l)
{
    l->first = calloc(page->reasons.count + 1, sizeof *l->first);
    l->last = calloc(page->reasons.count + 1, sizeof *l->last);
    l->next = calloc(page->row_count + 1, sizeof *l->next);
    if (l->first == NULL || l->last == NULL || l->next == NULL)
        return false;
    for (size_t i = 0; i < page->row_count; i++) {
        const size_t number = page->rows[i].reason_number;
        if (number >= page->reasons.count)
            continue;
        if (l->first[number] == 0)
            l->first[number] = i + 1;
        else
            l->next[l->last[number] - 1] = i + 1;
        l->last[number] = i + 1;
    }
    return true;
}

static void print_reason(const ob_page *page, ob_html *html, const lists *l,
                         const ob_folded_reason *r)
{
    size_t shown = 0;
    ob__html_raw(html, "<details><summary><span class=\"mark bad\">");
    ob__html_text(html, r->status, 32);
    ob__html_printf(html, "</span> <b>%" PRIu64 " case%s</b>", r->cases, r->cases == 1 ? "" : "s");
    if (page->sides.count > 1) {
        ob__html_raw(html, " on ");
        ob__html_text(html, r->side, 64);
    }
    ob__html_raw(html, ": ");
    ob__html_text(html, r->text, OB_PAGE_NAME);
    ob__html_raw(html, "</summary>");
    if (strlen(r->text) > OB_PAGE_NAME) {
        ob__html_raw(html, "<p class=\"faint\">");
        ob__html_text(html, r->text, OB_PAGE_TEXT);
        ob__html_raw(html, "</p>");
    }
    ob__html_raw(html, "<ul class=\"cases\">\n");
    for (size_t i = l->first[r->number]; i > 0 && shown < MOST_CASES; i = l->next[i - 1], shown++)
        print_case(html, &page->rows[i - 1]);
    ob__html_raw(html, "</ul>");
    if (shown < r->cases)
        ob__html_printf(html, "<p class=\"faint\">and %" PRIu64 " more, in the table below.</p>",
                        r->cases - shown);
    ob__html_raw(html, "</details>\n");
}

void ob__page_print_failures(const ob_page *page, ob_html *html)
{
    lists l = {.first = NULL};
    if (page->reasons.count == 0)
        return;
    if (link_rows(page, &l)) {
        ob__html_raw(html, "<section id=\"failures\"><h2>Failed and skipped</h2>\n");
        for (size_t i = 0; i < page->reasons.count && i < MOST_REASONS; i++)
            print_reason(page, html, &l, &page->reasons.items[i]);
        if (page->reasons.count > MOST_REASONS)
            ob__html_printf(html,
                            "<p class=\"faint\">and %zu more reasons, in the table below.</p>",
                            page->reasons.count - MOST_REASONS);
        ob__html_raw(html, "</section>\n");
    } else {
        ob__html_failed(html, true);
    }
    free(l.first);
    free(l.last);
    free(l.next);
}
