/* SPDX-License-Identifier: Apache-2.0
 *
 * Batch norm and its backward. A channel is normalised over the batch and all positions; it lies in
 * memory as one row per image. In training the statistics are the batch's, and the running ones
 * move towards them; otherwise the running ones are used.
 */
#include "dense.h"
#include "native_rows.h"

#include <math.h>

typedef struct batch_norm {
    const native_rows *rows;
    native_class cls;
    bool training;
    int64_t images, channels, length;
    double eps, momentum;
    native_dense x, weight, bias, grad, running_mean, running_var;
    native_dense mean, rstd; /* of the batch: outputs of the forward, arguments of the backward */
    native_dense out[3];
} batch_norm;

static ob_status start(ob_kit_call *call, batch_norm **out, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(batch_norm), &state, err));
    batch_norm *n = *out = state;
    const ob_tensor *x = ob_kit_arg_tensor(call, "input");
    n->cls = native_wide_class(x->dtype);
    n->rows = native_rows_of(call->env, n->cls);
    n->eps = ob_kit_arg_double(call, "eps", 0);
    n->images = x->sizes[0];
    n->channels = x->sizes[1];
    n->length = 1;
    for (int d = 2; d < x->ndim; d++)
        n->length *= x->sizes[d];
    OB_TRY(native_dense_plan(call, x, n->cls, &n->x, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "weight"), n->cls, &n->weight, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "running_mean"), n->cls,
                             &n->running_mean, err));
    return native_dense_plan(call, ob_kit_arg_tensor(call, "running_var"), n->cls, &n->running_var,
                             err);
}

/* Outside training there must be something to normalise with. */
static ob_status check_running(const ob_kit_call *call, const batch_norm *n, ob_err *err)
{
    if (n->training || (n->running_mean.present && n->running_var.present))
        return OB_OK;
    return call->env->host->err_set(err, OB_ERR_INVALID,
                                    "%s without training needs running_mean and running_var",
                                    call->kernel->name);
}

static ob_status setup_forward(ob_kit_call *call, ob_err *err)
{
    batch_norm *n;
    OB_TRY(start(call, &n, err));
    n->training = ob_kit_arg_bool(call, "training", false);
    n->momentum = ob_kit_arg_double(call, "momentum", 0.1);
    OB_TRY(check_running(call, n, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "bias"), n->cls, &n->bias, err));
    OB_TRY(native_dense_plan(call, ob_kit_output(call, 0), n->cls, &n->out[0], err));
    if (!n->training) /* the saved statistics are empty tensors then */
        return OB_OK;
    OB_TRY(native_dense_plan(call, ob_kit_output(call, 1), n->cls, &n->mean, err));
    return native_dense_plan(call, ob_kit_output(call, 2), n->cls, &n->rstd, err);
}

static ob_status setup_backward(ob_kit_call *call, ob_err *err)
{
    batch_norm *n;
    OB_TRY(start(call, &n, err));
    n->training = ob_kit_arg_bool(call, "train", false);
    OB_TRY(check_running(call, n, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "grad_out"), n->cls, &n->grad, err));
    const ob_tensor *mean = ob_kit_arg_tensor(call, "save_mean");
    const ob_tensor *rstd = ob_kit_arg_tensor(call, "save_invstd");
    if (n->training && (mean == NULL || rstd == NULL))
        return call->env->host->err_set(err, OB_ERR_INVALID,
                                        "%s of a training step needs save_mean and save_invstd",
                                        call->kernel->name);
    OB_TRY(native_dense_plan(call, n->training ? mean : NULL, n->cls, &n->mean, err));
    OB_TRY(native_dense_plan(call, n->training ? rstd : NULL, n->cls, &n->rstd, err));
    for (size_t i = 0; i < 3; i++)
        OB_TRY(native_dense_plan(call, ob_kit_output(call, i), n->cls, &n->out[i], err));
    return OB_OK;
}

typedef struct job {
    const batch_norm *n;
    const char *x, *weight, *bias, *grad;
    char *running_mean, *running_var, *mean, *rstd, *out[3];
    size_t size; /* of an element */
} job;

static size_t row_at(const job *j, int64_t image, int64_t channel)
{
    return (size_t)((image * j->n->channels + channel) * j->n->length) * j->size;
}

/* Mean of the channel, and the sum of squares around it. */
static double measure(const job *j, int64_t channel, double *mean)
{
    const batch_norm *n = j->n;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n->images; i++)
        sum += n->rows->sum(j->x + row_at(j, i, channel), n->length);
    *mean = sum / (double)(n->images * n->length);
    for (int64_t i = 0; i < n->images; i++)
        squares += n->rows->sum_squares(j->x + row_at(j, i, channel), n->length, *mean);
    return squares;
}

