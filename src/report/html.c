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

void ob__html_time(ob_html *html, double ns)
{
    char text[48];
    ob__html_raw(html, isnan(ns) ? "\342\200\223" : ob__picture_time(ns, text, sizeof text));
}

void ob__html_failed(ob_html *html, bool no_memory)
{
    added(html, !no_memory);
}
