/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading by index along one dimension, and triangles; see index.cl. Elements are moved as they are, whatever they mean.
 */
#include "work.h"

#include <stdio.h>

enum { MAX_WALK = 12 };

/* As index.cl has it. */
typedef struct walk {
    cl_long count;
    cl_long size[MAX_WALK], out[MAX_WALK], x[MAX_WALK], index[MAX_WALK];
    cl_long out_offset, x_offset, index_offset, step, limit;
} walk;

static ob_status check_dims(ob_kit_call *call, ob_err *err)
{
    if (ob_kit_output(call, 0)->ndim > MAX_WALK)
        return call->host->err_set(err, OB_ERR_UNSUPPORTED,
                                   "%s: the OpenCL backend takes up to %d dimensions here",
                                   call->op->schema->name, (int)MAX_WALK);
    return OB_OK;
}

static walk walk_over(const ob_tensor *out, const ob_tensor *x)
{
    walk w = {.count = ob_kit_numel(out), .out_offset = out->offset, .x_offset = x->offset};
    for (int d = 0; d < out->ndim; d++) {
        w.size[d] = out->sizes[d];
        w.out[d] = out->strides[d];
        w.x[d] = d < x->ndim ? x->strides[d] : 0;
    }
    return w;
}

/* variant 1: index_select, whose index has one dimension. */
static ob_status setup_gather(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *self = ob_kit_arg_tensor(call, "self"), *out = ob_kit_output(call, 0);
    const int dim = ob_kit_dim(ob_kit_arg_int(call, "dim", 0), self->ndim);
    const bool select = call->kernel->variant == 1;
    ob_tensor indices;
    char options[96];
    ocl_maker m;
    ocl_builder builder;
    OB_TRY(ocl_maker_open(call, &m, err));
    if (ob_kit_numel(out) == 0)
        return OB_OK;
    OB_TRY(ocl_dense_read(&m, ob_kit_arg_tensor(call, "index"), OB_DTYPE_I64, &indices, err));
    walk w = walk_over(out, self);
    w.index_offset = indices.offset;
    w.step = self->ndim > 0 ? self->strides[dim] : 0;
    w.limit = self->ndim > 0 ? self->sizes[dim] : 1;
    for (int d = 0; d < out->ndim; d++) {
        if (select)
            w.index[d] = d == dim && indices.ndim > 0 ? indices.strides[0] : 0;
        else
            w.index[d] = indices.strides[d];
    }
    if (out->ndim > 0)
        w.x[dim] = 0;
    snprintf(options, sizeof options, "-DGATHER -DC=int -DTX=%s -DTO=%s -DDIMS=%d",
             ocl_bytes_type(&m, self->dtype), ocl_bytes_type(&m, self->dtype), out->ndim);
    const ocl_spec spec = {"index", options, NULL, "gather"};
    OB_TRY(ocl_begin(&m, &spec, &builder, err));
    ocl_put_tensor(&builder, out);
    ocl_put_tensor(&builder, self);
    ocl_put_tensor(&builder, &indices);
    ocl_put(&builder, &w, sizeof w);
    ocl_put_fault(&builder, "index");
    const ocl_range range = ocl_range_of(m.env, w.count);
    return ocl_end(&builder, &range, err);
}

/* variant 1 keeps what is above the diagonal (triu), 0 what is below (tril). */
static ob_status setup_triangle(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *self = ob_kit_arg_tensor(call, "self"), *out = ob_kit_output(call, 0);
    char options[96];
    ocl_maker m;
    ocl_builder builder;
    OB_TRY(ocl_maker_open(call, &m, err));
    if (ob_kit_numel(out) == 0)
        return OB_OK;
    const walk w = walk_over(out, self);
    snprintf(options, sizeof options, "-DTRIANGLE -DC=int -DTX=%s -DTO=%s -DDIMS=%d%s",
             ocl_bytes_type(&m, self->dtype), ocl_bytes_type(&m, self->dtype), out->ndim,
             call->kernel->variant == 1 ? " -DUPPER" : "");
    const ocl_spec spec = {"index", options, NULL, "triangle"};
    OB_TRY(ocl_begin(&m, &spec, &builder, err));
    ocl_put_tensor(&builder, out);
    ocl_put_tensor(&builder, self);
    ocl_put(&builder, &w, sizeof w);
    ocl_put_long(&builder, ob_kit_arg_int(call, "diagonal", 0));
    const ocl_range range = ocl_range_of(m.env, w.count);
    return ocl_end(&builder, &range, err);
}

#define INDEX(op, function, what)                                                                  \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_REALS, .setup = (function), .run = ocl_run,                 \
        .check = check_dims, .variant = (what)                                                     \
    }

const ob_kit_kernel ocl_kernels_index[] = {
    INDEX("aten::gather", setup_gather, 0),
    INDEX("aten::index_select", setup_gather, 1),
    INDEX("aten::tril", setup_triangle, 0),
    INDEX("aten::triu", setup_triangle, 1),
    {.name = NULL},
};
