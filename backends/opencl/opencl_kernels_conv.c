/* SPDX-License-Identifier: Apache-2.0
 *
 * aten::convolution and its gradients, transposed ones too; see conv.cl.
 */
#include "work.h"

#include "kit/sliding_window.h"

#include <stdio.h>
#include <string.h>

/* As conv.cl has them. */
enum { BLOCK = 8 }; /* channels of a work-item */
typedef struct conv {
    cl_long images, groups, narrow_channels, wide_channels;
    cl_long wide_size[OB_KIT_SPATIAL], narrow_size[OB_KIT_SPATIAL], kernel_size[OB_KIT_SPATIAL];
    cl_long stride[OB_KIT_SPATIAL], padding[OB_KIT_SPATIAL], dilation[OB_KIT_SPATIAL];
    cl_long narrow, wide, weight, bias;
    cl_long count;
} conv;

/* One launch: what comes out, and what goes in with where each stands in the struct. */
typedef struct job {
    ocl_maker m;
    conv c;
    bool transposed;
    ob_dtype dtype;
    ob_tensor input, weight;
} job;

static ob_status check(ob_kit_call *call, ob_err *err)
{
    const int spatial = ob_kit_arg_tensor(call, "weight")->ndim - 2;
    if (spatial >= 1 && spatial <= OB_KIT_SPATIAL)
        return OB_OK;
    return call->env->host->err_set(
        err, OB_ERR_UNSUPPORTED,
        "%s has %d spatial dimensions here; the OpenCL backend handles 1 to %d", call->kernel->name,
        spatial, OB_KIT_SPATIAL);
}

static void put(int64_t from[OB_KIT_SPATIAL], cl_long to[OB_KIT_SPATIAL])
{
    for (int d = 0; d < OB_KIT_SPATIAL; d++)
        to[d] = from[d];
}

static void fill_geometry(const ob_kit_call *call, const ob_tensor *output, job *j)
{
    const ob_tensor *input = ob_kit_arg_tensor(call, "input"),
                    *weight = ob_kit_arg_tensor(call, "weight");
    const int spatial = weight->ndim - 2;
    int64_t list[OB_KIT_SPATIAL];
    conv *c = &j->c;
    j->transposed = ob_kit_arg_bool(call, "transposed", false);
    ob_kit_window_sizes(j->transposed ? output : input, spatial, list);
    put(list, c->wide_size);
    ob_kit_window_sizes(j->transposed ? input : output, spatial, list);
    put(list, c->narrow_size);
    ob_kit_window_sizes(weight, spatial, list);
    put(list, c->kernel_size);
    ob_kit_window_list(call, "stride", spatial, 1, list);
    put(list, c->stride);
    ob_kit_window_list(call, "padding", spatial, 0, list);
    put(list, c->padding);
    ob_kit_window_list(call, "dilation", spatial, 1, list);
    put(list, c->dilation);
    c->images = input->sizes[0];
    c->groups = ob_kit_arg_int(call, "groups", 1);
    c->narrow_channels = weight->sizes[0] / c->groups;
    c->wide_channels = weight->sizes[1];
}

static ob_status start(ob_kit_call *call, const ob_tensor *output, job *j, ob_err *err)
{
    *j = (job){.dtype = ob_kit_arg_tensor(call, "input")->dtype};
    OB_TRY(ocl_maker_open(call, &j->m, err));
    fill_geometry(call, output, j);
    OB_TRY(ocl_dense_read(&j->m, ob_kit_arg_tensor(call, "input"), j->dtype, &j->input, err));
    return ocl_dense_read(&j->m, ob_kit_arg_tensor(call, "weight"), j->dtype, &j->weight, err);
}

/* 32 bits where they can count all elements. */
static const char *index_type(const job *j)
{
    const conv *c = &j->c;
    const double wide = (double)c->wide_channels * (double)c->wide_size[0] *
                        (double)c->wide_size[1] * (double)c->wide_size[2];
    const double narrow = (double)c->narrow_channels * (double)c->narrow_size[0] *
                          (double)c->narrow_size[1] * (double)c->narrow_size[2];
    const double most = (double)c->images * (double)c->groups * (wide > narrow ? wide : narrow) +
                        (double)c->wide + (double)c->narrow + (double)ob_kit_numel(&j->weight) +
                        (double)c->weight;
    return most < INT32_MAX / 2 ? "int" : "long";
}

