/* SPDX-License-Identifier: Apache-2.0
 *
 * What layer and batch normalisation share; the kernels of both are in norm.cl.
 */
#ifndef OB_OPENCL_NORM_H
#define OB_OPENCL_NORM_H

#include "work.h"

/* As norm.cl has it. */
typedef struct ocl_norm {
    cl_long rows, width, channels;
    cl_long x, out, mean, rstd, weight, bias, grad;
} ocl_norm;

/* A parameter that may be absent: dense, and where it starts. */
ob_status ocl_norm_read(ocl_maker *m, const ob_tensor *from, ob_dtype dtype, ob_tensor *out,
                        bool *there, cl_long *offset, ob_err *err);

#endif
