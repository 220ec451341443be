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
    size_t rest_bytes;       /* of long names, so far */
} ob_html;

enum {
    OB_PAGE_NAME = 300, /* bytes of a name in a cell; the rest is behind "more" */
    OB_PAGE_COMMAND =
        65536, /* of a command, which is never cut: what is left might run something else */
    OB_PAGE_TEXT = 4096,        /* of any other text, and of a name with its rest */
    OB_PAGE_REST_MOST = 1 << 20 /* of what is behind "more" on a page: names may be long and many */
};

void ob__html_raw(ob_html *html, const char *markup);
void ob__html_printf(ob_html *html, const char *format, ...) OB_PRINTF(2, 3); /* raw */
/* A text, at most so many bytes of it: "..." stands for the rest. */
void ob__html_text(ob_html *html, const char *text, size_t most);
/* The same with a capital first, if it begins with a plain word: messages are written to follow a colon. */
void ob__html_sentence(ob_html *html, const char *text, size_t most);
/* A command that a button copies, in an element of that name; nothing for NULL. It is never cut. */
void ob__html_command(ob_html *html, const char *element, const char *command);
/* Behind a name that was cut at OB_PAGE_NAME: all of it, to be opened. Nothing for others. */
void ob__html_rest(ob_html *html, const char *name);
/* A table in a box of its own that scrolls, by keys too, with its name for those who hear it, up to its head. box: "short" or
 * "". */
void ob__html_begin_table(ob_html *html, const char *name, const char *box, const char *class_name);
void ob__html_end_table(ob_html *html); /* the body may be open */
/* The same of a picture, up to the <svg>. */
void ob__html_begin_figure(ob_html *html, const char *name);
void ob__html_end_figure(ob_html *html);
/* "1.2 µs"; a dash for NaN. */
void ob__html_time(ob_html *html, double ns);
void ob__html_failed(ob_html *html, bool no_memory); /* of a picture */
void ob__html_flush(ob_html *html);

#endif
