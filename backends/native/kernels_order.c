/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans, sorting and searching, line by line along one dimension. A line is brought into a dense array of
 * doubles or int64_t first; NaN counts as the largest number, and equal elements keep their order.
 */
#include "iterate.h"

#include <math.h>
#include <string.h>

typedef enum operation { OP_CUMSUM, OP_CUMPROD, OP_SORT, OP_TOPK, OP_ARGSORT } operation;

typedef struct entry {
    union {
        double real;
        int64_t whole;
    } key;
    int64_t index;
} entry;

typedef struct work {
    native_iter outer; /* the lines: operand 0 the input, then the results */
    operation op;
    native_class cls; /* NATIVE_F64 or NATIVE_I64 */
    int64_t length, kept;
    int64_t in_stride, out_stride[2]; /* bytes along the line */
    ob_dtype in, out[2];
    int results;
    bool descending;
} work;

/* ---- lines ---- */

static bool goes_before(const work *w, const entry *a, const entry *b)
{
    if (w->cls == NATIVE_I64)
        return w->descending ? a->key.whole > b->key.whole : a->key.whole < b->key.whole;
    if (isnan(a->key.real) || isnan(b->key.real))
        return w->descending ? isnan(a->key.real) && !isnan(b->key.real)
                             : isnan(b->key.real) && !isnan(a->key.real);
    return w->descending ? a->key.real > b->key.real : a->key.real < b->key.real;
}

/* Merge sort from below: stable, and its memory is known beforehand. Returns where the result is. */
static entry *sort_line(const work *w, entry *from, entry *to)
{
    const int64_t n = w->length;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            const int64_t middle = low + width < n ? low + width : n;
            const int64_t high = low + 2 * width < n ? low + 2 * width : n;
            int64_t a = low, b = middle;
            for (int64_t at = low; at < high; at++) {
                const bool right = a == middle || (b < high && goes_before(w, &from[b], &from[a]));
                to[at] = right ? from[b++] : from[a++];
            }
        }
        entry *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static void run_sort(const native_call *call, const work *w, const char *in, char *const *outs)
{
    const native_loops *loops = call->env->loops;
    entry *entries = call->scratch;
    for (int64_t i = 0; i < w->length; i++) {
        loops->load[w->in][w->cls](in + i * w->in_stride, 0, &entries[i].key, 1);
        entries[i].index = i;
    }
    const entry *sorted = sort_line(w, entries, entries + w->length);
    for (int64_t i = 0; i < w->kept; i++) {
        int k = 0;
        if (w->op != OP_ARGSORT) {
            loops->store[w->out[0]][w->cls](outs[0] + i * w->out_stride[0], 0, &sorted[i].key, 1);
            k = 1;
        }
        loops->store[w->out[k]][NATIVE_I64](outs[k] + i * w->out_stride[k], 0, &sorted[i].index, 1);
    }
}

static void run_scan(const native_call *call, const work *w, const char *in, char *const *outs)
{
    const native_loops *loops = call->env->loops;
    const bool sum = w->op == OP_CUMSUM;
    double real = sum ? 0 : 1, low = 0;
    uint64_t whole = sum ? 0 : 1;
    for (int64_t i = 0; i < w->length; i++) {
        char *to = outs[0] + i * w->out_stride[0];
        if (w->cls == NATIVE_I64) {
            int64_t x;
            loops->load[w->in][NATIVE_I64](in + i * w->in_stride, 0, &x, 1);
            whole = sum ? whole + (uint64_t)x : whole * (uint64_t)x;
            const int64_t value = (int64_t)whole;
            loops->store[w->out[0]][NATIVE_I64](to, 0, &value, 1);
            continue;
        }
        double x;
        loops->load[w->in][NATIVE_F64](in + i * w->in_stride, 0, &x, 1);
        if (sum) { /* what each addition loses is kept */
            const double total = real + x;
            low += fabs(real) >= fabs(x) ? (real - total) + x : (x - total) + real;
            real = total;
        } else {
            real *= x;
        }
        const double value = sum && isfinite(real) ? real + low : real;
        loops->store[w->out[0]][NATIVE_F64](to, 0, &value, 1);
    }
}

/* ---- kernels ---- */

/* A tensor without one dimension; one without dimensions is a line of one. */
static ob_tensor lines_of(const ob_tensor *tensor, int dim)
{
    ob_tensor lines = *tensor;
    if (tensor->ndim == 0)
        return lines;
    lines.ndim--;
    for (int d = dim; d < lines.ndim; d++) {
        lines.sizes[d] = tensor->sizes[d + 1];
        lines.strides[d] = tensor->strides[d + 1];
    }
    return lines;
}

