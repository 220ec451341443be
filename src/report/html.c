/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html.h"

#include "report/pictures.h"
#include "report/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 16 };

void ob__html_flush(ob_html *html)
{
    if (!html->refused && html->text.size > 0 &&
        !html->write(html->ctx, html->text.data, html->text.size))
        html->refused = true;
    html->text.size = 0;
}

static void added(ob_html *html, bool ok)
{
    html->no_memory = html->no_memory || !ok;
    if (html->text.size >= PIECE)
        ob__html_flush(html);
}

void ob__html_raw(ob_html *html, const char *markup)
{
    added(html, ob_text_append_str(&html->text, markup));
}

void ob__html_printf(ob_html *html, const char *format, ...)
{
    char room[512];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(room, sizeof room, format, list);
    va_end(list);
    added(html,
          length >= 0 && (size_t)length < sizeof room && ob_text_append_str(&html->text, room));
}

void ob__html_text(ob_html *html, const char *text, size_t most)
{
    const size_t length = strnlen(text, most + 1);
    if (length <= most) {
        added(html, ob__append_xml(&html->text, text));
        return;
    }
    size_t cut = most;
    while (cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80) /* not inside a character */
        cut--;
    ob_text head = {.data = NULL};
    const bool ok = ob_text_append(&head, text, cut) && ob_text_append(&head, "", 1) &&
                    ob__append_xml(&html->text, head.data);
    ob_text_fini(&head);
    added(html, ok && ob_text_append_str(&html->text, "\342\200\246")); /* an ellipsis */
}

void ob__html_command(ob_html *html, const char *element, const char *command)
{
    if (command == NULL)
        return;
    ob__html_printf(html, "<%s class=\"repro\"><code>", element);
    added(html, ob__append_xml(&html->text, command));
    ob__html_printf(html, "</code></%s>", element);
}

void ob__html_sentence(ob_html *html, const char *text, size_t most)
{
    const size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    if (word == 0 || text[word] != ' ') {
        ob__html_text(html, text, most);
        return;
    }
    ob__html_printf(html, "%c", text[0] - 'a' + 'A');
    ob__html_text(html, text + 1, most - 1);
}

void ob__html_rest(ob_html *html, const char *name)
{
    const size_t length = strnlen(name, OB_PAGE_TEXT);
    if (length <= OB_PAGE_NAME || html->rest_bytes + length > OB_PAGE_REST_MOST)
        return;
    html->rest_bytes += length;
    ob__html_raw(html, "<details class=\"rest\"><summary>more</summary>");
    ob__html_text(html, name, OB_PAGE_TEXT);
    ob__html_raw(html, "</details>");
}

static void begin_scrolled(ob_html *html, const char *name)
{
    ob__html_raw(html, " tabindex=\"0\" role=\"region\" aria-label=\"");
    ob__html_text(html, name, OB_PAGE_NAME);
    ob__html_raw(html, "\">");
}

void ob__html_begin_table(ob_html *html, const char *name, const char *box, const char *class_name)
{
    ob__html_printf(html, "<div class=\"scroll %s\"", box);
    begin_scrolled(html, name);
    ob__html_printf(html, "<table class=\"%s\"><caption>", class_name);
    ob__html_text(html, name, OB_PAGE_NAME);
    ob__html_raw(html, "</caption>");
}

void ob__html_end_table(ob_html *html)
{
    ob__html_raw(html, "</table></div>\n");
}

void ob__html_begin_figure(ob_html *html, const char *name)
{
    ob__html_raw(html, "<div class=\"scroll\"");
    begin_scrolled(html, name);
    ob__html_raw(html, "<figure>");
}

void ob__html_end_figure(ob_html *html)
{
    ob__html_raw(html, "</figure></div>\n");
}

void ob__html_time(ob_html *html, double ns)
{
    char text[48];
    ob__html_raw(html, isnan(ns) ? "\342\200\223" : ob__picture_time(ns, text, sizeof text));
}

void ob__html_failed(ob_html *html, bool no_memory)
{
    added(html, !no_memory);
}
