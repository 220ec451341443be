/* SPDX-License-Identifier: Apache-2.0
 *
 * What a front-end name leads to, with what the call needs to know about the front end.
 */
#ifndef OB_OP_NAMES_H
#define OB_OP_NAMES_H

#include "opbench/op.h"

typedef enum ob__name_style {
    OB__STYLE_CANONICAL, /* aten::add, torch.ops.aten.add: the schema's own argument names */
    OB__STYLE_FUNCTION,  /* torch.add: PyTorch's Python names of arguments */
    OB__STYLE_METHOD,    /* torch.Tensor.add: the same, and the first argument is self */
} ob__name_style;

typedef struct ob__name {
    ob_op_name public;
    ob__name_style style;
    size_t adapter; /* its index where public.adapter is set */
} ob__name;

/* The dot before the overload of "aten::add.Tensor", in the first `length` bytes; NULL = there is none. Names of the space
 * python are paths, python::package.module.function: their dots belong to the name, and they have no overloads. */
const char *ob__name_dot(const char *name, size_t length);
/* "package.module.function" of "python::package.module.function"; NULL for others. */
const char *ob__name_path(const char *name);
ob_status ob__name_resolve(const ob_op_table *table, const char *name, ob__name *out, ob_err *err);

#endif
