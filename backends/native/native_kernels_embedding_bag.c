/* SPDX-License-Identifier: Apache-2.0
 *
 * Bags of embeddings: sums, means and maxima of rows of a table, and their gradients. Bag b holds
 * the indices from offsets[b] on; an index equal to padding_idx counts for nothing.
 */
#include "dense.h"
#include "indices.h"

#include <string.h>

enum { SUM = 0, MEAN = 1, MAX = 2 };
enum { BAG_GRAIN = 16 }; /* bags that are worth a thread of their own */

typedef struct bags {
    native_class cls;
    int64_t mode, padding, count, rows, width, bag_count;
    bool by_frequency;
    ob_tensor weight; /* forward: read where it lies */
    native_dense indices, offsets, factors;
    native_dense out[4];                             /* forward: bags, map, sizes, maxima */
    native_dense grad, map, sizes, maxima, gradient; /* backward; gradient is the output */
    size_t counts;                                   /* in the scratch: occurrences of each row */
} bags;

static ob_status start(ob_kit_call *call, bags **out, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(bags), &state, err));
    bags *b = *out = state;
    const ob_tensor *indices = ob_kit_arg_tensor(call, "indices");
    b->mode = ob_kit_arg_int(call, "mode", SUM);
    b->padding = ob_kit_arg_int(call, "padding_idx", -1);
    b->by_frequency = ob_kit_arg_bool(call, "scale_grad_by_freq", false);
    b->count = ob_kit_numel(indices);
    return native_dense_plan(call, indices, NATIVE_I64, &b->indices, err);
}

/* ---- forward ---- */

static ob_status setup_forward(ob_kit_call *call, ob_err *err)
{
    bags *b;
    OB_TRY(start(call, &b, err));
    b->weight = *ob_kit_arg_tensor(call, "weight");
    b->cls = native_wide_class(b->weight.dtype);
    b->rows = b->weight.sizes[0];
    b->width = b->weight.sizes[1];
    b->bag_count = ob_kit_output(call, 0)->sizes[0];
    OB_TRY(
        native_dense_plan(call, ob_kit_arg_tensor(call, "offsets"), NATIVE_I64, &b->offsets, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "per_sample_weights"), b->cls,
                             &b->factors, err));
    for (size_t i = 0; i < 4; i++)
        OB_TRY(native_dense_plan(call, ob_kit_output(call, i), i == 0 ? b->cls : NATIVE_I64,
                                 &b->out[i], err));
    return OB_OK;
}

typedef struct job {
    const bags *b;
    const native_env *env;
    const int64_t *indices, *offsets;
    const void *factors;
    void *out;
    int64_t *map, *sizes, *maxima; /* map NULL: not wanted; maxima: of mode MAX */
    native_bad_index bad;
} job;

static int64_t bag_end(const job *j, int64_t bag)
{
    const bool given = bag + 1 < ob_kit_numel(&j->b->offsets.tensor);
    return given ? j->offsets[bag + 1] : j->b->count;
}

/* Offsets rise from 0 to at most the number of indices. */
static ob_status check_offsets(const ob_kit_call *call, const job *j, ob_err *err)
{
    const int64_t count = ob_kit_numel(&j->b->offsets.tensor);
    for (int64_t i = 0; i < count; i++) {
        const int64_t before = i == 0 ? 0 : j->offsets[i - 1];
        if (j->offsets[i] >= before && j->offsets[i] <= j->b->count &&
            (i > 0 || j->offsets[0] == 0))
            continue;
        return call->env->host->err_set(err, OB_ERR_INVALID,
                                        "%s: offset %lld is %lld; offsets must rise from 0 to at "
                                        "most %lld, the number of indices",
                                        call->kernel->name, (long long)i, (long long)j->offsets[i],
                                        (long long)j->b->count);
    }
    return OB_OK;
}

/* Pieces of a row are brought to the class's type through a buffer, unless they have it. */
enum { PIECE = 256 };

