/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums, means, products, extremes, norms, variances and their kin. Floats are accumulated in
 * double, chunk by chunk, with the rounding errors of the chunks' sums kept.
 */
#include "native_rows.h"
#include "reduce.h"

#include "native_elementwise.h"

#include <math.h>
#include <string.h>

typedef enum operation {
    OP_SUM,
    OP_MEAN,
    OP_PROD,
    OP_MAX,
    OP_MIN,
    OP_ANY,
    OP_ALL,
    OP_VAR,
    OP_STD,
    OP_VAR_MEAN,
    OP_NORM,
    OP_LOGSUMEXP,
} operation;

typedef struct work {
    native_reduction r;
    const native_env *env;
    operation op;
    ob_dtype out;
    bool whole; /* integers */
    double power, correction;
    const native_rows *rows; /* of sums over short rows; NULL = the rows are others */
} work;

enum { SHORT_ROW = 256 }; /* elements; above, going through them is what takes time */

/* ---- folding the elements of one result ---- */

typedef struct fold {
    const work *w;
    native_reduce_fn reduce;
    native_accumulator acc;
    double shift;
    bool found;
} fold;

static void fold_chunk(void *ctx, const void *chunk, int64_t at, int64_t count)
{
    fold *f = ctx;
    (void)at;
    f->reduce(&f->acc, chunk, count, f->shift);
}

/* What nothing is folded to. */
static native_accumulator empty_fold(native_reduce_id id)
{
    switch (id) {
    case NATIVE_REDUCE_prod:
        return (native_accumulator){.real = 1, .integer = 1};
    case NATIVE_REDUCE_max:
        return (native_accumulator){.real = -INFINITY, .integer = INT64_MIN};
    case NATIVE_REDUCE_min:
        return (native_accumulator){.real = INFINITY, .integer = INT64_MAX};
    default:
        return (native_accumulator){.real = 0};
    }
}

/* A long fold is made of pieces whose number depends on its length only: the result is the same for
 * any number of threads. */
enum { PIECE = 32768, MAX_PIECES = 64 };

typedef struct pieces {
    const work *w;
    native_reduce_id id;
    char *base;
    double shift;
    int64_t length, step; /* elements, in all and per piece */
    native_accumulator done[MAX_PIECES];
} pieces;

static void fold_pieces(void *ctx, int64_t begin, int64_t end)
{
    pieces *p = ctx;
    const work *w = p->w;
    for (int64_t i = begin; i < end; i++) {
        const int64_t from = i * p->step, to = from + p->step;
        fold f = {.w = w,
                  .reduce = w->env->loops->reduce[p->id][w->r.cls],
                  .shift = p->shift,
                  .acc = empty_fold(p->id)};
        native_reduction_part(&w->r, w->env->loops, p->base, from, to < p->length ? to : p->length,
                              fold_chunk, &f);
        p->done[i] = f.acc;
    }
}

/* Puts a later piece to an earlier one. */
static void join(native_reduce_id id, native_accumulator *to, const native_accumulator *from)
{
    const double a = to->real, b = from->real, total = a + b;
    switch (id) {
    case NATIVE_REDUCE_prod:
        to->real *= b;
        to->integer = (int64_t)((uint64_t)to->integer * (uint64_t)from->integer);
        return;
    case NATIVE_REDUCE_max:
        to->real = isnan(a) || a > b ? a : b;
        to->integer = to->integer > from->integer ? to->integer : from->integer;
        return;
    case NATIVE_REDUCE_min:
        to->real = isnan(a) || a < b ? a : b;
        to->integer = to->integer < from->integer ? to->integer : from->integer;
        return;
    default:
        to->low += from->low + (fabs(a) >= fabs(b) ? (a - total) + b : (b - total) + a);
        to->real = total;
        to->integer = (int64_t)((uint64_t)to->integer + (uint64_t)from->integer);
    }
}

/* A short row that needs no conversion, without all that longer ones need. */
static native_accumulator fold_row(const work *w, const char *row, native_reduce_id id,
                                   double shift)
{
    const int64_t length = w->r.inner.count, size = (int64_t)native_class_size(w->r.cls);
    native_accumulator acc = empty_fold(id);
    for (int64_t at = 0; at < length; at += NATIVE_CHUNK)
        w->env->loops->reduce[id][w->r.cls](
            &acc, row + at * size, length - at < NATIVE_CHUNK ? length - at : NATIVE_CHUNK, shift);
    return acc;
}

