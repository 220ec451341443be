/* SPDX-License-Identifier: Apache-2.0
 *
 * Checking and repairing UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#include "base/utf8.h"

#include <string.h>

/* Length of the valid sequence at s, which has `left` > 0 bytes; 0 if there is none. */
static size_t sequence(const unsigned char *s, size_t left)
{
    const unsigned char c = s[0];
    if (c < 0x80)
        return 1;
    const size_t length = c >= 0xC2 && c <= 0xDF ? 2 : (c & 0xF0) == 0xE0 ? 3 : 4;
    if (c < 0xC2 || c > 0xF4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((c == 0xE0 && s[1] < 0xA0) || (c == 0xED && s[1] > 0x9F) || (c == 0xF0 && s[1] < 0x90) ||
        (c == 0xF4 && s[1] > 0x8F))
        return 0;
    return length;
}

size_t ob__utf8_valid(const char *bytes, size_t size)
{
    const unsigned char *s = (const unsigned char *)bytes;
    size_t at = 0;
    while (at < size) {
        uint64_t eight;
        for (; size - at >= sizeof eight; at += sizeof eight) { /* ASCII, mostly */
            memcpy(&eight, s + at, sizeof eight);
            if ((eight & UINT64_C(0x8080808080808080)) != 0)
                break;
        }
        if (at == size)
            break;
        const size_t length = sequence(s + at, size - at);
        if (length == 0)
            break;
        at += length;
    }
    return at;
}

bool ob__utf8_repair(ob_text *text, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        const size_t good = ob__utf8_valid(bytes + at, size - at);
        if (!ob_text_append(text, bytes + at, good))
            return false;
        at += good;
        if (at < size && !ob_text_append(text, "\xEF\xBF\xBD", 3))
            return false;
    }
    return true;
}

uint32_t ob__utf8_next(const char **at, const char *end)
{
    static const unsigned char FIRST_BITS[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    const unsigned char *s = (const unsigned char *)*at;
    const size_t length = sequence(s, (size_t)(end - *at));
    *at += length > 0 ? length : 1;
    if (length == 0)
        return 0xFFFD;
    uint32_t code = s[0] & FIRST_BITS[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (s[i] & 0x3Fu);
    return code;
}

size_t ob__utf8_count(const char *text)
{
    const char *end = text + strlen(text);
    size_t count = 0;
    for (; text < end; count++)
        ob__utf8_next(&text, end);
    return count;
}

bool ob__utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

bool ob__utf8_is_line_end(uint32_t code)
{
    return (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
           code == 0x2028 || code == 0x2029;
}

bool ob__utf8_is_space(uint32_t code)
{
    return ob__utf8_is_line_end(code) || code == 0x09 || code == 0x1F || code == ' ' ||
           code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x202F ||
           code == 0x205F || code == 0x3000;
}
