/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalisations of rows that lie together in memory: layer norm (a weight per element of the row)
 * and group norm (a row is a group of channels, with a weight per channel), and their backwards.
 * With n = (x - mean) * rstd and h = grad * weight, both have
 *     grad_input = rstd * (h - mean(h) - n * mean(h * n)).
 */
#include "dense.h"
#include "native_rows.h"

#include <math.h>
#include <string.h>

enum { ROW_ELEMENTS = 1 << 13 }; /* of work that is worth a thread of its own */

typedef struct norm {
    const native_rows *rows;
    native_class cls;
    bool per_channel;        /* group norm */
    int64_t row_count, size; /* rows, and elements in one */
    int64_t groups;          /* rows per image; 1 for layer norm */
    int64_t channels;        /* per row */
    int64_t length;          /* elements per channel */
    double eps;
    native_dense x, weight, bias, grad, mean, rstd, out[3];
    size_t totals; /* in the scratch: double sums for the weight's gradient, then the bias's */
} norm;

/* ---- setup ---- */

static void find_sizes(const ob_kit_call *call, norm *n, const ob_tensor *x)
{
    n->per_channel = call->kernel->variant;
    n->groups = 1;
    n->channels = n->length = 1;
    if (n->per_channel) {
        n->groups = ob_kit_arg_int(call, "group", 1);
        n->channels = ob_kit_arg_int(call, "C", 1) / n->groups;
        n->length = ob_kit_arg_int(call, "HxW", 1);
        n->row_count = ob_kit_arg_int(call, "N", 1) * n->groups;
        n->size = n->channels * n->length;
        return;
    }
    const int dims = (int)ob_kit_arg_ints(call, "normalized_shape", NULL, 0);
    n->size = n->row_count = 1;
    for (int d = 0; d < x->ndim; d++)
        *(d < x->ndim - dims ? &n->row_count : &n->size) *= x->sizes[d];
}

static ob_status start(ob_kit_call *call, norm **out, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(norm), &state, err));
    norm *n = *out = state;
    const ob_tensor *x = ob_kit_arg_tensor(call, "input");
    n->cls = native_wide_class(x->dtype);
    n->rows = native_rows_of(call->env, n->cls);
    n->eps = ob_kit_arg_double(call, "eps", 0);
    find_sizes(call, n, x);
    OB_TRY(native_dense_plan(call, x, n->cls, &n->x, err));
    return native_dense_plan(call, ob_kit_arg_tensor(call, "weight"), n->cls, &n->weight, err);
}

static ob_status setup_forward(ob_kit_call *call, ob_err *err)
{
    norm *n;
    OB_TRY(start(call, &n, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "bias"), n->cls, &n->bias, err));
    OB_TRY(native_dense_plan(call, ob_kit_output(call, 0), n->cls, &n->out[0], err));
    OB_TRY(native_dense_plan(call, ob_kit_output(call, 1), n->cls, &n->mean, err));
    return native_dense_plan(call, ob_kit_output(call, 2), n->cls, &n->rstd, err);
}

static ob_status setup_backward(ob_kit_call *call, ob_err *err)
{
    norm *n;
    OB_TRY(start(call, &n, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "grad_out"), n->cls, &n->grad, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "mean"), n->cls, &n->mean, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "rstd"), n->cls, &n->rstd, err));
    for (size_t i = 0; i < 3; i++)
        OB_TRY(native_dense_plan(call, ob_kit_output(call, i), n->cls, &n->out[i], err));
    const int64_t width = n->per_channel ? n->channels * n->groups : n->size;
    return native_scratch_reserve(call, width, 2 * sizeof(double), &n->totals, err);
}

/* ---- run ---- */

typedef struct job {
    const norm *n;
    const char *x, *weight, *bias, *grad;
    char *mean, *rstd, *out;
    double *weight_totals, *bias_totals; /* NULL: not wanted */
    size_t size;                         /* of an element */
} job;

static const char *at(const char *array, int64_t i, size_t size)
{
    return array == NULL ? NULL : array + (size_t)i * size;
}

