/* SPDX-License-Identifier: Apache-2.0
 *
 * Batch normalisation and its gradients; see norm.cl. Statistics are computed and kept in the compute type; what is of
 * another is converted on the way.
 */
#include "norm.h"

#include <stdio.h>

/* Tensors of a call, dense. */
typedef struct job {
    ocl_maker m;
    ob_dtype dtype, wide; /* of the input; of statistics */
    bool training, has_weight, has_bias;
    ob_tensor x, weight, bias, mean, rstd;
    double eps;
    ocl_norm n;
    char options[160];
} job;

static ob_status check_running(const ob_kit_call *call, bool training, ob_err *err)
{
    if (training || (ob_kit_arg_tensor(call, "running_mean") != NULL &&
                     ob_kit_arg_tensor(call, "running_var") != NULL))
        return OB_OK;
    return call->env->host->err_set(err, OB_ERR_INVALID,
                                    "%s without training needs running_mean and running_var",
                                    call->kernel->name);
}

static ob_status start(ob_kit_call *call, const char *training, job *j, ob_err *err)
{
    const ob_tensor *input = ob_kit_arg_tensor(call, "input"),
                    *weight = ob_kit_arg_tensor(call, "weight"),
                    *bias = ob_kit_arg_tensor(call, "bias");
    const ob_tensor *parameter = weight != NULL ? weight : bias;
    *j = (job){.dtype = input->dtype,
               .wide = input->dtype == OB_DTYPE_F64 ? OB_DTYPE_F64 : OB_DTYPE_F32,
               .training = ob_kit_arg_bool(call, training, false),
               .eps = ob_kit_arg_double(call, "eps", 1e-5),
               .n = {.rows = input->sizes[0], .channels = input->sizes[1], .width = 1}};
    OB_TRY(check_running(call, j->training, err));
    OB_TRY(ocl_maker_open(call, &j->m, err));
    for (int d = 2; d < input->ndim; d++)
        j->n.width *= input->sizes[d];
    const ob_dtype own = parameter != NULL ? parameter->dtype : input->dtype;
    OB_TRY(ocl_dense_read(&j->m, input, j->dtype, &j->x, err));
    j->n.x = j->x.offset;
    OB_TRY(ocl_norm_read(&j->m, weight, own, &j->weight, &j->has_weight, &j->n.weight, err));
    OB_TRY(ocl_norm_read(&j->m, bias, own, &j->bias, &j->has_bias, &j->n.bias, err));
    if (!j->training) {
        OB_TRY(
            ocl_dense_read(&j->m, ob_kit_arg_tensor(call, "running_mean"), j->wide, &j->mean, err));
        OB_TRY(
            ocl_dense_read(&j->m, ob_kit_arg_tensor(call, "running_var"), j->wide, &j->rstd, err));
    }
    snprintf(j->options, sizeof j->options, "-DC=%s -DTX=%s -DTS=%s -DTW=%s%s%s%s",
             ocl_compute_type(j->dtype), ocl_dtype_name(&j->m, j->dtype),
             ocl_dtype_name(&j->m, j->wide), ocl_dtype_name(&j->m, own),
             j->has_weight ? " -DWEIGHT" : "", j->has_bias ? " -DBIAS" : "",
             j->training ? "" : " -DEVAL");
    return OB_OK;
}

static ob_status begin(job *j, const char *kernel, ocl_builder *builder, ob_err *err)
{
    const ocl_spec spec = {"norm", j->options, NULL, kernel};
    j->n.mean = j->mean.offset;
    j->n.rstd = j->rstd.offset;
    return ocl_begin(&j->m, &spec, builder, err);
}

static ob_status end(job *j, ocl_builder *builder, int64_t count, ob_err *err)
{
    const ocl_range range = ocl_range_of(j->m.env, count);
    return ocl_end(builder, &range, err);
}

static void put_norm(job *j, ocl_builder *builder)
{
    ocl_put(builder, &j->n, sizeof j->n);
    ocl_put_number(builder, j->wide, j->eps, 0);
}

/* The batch's own statistics, to the outputs that keep them; the running ones are changed where they are. */
static ob_status add_statistics(const ob_kit_call *call, job *j, ob_err *err)
{
    const ob_tensor *outputs[2] = {ob_kit_output(call, 1), ob_kit_output(call, 2)};
    const ob_tensor *running[2] = {ob_kit_arg_tensor(call, "running_mean"),
                                   ob_kit_arg_tensor(call, "running_var")};
    ob_tensor dense[2];
    ocl_builder builder;
    OB_TRY(ocl_dense_write(&j->m, outputs[0], j->wide, &j->mean, err));
    OB_TRY(ocl_dense_write(&j->m, outputs[1], j->wide, &j->rstd, err));
    for (size_t i = 0; i < 2; i++) {
        if (running[i] != NULL)
            OB_TRY(ocl_dense_read(&j->m, running[i], j->wide, &dense[i], err));
    }
    OB_TRY(begin(j, "batch_statistics", &builder, err));
    ocl_put_tensor(&builder, &j->mean);
    ocl_put_tensor(&builder, &j->rstd);
    for (size_t i = 0; i < 2; i++)
        ocl_put_tensor(&builder, running[i] != NULL ? &dense[i] : &j->mean);
    ocl_put_tensor(&builder, &j->x);
    put_norm(j, &builder);
    ocl_put_number(&builder, j->wide, ob_kit_arg_double(call, "momentum", 0.1), 0);
    for (size_t i = 0; i < 2; i++)
        ocl_put_long(&builder, running[i] != NULL ? dense[i].offset : -1);
    OB_TRY(end(j, &builder, j->n.channels, err));
    OB_TRY(ocl_dense_back(&j->m, outputs[0], &j->mean, err));
    OB_TRY(ocl_dense_back(&j->m, outputs[1], &j->rstd, err));
    for (size_t i = 0; i < 2; i++) {
        if (running[i] != NULL)
            OB_TRY(ocl_dense_back(&j->m, running[i], &dense[i], err));
    }
    return OB_OK;
}

