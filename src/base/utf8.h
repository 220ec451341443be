/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8 in texts that come from outside: what a library printed, names of files and machines, labels.
 */
#ifndef OB_BASE_UTF8_H
#define OB_BASE_UTF8_H

#include "base/text_append.h"

/* How many bytes from the start are valid; size if all are. */
size_t ob__utf8_valid(const char *bytes, size_t size);
/* Appends the bytes, with U+FFFD for each that is not part of a valid sequence. False when memory is
 * out. */
bool ob__utf8_repair(ob_text *text, const char *bytes, size_t size);

/* Takes the code point at *at, which is below *end, and moves *at behind it. A byte that is not part of a
 * valid sequence is U+FFFD, as ob__utf8_repair writes it. */
uint32_t ob__utf8_next(const char **at, const char *end);
/* Code points of a NUL-terminated text, counted as ob__utf8_next gives them. */
size_t ob__utf8_count(const char *text);
/* Whether a terminal or a page would obey it instead of showing it: controls (C0 with line feed and tab, DEL, C1),
 * separators of lines, and what changes the direction of the text around it. */
bool ob__utf8_is_control(uint32_t code);
/* What Python's str.isspace and str.splitlines take for a blank and for the end of a line. */
bool ob__utf8_is_space(uint32_t code);
bool ob__utf8_is_line_end(uint32_t code);

#endif
