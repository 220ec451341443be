/* SPDX-License-Identifier: Apache-2.0
 *
 * More ways to append to ob_text (opbench/text.h). All return false when memory is out; the text is then unchanged.
 */
#ifndef OB_BASE_TEXT_APPEND_H
#define OB_BASE_TEXT_APPEND_H

#include "opbench/text.h"

#include <stdint.h>

/* Decimal digits of value into out (20 bytes are enough); returns how many. Not terminated. */
size_t ob__format_u64(uint64_t value, char *out);
size_t ob__format_i64(int64_t value, char *out);
bool ob__text_append_i64(ob_text *text, int64_t value);
bool ob__text_append_u64(ob_text *text, uint64_t value);
/* With `decimals` decimals (0 to 99) and a point whatever the locale, at the right end of `width` columns. */
bool ob__text_append_fixed(ob_text *text, double value, size_t width, int decimals);
/* The shortest text that reads back as value (ob__format_double). */
bool ob__text_append_real(ob_text *text, double value);
bool ob__text_append_fill(ob_text *text, char with, size_t count);
/* A word of a command line: as it is, or in single quotes where a shell would read it otherwise. */
bool ob__text_append_word(ob_text *text, const char *word);
/* The same without the ends of lines and tabs of the word, which are escaped: tables would make blanks of them. */
bool ob__text_append_word_on_line(ob_text *text, const char *word);

#endif