static ob_status setup_forward(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    ob_tensor dense;
    ocl_builder builder;
    job j;
    OB_TRY(start(call, "training", &j, err));
    if (j.training && j.n.channels > 0)
        OB_TRY(add_statistics(call, &j, err));
    if (ob_kit_numel(out) == 0)
        return OB_OK;
    OB_TRY(ocl_dense_write(&j.m, out, j.dtype, &dense, err));
    j.n.out = dense.offset;
    OB_TRY(begin(&j, "batch_forward", &builder, err));
    ocl_put_tensor(&builder, &dense);
    ocl_put_tensor(&builder, &j.mean);
    ocl_put_tensor(&builder, &j.rstd);
    ocl_put_tensor(&builder, &j.x);
    ocl_put_tensor(&builder, j.has_weight ? &j.weight : &j.x);
    ocl_put_tensor(&builder, j.has_bias ? &j.bias : &j.x);
    put_norm(&j, &builder);
    OB_TRY(end(&j, &builder, ob_kit_numel(out), err));
    return ocl_dense_back(&j.m, out, &dense, err);
}

static ob_status add_input_gradient(job *j, const ob_tensor *out, const ob_tensor *grad,
                                    const ob_tensor sums[2], ob_err *err)
{
    ob_tensor dense;
    ocl_builder builder;
    OB_TRY(ocl_dense_write(&j->m, out, j->dtype, &dense, err));
    j->n.out = dense.offset;
    OB_TRY(begin(j, "batch_backward", &builder, err));
    ocl_put_tensor(&builder, &dense);
    ocl_put_tensor(&builder, &sums[0]);
    ocl_put_tensor(&builder, &sums[1]);
    ocl_put_tensor(&builder, grad);
    ocl_put_tensor(&builder, &j->x);
    ocl_put_tensor(&builder, &j->mean);
    ocl_put_tensor(&builder, &j->rstd);
    ocl_put_tensor(&builder, j->has_weight ? &j->weight : &j->x);
    put_norm(j, &builder);
    OB_TRY(end(j, &builder, ob_kit_numel(out), err));
    return ocl_dense_back(&j->m, out, &dense, err);
}

static ob_status setup_backward(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *mean = ob_kit_arg_tensor(call, "save_mean"),
                    *rstd = ob_kit_arg_tensor(call, "save_invstd");
    const ob_tensor *outputs[3];
    ob_tensor grad, sums[2]; /* of the gradient; of it times the normalised input */
    ocl_builder builder;
    job j;
    OB_TRY(start(call, "train", &j, err));
    if (j.training && (mean == NULL || rstd == NULL))
        return call->env->host->err_set(err, OB_ERR_INVALID,
                                        "%s of a training step needs save_mean and save_invstd",
                                        call->kernel->name);
    if (j.training) {
        OB_TRY(ocl_dense_read(&j.m, mean, j.wide, &j.mean, err));
        OB_TRY(ocl_dense_read(&j.m, rstd, j.wide, &j.rstd, err));
    }
    if (j.n.channels == 0)
        return OB_OK;
    OB_TRY(ocl_dense_read(&j.m, ob_kit_arg_tensor(call, "grad_out"), j.dtype, &grad, err));
    j.n.grad = grad.offset;
    for (size_t i = 0; i < 2; i++)
        OB_TRY(
            ocl_temporary_tensor(&j.m, j.wide, (const int64_t[]){j.n.channels}, 1, &sums[i], err));
    OB_TRY(begin(&j, "batch_sums", &builder, err));
    ocl_put_tensor(&builder, &sums[0]);
    ocl_put_tensor(&builder, &sums[1]);
    ocl_put_tensor(&builder, &grad);
    ocl_put_tensor(&builder, &j.x);
    ocl_put_tensor(&builder, &j.mean);
    ocl_put_tensor(&builder, &j.rstd);
    put_norm(&j, &builder);
    OB_TRY(end(&j, &builder, j.n.channels, err));
    for (size_t i = 0; i < 3; i++)
        outputs[i] = ob_kit_output(call, i);
    if (outputs[1] != NULL)
        OB_TRY(ocl_copy_add(&j.m, outputs[1], &sums[1], err));
    if (outputs[2] != NULL)
        OB_TRY(ocl_copy_add(&j.m, outputs[2], &sums[0], err));
    return outputs[0] != NULL && ob_kit_numel(outputs[0]) > 0
               ? add_input_gradient(&j, outputs[0], &grad, sums, err)
               : OB_OK;
}

const ob_kit_kernel ocl_kernels_batch_norm[] = {
    {.name = "aten::native_batch_norm",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_forward,
     .run = ocl_run},
    {.name = "aten::native_batch_norm_backward",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_backward,
     .run = ocl_run},
    {.name = NULL},
};