static void forward_row(const job *j, int64_t r)
{
    const norm *n = j->n;
    const char *x = at(j->x, r * n->size, j->size);
    const double mean = n->rows->sum(x, n->size) / (double)n->size;
    const double variance = n->rows->sum_squares(x, n->size, mean) / (double)n->size;
    const double rstd = 1 / sqrt(variance + n->eps);
    native_put(n->cls, j->mean, r, mean);
    native_put(n->cls, j->rstd, r, rstd);
    native_norm_row row = {.x = x,
                           .out = j->out + (size_t)(r * n->size) * j->size,
                           .weight = j->weight,
                           .bias = j->bias,
                           .count = n->size,
                           .mean = mean,
                           .scale = rstd};
    if (!n->per_channel) {
        n->rows->norm(&row);
        return;
    }
    row.weight = row.bias = NULL;
    row.count = n->length;
    for (int64_t c = 0; c < n->channels; c++) {
        const int64_t channel = r % n->groups * n->channels + c;
        const size_t offset = (size_t)(r * n->size + c * n->length) * j->size;
        row.scale = j->weight == NULL ? rstd : rstd * native_get(n->cls, j->weight, channel);
        row.shift = j->bias == NULL ? 0 : native_get(n->cls, j->bias, channel);
        row.x = j->x + offset;
        row.out = j->out + offset;
        n->rows->norm(&row);
    }
}

static void forward_rows(void *ctx, int64_t begin, int64_t end)
{
    for (int64_t r = begin; r < end; r++)
        forward_row(ctx, r);
}

static ob_status run_forward(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const norm *n = call->state;
    job j = {
        .n = n,
        .x = native_dense_read(call, &n->x),
        .weight = native_dense_read(call, &n->weight),
        .bias = native_dense_read(call, &n->bias),
        .mean = native_dense_place(call, &n->mean),
        .rstd = native_dense_place(call, &n->rstd),
        .out = native_dense_place(call, &n->out[0]),
        .size = native_class_size(n->cls),
    };
    native_parallel(call->env, n->row_count, ROW_ELEMENTS / (n->size + 1) + 1, forward_rows, &j);
    native_dense_write(call, &n->out[0]);
    native_dense_write(call, &n->mean);
    native_dense_write(call, &n->rstd);
    return OB_OK;
}

/* The gradient of a row of layer norm. */
static void layer_row(const job *j, int64_t r)
{
    const norm *n = j->n;
    const size_t offset = (size_t)(r * n->size) * j->size;
    const double mean = native_get(n->cls, j->mean, r), rstd = native_get(n->cls, j->rstd, r);
    const native_sums sums =
        n->rows->sum_grad(j->grad + offset, j->x + offset, j->weight, n->size, mean);
    n->rows->norm_grad(&(const native_grad_row){
        .out = j->out + offset,
        .grad = j->grad + offset,
        .x = j->x + offset,
        .weight = j->weight,
        .count = n->size,
        .mean = mean,
        .scale = rstd,
        .slope = -rstd * rstd * rstd * sums.grad_x / (double)n->size,
        .shift = -rstd * sums.grad / (double)n->size,
    });
}

/* The gradient of a group: the channels' sums first. */
static void group_row(const job *j, int64_t r)
{
    const norm *n = j->n;
    const double mean = native_get(n->cls, j->mean, r), rstd = native_get(n->cls, j->rstd, r);
    double sum = 0, sum_x = 0;
    for (int64_t c = 0; c < n->channels; c++) {
        const int64_t channel = r % n->groups * n->channels + c;
        const size_t offset = (size_t)(r * n->size + c * n->length) * j->size;
        const double weight = j->weight == NULL ? 1 : native_get(n->cls, j->weight, channel);
        const native_sums sums =
            n->rows->sum_grad(j->grad + offset, j->x + offset, NULL, n->length, mean);
        sum += weight * sums.grad;
        sum_x += weight * sums.grad_x;
    }
    for (int64_t c = 0; c < n->channels; c++) {
        const int64_t channel = r % n->groups * n->channels + c;
        const size_t offset = (size_t)(r * n->size + c * n->length) * j->size;
        const double weight = j->weight == NULL ? 1 : native_get(n->cls, j->weight, channel);
        n->rows->norm_grad(&(const native_grad_row){
            .out = j->out + offset,
            .grad = j->grad + offset,
            .x = j->x + offset,
            .count = n->length,
            .mean = mean,
            .scale = rstd * weight,
            .slope = -rstd * rstd * rstd * sum_x / (double)n->size,
            .shift = -rstd * sum / (double)n->size,
        });
    }
}

