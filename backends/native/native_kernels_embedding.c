/* SPDX-License-Identifier: Apache-2.0
 *
 * Embedding look-ups, their dense gradients, and one_hot. A table is never copied as a whole: its
 * rows are read where they lie.
 */
#include "dense.h"
#include "indices.h"
#include "iterate.h"

#include <string.h>

/* What is worth a thread of its own: rows that are looked up, elements that are summed. */
enum { ROW_GRAIN = 64, ROW_ELEMENTS = 1 << 15 };

/* ---- embedding ---- */

typedef struct lookup {
    native_dense indices;
    int64_t count, rows, width;
} lookup;

static ob_status setup_lookup(ob_kit_call *call, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(lookup), &state, err));
    lookup *l = state;
    const ob_tensor *weight = ob_kit_arg_tensor(call, "weight");
    const ob_tensor *indices = ob_kit_arg_tensor(call, "indices");
    l->count = ob_kit_numel(indices);
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

static ob_status run_lookup(const ob_kit_call *call, ob_err *err)
{
    const lookup *l = call->state;
    const ob_tensor *weight = ob_kit_arg_tensor(call, "weight");
    lookup_job j = {
        .l = l,
        .weight = weight,
        .table = native_data(weight),
        .out = native_data(ob_kit_output(call, 0)),
        .indices = native_dense_read(call, &l->indices),
        .size = call->env->host->dtype_get_info(weight->dtype)->size_bytes,
    };
    if (ob_kit_numel(ob_kit_output(call, 0)) == 0 && l->width == 0)
        return OB_OK;
    native_parallel(call->env, l->count, ROW_GRAIN, lookup_part, &j);
    return native_index_status(call, &j.bad, "indices", err);
}

/* ---- its gradient ---- */

/* The gradient's rows that go to one row of the table are a list, so each row of the table is summed at
 * once, in the order of the indices, by whichever thread has it. */
typedef struct scatter {
    native_class cls;
    native_dense grad, indices, out; /* grad and out: used where they lie when contiguous */
    ob_dtype grad_dtype, out_dtype;  /* of what is read and written */
    int64_t count, rows, width, padding;
    bool by_frequency;
    size_t heads, nexts; /* in the scratch: first of each row's list, and the one after each */
} scatter;

/* A contiguous tensor's own memory, whatever its dtype; else a dense copy in the class. */
static ob_status plan_rows(ob_kit_call *call, const ob_tensor *t, native_class cls,
                           native_dense *out, ob_dtype *dtype, ob_err *err)
{
    *dtype = t->dtype;
    if (ob_kit_is_contiguous(t)) {
        *out = (native_dense){
            .present = true, .cls = cls, .tensor = *t, .is_direct = true, .direct = native_data(t)};
        return OB_OK;
    }
    *dtype = native_class_dtype(cls);
    return native_dense_plan(call, t, cls, out, err);
}

static ob_status setup_scatter(ob_kit_call *call, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(scatter), &state, err));
    scatter *s = state;
    const ob_tensor *out = ob_kit_output(call, 0);
    const ob_tensor *indices = ob_kit_arg_tensor(call, "indices");
    s->cls = native_wide_class(out->dtype);
    s->count = ob_kit_numel(indices);
    s->rows = out->sizes[0];
    s->width = out->sizes[1];
    s->padding = ob_kit_arg_int(call, "padding_idx", -1);
    s->by_frequency = ob_kit_arg_bool(call, "scale_grad_by_freq", false);
    const ob_tensor *grad = ob_kit_arg_tensor(call, "grad_output");
    OB_TRY(plan_rows(call, grad, s->cls, &s->grad, &s->grad_dtype, err));
    OB_TRY(native_dense_plan(call, indices, NATIVE_I64, &s->indices, err));
    OB_TRY(plan_rows(call, out, s->cls, &s->out, &s->out_dtype, err));
    OB_TRY(native_scratch_reserve(call, s->rows, sizeof(int64_t), &s->heads, err));
    return native_scratch_reserve(call, s->count, sizeof(int64_t), &s->nexts, err);
}

/* From the last index on, so that lists rise. The padding's row has none. */
static bool make_lists(const scatter *s, const int64_t *indices, int64_t *heads, int64_t *nexts,
                       native_bad_index *bad)
{
    for (int64_t r = 0; r < s->rows; r++)
        heads[r] = -1;
    for (int64_t i = 0; i < s->count; i++)
        if (!native_index_ok(bad, indices[i], s->rows))
            return false;
    for (int64_t i = s->count - 1; i >= 0; i--) {
        if (indices[i] == s->padding)
            continue;
        nexts[i] = heads[indices[i]];
        heads[indices[i]] = i;
    }
    return true;
}

