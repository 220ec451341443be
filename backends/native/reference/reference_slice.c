/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices of tensors, and the operators that make one number of each.
 */
#include "reference_slice.h"

#include "reference_formula.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- slices ---- */

static void add_strides(ref_slices *s, const int64_t *strides, int64_t offset)
{
    int64_t kept[OB_MAX_DIMS] = {0}, along[OB_MAX_DIMS] = {0};
    int kept_count = 0, along_count = 0;
    for (int d = 0; d < s->ndim; d++)
        if (s->reduced[d])
            along[along_count++] = strides[d];
        else
            kept[kept_count++] = strides[d];
    ref_walk_add_strides(&s->kept, kept, offset);
    ref_walk_add_strides(&s->along, along, 0);
}

void ref_slices_start(ref_slices *s, const ref_tensor *t, const bool *reduced)
{
    int64_t kept[OB_MAX_DIMS] = {0}, along[OB_MAX_DIMS] = {0}, strides[OB_MAX_DIMS] = {0};
    int kept_count = 0, along_count = 0;
    *s = (ref_slices){.count = 1, .length = 1, .reduced = reduced, .ndim = t->ndim};
    for (int d = 0; d < t->ndim; d++) {
        if (reduced[d])
            s->length *= along[along_count++] = t->sizes[d];
        else
            s->count *= kept[kept_count++] = t->sizes[d];
    }
    ref_walk_start(&s->kept, kept, kept_count);
    ref_walk_start(&s->along, along, along_count);
    int64_t step = 1;
    for (int d = t->ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= t->sizes[d];
    }
    add_strides(s, strides, 0);
    ref_slices_add(s, t);
}

void ref_slices_add(ref_slices *s, const ref_tensor *t)
{
    int64_t strides[OB_MAX_DIMS] = {0};
    for (int d = 0; t != NULL && d < t->ndim; d++)
        strides[s->ndim - t->ndim + d] = t->sizes[d] == 1 ? 0 : t->strides[d];
    add_strides(s, strides, t != NULL ? t->offset : 0);
    s->operands++;
}

void ref_slices_seek(ref_slices *s, int64_t slice, int64_t k)
{
    ref_walk_seek(&s->kept, slice);
    ref_walk_seek(&s->along, k);
    s->place = s->kept.offsets[0] + s->along.offsets[0];
    for (int i = 0; i < s->operands; i++)
        s->offsets[i] = s->kept.offsets[i + 1] + s->along.offsets[i + 1];
}

/* The dimensions that the argument names: none, or no such argument, are all. */
static void find_reduced_dims(const ref_call *call, const char *name, int ndim, bool *reduced)
{
    int64_t dims[OB_MAX_DIMS];
    const ob_value *value = ob_kit_arg(&call->kit, name);
    const size_t count = value != NULL && value->kind != OB_VALUE_NONE
                             ? ob_kit_value_ints(value, dims, OB_MAX_DIMS)
                             : 0;
    for (int d = 0; d < ndim; d++)
        reduced[d] = count == 0;
    for (size_t i = 0; i < count && i < OB_MAX_DIMS && ndim > 0; i++)
        reduced[ob_kit_dim(dims[i], ndim)] = true;
}

/* ---- places ---- */

static bool is_wanted(ball x, ball want)
{
    return (isnan(x.v) && isnan(want.v)) || x.v == want.v || fabs(x.v - want.v) <= x.e + want.e;
}

static bool say(ob_reason *why, int64_t place, int64_t index, const char *what)
{
    snprintf(why->text, sizeof why->text, "element %lld is %lld, %s", (long long)place,
             (long long)index, what);
    return false;
}

/* The offset of the element that number `index` of output `place` means; -1: there is none. */
static int64_t offset_of_place(const ref_judge *j, int64_t place, int64_t index)
{
    const ref_tensor *x = &j->of;
    if (j->dim < 0)
        return index >= 0 && index < ref_numel(x) ? ref_offset(x, index) : -1;
    if (index < 0 || index >= (x->ndim > 0 ? x->sizes[j->dim] : 1))
        return -1;
    /* The output has the dimension too, of `group` elements, or of one. */
    int64_t offset = x->offset;
    for (int d = x->ndim - 1; d >= 0; d--) {
        const int64_t size = d == j->dim ? (j->group > 0 ? j->group : 1) : x->sizes[d];
        offset += (d == j->dim ? index : place % size) * x->strides[d];
        place /= size;
    }
    return offset;
}

