/* SPDX-License-Identifier: Apache-2.0
 *
 * Embedding look-ups, their dense gradients, and one_hot. A table is never copied as a whole: its
 * rows are read where they lie.
 */
#include "dense.h"
#include "indices.h"

#include <string.h>

enum { ROW_GRAIN = 64 }; /* rows that are worth a thread of their own */

/* ---- embedding ---- */

typedef struct lookup {
    native_dense indices;
    int64_t count, rows, width;
} lookup;

static ob_status setup_lookup(native_call *call, ob_err *err)
{
    void *state;
    OB_TRY(native_state(call, sizeof(lookup), &state, err));
    lookup *l = state;
    const ob_tensor *weight = native_arg_tensor(call, "weight");
    const ob_tensor *indices = native_arg_tensor(call, "indices");
    l->count = native_numel(indices);
    l->rows = weight->sizes[0];
    l->width = weight->sizes[1];
    return native_dense_plan(call, indices, NATIVE_I64, &l->indices, err);
}

typedef struct lookup_job {
    const lookup *l;
    const ob_tensor *weight;
    const char *table;
    char *out;
    const int64_t *indices;
    size_t size; /* of an element */
    native_bad_index bad;
} lookup_job;

static void lookup_part(void *ctx, int64_t begin, int64_t end)
{
    lookup_job *j = ctx;
    const int64_t width = j->l->width;
    const size_t row = (size_t)j->weight->strides[0] * j->size;
    const size_t column = (size_t)j->weight->strides[1] * j->size;
    for (int64_t i = begin; i < end; i++) {
        if (!native_index_ok(&j->bad, j->indices[i], j->l->rows))
            return;
        const char *from = j->table + (size_t)j->indices[i] * row;
        char *to = j->out + (size_t)(i * width) * j->size;
        if (column == j->size) {
            memcpy(to, from, (size_t)width * j->size);
            continue;
        }
        for (int64_t k = 0; k < width; k++)
            memcpy(to + (size_t)k * j->size, from + (size_t)k * column, j->size);
    }
}

static ob_status run_lookup(const native_call *call, ob_err *err)
{
    const lookup *l = call->state;
    const ob_tensor *weight = native_arg_tensor(call, "weight");
    lookup_job j = {
        .l = l,
        .weight = weight,
        .table = native_data(weight),
        .out = native_data(native_output(call, 0)),
        .indices = native_dense_read(call, &l->indices),
        .size = call->env->host->dtype_get_info(weight->dtype)->size_bytes,
    };
    if (native_numel(native_output(call, 0)) == 0 && l->width == 0)
        return OB_OK;
    native_parallel(call->env, l->count, ROW_GRAIN, lookup_part, &j);
    return native_index_status(call, &j.bad, "indices", err);
}

/* ---- its gradient ---- */

typedef struct scatter {
    native_class cls;
    native_dense grad, indices, out;
    int64_t count, rows, width, padding;
    bool by_frequency;
    size_t counts; /* in the scratch: how often each row occurs */
} scatter;

static ob_status setup_scatter(native_call *call, ob_err *err)
{
    void *state;
    OB_TRY(native_state(call, sizeof(scatter), &state, err));
    scatter *s = state;
    const ob_tensor *out = native_output(call, 0);
    const ob_tensor *indices = native_arg_tensor(call, "indices");
    s->cls = native_wide_class(out->dtype);
    s->count = native_numel(indices);
    s->rows = out->sizes[0];
    s->width = out->sizes[1];
    s->padding = native_arg_int(call, "padding_idx", -1);
    s->by_frequency = native_arg_bool(call, "scale_grad_by_freq", false);
    const ob_tensor *grad = native_arg_tensor(call, "grad_output");
    if (native_numel(grad) != s->count * s->width)
        return call->env->host->err_set(err, OB_ERR_INVALID,
                                        "%s: grad_output must have one row of %lld elements per "
                                        "index",
                                        call->kernel->name, (long long)s->width);
    OB_TRY(native_dense_plan(call, grad, s->cls, &s->grad, err));
    OB_TRY(native_dense_plan(call, indices, NATIVE_I64, &s->indices, err));
    OB_TRY(native_dense_plan(call, out, s->cls, &s->out, err));
    if (!s->by_frequency)
        return OB_OK;
    return native_scratch_reserve(call, s->rows, sizeof(int64_t), &s->counts, err);
}

