/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of products, and the matrix products among them.
 */
#include "reference_product.h"

#include "reference_formula.h"

#include <stdlib.h>
#include <string.h>

/* ---- a row or a column as numbers ---- */

typedef struct line {
    int64_t *offsets;
    double *values;
    double *bounds; /* NULL = exact */
    int64_t *wholes;
    bool *there;
    bool full; /* no element is missing */
} line;

static bool line_make(line *l, int64_t length, const ref_tensor *of, bool whole)
{
    const size_t room = (size_t)length + 1;
    const bool inexact = of->store->bounds != NULL && !whole;
    *l = (line){.offsets = malloc(room * sizeof *l->offsets),
                .values = whole ? NULL : malloc(room * sizeof *l->values),
                .bounds = inexact ? malloc(room * sizeof *l->bounds) : NULL,
                .wholes = whole ? malloc(room * sizeof *l->wholes) : NULL,
                .there = malloc(room * sizeof *l->there)};
    return l->offsets != NULL && l->there != NULL && (l->values != NULL || l->wholes != NULL) &&
           (l->bounds != NULL || !inexact);
}

static void line_free(line *l)
{
    free(l->offsets);
    free(l->values);
    free(l->bounds);
    free(l->wholes);
    free(l->there);
}

static void line_read(line *l, const ref_tensor *of, int64_t length)
{
    l->full = true;
    for (int64_t k = 0; k < length; k++) {
        const int64_t at = l->offsets[k];
        l->there[k] = at >= 0;
        l->full = l->full && at >= 0;
        if (l->wholes != NULL) {
            l->wholes[k] = at >= 0 ? ref_get_whole(of, at) : 0;
            continue;
        }
        const ball x = at >= 0 ? ref_get(of, at) : ball_of(0);
        l->values[k] = x.v;
        if (l->bounds != NULL)
            l->bounds[k] = x.e;
    }
}

/* ---- sums ---- */

static int64_t whole_dot(const line *a, const line *b, int64_t length)
{
    uint64_t sum = 0;
    for (int64_t k = 0; k < length; k++)
        sum += (uint64_t)a->wholes[k] * (uint64_t)b->wholes[k];
    return (int64_t)sum;
}

static int64_t terms(const line *a, const line *b, int64_t length)
{
    int64_t count = 0;
    if (a->full && b->full)
        return length;
    for (int64_t k = 0; k < length; k++)
        count += a->there[k] && b->there[k];
    return count;
}

enum { LANES = 4 }; /* so that the additions do not wait for each other */

static ball dot(const ball_rules *r, const line *a, const line *b, int64_t length)
{
    double v[LANES] = {0}, magnitude[LANES] = {0}, square[LANES] = {0};
    ball_sum s = {.count = terms(a, b, length)};
    int64_t k = 0;
    for (; k + LANES <= length; k += LANES)
        for (int i = 0; i < LANES; i++) {
            const double x = a->values[k + i] * b->values[k + i];
            v[i] += x;
            magnitude[i] += fabs(x);
            square[i] += x * x;
        }
    for (; k < length; k++) {
        const double x = a->values[k] * b->values[k];
        v[0] += x;
        magnitude[0] += fabs(x);
        square[0] += x * x;
    }
    for (int i = 0; i < LANES; i++) {
        s.sum += v[i];
        s.magnitude += magnitude[i];
        s.square += square[i];
    }
    for (k = 0; (a->bounds != NULL || b->bounds != NULL) && k < length; k++) {
        const double ea = a->bounds != NULL ? a->bounds[k] : 0;
        const double eb = b->bounds != NULL ? b->bounds[k] : 0;
        const double e = ball_times(a->values[k], eb) + ball_times(b->values[k], ea) + ea * eb;
        s.error += e;
        s.error_square += e * e;
    }
    ball sum = ball_sum_end(r, &s);
    if (s.count == 1)
        sum.e += (r->u + r->half) * s.magnitude;
    return sum;
}

/* ---- one output ---- */

typedef struct work {
    ref_call *call;
    ref_out *out;
    const ref_product *p;
    ref_tensor plus; /* broadcast to the output */
    bool whole;
    line row;
} work;

static void put(const work *w, int64_t place, const line *column)
{
    const ref_product *p = w->p;
    const ball_rules *r = &w->call->rules;
    const int64_t at = p->plus != NULL ? ref_offset(&w->plus, place) : 0;
    if (w->whole) {
        uint64_t sum = (uint64_t)whole_dot(&w->row, column, p->length) * (uint64_t)p->whole_alpha;
        if (p->plus != NULL && p->whole_beta != 0)
            sum += (uint64_t)p->whole_beta * (uint64_t)ref_get_whole(p->plus, at);
        ref_put_whole(w->out, place, (int64_t)sum, false);
        return;
    }
    ball sum = dot(r, &w->row, column, p->length);
    if (p->scaled)
        sum = MUL(p->alpha, sum);
    /* beta 0 leaves out what would be added, whatever it is. */
    if (p->plus != NULL && p->beta.v != 0) {
        const ball added = ref_get(p->plus, at);
        sum = ADD(sum, p->beta.v == 1 ? added : MUL(p->beta, added));
    }
    ref_put(w->call, w->out, place, sum);
}

