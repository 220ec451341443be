/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers to and from text, whatever the process's locale.
 */
#ifndef OB_BASE_NUMBER_H
#define OB_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The nearest double of a JSON number's text; +-inf when it is too large. */
double ob__parse_double(const char *text, size_t length);
/* "inf", "-inf" and "nan": JSON has no other way to write them. False for anything else, NULL too. */
bool ob__named_real(const char *text, double *out);
/* False when it does not fit. The text is "-"? digits. */
bool ob__parse_i64(const char *text, size_t length, int64_t *out);
/* The shortest text that reads back as value, in Python's manner ("1.0", "0.1", "1e+16", "nan").
 * out has room for 32 bytes; returns the length; NUL-terminated. */
size_t ob__format_double(double value, char *out);

/* Of ASCII alone, unlike isdigit and isalpha. */
static inline bool ob__is_digit(int c)
{
    return c >= '0' && c <= '9';
}
/* A letter or "_". */
static inline bool ob__is_word_start(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

#endif
