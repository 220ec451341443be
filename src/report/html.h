/* SPDX-License-Identifier: Apache-2.0
 *
 * HTML on its way out, piece by piece. Texts of unknown origin are escaped here and nowhere else.
 */
#ifndef OB_REPORT_HTML_H
#define OB_REPORT_HTML_H

#include "opbench/page.h"
#include "opbench/text.h"

typedef struct ob_html {
    ob_text text; /* not written yet; pictures append to it */
    ob_page_write write;
    void *ctx;
    bool no_memory, refused; /* nothing more is written */
} ob_html;

void ob__html_raw(ob_html *html, const char *markup);
void ob__html_printf(ob_html *html, const char *format, ...) OB_PRINTF(2, 3); /* raw */
/* A text, at most so many bytes of it: "..." stands for the rest. */
void ob__html_text(ob_html *html, const char *text, size_t most);
/* The same with a capital first, if it begins with a plain word: messages are written to follow a colon. */
void ob__html_sentence(ob_html *html, const char *text, size_t most);
/* "1.2 µs"; a dash for NaN. */
void ob__html_time(ob_html *html, double ns);
void ob__html_failed(ob_html *html, bool no_memory); /* of a picture */
void ob__html_flush(ob_html *html);

#endif