typedef struct scatter_job {
    const ob_kit_call *call;
    const scatter *s;
    const char *grad;
    char *out;
    const int64_t *heads, *nexts;
} scatter_job;

/* Columns [at, at + count) of one row of the table. */
static void sum_piece(const scatter_job *j, int64_t row, int64_t at, int64_t count, double scale)
{
    const scatter *s = j->s;
    const native_loops *loops = j->call->env->loops;
    const ob_host *host = j->call->env->host;
    const int64_t grad_size = (int64_t)host->dtype_get_info(s->grad_dtype)->size_bytes;
    const int64_t out_size = (int64_t)host->dtype_get_info(s->out_dtype)->size_bytes;
    const double scalars[4] = {scale};
    _Alignas(64) char sums[NATIVE_CHUNK * 8], terms[NATIVE_CHUNK * 8];
    native_loop_args args = {.out = sums, .in = {sums, terms}, .real = scalars, .count = count};
    memset(sums, 0, (size_t)count * native_class_size(s->cls));
    for (int64_t i = j->heads[row]; i >= 0; i = j->nexts[i]) {
        loops->load[s->grad_dtype][s->cls](j->grad + (i * s->width + at) * grad_size, grad_size,
                                           terms, count);
        loops->loop[OB_KIT_LOOP_add][s->cls](&args);
    }
    loops->store[s->out_dtype][s->cls](j->out + (row * s->width + at) * out_size, out_size, sums,
                                       count);
}

static void sum_table(void *ctx, int64_t begin, int64_t end)
{
    const scatter_job *j = ctx;
    const scatter *s = j->s;
    const size_t size = j->call->env->host->dtype_get_info(s->out_dtype)->size_bytes;
    for (int64_t row = begin; row < end; row++) {
        int64_t hits = 0;
        if (j->heads[row] < 0) {
            memset(j->out + (size_t)(row * s->width) * size, 0, (size_t)s->width * size);
            continue;
        }
        for (int64_t i = j->heads[row]; s->by_frequency && i >= 0; i = j->nexts[i])
            hits++;
        for (int64_t at = 0; at < s->width; at += NATIVE_CHUNK)
            sum_piece(j, row, at, s->width - at < NATIVE_CHUNK ? s->width - at : NATIVE_CHUNK,
                      s->by_frequency ? 1 / (double)hits : 1);
    }
}

static ob_status run_scatter(const ob_kit_call *call, ob_err *err)
{
    const scatter *s = call->state;
    native_bad_index bad = {0};
    const int64_t *indices = native_dense_read(call, &s->indices);
    int64_t *heads = native_scratch_at(call, s->heads), *nexts = native_scratch_at(call, s->nexts);
    if (!make_lists(s, indices, heads, nexts, &bad))
        return native_index_status(call, &bad, "indices", err);
    scatter_job j = {.call = call, .s = s, .heads = heads, .nexts = nexts};
    j.grad = native_dense_read(call, &s->grad);
    j.out = native_dense_place(call, &s->out);
    native_parallel(call->env, s->rows, ROW_ELEMENTS / (s->width + 1) + 1, sum_table, &j);
    native_dense_write(call, &s->out);
    return OB_OK;
}

/* ---- one_hot ---- */

static ob_status setup_one_hot(ob_kit_call *call, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(native_dense), &state, err));
    return native_dense_plan(call, ob_kit_arg_tensor(call, "self"), NATIVE_I64, state, err);
}

static ob_status run_one_hot(const ob_kit_call *call, ob_err *err)
{
    const native_dense *self = call->state;
    native_bad_index bad = {0};
    const ob_tensor *out = ob_kit_output(call, 0);
    const int64_t classes = out->sizes[out->ndim - 1], count = ob_kit_numel(&self->tensor);
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

const ob_kit_kernel native_kernels_embedding[] = {
    {.name = "aten::embedding", .dtypes = OB_KIT_ALL, .setup = setup_lookup, .run = run_lookup},
    {.name = "aten::embedding_dense_backward",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_scatter,
     .run = run_scatter},
    {.name = "aten::one_hot", .dtypes = OB_KIT_INTS, .setup = setup_one_hot, .run = run_one_hot},
    {.name = NULL},
};
