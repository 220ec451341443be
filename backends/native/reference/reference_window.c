/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools and their backwards, by planes: the last two or three dimensions of a tensor, of which each has its own
 * windows. Nearest neighbours are windows of one element.
 */
#include "reference_formula.h"
#include "reference_slice.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SPACE = 3 };
enum { MAX, AVERAGE, ADAPTIVE = 2, ADAPTIVE_MAX = ADAPTIVE + MAX, ADAPTIVE_AVERAGE, NEAREST = 8 };

typedef struct window {
    int space, kind;
    int64_t in[MOST_SPACE], out[MOST_SPACE], in_count, out_count, planes;
    int64_t kernel[MOST_SPACE], stride[MOST_SPACE], padding[MOST_SPACE], dilation[MOST_SPACE];
    bool include_padding;
    int64_t divisor;          /* 0 = what the window has */
    double scale[MOST_SPACE]; /* of nearest: given ones; 0 = by the sizes */
} window;

/* The elements of one window: numbers within the plane. */
typedef struct view {
    int64_t first[MOST_SPACE], end[MOST_SPACE], step[MOST_SPACE];
    int64_t index[MOST_SPACE];
    int64_t number; /* of the present element */
    double divisor;
} view;

/* ---- geometry ---- */

static bool is_adaptive(const window *w)
{
    return (w->kind & ADAPTIVE) != 0;
}

/* As PyTorch computes it, in float. */
static int64_t nearest(const window *w, int d, int64_t out)
{
    const float scale =
        w->scale[d] > 0 ? (float)(1 / w->scale[d]) : (float)w->in[d] / (float)w->out[d];
    const int64_t at = (int64_t)floorf((float)out * scale);
    return at < w->in[d] - 1 ? at : w->in[d] - 1;
}

static void set_range(const window *w, int d, int64_t out, view *v)
{
    if (w->kind == NEAREST) {
        v->first[d] = nearest(w, d, out);
        v->end[d] = v->first[d] + 1;
        v->step[d] = 1;
    } else if (is_adaptive(w)) {
        v->first[d] = out * w->in[d] / w->out[d];
        v->end[d] = ((out + 1) * w->in[d] + w->out[d] - 1) / w->out[d];
        v->step[d] = 1;
        v->divisor *= (double)(v->end[d] - v->first[d]);
    } else {
        int64_t first = out * w->stride[d] - w->padding[d];
        const int64_t end = first + (w->kernel[d] - 1) * w->dilation[d] + 1;
        const int64_t padded = end < w->in[d] + w->padding[d] ? end : w->in[d] + w->padding[d];
        const int64_t with_padding = padded - first;
        v->step[d] = w->dilation[d];
        while (first < 0)
            first += w->dilation[d];
        v->first[d] = first;
        v->end[d] = end < w->in[d] ? end : w->in[d];
        v->divisor *= (double)(w->include_padding ? with_padding : v->end[d] - first);
    }
}

/* False: the window has no elements. */
static bool view_start(const window *w, int64_t out, view *v)
{
    bool any = true;
    *v = (view){.divisor = 1};
    for (int d = w->space - 1; d >= 0; d--) {
        if (w->out[d] <= 0)
            return false;
        set_range(w, d, out % w->out[d], v);
        out /= w->out[d];
        v->index[d] = v->first[d];
        any = any && v->first[d] < v->end[d];
    }
    for (int d = 0; d < w->space; d++)
        v->number = v->number * w->in[d] + v->index[d];
    if (w->divisor != 0)
        v->divisor = (double)w->divisor;
    return any;
}

static bool view_next(const window *w, view *v)
{
    for (int d = w->space - 1; d >= 0; d--) {
        v->index[d] += v->step[d];
        if (v->index[d] < v->end[d]) {
            v->number = 0;
            for (int i = 0; i < w->space; i++)
                v->number = v->number * w->in[i] + v->index[i];
            return true;
        }
        v->index[d] = v->first[d];
    }
    return false;
}

/* ---- the call ---- */

static void take_ints(const ref_call *call, const char *name, const window *w, int64_t otherwise,
                      int64_t *to)
{
    int64_t given[OB_MAX_DIMS];
    const size_t count = ob_kit_arg_ints(&call->kit, name, given, OB_MAX_DIMS);
    for (int d = 0; d < w->space; d++)
        to[d] = count == 0 ? otherwise : given[count > 1 ? d : 0];
}