static bool count_rows(const scatter *s, const int64_t *indices, int64_t *counts,
                       native_bad_index *bad)
{
    if (counts != NULL)
        memset(counts, 0, (size_t)s->rows * sizeof *counts);
    for (int64_t i = 0; i < s->count; i++) {
        if (!native_index_ok(bad, indices[i], s->rows))
            return false;
        if (counts != NULL)
            counts[indices[i]]++;
    }
    return true;
}

#define DEFINE_SCATTER(suffix, type)                                                               \
    static void scatter_##suffix(const scatter *s, const type *grad, const int64_t *indices,       \
                                 const int64_t *counts, type *out)                                 \
    {                                                                                              \
        memset(out, 0, (size_t)(s->rows * s->width) * sizeof *out);                                \
        for (int64_t i = 0; i < s->count; i++) {                                                   \
            if (indices[i] == s->padding)                                                          \
                continue;                                                                          \
            type *row = out + indices[i] * s->width;                                               \
            const type *g = grad + i * s->width;                                                   \
            const type scale = counts == NULL ? 1 : 1 / (type)counts[indices[i]];                  \
            for (int64_t k = 0; k < s->width; k++)                                                 \
                row[k] += g[k] * scale;                                                            \
        }                                                                                          \
    }
DEFINE_SCATTER(f32, float)
DEFINE_SCATTER(f64, double)

static ob_status run_scatter(const native_call *call, ob_err *err)
{
    const scatter *s = call->state;
    native_bad_index bad = {0};
    const int64_t *indices = native_dense_read(call, &s->indices);
    int64_t *counts = s->by_frequency ? native_scratch_at(call, s->counts) : NULL;
    if (!count_rows(s, indices, counts, &bad))
        return native_index_status(call, &bad, "indices", err);
    const void *grad = native_dense_read(call, &s->grad);
    void *out = native_dense_place(call, &s->out);
    if (s->cls == NATIVE_F32)
        scatter_f32(s, grad, indices, counts, out);
    else
        scatter_f64(s, grad, indices, counts, out);
    native_dense_write(call, &s->out);
    return OB_OK;
}

/* ---- one_hot ---- */

static ob_status setup_one_hot(native_call *call, ob_err *err)
{
    void *state;
    OB_TRY(native_state(call, sizeof(native_dense), &state, err));
    return native_dense_plan(call, native_arg_tensor(call, "self"), NATIVE_I64, state, err);
}

static ob_status run_one_hot(const native_call *call, ob_err *err)
{
    const native_dense *self = call->state;
    native_bad_index bad = {0};
    const ob_tensor *out = native_output(call, 0);
    const int64_t classes = out->sizes[out->ndim - 1], count = native_numel(&self->tensor);
    const int64_t *indices = native_dense_read(call, self);
    int64_t *to = native_data(out);
    if (count == 0)
        return OB_OK;
    memset(to, 0, (size_t)(count * classes) * sizeof *to);
    for (int64_t i = 0; i < count; i++) {
        if (!native_index_ok(&bad, indices[i], classes))
            return native_index_status(call, &bad, "self", err);
        to[i * classes + indices[i]] = 1;
    }
    return OB_OK;
}

const native_kernel native_kernels_embedding[] = {
    {.name = "aten::embedding", .dtypes = NATIVE_ALL, .setup = setup_lookup, .run = run_lookup},
    {.name = "aten::embedding_dense_backward",
     .dtypes = NATIVE_FLOATS,
     .setup = setup_scatter,
     .run = run_scatter},
    {.name = "aten::one_hot", .dtypes = NATIVE_INTS, .setup = setup_one_hot, .run = run_one_hot},
    {.name = NULL},
};
