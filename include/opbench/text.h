/* SPDX-License-Identifier: Apache-2.0
 *
 * A growing text buffer, reused from call to call so that printing many lines does not allocate.
 */
#ifndef OPBENCH_TEXT_H
#define OPBENCH_TEXT_H

#include "opbench/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Appending to an ob_text (opbench/basic.h). All return false when out of memory; the text is then
 * unchanged. */

/* Room for `more` bytes after the end. */
bool ob_text_grow(ob_text *text, size_t more);

static inline bool ob_text_reserve(ob_text *text, size_t more)
{
    return (text->data != NULL && text->capacity - text->size >= more) || ob_text_grow(text, more);
}

static inline bool ob_text_append(ob_text *text, const char *bytes, size_t count)
{
    if (!ob_text_reserve(text, count))
        return false;
    if (count > 0)
        memcpy(text->data + text->size, bytes, count);
    text->size += count;
    return true;
}

static inline bool ob_text_append_str(ob_text *text, const char *str)
{
    return ob_text_append(text, str, strlen(str));
}

bool ob_text_printf(ob_text *text, const char *format, ...) OB_PRINTF(2, 3);
/* Appends bytes of unknown origin for people to read: '?' for what a terminal or a page would obey
 * instead of show (controls except line feed and tab, what changes the direction of a text), U+FFFD
 * for each byte that is not UTF-8. With keep_styles changes of colour and weight stay. */
bool ob_text_append_visible(ob_text *text, const char *bytes, size_t count, bool keep_styles);
/* Appends a command on one line: the words, quoted for a shell where they need it, with blanks
 * between, and a NUL that is not counted. False when out of memory. */
bool ob_text_append_command(ob_text *text, const char *const *words, size_t count);

/* How a text is broken at its blanks; "\n" in it starts a new line. */
typedef struct ob_wrap {
    size_t column; /* where the cursor is already */
    size_t indent; /* of the lines */
    size_t width;  /* of the screen; longer words have a line of their own */
} ob_wrap;
/* Appends it with a newline at its end; false when out of memory. */
bool ob_text_append_wrapped(ob_text *text, const char *from, const ob_wrap *how);

#ifdef __cplusplus
}
#endif
#endif
