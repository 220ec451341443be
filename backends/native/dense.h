/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands as dense arrays of the class that a kernel computes in. A tensor that is one already is
 * used where it lies; any other goes through the call's scratch. Kernels plan their operands in
 * setup and read, place and write them in run.
 */
#ifndef OB_NATIVE_DENSE_H
#define OB_NATIVE_DENSE_H

#include "native_kernel.h"

typedef struct native_dense {
    bool present;     /* false: the argument is None */
    native_class cls; /* what the array holds */
    ob_tensor tensor; /* no reference is held: the framework keeps what a call uses */
    bool is_direct;   /* no conversion is needed: the array is the tensor's own memory */
    void *direct;     /* that memory */
    size_t offset;    /* otherwise the array's place in the scratch */
} native_dense;

/* f64 is computed in f64, the other floats in f32; integers and bool in i64. */
native_class native_wide_class(ob_dtype dtype);

/* Reserves count * size bytes of the call's scratch, aligned; the offset goes to *offset. */
ob_status native_scratch_reserve(ob_kit_call *call, int64_t count, size_t size, size_t *offset,
                                 ob_err *err);
/* Arrays without elements have an address too, so that places in them may be computed. */
static inline void *native_scratch_at(const ob_kit_call *call, size_t offset)
{
    static _Alignas(64) char nothing[64];
    return call->scratch != NULL ? (char *)call->scratch + offset : nothing;
}

/* tensor NULL gives an absent operand. */
ob_status native_dense_plan(ob_kit_call *call, const ob_tensor *tensor, native_class cls,
                            native_dense *out, ob_err *err);
/* The same for tensor broadcast to the sizes of `like`. Only for reading. */
ob_status native_dense_plan_like(ob_kit_call *call, const ob_tensor *tensor, const ob_tensor *like,
                                 native_class cls, native_dense *out, ob_err *err);

/* The array with the tensor's elements; NULL when absent. */
void *native_dense_read(const ob_kit_call *call, const native_dense *dense);
/* The array to be filled; NULL when absent. What it holds is not known. */
void *native_dense_place(const ob_kit_call *call, const native_dense *dense);
/* Brings a filled array to the tensor. Nothing happens when absent. */
void native_dense_write(const ob_kit_call *call, const native_dense *dense);

/* The tensor with strides 0 where it is broadcast to the sizes of `like`. No reference is taken. */
ob_tensor native_broadcast(const ob_tensor *tensor, const ob_tensor *like);

#endif