static void backward_rows(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    for (int64_t r = begin; r < end; r++)
        if (j->n->per_channel)
            group_row(j, r);
        else
            layer_row(j, r);
}

/* Sums over the rows, for columns [begin, end) of layer norm. */
static void layer_totals(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const norm *n = j->n;
    for (int64_t r = 0; r < n->row_count; r++) {
        const size_t offset = (size_t)(r * n->size + begin) * j->size;
        n->rows->add_grad(j->weight_totals == NULL ? NULL : j->weight_totals + begin,
                          j->bias_totals == NULL ? NULL : j->bias_totals + begin, j->grad + offset,
                          j->x + offset, end - begin, native_get(n->cls, j->mean, r),
                          native_get(n->cls, j->rstd, r));
    }
}

/* Sums over images and positions, for channels [begin, end) of group norm. */
static void group_totals(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const norm *n = j->n;
    for (int64_t channel = begin; channel < end; channel++)
        for (int64_t r = channel / n->channels; r < n->row_count; r += n->groups) {
            const size_t offset =
                (size_t)(r * n->size + channel % n->channels * n->length) * j->size;
            const native_sums sums = n->rows->sum_grad(j->grad + offset, j->x + offset, NULL,
                                                       n->length, native_get(n->cls, j->mean, r));
            if (j->weight_totals != NULL)
                j->weight_totals[channel] += sums.grad_x * native_get(n->cls, j->rstd, r);
            if (j->bias_totals != NULL)
                j->bias_totals[channel] += sums.grad;
        }
}

static void store_totals(const ob_kit_call *call, const native_dense *out, const double *totals,
                         int64_t count)
{
    if (!out->present)
        return;
    void *array = native_dense_place(call, out);
    for (int64_t i = 0; i < count; i++)
        native_put(((const norm *)call->state)->cls, array, i, totals[i]);
    native_dense_write(call, out);
}

static ob_status run_backward(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const norm *n = call->state;
    const int64_t width = n->per_channel ? n->channels * n->groups : n->size;
    double *totals = native_scratch_at(call, n->totals);
    job j = {
        .n = n,
        .x = native_dense_read(call, &n->x),
        .weight = native_dense_read(call, &n->weight),
        .grad = native_dense_read(call, &n->grad),
        .mean = native_dense_read(call, &n->mean),
        .rstd = native_dense_read(call, &n->rstd),
        .out = native_dense_place(call, &n->out[0]),
        .weight_totals = n->out[1].present ? totals : NULL,
        .bias_totals = n->out[2].present ? totals + width : NULL,
        .size = native_class_size(n->cls),
    };
    if (n->out[0].present)
        native_parallel(call->env, n->row_count, ROW_ELEMENTS / (n->size + 1) + 1, backward_rows,
                        &j);
    native_dense_write(call, &n->out[0]);
    if (j.weight_totals != NULL || j.bias_totals != NULL) {
        memset(totals, 0, (size_t)width * 2 * sizeof *totals);
        const int64_t elements = n->row_count * n->size / (width > 0 ? width : 1);
        native_parallel(call->env, width, ROW_ELEMENTS / (elements + 1) + 64,
                        n->per_channel ? group_totals : layer_totals, &j);
    }
    store_totals(call, &n->out[1], totals, width);
    store_totals(call, &n->out[2], totals + width, width);
    return OB_OK;
}

#define ROW(op_name, which, group)                                                                 \
    {                                                                                              \
        .name = "aten::" op_name, .dtypes = OB_KIT_FLOATS, .setup = setup_##which,                 \
        .run = run_##which, .variant = (group)                                                     \
    }

const ob_kit_kernel native_kernels_norm[] = {
    ROW("native_layer_norm", forward, 0),
    ROW("native_layer_norm_backward", backward, 0),
    ROW("native_group_norm", forward, 1),
    ROW("native_group_norm_backward", backward, 1),
    {.name = NULL},
};