static void load_row(work *w, int64_t block, int64_t row)
{
    w->p->row(w->p, block, row, w->row.offsets);
    line_read(&w->row, w->p->a, w->p->length);
}

static void load_column(const work *w, int64_t block, int64_t column, line *to)
{
    w->p->column(w->p, block, column, to->offsets);
    line_read(to, w->p->b, w->p->length);
}

/* Some columns at a time, each read once, and all rows with them. */
static ob_status run_all(work *w, ob_err *err)
{
    static const int64_t MOST_HELD = INT64_C(1) << 22; /* numbers */
    const ref_product *p = w->p;
    const int64_t fit = p->length > 0 ? MOST_HELD / p->length + 1 : p->columns;
    const int64_t at_once = fit < p->columns ? fit : p->columns;
    line *columns = calloc((size_t)at_once + 1, sizeof *columns);
    bool made = columns != NULL;
    for (int64_t j = 0; made && j < at_once; j++)
        made = line_make(&columns[j], p->length, p->b, w->whole);
    for (int64_t block = 0; made && block < p->blocks; block++)
        for (int64_t from = 0; from < p->columns; from += at_once) {
            const int64_t count = p->columns - from < at_once ? p->columns - from : at_once;
            for (int64_t j = 0; j < count; j++)
                load_column(w, block, from + j, &columns[j]);
            for (int64_t i = 0; i < p->rows; i++) {
                load_row(w, block, i);
                for (int64_t j = 0; j < count; j++)
                    put(w, p->place(p, block, i, from + j), &columns[j]);
            }
        }
    for (int64_t j = 0; columns != NULL && j < at_once; j++)
        line_free(&columns[j]);
    free(columns);
    return made ? OB_OK : ref_no_memory(w->call, err);
}

static ob_status run_some(work *w, const int64_t *chosen, int64_t count, ob_err *err)
{
    line column;
    int64_t last[2] = {-1, -1};
    const bool made = line_make(&column, w->p->length, w->p->b, w->whole);
    for (int64_t i = 0; made && i < count; i++) {
        int64_t block, row, j;
        w->p->find(w->p, chosen[i], &block, &row, &j);
        if (block != last[0] || row != last[1])
            load_row(w, block, row);
        last[0] = block;
        last[1] = row;
        load_column(w, block, j, &column);
        put(w, chosen[i], &column);
    }
    line_free(&column);
    return made ? OB_OK : ref_no_memory(w->call, err);
}

/* A tensor as if it had the output's sizes. */
static ref_tensor broadcast(const ref_tensor *t, const ref_tensor *to)
{
    ref_tensor wide = *t;
    wide.ndim = to->ndim;
    for (int d = 0; d < to->ndim; d++) {
        const int from = d - (to->ndim - t->ndim);
        wide.sizes[d] = to->sizes[d];
        wide.strides[d] = from >= 0 && t->sizes[from] > 1 ? t->strides[from] : 0;
    }
    return wide;
}

ob_status ref_product_run(ref_call *call, ref_out *out, const ref_product *p, ob_err *err)
{
    work w = {.call = call, .out = out, .p = p, .whole = ref_is_whole(out->t.dtype)};
    int64_t *chosen, count;
    /* All elements share the reading of rows and columns; single ones read both for themselves. */
    const double whole = (double)p->length * 2 + 20;
    const double single = (double)p->length * 12 + 20;
    const bool all = !call->may_sample || (double)ref_numel(&out->t) * whole <= call->steps;
    if (ref_is_complex(out->t.dtype) || ref_is_complex(p->a->dtype))
        return ref_unsupported(call, "on complex numbers", err);
    OB_TRY(ref_choose_elements(call, out, all ? whole : single, &chosen, &count, err));
    if (p->plus != NULL)
        w.plus = broadcast(p->plus, &out->t);
    ob_status status =
        line_make(&w.row, p->length, p->a, w.whole) ? OB_OK : ref_no_memory(call, err);
    if (status == OB_OK && ref_numel(&out->t) > 0)
        status = chosen == NULL ? run_all(&w, err) : run_some(&w, chosen, count, err);
    line_free(&w.row);
    free(chosen);
    return status;
}

/* ---- matrix products ---- */

/* Strides of batch, row or column, and k; where the sum is over batches too, k counts those as well. */
typedef struct matrix {
    int64_t batch, line, k, offset;
} matrix;

typedef struct matrices {
    matrix a, b;
    int64_t batches, inner; /* summed over batches: that many, of `inner` each */
} matrices;

