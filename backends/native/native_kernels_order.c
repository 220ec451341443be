/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans, sorting and searching, line by line along one dimension. A line is computed in doubles or
 * int64_t; NaN counts as the largest number, and equal elements keep their order.
 */
#include "dense.h"
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
    bool selects;      /* few of many are kept */
    bool side_by_side; /* sums of lines whose elements are neighbours */
    int lanes;         /* how many lines can be sorted at a time */
    size_t lane_bytes;
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

/* ---- the first few: a heap with the last of them on top ---- */

/* Equal elements in their order. */
static bool ranks_before(const work *w, const entry *a, const entry *b)
{
    return goes_before(w, a, b) || (!goes_before(w, b, a) && a->index < b->index);
}

static void sink(const work *w, entry *heap, int64_t count, int64_t at)
{
    const entry moved = heap[at];
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && ranks_before(w, &heap[child], &heap[child + 1]))
            child++;
        if (!ranks_before(w, &moved, &heap[child]))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Whether an element certainly does not come before the last of the heap. */
static bool stays_out(const work *w, const entry *e, const entry *last)
{
    if (w->cls == NATIVE_I64)
        return w->descending ? e->key.whole <= last->key.whole : e->key.whole >= last->key.whole;
    return w->descending ? e->key.real <= last->key.real : e->key.real >= last->key.real;
}

static const entry *select_line(const work *w, const native_loops *loops, const char *in,
                                entry *heap)
{
    int64_t keys[NATIVE_CHUNK]; /* or doubles: the bits of an entry's key */
    const int64_t kept = w->kept;
    for (int64_t at = 0; at < w->length; at += NATIVE_CHUNK) {
        const int64_t left = w->length - at, count = left < NATIVE_CHUNK ? left : NATIVE_CHUNK;
        loops->load[w->in][w->cls](in + at * w->in_stride, w->in_stride, keys, count);
        for (int64_t i = 0; i < count; i++) {
            entry e = {.index = at + i};
            memcpy(&e.key, &keys[i], sizeof e.key);
            if (at + i < kept) {
                heap[at + i] = e;
                for (int64_t k = kept / 2; at + i == kept - 1 && k-- > 0;)
                    sink(w, heap, kept, k);
            } else if (!stays_out(w, &e, &heap[0]) && goes_before(w, &e, &heap[0])) {
                heap[0] = e;
                sink(w, heap, kept, 0);
            }
        }
    }
    for (int64_t count = kept - 1; count > 0; count--) {
        const entry last = heap[0];
        heap[0] = heap[count];
        heap[count] = last;
        sink(w, heap, count, 0);
    }
    return heap;
}

static void run_sort(const ob_kit_call *call, const work *w, const char *in, char *const *outs,
                     entry *entries)
{
    const native_loops *loops = call->env->loops;
    const entry *sorted;
    if (w->selects) {
        sorted = select_line(w, loops, in, entries);
    } else {
        for (int64_t i = 0; i < w->length; i++) {
            loops->load[w->in][w->cls](in + i * w->in_stride, 0, &entries[i].key, 1);
            entries[i].index = i;
        }
        sorted = sort_line(w, entries, entries + w->length);
    }
    for (int64_t i = 0; i < w->kept; i++) {
        int k = 0;
        if (w->op != OP_ARGSORT) {
            loops->store[w->out[0]][w->cls](outs[0] + i * w->out_stride[0], 0, &sorted[i].key, 1);
            k = 1;
        }
        loops->store[w->out[k]][NATIVE_I64](outs[k] + i * w->out_stride[k], 0, &sorted[i].index, 1);
    }
}

/* ---- scans ---- */

typedef struct scan_state {
    double real, low;
    uint64_t whole;
} scan_state;

static void scan_reals(const work *w, scan_state *s, double *x, int64_t count)
{
    if (w->op == OP_CUMPROD) {
        for (int64_t i = 0; i < count; i++)
            x[i] = s->real *= x[i];
    } else if (w->in != OB_DTYPE_F64) { /* double is far longer than what comes in */
        for (int64_t i = 0; i < count; i++)
            x[i] = s->real += x[i];
    } else { /* what each addition loses is kept */
        for (int64_t i = 0; i < count; i++) {
            const double total = s->real + x[i];
            s->low +=
                fabs(s->real) >= fabs(x[i]) ? (s->real - total) + x[i] : (x[i] - total) + s->real;
            s->real = total;
            x[i] = isfinite(total) ? total + s->low : total;
        }
    }
}