static void take(const ref_call *call, const ref_tensor *in, const ref_tensor *out, window *w)
{
    const int64_t override = ob_kit_arg_int(&call->kit, "divisor_override", 0);
    *w = (window){.kind = call->variant & 15,
                  .space = call->variant >> 4,
                  .in_count = 1,
                  .out_count = 1,
                  .planes = 1,
                  .include_padding = ob_kit_arg_bool(&call->kit, "count_include_pad", true),
                  .divisor = override,
                  .scale = {ob_kit_arg_double(&call->kit, "scales_h", 0),
                            ob_kit_arg_double(&call->kit, "scales_w", 0)}};
    for (int d = 0; d < w->space; d++) {
        w->in[d] = in->sizes[in->ndim - w->space + d];
        w->out[d] = out->sizes[out->ndim - w->space + d];
        w->in_count *= w->in[d];
        w->out_count *= w->out[d];
    }
    for (int d = 0; d < in->ndim - w->space; d++)
        w->planes *= in->sizes[d];
    take_ints(call, "kernel_size", w, 1, w->kernel);
    take_ints(call, "stride", w, 0, w->stride);
    take_ints(call, "padding", w, 0, w->padding);
    take_ints(call, "dilation", w, 1, w->dilation);
    for (int d = 0; d < w->space; d++)
        w->stride[d] = w->stride[d] > 0 ? w->stride[d] : w->kernel[d];
}

static ball plane_get(const window *w, const ref_tensor *t, int64_t plane, int64_t number)
{
    return ref_get(t, ref_offset(t, plane * w->in_count + number));
}

/* How many elements the windows of a plane have together, about. */
static double plane_cost(const window *w)
{
    double per = 1;
    for (int d = 0; d < w->space; d++)
        per *= is_adaptive(w) ? 1 + (double)w->in[d] / (double)(w->out[d] > 0 ? w->out[d] : 1)
                              : (double)w->kernel[d];
    return (double)w->out_count * (per * 25 + 20);
}

/* ---- forward ---- */

/* The first that has the largest value; doubtful: another may have it. */
static int64_t find_largest(const window *w, const ref_tensor *x, int64_t plane, view *v,
                            bool *doubtful)
{
    ball most = plane_get(w, x, plane, v->number);
    int64_t at = v->number;
    *doubtful = false;
    while (view_next(w, v)) {
        const ball next = plane_get(w, x, plane, v->number);
        const double gap = next.v - most.v;
        const bool near = fabs(gap) <= next.e + most.e || (isnan(next.v) && isnan(most.v));
        const bool more = gap > 0 || (isnan(next.v) && !isnan(most.v));
        *doubtful = near || (*doubtful && !more);
        if (more) {
            most = next;
            at = v->number;
        }
    }
    return at;
}

static void forward_plane(ref_call *call, const window *w, const ref_tensor *x, int64_t plane)
{
    const ball_rules *r = &call->rules;
    for (int64_t o = 0; o < w->out_count; o++) {
        const int64_t place = plane * w->out_count + o;
        view v;
        bool doubtful;
        ball_sum sum = {.count = 0};
        const bool any = view_start(w, o, &v);
        if (w->kind == MAX || w->kind == ADAPTIVE_MAX || w->kind == NEAREST) {
            const int64_t at = find_largest(w, x, plane, &v, &doubtful);
            ref_put_copy(call, &call->outs[0], place, x, ref_offset(x, plane * w->in_count + at));
            if (call->out_count > 1)
                ref_put_whole(&call->outs[1], place, at, doubtful);
            continue;
        }
        if (any)
            do
                ball_sum_add(&sum, plane_get(w, x, plane, v.number));
            while (view_next(w, &v));
        /* Integers are divided as such: nothing is rounded before. */
        const bool whole = ref_is_whole(call->outs->t.dtype);
        ref_put(call, call->outs, place,
                whole ? ball_of(sum.sum / v.divisor)
                      : DIV(ball_sum_end(r, &sum), ball_of(v.divisor)));
    }
}

/* The number that was given must be of an element of the window that has the largest value. */
static bool judge_pool(const ref_judge *j, const ref_tensor *got, ob_reason *why)
{
    const window *w = j->data;
    const ref_store *wanted = j->values.store;
    const int64_t count = wanted->places != NULL ? wanted->place_count : ref_numel(&j->values);
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = wanted->places != NULL ? wanted->places[i] : i;
        const int64_t at = wanted->places != NULL ? i : ref_offset(&j->values, place);
        const int64_t index = ref_get_whole(got, ref_offset(got, place));
        const ball want = ref_get(&j->values, at);
        view v;
        bool right = false;
        for (bool more = view_start(w, place % w->out_count, &v); more && !right;
             more = view_next(w, &v)) {
            const ball x = plane_get(w, &j->of, place / w->out_count, v.number);
            right = v.number == index && ((isnan(x.v) && isnan(want.v)) || x.v == want.v ||
                                          fabs(x.v - want.v) <= x.e + want.e);
        }
        if (right)
            continue;
        snprintf(why->text, sizeof why->text,
                 "element %lld is %lld, which is not where its window is largest", (long long)place,
                 (long long)index);
        return false;
    }
    return true;
}