bool ref_judge_places(const ref_judge *j, const ref_tensor *got, ob_reason *why)
{
    const ref_store *wanted = j->values.store;
    const int64_t count = wanted->places != NULL ? wanted->place_count : ref_numel(&j->values);
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = wanted->places != NULL ? wanted->places[i] : i;
        const int64_t at = wanted->places != NULL ? i : ref_offset(&j->values, place);
        const int64_t index = ref_get_whole(got, ref_offset(got, place));
        const int64_t offset = offset_of_place(j, place, index);
        if (offset < 0)
            return say(why, place, index, "which is outside the dimension");
        if (!is_wanted(ref_get(&j->of, offset), ref_get(&j->values, at)))
            return say(why, place, index, "which holds a different value than expected");
    }
    return true;
}

/* ---- one number of each slice ---- */

typedef enum reduction {
    SUM,
    MEAN,
    PROD,
    ANY,
    ALL,
    AMAX,
    AMIN,
    ARGMAX,
    ARGMIN,
    VAR,
    STD,
    VAR_MEAN,
    NORM,
    LOGSUMEXP,
} reduction;

typedef struct reducer {
    ref_call *call;
    const ref_tensor *self;
    ref_slices s;
    int64_t slice;
    double cast; /* what the cast to the result's dtype takes away before anything is summed */
    double p;    /* of a norm */
    double correction;
} reducer;

static ball element(reducer *d, int64_t k)
{
    ref_slices_seek(&d->s, d->slice, k);
    ball x = ref_get(d->self, d->s.offsets[0]);
    x.e += d->cast * fabs(x.v);
    return x;
}

static ball sum_by(reducer *d, const ball_rules *rules)
{
    ball_sum sum = {.count = 0};
    for (int64_t k = 0; k < d->s.length; k++)
        ball_sum_add(&sum, element(d, k));
    return ball_sum_end(rules, &sum);
}

static ball sum_of(reducer *d)
{
    return sum_by(d, &d->call->rules);
}

static ball mean_of(reducer *d)
{
    const ball_rules *r = &d->call->rules;
    ball_rules summing = *r;
    /* PyTorch 1.13 sums the sums of several dimensions in bfloat16, and divides what it has rounded to that. */
    if (d->call->computed == OB_DTYPE_BF16)
        summing.half = r->given;
    ball sum = sum_by(d, &summing);
    if (r->given > r->u)
        sum.e += r->given * fabs(sum.v);
    return DIV(sum, ball_of((double)d->s.length));
}

static ball prod_of(reducer *d)
{
    const ball_rules *r = &d->call->rules;
    ball x = ONE;
    for (int64_t k = 0; k < d->s.length; k++)
        x = MUL(x, element(d, k));
    return x;
}

static int64_t whole_of(reducer *d, bool product)
{
    uint64_t x = product;
    for (int64_t k = 0; k < d->s.length; k++) {
        ref_slices_seek(&d->s, d->slice, k);
        const uint64_t y = (uint64_t)ref_get_whole(d->self, d->s.offsets[0]);
        x = product ? x * y : x + y;
    }
    return (int64_t)x;
}

static ball truth_of(reducer *d, bool any)
{
    bool sure = true, is = !any;
    for (int64_t k = 0; k < d->s.length; k++) {
        const ball x = element(d, k);
        sure = sure && (x.e == 0 || fabs(x.v) > x.e);
        is = any ? is || x.v != 0 : is && x.v != 0;
    }
    return ball_truth_value((ball_truth){is, sure});
}

/* The extreme of a slice, the first that has it, and whether another may be it. */
static ball extreme_of(reducer *d, bool largest, int64_t *first, bool *doubtful)
{
    ball most = ball_of(NAN);
    *first = 0;
    *doubtful = false;
    for (int64_t k = 0; k < d->s.length; k++) {
        ball x = element(d, k);
        x.v = largest ? x.v : -x.v;
        const double gap = x.v - most.v;
        const bool near = k > 0 && (fabs(gap) <= x.e + most.e || (isnan(x.v) && isnan(most.v)));
        const bool more = k == 0 || gap > 0 || (isnan(x.v) && !isnan(most.v));
        *doubtful = near || (*doubtful && !more);
        if (more) {
            *first = k;
            most = x;
        }
    }
    return largest ? most : ball_neg(most);
}

/* The mean may be a little off: squares of the differences notice that in its square alone. */
static ball variance_of(reducer *d, ball *mean)
{
    const ball_rules *r = &d->call->rules;
    const double n = (double)d->s.length;
    ball_sum sum = {.count = 0};
    *mean = mean_of(d);
    for (int64_t k = 0; k < d->s.length; k++) {
        const ball x = SUB(element(d, k), ball_of(mean->v));
        ball_sum_add(&sum, MUL(x, x));
    }
    ball total = ball_sum_end(r, &sum);
    total.e += n * mean->e * mean->e;
    const double freedom = n - d->correction;
    return DIV(total, ball_of(freedom > 0 ? freedom : 0));
}

