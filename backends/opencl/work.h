/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call does on the device: launches, made once in setup with all arguments set. Kernel tables are
 * opencl_kernels_<group>.c; opencl_kernel_groups.def lists them.
 */
#ifndef OB_OPENCL_WORK_H
#define OB_OPENCL_WORK_H

#include "opencl.h"

#define OCL_GROUP(group) extern const ob_kit_kernel ocl_kernels_##group[];
#include "opencl_kernel_groups.def"
#undef OCL_GROUP

typedef struct ocl_launch {
    cl_kernel kernel;
    cl_uint dims;
    size_t global[3], local[3];
} ocl_launch;

/* Where a fault can come from. */
typedef struct ocl_site {
    cl_int number;
    const char *argument;
} ocl_site;

enum { OCL_MAX_SITES = 8 };

/* The state of a call. */
typedef struct ocl_work {
    ob_kit_env *env;
    ocl_launch *launches;
    size_t count, capacity;
    ob_storage **storages; /* what lies between the launches */
    size_t storage_count, storage_capacity;
    const char *op; /* of the faults */
    ocl_site sites[OCL_MAX_SITES];
    size_t site_count;
    struct ocl_work *next_faulty;
} ocl_work;

/* What a setup or a function of the device works on. */
typedef struct ocl_maker {
    ob_kit_env *env;
    ocl_work *work;
    const char *op; /* the schema's name, for messages */
} ocl_maker;

/* For the setup of a call: its state is made. */
ob_status ocl_maker_open(ob_kit_call *call, ocl_maker *out, ob_err *err);
/* `run` of all kernels: enqueues the launches. */
ob_status ocl_run(const ob_kit_call *call, ob_err *err);
ob_status ocl_work_enqueue(const ocl_work *work, ob_err *err);
void ocl_work_clear(ocl_work *work);

/* Memory between the launches of a call, of at least `size` bytes. */
ob_status ocl_temporary(ocl_maker *m, size_t size, ocl_buffer **out, ob_err *err);
/* A dense tensor there; the call owns it. */
ob_status ocl_temporary_tensor(ocl_maker *m, ob_dtype dtype, const int64_t *sizes, int ndim,
                               ob_tensor *out, ob_err *err);

/* ---- types ---- */

/* What arithmetic is done in: f16, bf16 and f32 in float; integers up to 32 bits and bool in int. */
const char *ocl_compute_type(ob_dtype dtype);
size_t ocl_compute_size(ob_dtype dtype);
bool ocl_is_whole(ob_dtype dtype);
const char *ocl_dtype_name(const ocl_maker *m, ob_dtype dtype); /* "f32": as types.cl has it */

/* A whole one of the same size, for elements that are moved as they are. */
const char *ocl_bytes_type(const ocl_maker *m, ob_dtype dtype);

/* ---- building a launch ---- */

typedef struct ocl_builder {
    ocl_maker *maker;
    cl_kernel kernel;
    cl_uint next; /* argument */
    cl_int code;  /* the first failure */
    ob_status status;
} ocl_builder;

typedef struct ocl_range {
    cl_uint dims;
    size_t global[3], local[3];
} ocl_range;

/* file: of kernels/; options: "-DC=float ..."; expression: NULL, or what EXPRESSION stands for. */
typedef struct ocl_spec {
    const char *file, *options, *expression, *kernel;
} ocl_spec;

ob_status ocl_begin(ocl_maker *m, const ocl_spec *spec, ocl_builder *out, ob_err *err);
void ocl_put(ocl_builder *builder, const void *value, size_t size);
void ocl_put_long(ocl_builder *builder, int64_t value);
void ocl_put_buffer(ocl_builder *builder, const ocl_buffer *buffer);
void ocl_put_tensor(ocl_builder *builder, const ob_tensor *tensor); /* its buffer */
/* A number in the compute type of `dtype`. */
void ocl_put_number(ocl_builder *builder, ob_dtype dtype, double real, int64_t whole);
/* The buffer of faults and the number of this place; `argument` is what the message names. */
void ocl_put_fault(ocl_builder *builder, const char *argument);
/* Adds the launch; global sizes are rounded up to multiples of the local ones. */
ob_status ocl_end(ocl_builder *builder, const ocl_range *range, ob_err *err);
/* `count` independent work-items in one dimension. */
ocl_range ocl_range_of(const ob_kit_env *env, int64_t count);

/* ---- opencl_elementwise.c ---- */

/* One elementwise computation; operands that are no tensors are numbers. */
typedef struct ocl_elementwise {
    const char *expression; /* of x, y, z, m, s0 to s3; see kit/loops.def */
    const ob_tensor *out;
    const ob_value *inputs[3]; /* NULL behind the last */
    const ob_tensor *mask;
    const ob_value *scalars[4]; /* NULL = 0 */
    ob_dtype compute;           /* the dtype whose compute type is used */
    const char *divisor;        /* not NULL: y is a whole divisor, of this argument */
} ocl_elementwise;
ob_status ocl_elementwise_add(ocl_maker *m, const ocl_elementwise *work, ob_err *err);
/* out = from, with broadcasting and conversion. */
ob_status ocl_copy_add(ocl_maker *m, const ob_tensor *out, const ob_tensor *from, ob_err *err);
ob_status ocl_fill_add(ocl_maker *m, const ob_tensor *out, const ob_value *value, ob_err *err);

/* For kernels that want dense operands. Read: the tensor itself where it is dense and of the dtype, else a copy that
 * the call makes each time. Write: itself, or a dense one that `back` copies to it behind the kernel. */
ob_status ocl_dense_read(ocl_maker *m, const ob_tensor *from, ob_dtype dtype, ob_tensor *out,
                         ob_err *err);
ob_status ocl_dense_write(ocl_maker *m, const ob_tensor *to, ob_dtype dtype, ob_tensor *out,
                          ob_err *err);
ob_status ocl_dense_back(ocl_maker *m, const ob_tensor *to, const ob_tensor *dense, ob_err *err);

#endif