static void scan_wholes(const work *w, scan_state *s, int64_t *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        s->whole = w->op == OP_CUMSUM ? s->whole + (uint64_t)x[i] : s->whole * (uint64_t)x[i];
        x[i] = (int64_t)s->whole;
    }
}

static void run_scan(const ob_kit_call *call, const work *w, const char *in, char *out)
{
    const native_loops *loops = call->env->loops;
    union {
        double real[NATIVE_CHUNK];
        int64_t whole[NATIVE_CHUNK];
    } chunk;
    scan_state s = {.real = w->op == OP_CUMPROD, .whole = w->op == OP_CUMPROD};
    for (int64_t at = 0; at < w->length; at += NATIVE_CHUNK) {
        const int64_t left = w->length - at, count = left < NATIVE_CHUNK ? left : NATIVE_CHUNK;
        loops->load[w->in][w->cls](in + at * w->in_stride, w->in_stride, &chunk, count);
        if (w->cls == NATIVE_I64)
            scan_wholes(w, &s, chunk.whole, count);
        else
            scan_reals(w, &s, chunk.real, count);
        loops->store[w->out[0]][w->cls](out + at * w->out_stride[0], w->out_stride[0], &chunk,
                                        count);
    }
}

/* Sums of many lines that lie side by side. */
static void run_scan_lines(const ob_kit_call *call, const work *w, const char *in, char *out,
                           int64_t lines)
{
    const native_loops *loops = call->env->loops;
    const native_iter *outer = &w->outer;
    const int64_t in_step = outer->operands[0].strides[outer->ndim - 1];
    const int64_t out_step = outer->operands[1].strides[outer->ndim - 1];
    const native_class cls = w->cls == NATIVE_F64 ? NATIVE_F32 : NATIVE_I64;
    union {
        double real[NATIVE_CHUNK];
        int64_t whole[NATIVE_CHUNK];
    } totals;
    _Alignas(64) char chunk[NATIVE_CHUNK * 8];
    memset(&totals, 0, sizeof totals.real[0] * (size_t)lines);
    for (int64_t i = 0; i < w->length; i++) {
        loops->load[w->in][cls](in + i * w->in_stride, in_step, chunk, lines);
        loops->add_rows[cls](&totals, chunk, lines);
        loops->store[w->out[0]][w->cls](out + i * w->out_stride[0], out_step, &totals, lines);
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

static int64_t line_stride(const ob_kit_call *call, const ob_tensor *tensor, int dim)
{
    if (tensor->ndim == 0)
        return 0;
    return tensor->strides[dim] *
           (int64_t)call->env->host->dtype_get_info(tensor->dtype)->size_bytes;
}

/* Room for the lines that are sorted at a time, one per thread. */
static ob_status plan_lanes(ob_kit_call *call, work *w, ob_err *err)
{
    enum { LANE_ELEMENTS = 4096 };
    size_t bytes;
    const int64_t enough = w->length > 0 ? w->outer.count / (LANE_ELEMENTS / w->length + 1) : 0;
    w->lanes = enough < call->env->threads ? (int)enough : call->env->threads;
    w->lanes = w->lanes > 0 ? w->lanes : 1;
    if (__builtin_mul_overflow((size_t)w->length, 2 * sizeof(entry), &w->lane_bytes) ||
        __builtin_mul_overflow(w->lane_bytes, (size_t)w->lanes, &bytes) || bytes > SIZE_MAX / 2)
        return call->env->host->err_set(err, OB_ERR_OVERFLOW, "the lines to sort are too long");
    call->scratch_bytes = bytes;
    return OB_OK;
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *in = ob_kit_arg_tensor(call, "self");
    const operation op = (operation)call->kernel->variant;
    const int dim = ob_kit_dim(ob_kit_arg_int(call, "dim", -1), in->ndim);
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(work), &state, err));
    work *w = state;
    const bool scan = op == OP_CUMSUM || op == OP_CUMPROD;
    const native_class cls = native_class_of(scan ? ob_kit_output(call, 0)->dtype : in->dtype);
    w->op = op;
    w->cls = cls == NATIVE_I32 || cls == NATIVE_I64 ? NATIVE_I64 : NATIVE_F64;
    w->length = in->ndim > 0 ? in->sizes[dim] : 1;
    w->in = in->dtype;
    w->in_stride = line_stride(call, in, dim);
    w->descending = op == OP_TOPK ? ob_kit_arg_bool(call, "largest", true)
                                  : ob_kit_arg_bool(call, "descending", false);
    const ob_tensor lines = lines_of(in, dim);
    native_iter_init(&w->outer, &lines);
    for (size_t k = 0; k < 2; k++) {
        const ob_tensor *out = ob_kit_output(call, k);
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
    w->selects = op == OP_TOPK && w->kept > 0 && w->kept < w->length / 4;
    w->side_by_side = op == OP_CUMSUM && w->in != OB_DTYPE_F64 && w->length > 1 &&
                      w->out[0] != OB_DTYPE_F64 &&
                      w->outer.operands[0].strides[w->outer.ndim - 1] ==
                          (int64_t)call->env->host->dtype_get_info(w->in)->size_bytes &&
                      w->outer.sizes[w->outer.ndim - 1] >= 8;
    return scan ? OB_OK : plan_lanes(call, w, err);
}

typedef struct job {
    const ob_kit_call *call;
    const work *w;
} job;

/* Lines [begin, end) of the outer walk; the entries are the lane's. */
static void run_lines(const job *j, int64_t begin, int64_t end, entry *entries)
{
    const work *w = j->w;
    const native_iter *outer = &w->outer;
    native_cursor cursor;
    native_cursor_seek(&cursor, outer, begin);
    for (int64_t at = begin; at < end;) {
        const char *in = outer->operands[0].data + cursor.offsets[0];
        char *outs[2] = {NULL, NULL};
        int64_t count = 1;
        for (int k = 0; k < w->results; k++)
            outs[k] = outer->operands[k + 1].data + cursor.offsets[k + 1];
        if (w->side_by_side) {
            const int64_t row = outer->sizes[outer->ndim - 1] - cursor.index[outer->ndim - 1];
            const int64_t most = row < NATIVE_CHUNK ? row : NATIVE_CHUNK;
            count = end - at < most ? end - at : most;
            run_scan_lines(j->call, w, in, outs[0], count);
        } else if (entries == NULL) {
            run_scan(j->call, w, in, outs[0]);
        } else {
            run_sort(j->call, w, in, outs, entries);
        }
        native_cursor_advance(&cursor, count);
        at += count;
    }
}

static void scan_range(void *ctx, int64_t begin, int64_t end)
{
    run_lines(ctx, begin, end, NULL);
}

static void sort_lanes(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const int64_t lines = j->w->outer.count, lanes = j->w->lanes;
    for (int64_t lane = begin; lane < end; lane++)
        run_lines(j, lane * (lines / lanes) + (lane < lines % lanes ? lane : lines % lanes),
                  (lane + 1) * (lines / lanes) +
                      (lane + 1 < lines % lanes ? lane + 1 : lines % lanes),
                  native_scratch_at(j->call, (size_t)lane * j->w->lane_bytes));
}

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    enum { GRAIN = 16384 };
    const work *w = call->state;
    job j = {.call = call, .w = w};
    (void)err;
    if (w->op == OP_CUMSUM || w->op == OP_CUMPROD)
        native_parallel(call->env, w->outer.count, GRAIN / (w->length + 1) + 1, scan_range, &j);
    else
        native_parallel(call->env, w->lanes, 1, sort_lanes, &j);
    return OB_OK;
}

