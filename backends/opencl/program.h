/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs: the sources of kernels/ built for what one call needs (operator, dtypes, layout), each once in
 * the life of the backend.
 */
#ifndef OB_OPENCL_PROGRAM_H
#define OB_OPENCL_PROGRAM_H

#include "opencl_api.h"

/* One file of kernels/, embedded at build time; the list ends with name == NULL. */
typedef struct ocl_source {
    const char *name;
    const char *text;
} ocl_source;
extern const ocl_source ocl_sources[];

struct ob_kit_env;

/* A built program, kept in a list of the device. */
typedef struct ocl_program ocl_program;
struct ocl_program {
    ocl_program *next;
    char *key; /* file, options and expression */
    cl_program program;
};

/* A kernel of the source `file` (after types.cl), built with `options` ("-DC=float ...") and, where it is not
 * NULL, with EXPRESSION standing for `expression`; the caller releases it. */
ob_status ocl_kernel_create(struct ob_kit_env *env, const char *file, const char *options,
                            const char *expression, const char *name, cl_kernel *out, ob_err *err);
void ocl_programs_release(struct ob_kit_env *env);

#endif