static native_accumulator fold_with(const work *w, char *base, native_reduce_id id, double shift)
{
    const int64_t length = w->r.inner.count;
    if (length < PIECE && w->r.inner.ndim == 1 &&
        native_iter_is_dense(&w->r.inner, 0, native_class_dtype(w->r.cls)))
        return fold_row(w, base, id, shift);
    int64_t count = length / PIECE < MAX_PIECES ? length / PIECE : MAX_PIECES;
    pieces p = {.w = w, .id = id, .base = base, .shift = shift, .length = length, .step = length};
    if (count > 1) /* a chunk is not cut */
        p.step = ((length + count - 1) / count + NATIVE_CHUNK - 1) / NATIVE_CHUNK * NATIVE_CHUNK;
    count = p.step > 0 ? (length + p.step - 1) / p.step : 1;
    native_parallel(w->env, count, 1, fold_pieces, &p);
    for (int64_t i = 1; i < count; i++)
        join(id, &p.done[0], &p.done[i]);
    return p.done[0];
}

static double total_of(const native_accumulator *acc)
{
    /* An infinite sum has lost nothing that could be put back. */
    return isfinite(acc->real) ? acc->real + acc->low : acc->real;
}

static double sum_of(const work *w, char *base)
{
    const native_accumulator acc = fold_with(w, base, NATIVE_REDUCE_sum, 0);
    return total_of(&acc);
}

/* ---- chunks that pass an elementwise loop first ---- */

static void apply(const work *w, ob_kit_loop_id loop, void *out, const void *in, const void *second,
                  int64_t count)
{
    static const double no_real[4];
    static const int64_t no_integer[4];
    native_loop_args args = {
        .out = out, .in = {in, second}, .real = no_real, .integer = no_integer, .count = count};
    w->env->loops->loop[loop][w->r.cls](&args);
}

static void fold_truth(void *ctx, const void *chunk, int64_t at, int64_t count)
{
    fold *f = ctx;
    uint8_t zero[NATIVE_CHUNK];
    (void)at;
    apply(f->w, OB_KIT_LOOP_logical_not, zero, chunk, NULL, count);
    f->found = f->found || memchr(zero, f->w->op == OP_ANY ? 0 : 1, (size_t)count) != NULL;
}

static void fill_class(native_class cls, void *to, double value, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (cls == NATIVE_F64)
            ((double *)to)[i] = value;
        else
            ((float *)to)[i] = (float)value;
    }
}

/* exp(x - shift) */
static void fold_exp(void *ctx, const void *chunk, int64_t at, int64_t count)
{
    fold *f = ctx;
    _Alignas(64) char shifted[NATIVE_CHUNK * 8];
    (void)at;
    if (f->w->r.cls == NATIVE_F64) {
        for (int64_t i = 0; i < count; i++)
            ((double *)shifted)[i] = ((const double *)chunk)[i] - f->shift;
    } else {
        for (int64_t i = 0; i < count; i++)
            ((float *)shifted)[i] = ((const float *)chunk)[i] - (float)f->shift;
    }
    apply(f->w, OB_KIT_LOOP_exp, shifted, shifted, NULL, count);
    f->reduce(&f->acc, shifted, count, 0);
}

/* |x|, or |x|^p, or whether x is not 0 */
static void fold_power(void *ctx, const void *chunk, int64_t at, int64_t count)
{
    fold *f = ctx;
    const double p = f->w->power;
    _Alignas(64) char sizes[NATIVE_CHUNK * 8], powers[NATIVE_CHUNK * 8];
    (void)at;
    apply(f->w, OB_KIT_LOOP_abs, sizes, chunk, NULL, count);
    if (isinf(p)) {
        f->reduce(&f->acc, sizes, count, 0);
        return;
    }
    if (p == 0) { /* the sign of a size is 1, or 0 for 0; NaN counts */
        for (int64_t i = 0; i < count; i++)
            f->acc.real +=
                f->w->r.cls == NATIVE_F64 ? ((double *)sizes)[i] != 0 : ((float *)sizes)[i] != 0;
        return;
    }
    fill_class(f->w->r.cls, powers, p, count);
    apply(f->w, OB_KIT_LOOP_pow, powers, sizes, powers, count);
    f->reduce(&f->acc, powers, count, 0);
}

/* ---- results ---- */