static int64_t line_stride(const native_call *call, const ob_tensor *tensor, int dim)
{
    if (tensor->ndim == 0)
        return 0;
    return tensor->strides[dim] *
           (int64_t)call->env->host->dtype_get_info(tensor->dtype)->size_bytes;
}

static ob_status setup(native_call *call, ob_err *err)
{
    const ob_tensor *in = native_arg_tensor(call, "self");
    const operation op = (operation)call->kernel->variant;
    const int dim = native_dim(native_arg_int(call, "dim", -1), in->ndim);
    void *state;
    OB_TRY(native_state(call, sizeof(work), &state, err));
    work *w = state;
    const bool scan = op == OP_CUMSUM || op == OP_CUMPROD;
    const native_class cls = native_class_of(scan ? native_output(call, 0)->dtype : in->dtype);
    w->op = op;
    w->cls = cls == NATIVE_I32 || cls == NATIVE_I64 ? NATIVE_I64 : NATIVE_F64;
    w->length = in->ndim > 0 ? in->sizes[dim] : 1;
    w->in = in->dtype;
    w->in_stride = line_stride(call, in, dim);
    w->descending = op == OP_TOPK ? native_arg_bool(call, "largest", true)
                                  : native_arg_bool(call, "descending", false);
    const ob_tensor lines = lines_of(in, dim);
    native_iter_init(&w->outer, &lines);
    for (size_t k = 0; k < 2; k++) {
        const ob_tensor *out = native_output(call, k);
        if (out == NULL)
            continue;
        const ob_tensor out_lines = lines_of(out, dim);
        native_iter_add(&w->outer, &out_lines);
        w->out[k] = out->dtype;
        w->out_stride[k] = line_stride(call, out, dim);
        w->kept = out->ndim > 0 ? out->sizes[dim] : 1;
        w->results++;
    }
    native_iter_finish(&w->outer, true);
    if (!scan && __builtin_mul_overflow((size_t)w->length, 2 * sizeof(entry), &call->scratch_bytes))
        return call->env->host->err_set(err, OB_ERR_OVERFLOW, "the lines to sort are too long");
    return OB_OK;
}

static ob_status run(const native_call *call, ob_err *err)
{
    const work *w = call->state;
    native_cursor cursor;
    (void)err;
    native_cursor_seek(&cursor, &w->outer, 0);
    for (int64_t at = 0; at < w->outer.count; at++) {
        const char *in = w->outer.operands[0].data + cursor.offsets[0];
        char *outs[2] = {NULL, NULL};
        for (int k = 0; k < w->results; k++)
            outs[k] = w->outer.operands[k + 1].data + cursor.offsets[k + 1];
        if (w->op == OP_CUMSUM || w->op == OP_CUMPROD)
            run_scan(call, w, in, outs);
        else
            run_sort(call, w, in, outs);
        native_cursor_advance(&cursor, 1);
    }
    return OB_OK;
}

/* ---- searching ---- */

typedef struct lookup {
    const ob_tensor *sorted, *values, *sorter, *out;
    double number;
    bool right, whole;
} lookup;

static ob_status setup_search(native_call *call, ob_err *err)
{
    void *state;
    OB_TRY(native_state(call, sizeof(lookup), &state, err));
    lookup *l = state;
    const ob_tensor *sorted = native_arg_tensor(call, "boundaries");
    l->sorted = sorted != NULL ? sorted : native_arg_tensor(call, "sorted_sequence");
    l->values = native_arg_tensor(call, "self");
    l->sorter = native_arg_tensor(call, "sorter");
    l->number = native_arg_double(call, "self", 0);
    l->right =
        native_arg_bool(call, "right", false) || strcmp(native_arg_str(call, "side"), "right") == 0;
    l->out = native_output(call, 0);
    const ob_dtype dtype = l->values != NULL ? l->values->dtype : OB_DTYPE_F64;
    const native_class a = native_class_of(dtype), b = native_class_of(l->sorted->dtype);
    l->whole = a != NATIVE_F32 && a != NATIVE_F64 && b != NATIVE_F32 && b != NATIVE_F64;
    return OB_OK;
}

/* An element of a line (the last dimension) of a tensor, as double or int64_t. */
typedef struct line {
    const char *data;
    int64_t stride;
    ob_dtype dtype;
} line;

static entry read_at(const native_call *call, const line *from, int64_t index, bool whole)
{
    entry e = {.index = 0};
    const native_class cls = whole ? NATIVE_I64 : NATIVE_F64;
    call->env->loops->load[from->dtype][cls](from->data + index * from->stride, 0, &e.key, 1);
    return e;
}

