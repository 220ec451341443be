/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace's text, plain or packed, as a stream of bytes.
 */
#ifndef OB_TRACE_INPUT_H
#define OB_TRACE_INPUT_H

#include "opbench/trace.h"

typedef struct ob_input ob_input;

/* path ("-" = standard input), or data when path is NULL. name is for messages; both are borrowed. */
ob_status ob__input_open(const char *path, const char *name, const void *data, size_t size,
                         const ob_trace_limits *limits, ob_input **out, ob_err *err);
void ob__input_close(ob_input *input); /* NULL is allowed */
/* An ob_json_fill; ctx is the input. */
ob_status ob__input_fill(void *input, char *buffer, size_t size, size_t *got, ob_err *err);
uint64_t ob__input_bytes(const ob_input *input); /* unpacked so far */

#endif