static double norm_of(const work *w, char *base)
{
    const double p = w->power;
    if (p == 2 || p == 1) {
        const native_accumulator acc =
            fold_with(w, base, p == 2 ? NATIVE_REDUCE_sum_squares : NATIVE_REDUCE_sum_abs, 0);
        return p == 2 ? sqrt(total_of(&acc)) : total_of(&acc);
    }
    const native_reduce_id id = !isinf(p) ? NATIVE_REDUCE_sum
                                : p > 0   ? NATIVE_REDUCE_max
                                          : NATIVE_REDUCE_min;
    fold f = {.w = w, .reduce = w->env->loops->reduce[id][w->r.cls]};
    f.acc.real = !isinf(p) ? 0 : p > 0 ? 0 : INFINITY;
    native_reduction_each(&w->r, w->env->loops, base, fold_power, &f);
    return isinf(p) || p == 0 ? f.acc.real : pow(total_of(&f.acc), 1 / p);
}

static double logsumexp_of(const work *w, char *base)
{
    const native_accumulator most = fold_with(w, base, NATIVE_REDUCE_max, 0);
    fold f = {.w = w,
              .reduce = w->env->loops->reduce[NATIVE_REDUCE_sum][w->r.cls],
              .shift = isinf(most.real) ? 0 : most.real};
    native_reduction_each(&w->r, w->env->loops, base, fold_exp, &f);
    return log(total_of(&f.acc)) + f.shift;
}

static double variance_of(const work *w, char *base, double mean)
{
    const native_accumulator acc = fold_with(w, base, NATIVE_REDUCE_sum_squares, mean);
    const double divisor = (double)w->r.inner.count - w->correction;
    return total_of(&acc) / (divisor > 0 ? divisor : 0);
}

static void store_real(const work *w, char *to, double value)
{
    w->env->loops->store[w->out][NATIVE_F64](to, 0, &value, 1);
}

static void store_whole(const work *w, char *to, int64_t value)
{
    w->env->loops->store[w->out][NATIVE_I64](to, 0, &value, 1);
}

static void reduce_spread(const work *w, char *base, char *const *results)
{
    const double mean = sum_of(w, base) / (double)w->r.inner.count;
    const double variance = variance_of(w, base, mean);
    store_real(w, results[0], w->op == OP_STD ? sqrt(variance) : variance);
    if (w->op == OP_VAR_MEAN)
        store_real(w, results[1], mean);
}

static void reduce_one(void *ctx, const native_reduction *r, char *base, char *const *results)
{
    const work *w = ctx;
    static const native_reduce_id folds[] = {[OP_SUM] = NATIVE_REDUCE_sum,
                                             [OP_MEAN] = NATIVE_REDUCE_sum,
                                             [OP_PROD] = NATIVE_REDUCE_prod,
                                             [OP_MAX] = NATIVE_REDUCE_max,
                                             [OP_MIN] = NATIVE_REDUCE_min};
    switch (w->op) {
    case OP_ANY:
    case OP_ALL: {
        fold f = {.w = w};
        native_reduction_each(r, w->env->loops, base, fold_truth, &f);
        store_whole(w, results[0], w->op == OP_ANY ? f.found : !f.found);
        return;
    }
    case OP_VAR:
    case OP_STD:
    case OP_VAR_MEAN:
        reduce_spread(w, base, results);
        return;
    case OP_NORM:
        store_real(w, results[0], norm_of(w, base));
        return;
    case OP_LOGSUMEXP:
        store_real(w, results[0], logsumexp_of(w, base));
        return;
    default:
        break;
    }
    const native_accumulator acc = fold_with(w, base, folds[w->op], 0);
    if (w->whole)
        store_whole(w, results[0], acc.integer);
    else
        store_real(w, results[0],
                   w->op == OP_MEAN ? total_of(&acc) / (double)r->inner.count : total_of(&acc));
}

/* ---- sums over rows: many results at a time ---- */

/* Results in a row of the outer walk share their inner walk; each chunk of them is one array of
 * totals. */
