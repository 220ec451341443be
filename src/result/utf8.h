/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8 in texts that come from outside: what a library printed, names of files and machines.
 */
#ifndef OB_RESULT_UTF8_H
#define OB_RESULT_UTF8_H

#include "base/text.h"

/* How many bytes from the start are valid; size if all are. */
size_t ob__utf8_valid(const char *bytes, size_t size);
/* Appends the bytes, with U+FFFD for each that is not part of a valid sequence. False when memory is
 * out. */
bool ob__utf8_repair(ob_text *text, const char *bytes, size_t size);

#endif