#define DEFINE_BAG(suffix, type, own)                                                              \
    static const type *piece_##suffix(const job *j, int64_t row, int64_t from, int64_t count,      \
                                      type *buffer)                                                \
    {                                                                                              \
        const ob_tensor *w = &j->b->weight;                                                        \
        const size_t size = j->env->host->dtype_get_info(w->dtype)->size_bytes;                    \
        const char *at = (const char *)native_data(w) +                                            \
                         (size_t)(row * w->strides[0] + from * w->strides[1]) * size;              \
        if (w->dtype == (own) && w->strides[1] == 1)                                               \
            return (const type *)(const void *)at;                                                 \
        native_load(j->env, w->dtype, at, w->strides[1], j->b->cls, buffer, count);                \
        return buffer;                                                                             \
    }                                                                                              \
    static void take_max_##suffix(type *out, const type *row, int64_t *best, int64_t index,        \
                                  int64_t count, bool first)                                       \
    {                                                                                              \
        for (int64_t k = 0; k < count; k++)                                                        \
            if (first || row[k] > out[k]) {                                                        \
                out[k] = row[k];                                                                   \
                best[k] = index;                                                                   \
            }                                                                                      \
    }                                                                                              \
    static void add_row_##suffix(type *out, const type *row, int64_t count, type factor)           \
    {                                                                                              \
        for (int64_t k = 0; k < count; k++)                                                        \
            out[k] += row[k] * factor;                                                             \
    }                                                                                              \
    /* One piece of the columns of a bag; false at a bad index. */                                 \
    static bool bag_piece_##suffix(job *j, int64_t bag, int64_t from, int64_t count)               \
    {                                                                                              \
        const bags *b = j->b;                                                                      \
        type *out = (type *)j->out + bag * b->width + from, buffer[PIECE];                         \
        int64_t *best = b->mode == MAX ? j->maxima + bag * b->width + from : NULL, seen = 0;       \
        memset(out, 0, (size_t)count * sizeof *out);                                               \
        if (best != NULL)                                                                          \
            memset(best, 0, (size_t)count * sizeof *best);                                         \
        for (int64_t i = j->offsets[bag]; i < bag_end(j, bag); i++) {                              \
            if (!native_index_ok(&j->bad, j->indices[i], b->rows))                                 \
                return false;                                                                      \
            if (j->indices[i] == b->padding)                                                       \
                continue;                                                                          \
            const type *row = piece_##suffix(j, j->indices[i], from, count, buffer);               \
            if (best != NULL)                                                                      \
                take_max_##suffix(out, row, best, j->indices[i], count, seen == 0);                \
            else                                                                                   \
                add_row_##suffix(out, row, count,                                                  \
                                 j->factors == NULL ? 1 : ((const type *)j->factors)[i]);          \
            seen++;                                                                                \
        }                                                                                          \
        for (int64_t k = 0; k < count && b->mode == MEAN && seen > 1; k++)                         \
            out[k] /= (type)seen;                                                                  \
        return true;                                                                               \
    }                                                                                              \
    static void bag_part_##suffix(void *ctx, int64_t begin, int64_t end)                           \
    {                                                                                              \
        job *j = ctx;                                                                              \
        for (int64_t bag = begin; bag < end; bag++)                                                \
            for (int64_t from = 0; from < j->b->width; from += PIECE) {                            \
                const int64_t left = j->b->width - from;                                           \
                if (!bag_piece_##suffix(j, bag, from, left < PIECE ? left : PIECE))                \
                    return;                                                                        \
            }                                                                                      \
    }
DEFINE_BAG(f32, float, OB_DTYPE_F32)
DEFINE_BAG(f64, double, OB_DTYPE_F64)

/* Which bag each index is in, and how many indices of each bag count. */
static void write_maps(const job *j)
{
    for (int64_t bag = 0; bag < j->b->bag_count; bag++) {
        int64_t seen = 0;
        for (int64_t i = j->offsets[bag]; i < bag_end(j, bag); i++) {
            seen += j->indices[i] != j->b->padding;
            if (j->map != NULL)
                j->map[i] = bag;
        }
        j->sizes[bag] = seen;
    }
}

static ob_status run_forward(const ob_kit_call *call, ob_err *err)
{
    const bags *b = call->state;
    job j = {.b = b, .env = call->env};
    j.indices = native_dense_read(call, &b->indices);
    j.offsets = native_dense_read(call, &b->offsets);
    j.factors = native_dense_read(call, &b->factors);
    OB_TRY(check_offsets(call, &j, err));
    j.out = native_dense_place(call, &b->out[0]);
    j.map = ob_kit_numel(&b->out[1].tensor) > 0 ? native_dense_place(call, &b->out[1]) : NULL;
    j.sizes = native_dense_place(call, &b->out[2]);
    j.maxima = native_dense_place(call, &b->out[3]);
    if (b->mode != MAX && ob_kit_numel(&b->out[3].tensor) > 0)
        memset(j.maxima, 0, (size_t)ob_kit_numel(&b->out[3].tensor) * sizeof *j.maxima);
    native_parallel(call->env, b->bag_count, BAG_GRAIN,
                    b->cls == NATIVE_F32 ? bag_part_f32 : bag_part_f64, &j);
    OB_TRY(native_index_status(call, &j.bad, "indices", err));
    if (j.map != NULL) /* indices behind the last offset are in no bag */
        memset(j.map, 0, (size_t)b->count * sizeof *j.map);
    write_maps(&j);
    for (size_t i = 0; i < 4; i++)
        native_dense_write(call, &b->out[i]);
    return OB_OK;
}

/* ---- gradient of the table ---- */

static ob_status setup_backward(ob_kit_call *call, ob_err *err)
{
    bags *b;
    OB_TRY(start(call, &b, err));
    const ob_tensor *out = ob_kit_output(call, 0), *grad = ob_kit_arg_tensor(call, "grad");
    b->cls = native_wide_class(out->dtype);
    b->rows = out->sizes[0];
    b->width = out->sizes[1];
    b->bag_count = grad->ndim == 2 ? grad->sizes[0] : 0;
    OB_TRY(native_dense_plan(call, grad, b->cls, &b->grad, err));
    OB_TRY(
        native_dense_plan(call, ob_kit_arg_tensor(call, "offset2bag"), NATIVE_I64, &b->map, err));
    OB_TRY(
        native_dense_plan(call, ob_kit_arg_tensor(call, "bag_size"), NATIVE_I64, &b->sizes, err));
    OB_TRY(native_dense_plan(call,
                             b->mode == MAX ? ob_kit_arg_tensor(call, "maximum_indices") : NULL,
                             NATIVE_I64, &b->maxima, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "per_sample_weights"), b->cls,
                             &b->factors, err));
    if (b->mode == MAX ? ob_kit_numel(&b->maxima.tensor) != b->bag_count * b->width
                       : ob_kit_numel(&b->map.tensor) != b->count)
        return call->env->host->err_set(
            err, OB_ERR_INVALID, "%s: %s does not match; give what the forward pass returned",
            call->kernel->name, b->mode == MAX ? "maximum_indices" : "offset2bag");
    if (b->mode != SUM && ob_kit_numel(&b->sizes.tensor) != b->bag_count)
        return call->env->host->err_set(
            err, OB_ERR_INVALID, "%s: bag_size does not match; give what the forward pass returned",
            call->kernel->name);
    OB_TRY(native_dense_plan(call, out, b->cls, &b->gradient, err));
    return native_scratch_reserve(call, b->by_frequency ? b->rows : 0, sizeof(int64_t), &b->counts,
                                  err);
}