/* The kernel over all elements of `out`; inputs[0] and [1], and the bias where there is one. */
static ob_status add_launch(job *j, const char *kernel, const ob_tensor *dense,
                            const ob_tensor *const inputs[2], const ob_tensor *bias, ob_err *err)
{
    char options[96];
    ocl_builder builder;
    snprintf(options, sizeof options, "-DI=%s -DC=%s -DTX=%s%s", index_type(j),
             ocl_compute_type(j->dtype), ocl_dtype_name(&j->m, j->dtype),
             bias != NULL ? " -DBIAS" : "");
    const ocl_spec spec = {"conv", options, NULL, kernel};
    OB_TRY(ocl_begin(&j->m, &spec, &builder, err));
    ocl_put_tensor(&builder, dense);
    for (size_t i = 0; i < 2 && inputs[i] != NULL; i++)
        ocl_put_tensor(&builder, inputs[i]);
    if (inputs[1] == &j->weight) /* these kernels have a place for a bias */
        ocl_put_tensor(&builder, bias != NULL ? bias : &j->weight);
    j->c.count = ob_kit_numel(dense);
    ocl_put(&builder, &j->c, sizeof j->c);
    ocl_range range = ocl_range_of(j->m.env, j->c.count);
    if (strcmp(kernel, "to_narrow") == 0) {
        const conv *c = &j->c;
        range = ocl_range_of(j->m.env, c->narrow_size[0] * c->narrow_size[1] * c->narrow_size[2]);
        range.dims = 2;
        range.global[1] =
            (size_t)(c->images * c->groups * ((c->narrow_channels + BLOCK - 1) / BLOCK));
        range.local[1] = 1;
    }
    return ocl_end(&builder, &range, err);
}

/* From the narrow side to the wide one, or back. */
static ob_status add_side(job *j, bool to_wide, const ob_tensor *out, const ob_tensor *from,
                          const ob_tensor *bias, ob_err *err)
{
    ob_tensor dense;
    OB_TRY(ocl_dense_write(&j->m, out, j->dtype, &dense, err));
    j->c.wide = to_wide ? dense.offset : from->offset;
    j->c.narrow = to_wide ? from->offset : dense.offset;
    j->c.weight = j->weight.offset;
    j->c.bias = bias != NULL ? bias->offset : 0;
    OB_TRY(add_launch(j, to_wide ? "to_wide" : "to_narrow", &dense,
                      (const ob_tensor *const[]){from, &j->weight}, bias, err));
    return ocl_dense_back(&j->m, out, &dense, err);
}

static ob_status setup_forward(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0), *bias = ob_kit_arg_tensor(call, "bias");
    ob_tensor dense_bias;
    job j;
    OB_TRY(start(call, out, &j, err));
    if (ob_kit_numel(out) == 0)
        return OB_OK;
    if (bias != NULL)
        OB_TRY(ocl_dense_read(&j.m, bias, j.dtype, &dense_bias, err));
    return add_side(&j, j.transposed, out, &j.input, bias != NULL ? &dense_bias : NULL, err);
}

static ob_status add_weight(job *j, const ob_tensor *out, const ob_tensor *grad, ob_err *err)
{
    ob_tensor dense;
    const ob_tensor *wide = j->transposed ? grad : &j->input,
                    *narrow = j->transposed ? &j->input : grad;
    OB_TRY(ocl_dense_write(&j->m, out, j->dtype, &dense, err));
    j->c.weight = dense.offset;
    j->c.wide = wide->offset;
    j->c.narrow = narrow->offset;
    OB_TRY(add_launch(j, "to_weight", &dense, (const ob_tensor *const[]){narrow, wide}, NULL, err));
    return ocl_dense_back(&j->m, out, &dense, err);
}

static ob_status add_bias(job *j, const ob_tensor *out, const ob_tensor *grad, ob_err *err)
{
    ob_tensor dense;
    const conv whole = j->c;
    int64_t sizes[OB_KIT_SPATIAL];
    OB_TRY(ocl_dense_write(&j->m, out, j->dtype, &dense, err));
    ob_kit_window_sizes(grad, grad->ndim - 2, sizes);
    put(sizes, j->c.narrow_size);
    j->c.narrow = grad->offset;
    j->c.bias = dense.offset;
    OB_TRY(add_launch(j, "to_bias", &dense, (const ob_tensor *const[]){grad, NULL}, NULL, err));
    j->c = whole;
    return ocl_dense_back(&j->m, out, &dense, err);
}

static ob_status setup_backward(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *given = ob_kit_arg_tensor(call, "grad_output");
    const ob_tensor *outputs[3];
    ob_tensor grad;
    job j;
    OB_TRY(start(call, given, &j, err));
    OB_TRY(ocl_dense_read(&j.m, given, j.dtype, &grad, err));
    for (size_t i = 0; i < 3; i++) {
        outputs[i] = ob_kit_output(call, i);
        if (outputs[i] != NULL && ob_kit_numel(outputs[i]) == 0)
            outputs[i] = NULL;
    }
    if (outputs[0] != NULL)
        OB_TRY(add_side(&j, !j.transposed, outputs[0], &grad, NULL, err));
    if (outputs[1] != NULL)
        OB_TRY(add_weight(&j, outputs[1], &grad, err));
    return outputs[2] != NULL ? add_bias(&j, outputs[2], &grad, err) : OB_OK;
}

const ob_kit_kernel ocl_kernels_conv[] = {
    {.name = "aten::convolution",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_forward,
     .run = ocl_run,
     .check = check},
    {.name = "aten::convolution_backward",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_backward,
     .run = ocl_run,
     .check = check},
    {.name = NULL},
};
