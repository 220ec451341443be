/* SPDX-License-Identifier: Apache-2.0
 *
 * Layer normalisation and its gradients; see norm.cl.
 */
#include "norm.h"

#include <stdio.h>

/* Tensors of a call, dense. */
typedef struct job {
    ob_tensor x, weight, bias, grad, mean, rstd;
    bool has_weight, has_bias;
    ocl_norm n;
    char options[160];
} job;

ob_status ocl_norm_read(ocl_maker *m, const ob_tensor *from, ob_dtype dtype, ob_tensor *out,
                        bool *there, cl_long *offset, ob_err *err)
{
    *there = from != NULL;
    if (from == NULL)
        return OB_OK;
    OB_TRY(ocl_dense_read(m, from, dtype, out, err));
    *offset = out->offset;
    return OB_OK;
}

static ob_status start(ob_kit_call *call, ocl_maker *m, ob_dtype statistics, job *j, ob_err *err)
{
    const ob_tensor *input = ob_kit_arg_tensor(call, "input");
    int64_t shape[OB_MAX_DIMS];
    const size_t count = ob_kit_arg_ints(call, "normalized_shape", shape, OB_MAX_DIMS);
    *j = (job){.n = {.width = 1}};
    OB_TRY(ocl_maker_open(call, m, err));
    for (size_t i = 0; i < count; i++)
        j->n.width *= shape[i];
    j->n.rows = j->n.width > 0 ? ob_kit_numel(input) / j->n.width : 0;
    OB_TRY(ocl_dense_read(m, input, input->dtype, &j->x, err));
    j->n.x = j->x.offset;
    const ob_tensor *weight = ob_kit_arg_tensor(call, "weight"),
                    *bias = ob_kit_arg_tensor(call, "bias");
    const ob_dtype own = weight != NULL ? weight->dtype : bias != NULL ? bias->dtype : input->dtype;
    OB_TRY(ocl_norm_read(m, weight, own, &j->weight, &j->has_weight, &j->n.weight, err));
    OB_TRY(ocl_norm_read(m, bias, own, &j->bias, &j->has_bias, &j->n.bias, err));
    snprintf(j->options, sizeof j->options, "-DC=%s -DTX=%s -DTS=%s -DTW=%s%s%s",
             input->dtype == OB_DTYPE_F64 ? "double" : "float", ocl_dtype_name(m, input->dtype),
             ocl_dtype_name(m, statistics), ocl_dtype_name(m, own),
             j->has_weight ? " -DWEIGHT" : "", j->has_bias ? " -DBIAS" : "");
    return OB_OK;
}

static ob_status setup_forward(ob_kit_call *call, ob_err *err)
{
    const double eps = ob_kit_arg_double(call, "eps", 1e-5);
    const ob_tensor *outputs[3];
    ob_tensor dense[3];
    ocl_maker m;
    ocl_builder builder;
    job j;
    for (size_t i = 0; i < 3; i++)
        outputs[i] = ob_kit_output(call, i);
    OB_TRY(start(call, &m, outputs[1]->dtype, &j, err));
    if (j.n.rows == 0)
        return OB_OK;
    for (size_t i = 0; i < 3; i++)
        OB_TRY(ocl_dense_write(&m, outputs[i], outputs[i]->dtype, &dense[i], err));
    j.n.out = dense[0].offset;
    j.n.mean = dense[1].offset;
    j.n.rstd = dense[2].offset;
    const ocl_spec spec = {"norm", j.options, NULL, "forward"};
    OB_TRY(ocl_begin(&m, &spec, &builder, err));
    for (size_t i = 0; i < 3; i++)
        ocl_put_tensor(&builder, &dense[i]);
    ocl_put_tensor(&builder, &j.x);
    ocl_put_tensor(&builder, j.has_weight ? &j.weight : &j.x);
    ocl_put_tensor(&builder, j.has_bias ? &j.bias : &j.x);
    ocl_put(&builder, &j.n, sizeof j.n);
    ocl_put_number(&builder, j.x.dtype == OB_DTYPE_F64 ? OB_DTYPE_F64 : OB_DTYPE_F32, eps, 0);
    const ocl_range range = ocl_range_of(m.env, j.n.rows);
    OB_TRY(ocl_end(&builder, &range, err));
    for (size_t i = 0; i < 3; i++)
        OB_TRY(ocl_dense_back(&m, outputs[i], &dense[i], err));
    return OB_OK;
}

/* which: 0 the input's gradient, 1 the weight's, 2 the bias's. */
static ob_status add_gradient(ocl_maker *m, job *j, size_t which, const ob_tensor *out, ob_err *err)
{
    ob_tensor dense;
    ocl_builder builder;
    const cl_int with_input = which == 1;
    OB_TRY(ocl_dense_write(m, out, out->dtype, &dense, err));
    j->n.out = dense.offset;
    const ocl_spec spec = {"norm", j->options, NULL, which == 0 ? "backward" : "columns"};
    OB_TRY(ocl_begin(m, &spec, &builder, err));
    ocl_put_tensor(&builder, &dense);
    ocl_put_tensor(&builder, &j->grad);
    ocl_put_tensor(&builder, &j->x);
    ocl_put_tensor(&builder, &j->mean);
    ocl_put_tensor(&builder, &j->rstd);
    if (which == 0)
        ocl_put_tensor(&builder, j->has_weight ? &j->weight : &j->x);
    ocl_put(&builder, &j->n, sizeof j->n);
    if (which != 0)
        ocl_put(&builder, &with_input, sizeof with_input);
    const ocl_range range = ocl_range_of(m->env, which == 0 ? j->n.rows : j->n.width);
    OB_TRY(ocl_end(&builder, &range, err));
    return ocl_dense_back(m, out, &dense, err);
}

static ob_status setup_backward(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *grad = ob_kit_arg_tensor(call, "grad_out"),
                    *mean = ob_kit_arg_tensor(call, "mean");
    const ob_tensor *rstd = ob_kit_arg_tensor(call, "rstd");
    ocl_maker m;
    job j;
    OB_TRY(start(call, &m, mean->dtype, &j, err));
    OB_TRY(ocl_dense_read(&m, grad, j.x.dtype, &j.grad, err));
    OB_TRY(ocl_dense_read(&m, mean, mean->dtype, &j.mean, err));
    OB_TRY(ocl_dense_read(&m, rstd, mean->dtype, &j.rstd, err));
    j.n.grad = j.grad.offset;
    j.n.mean = j.mean.offset;
    j.n.rstd = j.rstd.offset;
    for (size_t i = 0; i < 3; i++) {
        const ob_tensor *out = ob_kit_output(call, i);
        if (out != NULL && ob_kit_numel(out) > 0)
            OB_TRY(add_gradient(&m, &j, i, out, err));
    }
    return OB_OK;
}

const ob_kit_kernel ocl_kernels_norm[] = {
    {.name = "aten::native_layer_norm",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_forward,
     .run = ocl_run},
    {.name = "aten::native_layer_norm_backward",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_backward,
     .run = ocl_run},
    {.name = NULL},
};