static void sum_rows(const work *w, const native_cursor *at, int64_t count)
{
    const native_iter *outer = &w->r.outer, *inner = &w->r.inner;
    const native_loops *loops = w->env->loops;
    const int64_t stride = outer->operands[0].strides[outer->ndim - 1];
    const native_load_fn load = loops->load[inner->operands[0].dtype][w->r.cls];
    _Alignas(64) char chunk[NATIVE_CHUNK * 8];
    union {
        double real[NATIVE_CHUNK];
        int64_t whole[NATIVE_CHUNK];
    } totals;
    memset(&totals, 0, sizeof totals.real[0] * (size_t)count);
    native_cursor cursor;
    native_cursor_seek(&cursor, inner, 0);
    const char *base = outer->operands[0].data + at->offsets[0];
    for (int64_t i = 0; i < inner->count; i++) {
        load(base + cursor.offsets[0], stride, chunk, count);
        loops->add_rows[w->r.cls](&totals, chunk, count);
        native_cursor_advance(&cursor, 1);
    }
    for (int64_t i = 0; w->op == OP_MEAN && i < count; i++)
        totals.real[i] /= (double)inner->count;
    loops->store[w->out][w->whole ? NATIVE_I64 : NATIVE_F64](
        outer->operands[1].data + at->offsets[1], outer->operands[1].strides[outer->ndim - 1],
        &totals, count);
}

/* Each result is the sum of a short dense row of float, which double holds without keeping errors: going through the row costs
 * more than adding. */
static void sum_short_rows(const work *w, const native_cursor *at, int64_t count)
{
    const native_iter *outer = &w->r.outer;
    const char *row = outer->operands[0].data + at->offsets[0];
    const int64_t stride = outer->operands[0].strides[outer->ndim - 1];
    double totals[NATIVE_CHUNK];
    for (int64_t i = 0; i < count; i++)
        totals[i] = w->rows->sum_short(row + i * stride, w->r.inner.count);
    for (int64_t i = 0; w->op == OP_MEAN && i < count; i++)
        totals[i] /= (double)w->r.inner.count;
    w->env->loops->store[w->out][NATIVE_F64](outer->operands[1].data + at->offsets[1],
                                             outer->operands[1].strides[outer->ndim - 1], totals,
                                             count);
}

static bool has_short_rows(const work *w)
{
    const native_iter *inner = &w->r.inner;
    return (w->op == OP_SUM || w->op == OP_MEAN) && w->r.cls == NATIVE_F32 && !w->r.reverse_walk &&
           inner->ndim == 1 && inner->count <= SHORT_ROW && w->r.outer.ndim > 0 &&
           native_iter_is_dense(inner, 0, native_class_dtype(w->r.cls));
}

static void sum_rows_range(void *ctx, int64_t begin, int64_t end)
{
    const work *w = ctx;
    const native_iter *outer = &w->r.outer;
    native_cursor cursor;
    native_cursor_seek(&cursor, outer, begin);
    for (int64_t at = begin; at < end;) {
        const int64_t left = outer->sizes[outer->ndim - 1] - cursor.index[outer->ndim - 1];
        int64_t count = end - at < NATIVE_CHUNK ? end - at : NATIVE_CHUNK;
        count = left < count ? left : count;
        if (w->rows != NULL)
            sum_short_rows(w, &cursor, count);
        else
            sum_rows(w, &cursor, count);
        native_cursor_advance(&cursor, count);
        at += count;
    }
}

/* ---- kernels ---- */

static native_class class_for(operation op, const ob_tensor *in, const ob_tensor *out)
{
    switch (op) {
    case OP_SUM:
    case OP_MEAN:
    case OP_PROD:
        return native_class_of(out->dtype);
    case OP_NORM:
    case OP_LOGSUMEXP:
        return in->dtype == OB_DTYPE_F64 || out->dtype == OB_DTYPE_F64 ? NATIVE_F64 : NATIVE_F32;
    default:
        return native_class_of(in->dtype);
    }
}

static double correction_of(const ob_kit_call *call)
{
    if (ob_kit_arg(call, "correction") != NULL)
        return (double)ob_kit_arg_int(call, "correction", 1);
    return ob_kit_arg_bool(call, "unbiased", true) ? 1 : 0;
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *in = ob_kit_arg_tensor(call, "self"), *out = ob_kit_output(call, 0);
    const ob_tensor *outs[] = {out, ob_kit_output(call, 1)};
    const operation op = (operation)call->kernel->variant;
    const char *order = ob_kit_arg(call, "ord") != NULL ? "ord" : "p";
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(work), &state, err));
    work *w = state;
    const native_class cls = class_for(op, in, out);
    w->env = call->env;
    w->op = op;
    w->out = out->dtype;
    w->whole = cls == NATIVE_I32 || cls == NATIVE_I64;
    w->power = ob_kit_arg_double(call, order, 2);
    w->correction = correction_of(call);
    native_reduction_init(&w->r, in, native_reduced_dims(call, "dim", in->ndim), outs,
                          op == OP_VAR_MEAN ? 2 : 1, cls, false);
    w->rows = has_short_rows(w) ? native_rows_of(call->env, cls) : NULL;
    return OB_OK;
}

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    const work *w = call->state;
    (void)err;
    if (w->rows != NULL || (w->r.reverse_walk && (w->op == OP_SUM || w->op == OP_MEAN))) {
        const int64_t rows = w->r.inner.count > 0 ? w->r.inner.count : 1;
        native_parallel(call->env, w->r.outer.count, 1 + 32768 / rows, sum_rows_range, call->state);
    } else {
        native_reduction_run(call->env, &w->r, reduce_one, call->state);
    }
    return OB_OK;
}