static ob_status run_forward(ref_call *call, ob_err *err)
{
    const ref_tensor *x = ref_arg(call, "self");
    window w;
    int64_t *chosen, count;
    take(call, x, &call->outs[0].t, &w);
    if (ref_is_complex(x->dtype) && w.kind != NEAREST)
        return ref_unsupported(call, "on complex numbers", err);
    OB_TRY(
        ref_choose(call, call->outs, w.planes, w.out_count, plane_cost(&w), &chosen, &count, err));
    if (call->out_count > 1) {
        const ref_judge judge = {.fn = judge_pool, .of = *x, .values = call->outs[0].t};
        ob_status status =
            ref_out_make(call, &call->outs[1], count * w.out_count, chosen != NULL, err);
        if (status == OB_OK)
            status = ref_out_judge(call, &call->outs[1], &judge, &w, sizeof w, err);
        if (status != OB_OK) {
            free(chosen);
            return status;
        }
    }
    for (int64_t i = 0; i < count; i++)
        forward_plane(call, &w, x, chosen != NULL ? chosen[i] : i);
    free(chosen);
    return OB_OK;
}

/* ---- backward ---- */

typedef struct backward {
    window w;
    const ref_tensor *grad, *self, *indices;
    ball_sum *sums; /* one per element of a plane */
} backward;

/* A place in doubt: every element that may be the largest may have got the gradient. */
static void spread_doubt(const backward *b, int64_t plane, int64_t o, ball g, int64_t chosen)
{
    view v;
    const ball most = plane_get(&b->w, b->self, plane, chosen);
    for (bool more = view_start(&b->w, o, &v); more; more = view_next(&b->w, &v)) {
        const ball x = plane_get(&b->w, b->self, plane, v.number);
        if (fabs(x.v - most.v) <= x.e + most.e)
            ball_sum_add(&b->sums[v.number], (ball){0, fabs(g.v) + g.e});
    }
}

static void spread_gradient(const ref_call *call, const backward *b, int64_t plane, int64_t o)
{
    const ball_rules *r = &call->rules;
    const int64_t place = plane * b->w.out_count + o;
    const ball g = ref_get(b->grad, ref_offset(b->grad, place));
    view v;
    if (b->indices != NULL) {
        const int64_t offset = ref_offset(b->indices, place);
        const int64_t at = ref_get_whole(b->indices, offset);
        if (at < 0 || at >= b->w.in_count)
            return;
        ball_sum_add(&b->sums[at], g);
        if (ref_is_doubtful(b->indices, offset))
            spread_doubt(b, plane, o, g, at);
        return;
    }
    for (bool more = view_start(&b->w, o, &v); more; more = view_next(&b->w, &v))
        ball_sum_add(&b->sums[v.number], b->w.kind == NEAREST ? g : DIV(g, ball_of(v.divisor)));
}

static ob_status run_backward(ref_call *call, ob_err *err)
{
    backward b = {.grad = ref_arg(call, "grad_output"),
                  .self = ref_arg(call, "self"),
                  .indices = ref_arg(call, "indices")};
    int64_t *chosen, count;
    take(call, &call->outs[0].t, b.grad, &b.w);
    OB_TRY(ref_choose(call, call->outs, b.w.planes, b.w.in_count,
                      plane_cost(&b.w) + 20 * (double)b.w.in_count, &chosen, &count, err));
    b.sums = calloc((size_t)b.w.in_count + 1, sizeof *b.sums);
    for (int64_t i = 0; b.sums != NULL && i < count; i++) {
        const int64_t plane = chosen != NULL ? chosen[i] : i;
        for (int64_t k = 0; k < b.w.in_count; k++)
            b.sums[k] = (ball_sum){.count = 0};
        for (int64_t o = 0; o < b.w.out_count; o++)
            spread_gradient(call, &b, plane, o);
        for (int64_t k = 0; k < b.w.in_count; k++)
            ref_put(call, call->outs, plane * b.w.in_count + k,
                    ball_sum_end(&call->rules, &b.sums[k]));
    }
    const bool made = b.sums != NULL;
    free(b.sums);
    free(chosen);
    return made ? OB_OK : ref_no_memory(call, err);
}

#define POOL(op, which, dims)                                                                      \
    {.name = "aten::" op, .run = run_forward, .variant = (which) | (dims) << 4},                   \
    {                                                                                              \
        .name = "aten::" op "_backward", .run = run_backward, .variant = (which) | (dims) << 4     \
    }

const ref_row ref_rows_window[] = {
    POOL("max_pool2d_with_indices", MAX, 2),
    POOL("max_pool3d_with_indices", MAX, 3),
    POOL("avg_pool2d", AVERAGE, 2),
    POOL("avg_pool3d", AVERAGE, 3),
    POOL("_adaptive_avg_pool2d", ADAPTIVE_AVERAGE, 2),
    POOL("_adaptive_avg_pool3d", ADAPTIVE_AVERAGE, 3),
    POOL("adaptive_max_pool2d", ADAPTIVE_MAX, 2),
    POOL("upsample_nearest2d", NEAREST, 2),
    {.name = NULL},
};
