/* SPDX-License-Identifier: Apache-2.0
 *
 * What every shape rule needs: arguments by name, errors that start with the operator's name,
 * dimensions counted from the end, broadcasting, and the making of meta outputs.
 *
 * Rules get bound calls, so an argument has the kind that its schema says; the readers check the
 * kind again all the same, because embedders may call a rule with values of their own making.
 */
#ifndef OB_OP_SHAPE_UTIL_H
#define OB_OP_SHAPE_UTIL_H

#include "opbench/op.h"

/* Sizes and, when `strided`, strides of a tensor that a rule is about to give. */
typedef struct ob__shape {
    ob_dtype dtype;
    int ndim;
    bool strided; /* false = contiguous, strides are not set */
    int64_t sizes[OB_MAX_DIMS];
    int64_t strides[OB_MAX_DIMS];
    int64_t offset;
} ob__shape;

/* An int[] argument of at most OB_MAX_DIMS entries. */
typedef struct ob__ints {
    bool given; /* false: None, or the schema has no such argument */
    int count;
    int64_t v[OB_MAX_DIMS];
} ob__ints;

enum { OB__SHAPE_TEXT = 400 };

/* "add" of "aten::add". */
const char *ob__op_label(const ob_op_call *call);
/* OB_ERR_INVALID with "<label>: <message>". */
ob_status ob__shape_fail(const ob_op_call *call, ob_err *err, const char *format, ...)
    OB_PRINTF(3, 4);
/* "[2, 3]" into out, which has OB__SHAPE_TEXT bytes; returns out. */
char *ob__sizes_text(const int64_t *sizes, int ndim, char *out);
char *ob__tensor_text(const ob_tensor *tensor, char *out);
const char *ob__dtype_text(ob_dtype dtype);

/* NULL when the schema has no argument of that name. */
const ob_value *ob__arg(const ob_op_call *call, const char *name);
/* A strided tensor that must be there. */
ob_status ob__arg_tensor(const ob_op_call *call, const char *name, const ob_tensor **out,
                         ob_err *err);
/* NULL for None and for an absent argument. */
ob_status ob__arg_maybe_tensor(const ob_op_call *call, const char *name, const ob_tensor **out,
                               ob_err *err);
ob_status ob__arg_ints(const ob_op_call *call, const char *name, ob__ints *out, ob_err *err);
/* The fallback stands for None and for an absent argument. */
int64_t ob__arg_int(const ob_op_call *call, const char *name, int64_t fallback);
double ob__arg_real(const ob_op_call *call, const char *name, double fallback);
bool ob__arg_flag(const ob_op_call *call, const char *name, bool fallback);
ob_dtype ob__arg_dtype(const ob_op_call *call, const char *name, ob_dtype fallback);
const char *ob__arg_str(const ob_op_call *call, const char *name, const char *fallback);
/* A list of strided tensors; *count entries of kind TENSOR are checked. */
ob_status ob__arg_tensors(const ob_op_call *call, const char *name, const ob_value **items,
                          size_t *count, ob_err *err);

/* 0 <= *out < max(ndim, 1) from a dimension that may be negative, and that the argument `name` has. */
ob_status ob__norm_dim(const ob_op_call *call, const char *name, int64_t dim, int ndim, int *out,
                       ob_err *err);
/* The same of an argument that is an int. */
ob_status ob__arg_dim(const ob_op_call *call, const char *name, int64_t fallback, int ndim,
                      int *out, ob_err *err);
/* Same dtype, else an error that names both. */
ob_status ob__want_same_dtype(const ob_op_call *call, const char *a_name, const ob_tensor *a,
                              const char *b_name, const ob_tensor *b, ob_err *err);
/* `what`: an argument, or other words for what has the dtype. */
ob_status ob__want_floating(const ob_op_call *call, const char *what, ob_dtype dtype, ob_err *err);
ob_status ob__want_ndim(const ob_op_call *call, const char *name, const ob_tensor *t, int ndim,
                        ob_err *err);
/* i64, or i32 where `allow_i32`. */
ob_status ob__want_index(const ob_op_call *call, const char *name, const ob_tensor *t,
                         bool allow_i32, ob_err *err);

ob__shape ob__shape_of(const ob_tensor *tensor);    /* with its strides */
ob__shape ob__shape_dense(const ob_tensor *tensor); /* sizes and dtype alone */
/* Widens acc (named acc_name) by the tensor: NumPy's rule. */
ob_status ob__shape_widen(const ob_op_call *call, ob__shape *acc, const char *acc_name,
                          const ob_tensor *tensor, const char *name, ob_err *err);
/* The tensor must expand to shape, as bias terms and in-place operands do. */
ob_status ob__want_expandable(const ob_op_call *call, const char *name, const ob_tensor *tensor,
                              const ob__shape *shape, ob_err *err);

/* An argument, which may be None, has exactly these sizes: gradients, and what a forward saved for its backward. */
ob_status ob__want_sizes(const ob_op_call *call, const char *name, const ob__shape *shape,
                         ob_err *err);
/* The same, but only the number of elements counts. */
ob_status ob__want_numel(const ob_op_call *call, const char *name, int64_t numel, ob_err *err);

/* Makes one output on the device of the call's first tensor. */
ob_status ob__give(const ob_op_call *call, ob_value *out, const ob__shape *shape, ob_err *err);
/* All or none. */
ob_status ob__give_all(const ob_op_call *call, ob_value *out, const ob__shape *shapes, size_t count,
                       ob_err *err);
/* Three outputs, NONE where the argument output_mask says no. */
ob_status ob__give_masked(const ob_op_call *call, const ob__shape *shapes, ob_value *out,
                          ob_err *err);
/* One output that is a list of tensors; malloc'ed shapes stay the caller's. */
ob_status ob__give_list(const ob_op_call *call, ob_value *out, const ob__shape *shapes,
                        size_t count, ob_err *err);
/* A plain shape from sizes. */
ob__shape ob__shape_make(ob_dtype dtype, const int64_t *sizes, int ndim);

#endif