/* ---- the norm of each tensor of a list ---- */

typedef struct list_work {
    size_t count;
    work items[];
} list_work;

static ob_status setup_list(ob_kit_call *call, ob_err *err)
{
    const ob_value *self = ob_kit_arg(call, "self");
    const size_t count = self->as.list.count;
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(list_work) + count * sizeof(work), &state, err));
    list_work *list = state;
    list->count = count;
    for (size_t i = 0; i < count; i++) {
        const ob_tensor *in = self->as.list.items[i].as.tensor;
        const ob_tensor *out = call->outputs[0].as.list.items[i].as.tensor;
        const ob_tensor *outs[] = {out};
        list->items[i] = (work){.env = call->env,
                                .op = OP_NORM,
                                .out = out->dtype,
                                .power = ob_kit_arg_double(call, "ord", 2)};
        native_reduction_init(&list->items[i].r, in, UINT32_MAX, outs, 1,
                              class_for(OP_NORM, in, out), false);
    }
    return OB_OK;
}

static ob_status run_list(const ob_kit_call *call, ob_err *err)
{
    list_work *list = call->state;
    (void)err;
    for (size_t i = 0; i < list->count; i++)
        native_reduction_run(call->env, &list->items[i].r, reduce_one, &list->items[i]);
    return OB_OK;
}

#define REDUCE(op, types, word)                                                                    \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_##types, .setup = setup, .run = run, .variant = OP_##word   \
    }

const ob_kit_kernel native_kernels_reduction[] = {
    REDUCE("aten::sum", REALS, SUM),
    REDUCE("aten::sum.dim_IntList", REALS, SUM),
    REDUCE("aten::mean", REALS, MEAN),
    REDUCE("aten::mean.dim", REALS, MEAN),
    REDUCE("aten::prod", REALS, PROD),
    REDUCE("aten::prod.dim_int", REALS, PROD),
    REDUCE("aten::max", REALS, MAX),
    REDUCE("aten::min", REALS, MIN),
    REDUCE("aten::amax", REALS, MAX),
    REDUCE("aten::amin", REALS, MIN),
    REDUCE("aten::any", REALS, ANY),
    REDUCE("aten::any.dim", REALS, ANY),
    REDUCE("aten::all", REALS, ALL),
    REDUCE("aten::all.dim", REALS, ALL),
    REDUCE("aten::var", FLOATS, VAR),
    REDUCE("aten::var.dim", FLOATS, VAR),
    REDUCE("aten::var.correction", FLOATS, VAR),
    REDUCE("aten::std", FLOATS, STD),
    REDUCE("aten::std.dim", FLOATS, STD),
    REDUCE("aten::std.correction", FLOATS, STD),
    REDUCE("aten::var_mean", FLOATS, VAR_MEAN),
    REDUCE("aten::var_mean.dim", FLOATS, VAR_MEAN),
    REDUCE("aten::var_mean.correction", FLOATS, VAR_MEAN),
    REDUCE("aten::norm.Scalar", FLOATS, NORM),
    REDUCE("aten::norm.ScalarOpt_dim", FLOATS, NORM),
    REDUCE("aten::norm.ScalarOpt_dtype", FLOATS, NORM),
    REDUCE("aten::norm.ScalarOpt_dim_dtype", FLOATS, NORM),
    REDUCE("aten::linalg_vector_norm", FLOATS, NORM),
    REDUCE("aten::logsumexp", REALS, LOGSUMEXP),
    {.name = "aten::_foreach_norm.Scalar",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_list,
     .run = run_list},
    {.name = NULL},
};
