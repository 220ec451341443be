/* SPDX-License-Identifier: Apache-2.0
 *
 * Growing text. Integers are printed two digits at a time: expansion prints millions of them.
 */
#include "base/text_append.h"

#include "base/number.h"
#include "base/utf8.h"
#include "opbench/vec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void ob_text_fini(ob_text *text)
{
    free(text->data);
    *text = (ob_text){0};
}

bool ob_text_grow(ob_text *text, size_t more)
{
    size_t wanted;
    if (__builtin_add_overflow(text->size, more, &wanted))
        return false;
    return OB_RESERVE(text->data, text->capacity, wanted < 256 ? 256 : wanted);
}

size_t ob__format_u64(uint64_t value, char *out)
{
    static const char PAIRS[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char digits[20];
    size_t at = sizeof digits;
    while (value >= 100) {
        at -= 2;
        memcpy(digits + at, PAIRS + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(digits + at, PAIRS + 2 * value, 2);
    } else {
        digits[--at] = (char)('0' + value);
    }
    memcpy(out, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

size_t ob__format_i64(int64_t value, char *out)
{
    if (value >= 0)
        return ob__format_u64((uint64_t)value, out);
    *out = '-';
    return 1 + ob__format_u64(0 - (uint64_t)value, out + 1);
}

bool ob__text_append_i64(ob_text *text, int64_t value)
{
    if (!ob_text_reserve(text, 20))
        return false;
    text->size += ob__format_i64(value, text->data + text->size);
    return true;
}

bool ob__text_append_u64(ob_text *text, uint64_t value)
{
    if (!ob_text_reserve(text, 20))
        return false;
    text->size += ob__format_u64(value, text->data + text->size);
    return true;
}

bool ob__text_append_fixed(ob_text *text, double value, size_t width, int decimals)
{
    /* The largest double has 309 digits before its point. */
    char digits[512];
    int length = snprintf(digits, sizeof digits, "%.*f", decimals, value);
    if (length < 0 || (size_t)length >= sizeof digits)
        return false;
    if (decimals > 0 && isfinite(value)) {
        /* A locale's point may be several bytes long. */
        const size_t whole = (digits[0] == '-') + strspn(digits + (digits[0] == '-'), "0123456789");
        memmove(digits + whole + 1, digits + length - decimals, (size_t)decimals);
        digits[whole] = '.';
        length = (int)whole + 1 + decimals;
    }
    const size_t blanks = width > (size_t)length ? width - (size_t)length : 0;
    return ob_text_reserve(text, blanks + (size_t)length) &&
           ob__text_append_fill(text, ' ', blanks) && ob_text_append(text, digits, (size_t)length);
}

bool ob__text_append_real(ob_text *text, double value)
{
    if (!ob_text_reserve(text, 32))
        return false;
    text->size += ob__format_double(value, text->data + text->size);
    return true;
}

bool ob__text_append_fill(ob_text *text, char with, size_t count)
{
    if (!ob_text_reserve(text, count))
        return false;
    memset(text->data + text->size, with, count);
    text->size += count;
    return true;
}

/* What a terminal obeys or leaves out: marks of zero width, fillers, variants, tags. */
static bool is_hidden(uint32_t code)
{
    return ob__utf8_is_control(code) || code == 0xAD || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x2060 && code <= 0x2064) || code == 0x3164 ||
           (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFEFF ||
           (code >= 0xE0000 && code <= 0xE0FFF);
}

/* Bytes that no screen shows or that are no UTF-8, escaped so that bash makes them again. A plain shell does not know such words,
 * and would take any ' for their end: it sees none, and so at worst another word. */
static bool append_escaped_word(ob_text *text, const char *word)
{
    const char *end = word + strlen(word);
    bool ok = ob_text_append(text, "$'", 2);
    while (ok && word < end) {
        const char *from = word;
        const uint32_t code = ob__utf8_next(&word, end);
        const bool valid = ob__utf8_valid(from, (size_t)(word - from)) == (size_t)(word - from);
        if (code == '\n')
            ok = ob_text_append(text, "\\n", 2);
        else if (valid && code != '\'' && code != '\\' && !is_hidden(code))
            ok = ob_text_append(text, from, (size_t)(word - from));
        else
            for (; ok && from < word; from++)
                ok = ob_text_printf(text, "\\x%02x", (unsigned)(unsigned char)*from);
    }
    return ok && ob_text_append(text, "'", 1);
}

/* Whether a reader sees what the word is. */
static bool is_visible(const char *word, bool may_have_lines)
{
    const size_t size = strlen(word);
    const char *at = word, *end = word + size;
    bool visible = ob__utf8_valid(word, size) == size;
    while (visible && at < end) {
        const uint32_t code = ob__utf8_next(&at, end);
        visible = (may_have_lines && (code == '\n' || code == '\t')) || !is_hidden(code);
    }
    return visible;
}

static bool append_word(ob_text *text, const char *word, bool may_have_lines)
{
    static const char PLAIN[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
    if (word[0] != '\0' && word[strspn(word, PLAIN)] == '\0')
        return ob_text_append_str(text, word);
    if (!is_visible(word, may_have_lines))
        return append_escaped_word(text, word);
    bool ok = ob_text_append(text, "'", 1);
    for (; ok && *word != '\0'; word++)
        ok = *word == '\'' ? ob_text_append_str(text, "'\\''") : ob_text_append(text, word, 1);
    return ok && ob_text_append(text, "'", 1);
}

/* Statements may have lines. */
bool ob__text_append_word(ob_text *text, const char *word)
{
    return append_word(text, word, true);
}

bool ob__text_append_word_on_line(ob_text *text, const char *word)
{
    return append_word(text, word, false);
}

/* On one line: a word with lines of its own could look like another command below this one. */
bool ob_text_append_command(ob_text *text, const char *const *words, size_t count)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = (i == 0 || ob_text_append(text, " ", 1)) && append_word(text, words[i], false);
    if (!ok || !ob_text_append(text, "", 1))
        return false;
    text->size--;
    return true;
}

bool ob_text_printf(ob_text *text, const char *format, ...)
{
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    bool ok = length >= 0;
    if (ok && (size_t)length < sizeof small) {
        ok = ob_text_append(text, small, (size_t)length);
    } else if (ok) {
        ok = ob_text_reserve(text, (size_t)length + 1);
        if (ok) {
            vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
            text->size += (size_t)length;
        }
    }
    va_end(again);
    return ok;
}

/* Characters, not bytes: continuation bytes of UTF-8 take no column. */
static size_t count_columns(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xc0u) != 0x80u;
    return columns;
}

bool ob_text_append_wrapped(ob_text *text, const char *from, const ob_wrap *how)
{
    size_t column = how->column;
    bool ok = true, first = true; /* on its line */
    while (ok && *from != '\0') {
        const size_t length = strcspn(from, " \n");
        const size_t columns = count_columns(from, length);
        if (*from == '\n' || (!first && column + 1 + columns > how->width)) {
            ok = ob_text_append(text, "\n", 1);
            column = 0;
            first = true;
            from += *from == '\n';
            continue;
        }
        if (column < how->indent) {
            ok = ob__text_append_fill(text, ' ', how->indent - column);
            column = how->indent;
        }
        ok = ok && ob_text_append_str(text, first ? "" : " ") && ob_text_append(text, from, length);
        column += columns + (first ? 0 : 1);
        first = false;
        from += length;
        from += strspn(from, " ");
    }
    return ok && ob_text_append(text, "\n", 1);
}