static bool is_before(const lookup *l, const entry *a, const entry *value)
{
    if (l->whole)
        return l->right ? a->key.whole <= value->key.whole : a->key.whole < value->key.whole;
    if (isnan(value->key.real)) /* NaN is larger than all numbers */
        return l->right || !isnan(a->key.real);
    return l->right ? a->key.real <= value->key.real : a->key.real < value->key.real;
}

static ob_status search_line(const native_call *call, const line *sorted, const line *sorter,
                             int64_t length, const entry *value, int64_t *found, ob_err *err)
{
    const lookup *l = call->state;
    int64_t low = 0, high = length;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        int64_t at = middle;
        if (sorter != NULL) {
            at = native_load_index(sorter->dtype, sorter->data + middle * sorter->stride);
            if (at < 0 || at >= length)
                return call->env->host->err_set(err, OB_ERR_INVALID,
                                                "%s: the sorter has the index %lld for %lld "
                                                "elements; give indices below that",
                                                call->op->schema->name, (long long)at,
                                                (long long)length);
        }
        const entry e = read_at(call, sorted, at, l->whole);
        if (is_before(l, &e, value))
            low = middle + 1;
        else
            high = middle;
    }
    *found = low;
    return OB_OK;
}

/* Line number `index` of a tensor, in row-major order. */
static line line_at(const native_call *call, const ob_tensor *tensor, int64_t index)
{
    const int64_t size = (int64_t)call->env->host->dtype_get_info(tensor->dtype)->size_bytes;
    int64_t offset = 0;
    for (int d = tensor->ndim - 2; d >= 0; d--) {
        offset += index % tensor->sizes[d] * tensor->strides[d];
        index /= tensor->sizes[d];
    }
    return (line){.data = (const char *)native_data(tensor) + offset * size,
                  .stride = tensor->ndim > 0 ? tensor->strides[tensor->ndim - 1] * size : 0,
                  .dtype = tensor->dtype};
}

static ob_status run_search(const native_call *call, ob_err *err)
{
    const lookup *l = call->state;
    const native_loops *loops = call->env->loops;
    const int64_t length = l->sorted->ndim > 0 ? l->sorted->sizes[l->sorted->ndim - 1] : 1;
    /* Values that come in lines of their own are looked up in the sorted line of the same number. */
    const int64_t columns =
        l->out->ndim > 0 && l->sorted->ndim > 1 ? l->out->sizes[l->out->ndim - 1] : 0;
    native_iter iter;
    native_iter_init(&iter, l->out);
    if (l->values != NULL)
        native_iter_add(&iter, l->values);
    native_iter_finish(&iter, true);
    native_cursor cursor;
    native_cursor_seek(&cursor, &iter, 0);
    line sorted = {NULL, 0, OB_DTYPE_F64}, sorter = sorted;
    for (int64_t i = 0; i < iter.count; i++) {
        if (i == 0 || (columns > 0 && i % columns == 0)) {
            sorted = line_at(call, l->sorted, columns > 0 ? i / columns : 0);
            if (l->sorter != NULL)
                sorter = line_at(call, l->sorter, columns > 0 ? i / columns : 0);
        }
        entry value = {.key = {.real = l->number}};
        if (l->values != NULL)
            loops->load[l->values->dtype][l->whole ? NATIVE_I64 : NATIVE_F64](
                iter.operands[1].data + cursor.offsets[1], 0, &value.key, 1);
        int64_t found;
        OB_TRY(search_line(call, &sorted, l->sorter != NULL ? &sorter : NULL, length, &value,
                           &found, err));
        loops->store[l->out->dtype][NATIVE_I64](iter.operands[0].data + cursor.offsets[0], 0,
                                                &found, 1);
        native_cursor_advance(&cursor, 1);
    }
    return OB_OK;
}

#define ORDER(op, word)                                                                            \
    {                                                                                              \
        .name = (op), .dtypes = NATIVE_REALS, .setup = setup, .run = run, .variant = OP_##word     \
    }
#define SEARCH(op)                                                                                 \
    {                                                                                              \
        .name = (op), .dtypes = NATIVE_REALS, .setup = setup_search, .run = run_search             \
    }

const native_kernel native_kernels_order[] = {
    ORDER("aten::cumsum", CUMSUM),
    ORDER("aten::cumprod", CUMPROD),
    ORDER("aten::sort", SORT),
    ORDER("aten::sort.stable", SORT),
    ORDER("aten::argsort", ARGSORT),
    ORDER("aten::topk", TOPK),
    SEARCH("aten::bucketize.Tensor"),
    SEARCH("aten::bucketize.Scalar"),
    SEARCH("aten::searchsorted.Tensor"),
    SEARCH("aten::searchsorted.Scalar"),
    {.name = NULL},
};