typedef struct backward_job {
    const bags *b;
    const int64_t *indices, *map, *sizes, *maxima;
    int64_t *counts; /* NULL: not wanted */
    const void *factors, *grad;
    void *out;
    native_bad_index bad;
} backward_job;

#define DEFINE_BACKWARD(suffix, type)                                                              \
    static bool spread_##suffix(backward_job *j)                                                   \
    {                                                                                              \
        const bags *b = j->b;                                                                      \
        for (int64_t i = 0; i < b->count; i++) {                                                   \
            const int64_t index = j->indices[i], bag = j->map[i];                                  \
            if (!native_index_ok(&j->bad, index, b->rows) ||                                       \
                !native_index_ok(&j->bad, bag, b->bag_count))                                      \
                return false;                                                                      \
            if (index == b->padding)                                                               \
                continue;                                                                          \
            type scale = j->factors == NULL ? 1 : ((const type *)j->factors)[i];                   \
            if (j->counts != NULL)                                                                 \
                scale /= (type)j->counts[index];                                                   \
            if (b->mode == MEAN && j->sizes[bag] > 1)                                              \
                scale /= (type)j->sizes[bag];                                                      \
            add_row_##suffix((type *)j->out + index * b->width,                                    \
                             (const type *)j->grad + bag * b->width, b->width, scale);             \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    static bool spread_max_##suffix(backward_job *j)                                               \
    {                                                                                              \
        const bags *b = j->b;                                                                      \
        for (int64_t bag = 0; bag < b->bag_count; bag++)                                           \
            for (int64_t k = 0; k < b->width && j->sizes[bag] > 0; k++) {                          \
                const int64_t at = bag * b->width + k;                                             \
                if (!native_index_ok(&j->bad, j->maxima[at], b->rows))                             \
                    return false;                                                                  \
                ((type *)j->out)[j->maxima[at] * b->width + k] += ((const type *)j->grad)[at];     \
            }                                                                                      \
        return true;                                                                               \
    }
DEFINE_BACKWARD(f32, float)
DEFINE_BACKWARD(f64, double)

static bool count_rows(backward_job *j)
{
    const bags *b = j->b;
    memset(j->counts, 0, (size_t)b->rows * sizeof *j->counts);
    for (int64_t i = 0; i < b->count; i++) {
        if (!native_index_ok(&j->bad, j->indices[i], b->rows))
            return false;
        j->counts[j->indices[i]]++;
    }
    return true;
}

static ob_status run_backward(const ob_kit_call *call, ob_err *err)
{
    const bags *b = call->state;
    backward_job j = {.b = b};
    j.indices = native_dense_read(call, &b->indices);
    j.map = native_dense_read(call, &b->map);
    j.sizes = native_dense_read(call, &b->sizes);
    j.maxima = native_dense_read(call, &b->maxima);
    j.factors = native_dense_read(call, &b->factors);
    j.grad = native_dense_read(call, &b->grad);
    j.out = native_dense_place(call, &b->gradient);
    j.counts = b->by_frequency ? native_scratch_at(call, b->counts) : NULL;
    if (ob_kit_numel(&b->gradient.tensor) == 0)
        return OB_OK;
    memset(j.out, 0, (size_t)(b->rows * b->width) * native_class_size(b->cls));
    if (j.counts == NULL || count_rows(&j)) {
        if (b->mode == MAX)
            (void)(b->cls == NATIVE_F32 ? spread_max_f32(&j) : spread_max_f64(&j));
        else
            (void)(b->cls == NATIVE_F32 ? spread_f32(&j) : spread_f64(&j));
    }
    OB_TRY(native_index_status(call, &j.bad, "indices", err));
    native_dense_write(call, &b->gradient);
    return OB_OK;
}

/* ---- gradient of the per-sample weights ---- */

static ob_status setup_factors(ob_kit_call *call, ob_err *err)
{
    bags *b;
    OB_TRY(start(call, &b, err));
    const ob_tensor *grad = ob_kit_arg_tensor(call, "grad");
    b->weight = *ob_kit_arg_tensor(call, "weight");
    b->cls = native_wide_class(b->weight.dtype);
    b->rows = b->weight.sizes[0];
    b->width = b->weight.sizes[1];
    b->bag_count = grad->ndim == 2 && grad->sizes[1] == b->width ? grad->sizes[0] : 0;
    OB_TRY(native_dense_plan(call, grad, b->cls, &b->grad, err));
    OB_TRY(
        native_dense_plan(call, ob_kit_arg_tensor(call, "offset2bag"), NATIVE_I64, &b->map, err));
    if (ob_kit_numel(&b->map.tensor) != b->count)
        return call->env->host->err_set(
            err, OB_ERR_INVALID, "%s: offset2bag must have one bag per index", call->kernel->name);
    return native_dense_plan(call, ob_kit_output(call, 0), b->cls, &b->gradient, err);
}

#define DEFINE_FACTORS(suffix, type)                                                               \
    static void factors_##suffix(job *j, const type *grad, type *out)                              \
    {                                                                                              \
        const bags *b = j->b;                                                                      \
        type buffer[PIECE];                                                                        \
        for (int64_t i = 0; i < b->count; i++) {                                                   \
            double total = 0;                                                                      \
            if (!native_index_ok(&j->bad, j->indices[i], b->rows) ||                               \
                !native_index_ok(&j->bad, j->map[i], b->bag_count))                                \
                return;                                                                            \
            for (int64_t from = 0; from < b->width && j->indices[i] != b->padding;                 \
                 from += PIECE) {                                                                  \
                const int64_t left = b->width - from, count = left < PIECE ? left : PIECE;         \
                const type *row = piece_##suffix(j, j->indices[i], from, count, buffer);           \
                const type *g = grad + j->map[i] * b->width + from;                                \
                for (int64_t k = 0; k < count; k++)                                                \
                    total += (double)row[k] * (double)g[k];                                        \
            }                                                                                      \
            out[i] = (type)total;                                                                  \
        }                                                                                          \
    }
DEFINE_FACTORS(f32, float)
DEFINE_FACTORS(f64, double)

static ob_status run_factors(const ob_kit_call *call, ob_err *err)
{
    const bags *b = call->state;
    job j = {.b = b, .env = call->env};
    j.indices = native_dense_read(call, &b->indices);
    j.map = native_dense_read(call, &b->map);
    const void *grad = native_dense_read(call, &b->grad);
    void *out = native_dense_place(call, &b->gradient);
    if (b->cls == NATIVE_F32)
        factors_f32(&j, grad, out);
    else
        factors_f64(&j, grad, out);
    OB_TRY(native_index_status(call, &j.bad, "indices", err));
    native_dense_write(call, &b->gradient);
    return OB_OK;
}

#define ROW(op_name, which)                                                                        \
    {                                                                                              \
        .name = "aten::" op_name, .dtypes = OB_KIT_FLOATS, .setup = setup_##which,                 \
        .run = run_##which                                                                         \
    }

const ob_kit_kernel native_kernels_embedding_bag[] = {
    ROW("_embedding_bag", forward),
    ROW("_embedding_bag_forward_only", forward),
    ROW("_embedding_bag_dense_backward", backward),
    ROW("_embedding_bag_per_sample_weights_backward", factors),
    {.name = NULL},
};