static double power(double x, double p)
{
    return pow(x, p);
}

static ball norm_of(reducer *d)
{
    const ball_rules *r = &d->call->rules;
    ball_sum sum = {.count = 0};
    ball extreme = ball_of(d->p > 0 ? 0 : INFINITY);
    for (int64_t k = 0; k < d->s.length; k++) {
        const ball x = ball_abs(element(d, k));
        if (isinf(d->p)) {
            extreme = d->p > 0 ? ball_max(extreme, x) : ball_min(extreme, x);
            continue;
        }
        const double v = power(x.v, d->p);
        const double steep = x.v > 0 ? fabs(d->p * v / x.v) : 0;
        ball_sum_add(&sum, d->p == 0   ? ball_of(x.v != 0)
                           : d->p == 1 ? x
                           : d->p == 2 ? MUL(x, x)
                                       : (ball){v, 8 * r->u * v + steep * x.e});
    }
    if (isinf(d->p))
        return extreme;
    const ball total = ball_sum_end(r, &sum);
    if (d->p == 0 || d->p == 1)
        return total;
    if (d->p == 2)
        return ball_function_of(r, total, sqrt, 1);
    const double v = power(total.v, 1 / d->p);
    return (ball){v, total.v > 0 ? v * (8 * r->u + total.e / total.v / fabs(d->p)) : total.e};
}

static ball logsumexp_of(reducer *d)
{
    const ball_rules *r = &d->call->rules;
    int64_t first;
    bool doubtful;
    ball most = extreme_of(d, true, &first, &doubtful);
    most.e = 0;
    if (isinf(most.v))
        most.v = 0;
    ball_sum sum = {.count = 0};
    for (int64_t k = 0; k < d->s.length; k++)
        ball_sum_add(&sum, F(exp, SUB(element(d, k), most)));
    return ADD(most, F(log, ball_sum_end(r, &sum)));
}

/* ---- the operators ---- */

static void put_slice(reducer *d, reduction what)
{
    ref_call *call = d->call;
    ref_out *out = call->outs;
    const ball_rules *r = &call->rules;
    const bool whole = ref_is_whole(out->t.dtype) && ref_is_whole(d->self->dtype);
    ball mean;
    switch (what) {
    case SUM:
    case PROD:
        if (whole)
            ref_put_whole(out, d->slice, whole_of(d, what == PROD), false);
        else
            ref_put(call, out, d->slice, what == SUM ? sum_of(d) : prod_of(d));
        return;
    case ANY:
    case ALL:
        ref_put(call, out, d->slice, truth_of(d, what == ANY));
        return;
    case MEAN:
        ref_put(call, out, d->slice, mean_of(d));
        return;
    case VAR:
    case STD:
    case VAR_MEAN: {
        const ball variance = variance_of(d, &mean);
        ref_put(call, out, d->slice,
                what == STD ? ball_function_of(r, variance, sqrt, 1) : variance);
        if (what == VAR_MEAN)
            ref_put(call, &call->outs[1], d->slice, mean);
        return;
    }
    case NORM:
        ref_put(call, out, d->slice, norm_of(d));
        return;
    default:
        ref_put(call, out, d->slice, logsumexp_of(d));
        return;
    }
}

static ob_status start(ref_call *call, reducer *d, bool *reduced)
{
    const char *const power_name = ob_kit_arg(&call->kit, "ord") != NULL ? "ord" : "p";
    const ob_value *correction = ob_kit_arg(&call->kit, "correction");
    d->call = call;
    d->self = ref_arg(call, "self");
    find_reduced_dims(call, "dim", d->self->ndim, reduced);
    ref_slices_start(&d->s, d->self, reduced);
    d->p = ob_kit_arg_double(&call->kit, power_name, 2);
    d->correction = correction != NULL ? (double)ob_kit_value_int(correction, 1)
                                       : (double)ob_kit_arg_int(&call->kit, "unbiased", 1);
    const double unit = ref_unit(call->outs[0].t.dtype);
    d->cast = unit > ref_unit(d->self->dtype) && !ref_is_whole(d->self->dtype) ? unit : 0;
    return OB_OK;
}

