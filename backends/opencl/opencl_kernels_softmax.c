/* SPDX-License-Identifier: Apache-2.0
 *
 * softmax, log_softmax and their gradients.
 */
#include "work.h"

#include <stdio.h>

/* As softmax.cl has it. */
typedef struct rows {
    cl_long count, length;
    cl_long size[15], out[15], x[15], grad[15];
    cl_long offset[3], stride[3];
} rows;

static rows make_rows(const ob_tensor *const *tensors, int dim, int *besides)
{
    const ob_tensor *out = tensors[0];
    rows r = {.count = 1, .length = out->ndim > 0 ? out->sizes[dim] : 1};
    cl_long *strides[] = {r.out, r.x, r.grad};
    int n = 0;
    for (int d = 0; d < out->ndim; d++) {
        if (d == dim)
            continue;
        r.size[n] = out->sizes[d];
        r.count *= out->sizes[d];
        for (int k = 0; k < 3; k++)
            strides[k][n] = tensors[k] != NULL ? tensors[k]->strides[d] : 0;
        n++;
    }
    for (int k = 0; k < 3; k++) {
        r.offset[k] = tensors[k] != NULL ? tensors[k]->offset : 0;
        r.stride[k] = tensors[k] != NULL && out->ndim > 0 ? tensors[k]->strides[dim] : 0;
    }
    *besides = n;
    return r;
}

/* variant: 1 for the logarithm. */
static ob_status setup(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *grad = ob_kit_arg_tensor(call, "grad_output"), *out = ob_kit_output(call, 0);
    const ob_tensor *x = ob_kit_arg_tensor(call, grad != NULL ? "output" : "self");
    const ob_tensor *const tensors[] = {out, x, grad};
    int besides;
    const rows r =
        make_rows(tensors, ob_kit_dim(ob_kit_arg_int(call, "dim", 0), out->ndim), &besides);
    char options[160];
    ocl_maker m;
    ocl_builder builder;
    OB_TRY(ocl_maker_open(call, &m, err));
    if (r.count == 0 || r.length == 0)
        return OB_OK;
    const int used = snprintf(options, sizeof options, "-DC=%s -DROWS=%d -DTO=%s -DTX=%s%s",
                              x->dtype == OB_DTYPE_F64 ? "double" : "float", besides,
                              ocl_dtype_name(&m, out->dtype), ocl_dtype_name(&m, x->dtype),
                              call->kernel->variant == 1 ? " -DLOG" : "");
    if (grad != NULL)
        snprintf(options + used, sizeof options - (size_t)used, " -DTG=%s",
                 ocl_dtype_name(&m, grad->dtype));
    const ocl_spec spec = {"softmax", options, NULL, grad != NULL ? "backward" : "forward"};
    OB_TRY(ocl_begin(&m, &spec, &builder, err));
    ocl_put_tensor(&builder, out);
    ocl_put_tensor(&builder, x);
    if (grad != NULL)
        ocl_put_tensor(&builder, grad);
    ocl_put(&builder, &r, sizeof r);
    const ocl_range range = ocl_range_of(m.env, r.count);
    return ocl_end(&builder, &range, err);
}

#define SOFTMAX(op, logarithm)                                                                     \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_FLOATS, .setup = setup, .run = ocl_run,                     \
        .variant = (logarithm)                                                                     \
    }

const ob_kit_kernel ocl_kernels_softmax[] = {
    SOFTMAX("aten::_softmax", 0),
    SOFTMAX("aten::_log_softmax", 1),
    SOFTMAX("aten::_softmax_backward_data", 0),
    SOFTMAX("aten::_log_softmax_backward_data", 1),
    {.name = NULL},
};