static void fill(const matrix *m, int64_t block, int64_t index, const matrices *all, int64_t *to)
{
    for (int64_t batch = 0; batch < all->batches; batch++)
        for (int64_t k = 0; k < all->inner; k++)
            to[batch * all->inner + k] =
                m->offset + (block + batch) * m->batch + index * m->line + k * m->k;
}

static void matrix_row(const ref_product *p, int64_t block, int64_t row, int64_t *offsets)
{
    const matrices *m = p->data;
    fill(&m->a, block, row, m, offsets);
}

static void matrix_column(const ref_product *p, int64_t block, int64_t column, int64_t *offsets)
{
    const matrices *m = p->data;
    fill(&m->b, block, column, m, offsets);
}

static int64_t matrix_place(const ref_product *p, int64_t block, int64_t row, int64_t column)
{
    return (block * p->rows + row) * p->columns + column;
}

static void matrix_find(const ref_product *p, int64_t place, int64_t *block, int64_t *row,
                        int64_t *column)
{
    *column = place % p->columns;
    *row = place / p->columns % p->rows;
    *block = place / p->columns / p->rows;
}

/* The names of what is added and multiplied, in the operators' schemas. */
typedef struct names {
    const char *plus, *a, *b;
} names;

/* a: [batch,] rows, k, or k alone; b: [batch,] k, columns, or k alone. A product of no sum has k = 1. */
static void take_shapes(const ref_tensor *a, const ref_tensor *b, bool outer, ref_product *p,
                        matrices *m)
{
    const int na = a->ndim, nb = b->ndim;
    p->blocks = na == 3 ? a->sizes[0] : 1;
    p->rows = outer ? a->sizes[0] : na >= 2 ? a->sizes[na - 2] : 1;
    p->columns = outer ? b->sizes[0] : nb >= 2 ? b->sizes[nb - 1] : 1;
    p->length = outer ? 1 : na >= 1 ? a->sizes[na - 1] : 1;
    *m = (matrices){.batches = 1, .inner = p->length};
    m->a = (matrix){.batch = na == 3 ? a->strides[0] : 0,
                    .line = outer     ? a->strides[0]
                            : na >= 2 ? a->strides[na - 2]
                                      : 0,
                    .k = outer || na == 0 ? 0 : a->strides[na - 1],
                    .offset = a->offset};
    m->b = (matrix){.batch = nb == 3 ? b->strides[0] : 0,
                    .line = outer     ? b->strides[0]
                            : nb >= 2 ? b->strides[nb - 1]
                                      : 0,
                    .k = outer || nb == 0 ? 0
                         : nb >= 2        ? b->strides[nb - 2]
                                          : b->strides[0],
                    .offset = b->offset};
}

enum { PLAIN, OUTER, OVER_BATCHES };

static ob_status run_matrix(ref_call *call, ob_err *err)
{
    const names *n = call->data;
    matrices m;
    ref_product p = {.a = ref_arg(call, n->a),
                     .b = ref_arg(call, n->b),
                     .row = matrix_row,
                     .column = matrix_column,
                     .place = matrix_place,
                     .find = matrix_find,
                     .alpha = ref_arg_number(call, "alpha", 1),
                     .beta = ref_arg_number(call, "beta", 1),
                     .whole_alpha = ob_kit_arg_int(&call->kit, "alpha", 1),
                     .whole_beta = ob_kit_arg_int(&call->kit, "beta", 1),
                     .plus = n->plus != NULL ? ref_arg(call, n->plus) : NULL,
                     .data = &m};
    p.scaled = p.alpha.v != 1;
    take_shapes(p.a, p.b, call->variant == OUTER, &p, &m);
    if (call->variant == OVER_BATCHES) {
        m.batches = p.blocks;
        p.length *= p.blocks;
        p.blocks = 1;
    }
    return ref_product_run(call, call->outs, &p, err);
}

#define MATRIX(op, how, added, first, second)                                                      \
    {                                                                                              \
        .name = "aten::" #op, .run = run_matrix, .variant = (how), .data = &(const names)          \
        {                                                                                          \
            .plus = (added), .a = (first), .b = (second)                                           \
        }                                                                                          \
    }

const ref_row ref_rows_product[] = {
    MATRIX(mm, PLAIN, NULL, "self", "mat2"),
    MATRIX(bmm, PLAIN, NULL, "self", "mat2"),
    MATRIX(addmm, PLAIN, "self", "mat1", "mat2"),
    MATRIX(baddbmm, PLAIN, "self", "batch1", "batch2"),
    MATRIX(addbmm, OVER_BATCHES, "self", "batch1", "batch2"),
    MATRIX(mv, PLAIN, NULL, "self", "vec"),
    MATRIX(addmv, PLAIN, "self", "mat", "vec"),
    MATRIX(dot, PLAIN, NULL, "self", "tensor"),
    MATRIX(outer, OUTER, NULL, "self", "vec2"),
    MATRIX(addr, OUTER, "self", "vec1", "vec2"),
    {.name = NULL},
};
