/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of unknown origin on their way to a screen.
 */
#include "base/utf8.h"

/* The length of a change of colours or weight, "\033[1;31m"; 0 = it is none. */
static size_t style_length(const char *text, const char *end)
{
    const char *at = text + 2;
    if (end - text < 3 || text[0] != '\033' || text[1] != '[')
        return 0;
    while (at < end && ((*at >= '0' && *at <= '9') || *at == ';'))
        at++;
    return at < end && *at == 'm' ? (size_t)(at + 1 - text) : 0;
}

bool ob_text_append_visible(ob_text *text, const char *bytes, size_t count, bool keep_styles)
{
    const char *at = bytes, *end = bytes + count;
    bool ok = true;
    while (ok && at < end) {
        const char *from = at;
        const uint32_t code = ob__utf8_next(&at, end);
        const size_t style = keep_styles ? style_length(from, end) : 0;
        if (style > 0) {
            at = from + style;
            ok = ob_text_append(text, from, style);
        } else if (ob__utf8_is_control(code) && code != '\n' && code != '\t') {
            ok = ob_text_append(text, "?", 1);
        } else {
            ok = ob__utf8_repair(text, from, (size_t)(at - from));
        }
    }
    return ok;
}
