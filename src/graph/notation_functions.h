/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of the notation, one C function per row of notation_functions.def, and what they
 * share.
 */
#ifndef OB_GRAPH_NOTATION_FUNCTIONS_H
#define OB_GRAPH_NOTATION_FUNCTIONS_H

#include "graph/notation.h"

#define OB_FUNCTION(name, fewest, most, usage, meaning)                                            \
    ob_status ob__fn_##name(const ob__function_args *args, ob_operand *out, ob_err *err);
#include "graph/notation_functions.def"
#undef OB_FUNCTION

/* Argument i as a tensor, an int, a number, a list of ints; errors name the function. */
ob_status ob__take_tensor(const ob__function_args *args, size_t i, const ob_tensor **out,
                          ob_err *err);
ob_status ob__take_int(const ob__function_args *args, size_t i, int64_t *out, ob_err *err);
ob_status ob__take_real(const ob__function_args *args, size_t i, double *out, ob_err *err);

typedef struct ob__int_list {
    int64_t *items; /* malloc'ed */
    size_t count;
} ob__int_list;
ob_status ob__take_ints(const ob__function_args *args, size_t i, ob__int_list *out, ob_err *err);
ob_status ob__give_ints(const int64_t *items, size_t count, ob_operand *out, ob_err *err);

#endif