/* running += momentum * (new - running), the variance without bias. */
static void move_running(const job *j, int64_t c, double mean, double squares)
{
    const batch_norm *n = j->n;
    const int64_t count = n->images * n->length;
    const double keep = 1 - n->momentum;
    if (j->running_mean != NULL)
        native_put(n->cls, j->running_mean, c,
                   keep * native_get(n->cls, j->running_mean, c) + n->momentum * mean);
    if (j->running_var != NULL)
        native_put(n->cls, j->running_var, c,
                   keep * native_get(n->cls, j->running_var, c) +
                       n->momentum * squares / (double)(count - 1));
}

static void forward_channels(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const batch_norm *n = j->n;
    for (int64_t c = begin; c < end; c++) {
        double mean, rstd;
        if (n->training) {
            const double squares = measure(j, c, &mean);
            rstd = 1 / sqrt(squares / (double)(n->images * n->length) + n->eps);
            native_put(n->cls, j->mean, c, mean);
            native_put(n->cls, j->rstd, c, rstd);
            move_running(j, c, mean, squares);
        } else {
            mean = native_get(n->cls, j->running_mean, c);
            rstd = 1 / sqrt(native_get(n->cls, j->running_var, c) + n->eps);
        }
        for (int64_t i = 0; i < n->images; i++)
            n->rows->norm(&(const native_norm_row){
                .out = j->out[0] + row_at(j, i, c),
                .x = j->x + row_at(j, i, c),
                .count = n->length,
                .mean = mean,
                .scale = j->weight == NULL ? rstd : rstd * native_get(n->cls, j->weight, c),
                .shift = j->bias == NULL ? 0 : native_get(n->cls, j->bias, c),
            });
    }
}

static void backward_channels(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const batch_norm *n = j->n;
    const double count = (double)(n->images * n->length);
    for (int64_t c = begin; c < end; c++) {
        const double mean = native_get(n->cls, n->training ? j->mean : j->running_mean, c);
        const double rstd = n->training ? native_get(n->cls, j->rstd, c)
                                        : 1 / sqrt(native_get(n->cls, j->running_var, c) + n->eps);
        const double weight = j->weight == NULL ? 1 : native_get(n->cls, j->weight, c);
        native_sums sums = {0, 0};
        for (int64_t i = 0; i < n->images; i++) {
            const native_sums part = n->rows->sum_grad(
                j->grad + row_at(j, i, c), j->x + row_at(j, i, c), NULL, n->length, mean);
            sums.grad += part.grad;
            sums.grad_x += part.grad_x;
        }
        if (j->out[1] != NULL)
            native_put(n->cls, j->out[1], c, sums.grad_x * rstd);
        if (j->out[2] != NULL)
            native_put(n->cls, j->out[2], c, sums.grad);
        const double scale = rstd * weight;
        for (int64_t i = 0; i < n->images && j->out[0] != NULL; i++)
            n->rows->norm_grad(&(const native_grad_row){
                .out = j->out[0] + row_at(j, i, c),
                .grad = j->grad + row_at(j, i, c),
                .x = j->x + row_at(j, i, c),
                .count = n->length,
                .mean = mean,
                .scale = scale,
                .slope = n->training ? -scale * rstd * rstd * sums.grad_x / count : 0,
                .shift = n->training ? -scale * sums.grad / count : 0,
            });
    }
}

static job start_job(const ob_kit_call *call)
{
    const batch_norm *n = call->state;
    return (job){
        .n = n,
        .x = native_dense_read(call, &n->x),
        .weight = native_dense_read(call, &n->weight),
        .running_mean = native_dense_read(call, &n->running_mean),
        .running_var = native_dense_read(call, &n->running_var),
        .size = native_class_size(n->cls),
    };
}

static ob_status run_forward(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const batch_norm *n = call->state;
    job j = start_job(call);
    j.bias = native_dense_read(call, &n->bias);
    j.mean = native_dense_place(call, &n->mean);
    j.rstd = native_dense_place(call, &n->rstd);
    j.out[0] = native_dense_place(call, &n->out[0]);
    native_parallel(call->env, n->channels, 1, forward_channels, &j);
    native_dense_write(call, &n->out[0]);
    native_dense_write(call, &n->mean);
    native_dense_write(call, &n->rstd);
    if (n->training) {
        native_dense_write(call, &n->running_mean);
        native_dense_write(call, &n->running_var);
    }
    return OB_OK;
}

static ob_status run_backward(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const batch_norm *n = call->state;
    job j = start_job(call);
    j.grad = native_dense_read(call, &n->grad);
    j.mean = native_dense_read(call, &n->mean);
    j.rstd = native_dense_read(call, &n->rstd);
    for (int i = 0; i < 3; i++)
        j.out[i] = native_dense_place(call, &n->out[i]);
    native_parallel(call->env, n->channels, 1, backward_channels, &j);
    for (int i = 0; i < 3; i++)
        native_dense_write(call, &n->out[i]);
    return OB_OK;
}

const ob_kit_kernel native_kernels_batch_norm[] = {
    {.name = "aten::native_batch_norm",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_forward,
     .run = run_forward},
    {.name = "aten::native_batch_norm_backward",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_backward,
     .run = run_backward},
    {.name = NULL},
};
