/* SPDX-License-Identifier: Apache-2.0
 *
 * One launch of the frame of kernels/elementwise.cu.
 */
#ifndef OB_CUDA_ELEMENTWISE_H
#define OB_CUDA_ELEMENTWISE_H

#include "cuda_backend.h"
#include "kit/elementwise_calls.h"

enum { CUDA_OPERANDS = 5 }; /* result, x, y, z, mask */

/* The same as ob_args in kernels/elementwise.cu. */
typedef struct cuda_args {
    int64_t count;
    int64_t ndim;
    int64_t sizes[16];
    int64_t strides[CUDA_OPERANDS][16];
    CUdeviceptr out;
    CUdeviceptr in[4];
    double real[4];
    int64_t integer[4];
    double number_real[3];
    int64_t number_integer[3];
    CUdeviceptr fault;
} cuda_args;
_Static_assert(OB_MAX_DIMS <= 16, "the kernels' arrays of sizes have 16 places");

typedef struct cuda_work {
    cuda_args args;
    void *params[1];
    CUfunction function;
    unsigned blocks; /* 0: there is no element */
} cuda_work;

/* to = from, a tensor or a number, broadcast and converted. */
ob_status cuda_work_copy(ob_kit_env *env, const ob_tensor *to, const ob_value *from, cuda_work *w,
                         ob_err *err);
ob_status cuda_work_launch(const ob_kit_env *env, cuda_work *w, ob_err *err);

#endif
