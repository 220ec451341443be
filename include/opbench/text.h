/* SPDX-License-Identifier: Apache-2.0
 *
 * A growing text buffer, reused from call to call so that printing many lines does not allocate.
 */
#ifndef OPBENCH_TEXT_H
#define OPBENCH_TEXT_H

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

#ifdef __cplusplus
}
#endif
#endif