/* ---- searching ---- */

typedef struct lookup {
    const ob_tensor *sorted, *values, *sorter, *out;
    double number;
    bool right, whole;
} lookup;

static ob_status setup_search(ob_kit_call *call, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(lookup), &state, err));
    lookup *l = state;
    const ob_tensor *sorted = ob_kit_arg_tensor(call, "boundaries");
    l->sorted = sorted != NULL ? sorted : ob_kit_arg_tensor(call, "sorted_sequence");
    l->values = ob_kit_arg_tensor(call, "self");
    l->sorter = ob_kit_arg_tensor(call, "sorter");
    l->number = ob_kit_arg_double(call, "self", 0);
    l->right =
        ob_kit_arg_bool(call, "right", false) || strcmp(ob_kit_arg_str(call, "side"), "right") == 0;
    l->out = ob_kit_output(call, 0);
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

static entry read_at(const ob_kit_call *call, const line *from, int64_t index, bool whole)
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

static ob_status search_line(const ob_kit_call *call, const line *sorted, const line *sorter,
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
static line line_at(const ob_kit_call *call, const ob_tensor *tensor, int64_t index)
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

static ob_status run_search(const ob_kit_call *call, ob_err *err)
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
        .name = (op), .dtypes = OB_KIT_REALS, .setup = setup, .run = run, .variant = OP_##word     \
    }
#define SEARCH(op)                                                                                 \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_REALS, .setup = setup_search, .run = run_search             \
    }

const ob_kit_kernel native_kernels_order[] = {
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
