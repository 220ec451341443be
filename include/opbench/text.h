/* SPDX-License-Identifier: Apache-2.0
 *
 * A growing text buffer, reused from call to call so that printing many lines does not allocate.
 */
#ifndef OPBENCH_TEXT_H
#define OPBENCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is an empty buffer. */
typedef struct ob_text {
    char *data; /* malloc'ed; not NUL-terminated */
    size_t size, capacity;
} ob_text;

void ob_text_fini(ob_text *text);
/* Appends a command line: the words, quoted for a shell where they need it, with blanks between, and a NUL
 * that is not counted. False when memory is out. */
bool ob_text_append_command(ob_text *text, const char *const *words, size_t count);

#ifdef __cplusplus
}
#endif
#endif
