/* SPDX-License-Identifier: Apache-2.0
 *
 * Checking and repairing UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#include "result/utf8.h"

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
        if (!ob__text_append(text, bytes + at, good))
            return false;
        at += good;
        if (at < size && !ob__text_append(text, "\xEF\xBF\xBD", 3))
            return false;
    }
    return true;
}