static ob_status complex_sum(ref_call *call, reducer *d, ob_err *err)
{
    int64_t *chosen, count;
    OB_TRY(
        ref_choose(call, call->outs, d->s.count, 1, 8 * (double)d->s.length, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        ball_sum re = {.count = 0}, im = {.count = 0};
        d->slice = chosen != NULL ? chosen[i] : i;
        for (int64_t k = 0; k < d->s.length; k++) {
            ball_sum_add(&re, element(d, k));
            ball_sum_add(&im, ref_get_imaginary(d->self, d->s.offsets[0]));
        }
        ref_put_complex(call, call->outs, d->slice, ball_sum_end(&call->rules, &re),
                        ball_sum_end(&call->rules, &im));
    }
    free(chosen);
    return OB_OK;
}

static ob_status reduce(ref_call *call, ob_err *err)
{
    const reduction what = (reduction)call->variant;
    reducer d;
    bool reduced[OB_MAX_DIMS];
    int64_t *chosen, count;
    OB_TRY(start(call, &d, reduced));
    if (ref_is_complex(d.self->dtype)) {
        if (what == SUM)
            return complex_sum(call, &d, err);
        return ref_unsupported(call, "on complex numbers", err);
    }
    const double cost = (what == VAR || what == STD || what == VAR_MEAN || what >= NORM ? 24 : 8) *
                        (double)d.s.length;
    OB_TRY(ref_choose(call, call->outs, d.s.count, 1, cost + 8, &chosen, &count, err));
    if (what == VAR_MEAN)
        OB_TRY(ref_out_make(call, &call->outs[1], count, chosen != NULL, err));
    for (int64_t i = 0; i < count; i++) {
        d.slice = chosen != NULL ? chosen[i] : i;
        put_slice(&d, what);
    }
    free(chosen);
    return OB_OK;
}

/* max, min, argmax and so on: values, places of them, or both. */
static ob_status find_extremes(ref_call *call, ob_err *err)
{
    const reduction what = (reduction)call->variant;
    const bool only_place = what == ARGMAX || what == ARGMIN;
    const bool largest = what == AMAX || what == ARGMAX;
    reducer d;
    bool reduced[OB_MAX_DIMS];
    int64_t *chosen, count;
    OB_TRY(start(call, &d, reduced));
    if (ref_is_complex(d.self->dtype))
        return ref_unsupported(call, "on complex numbers", err);
    d.cast = 0;
    ref_out hidden = {.t = call->outs[0].t};
    hidden.t.dtype = d.self->dtype;
    hidden.t.store = NULL;
    ref_out *values = only_place ? &hidden : &call->outs[0];
    ref_out *places = only_place ? &call->outs[0] : call->out_count > 1 ? &call->outs[1] : NULL;
    OB_TRY(
        ref_choose(call, values, d.s.count, 1, 8 * (double)d.s.length + 8, &chosen, &count, err));
    ob_status status =
        places != NULL ? ref_out_make(call, places, count, chosen != NULL, err) : OB_OK;
    for (int64_t i = 0; status == OB_OK && i < count; i++) {
        int64_t first;
        bool doubtful;
        d.slice = chosen != NULL ? chosen[i] : i;
        const ball most = extreme_of(&d, largest, &first, &doubtful);
        ref_slices_seek(&d.s, d.slice, first);
        if (ref_is_whole(d.self->dtype))
            ref_put_whole(values, d.slice, ref_get_whole(d.self, d.s.offsets[0]), false);
        else
            ref_put(call, values, d.slice, most);
        if (places != NULL)
            ref_put_whole(places, d.slice, first, doubtful);
    }
    if (status == OB_OK && places != NULL) {
        const bool all = ob_kit_arg_is_none(&call->kit, "dim");
        const ref_judge judge = {
            .fn = ref_judge_places,
            .of = *d.self,
            .values = values->t,
            .dim = all ? -1 : ob_kit_dim(ob_kit_arg_int(&call->kit, "dim", 0), d.self->ndim)};
        status = ref_out_judge(call, places, &judge, NULL, 0, err);
    }
    if (only_place)
        ref_tensor_release(&hidden.t);
    free(chosen);
    return status;
}

#define REDUCE(op, what)                                                                           \
    {                                                                                              \
        .name = "aten::" #op, .run = reduce, .variant = (what)                                     \
    }
#define EXTREME(op, what)                                                                          \
    {                                                                                              \
        .name = "aten::" #op, .run = find_extremes, .variant = (what)                              \
    }

const ref_row ref_rows_slice[] = {
    REDUCE(sum, SUM),
    REDUCE(mean, MEAN),
    REDUCE(prod, PROD),
    REDUCE(any, ANY),
    REDUCE(all, ALL),
    REDUCE(var, VAR),
    REDUCE(std, STD),
    REDUCE(var_mean, VAR_MEAN),
    REDUCE(norm, NORM),
    REDUCE(linalg_vector_norm, NORM),
    REDUCE(logsumexp, LOGSUMEXP),
    EXTREME(max, AMAX),
    EXTREME(min, AMIN),
    EXTREME(amax, AMAX),
    EXTREME(amin, AMIN),
    EXTREME(argmax, ARGMAX),
    EXTREME(argmin, ARGMIN),
    {.name = NULL},
};
