/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators for statements in C: prepared once in the setup, called in the statement.
 */
#ifndef OB_SNIPPET_OPERATORS_H
#define OB_SNIPPET_OPERATORS_H

#include "opbench/context.h"
#include "snippet/host.h"

typedef struct ob_snippet_op ob_snippet_op;

/* words: the operator's name and its arguments in short notation, ended by NULL. */
ob_status ob__snippet_op_create(ob_context *context, int64_t threads, const char *const *words,
                                ob_snippet_op **out, ob_err *err);
ob_status ob__snippet_op_call(ob_snippet_op *op, ob_err *err);
/* As op_tensor of the host. */
ob_status ob__snippet_op_tensor(ob_snippet_op *op, bool is_output, size_t number,
                                ob_snippet_tensor *out, ob_err *err);
void ob__snippet_op_destroy(ob_snippet_op *op); /* NULL is allowed */

#endif
