/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes along a dimension in order: running sums and products, sorting, searching in what is sorted.
 *
 * Equal values may stand in any order, so the places that a sort gives are judged: each must hold the value that belongs
 * there, and no place twice. A stable sort has one right answer.
 */
#include "reference_formula.h"
#include "reference_slice.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- running sums and products ---- */

enum { CUMSUM, CUMPROD };

static void accumulate_slice(ref_call *call, ref_slices *s, const ref_tensor *x, int64_t slice)
{
    const ball_rules *r = &call->rules;
    const bool product = call->variant == CUMPROD;
    const bool whole = ref_is_whole(call->outs[0].t.dtype) && ref_is_whole(x->dtype);
    ball_sum sum = {.count = 0};
    ball running = ONE;
    uint64_t wholes = product;
    for (int64_t k = 0; k < s->length; k++) {
        ref_slices_seek(s, slice, k);
        if (whole) {
            const uint64_t next = (uint64_t)ref_get_whole(x, s->offsets[0]);
            wholes = product ? wholes * next : wholes + next;
            ref_put_whole(call->outs, s->place, (int64_t)wholes, false);
            continue;
        }
        const ball next = ref_get(x, s->offsets[0]);
        ball_sum_add(&sum, next);
        running = product ? MUL(running, next) : running;
        ref_put(call, call->outs, s->place, product ? running : ball_sum_end(r, &sum));
    }
}

static ob_status accumulate(ref_call *call, ob_err *err)
{
    const ref_tensor *x = ref_arg(call, "self");
    bool reduced[OB_MAX_DIMS] = {false};
    ref_slices s;
    int64_t *chosen, count;
    if (ref_is_complex(x->dtype))
        return ref_unsupported(call, "on complex numbers", err);
    if (x->ndim > 0)
        reduced[ob_kit_dim(ob_kit_arg_int(&call->kit, "dim", 0), x->ndim)] = true;
    ref_slices_start(&s, x, reduced);
    OB_TRY(ref_choose(call, call->outs, s.count, s.length, 30 * (double)s.length, &chosen, &count,
                      err));
    for (int64_t i = 0; i < count; i++)
        accumulate_slice(call, &s, x, chosen != NULL ? chosen[i] : i);
    free(chosen);
    return OB_OK;
}

/* ---- sorting ---- */

typedef struct sorted {
    double value;
    int64_t whole, place, offset;
} sorted;

/* NaN is larger than all. Equal ones keep their order. */
static int rising(const void *a, const void *b)
{
    const sorted *x = a, *y = b;
    if (isnan(x->value) || isnan(y->value))
        return isnan(x->value) && isnan(y->value) ? (x->place > y->place) - (x->place < y->place)
                                                  : isnan(x->value) - isnan(y->value);
    if (x->value != y->value)
        return x->value > y->value ? 1 : -1;
    if (x->whole != y->whole)
        return x->whole > y->whole ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

static int falling(const void *a, const void *b)
{
    const sorted *x = a, *y = b;
    if (isnan(x->value) || isnan(y->value))
        return isnan(x->value) && isnan(y->value) ? (x->place > y->place) - (x->place < y->place)
                                                  : isnan(y->value) - isnan(x->value);
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    if (x->whole != y->whole)
        return x->whole < y->whole ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

typedef struct sorting {
    const ref_tensor *x;
    ref_out *values, *places; /* either may be NULL */
    int dim;
    int64_t kept; /* of each slice */
    bool falls, stable;
    bool loose; /* topk without an order */
    sorted *items;
    int64_t step; /* between neighbours of the dimension in the output, row-major */
} sorting;

/* The row-major place of element k of a slice in the output, whose dimension is shorter than the input's. */
static int64_t place_in_output(const sorting *t, int64_t slice, int64_t k)
{
    return slice / t->step * t->step * t->kept + slice % t->step + k * t->step;
}

static bool is_near(const ref_tensor *x, const sorted *a, const sorted *b)
{
    const double reach = ref_get(x, a->offset).e + ref_get(x, b->offset).e;
    return (a->value == b->value && a->whole == b->whole) || (isnan(a->value) && isnan(b->value)) ||
           fabs(a->value - b->value) <= reach;
}

static void sort_slice(ref_call *call, sorting *t, ref_slices *s, int64_t slice)
{
    const bool whole = ref_is_whole(t->x->dtype);
    for (int64_t k = 0; k < s->length; k++) {
        ref_slices_seek(s, slice, k);
        t->items[k] = (sorted){.value = ref_get(t->x, s->offsets[0]).v,
                               .whole = whole ? ref_get_whole(t->x, s->offsets[0]) : 0,
                               .place = k,
                               .offset = s->offsets[0]};
    }
    qsort(t->items, (size_t)s->length, sizeof *t->items, t->falls ? falling : rising);
    for (int64_t k = 0; k < t->kept; k++) {
        const sorted *item = &t->items[k];
        const int64_t place = place_in_output(t, slice, k);
        const bool tied = !t->stable && ((k > 0 && is_near(t->x, item, item - 1)) ||
                                         (k + 1 < s->length && is_near(t->x, item, item + 1)));
        ref_put_copy(call, t->values, place, t->x, item->offset);
        if (t->places != NULL)
            ref_put_whole(t->places, place, item->place, tied);
    }
}

/* Whether the places of one slice differ. */
static bool all_differ(const ref_judge *j, const ref_tensor *got, int64_t slice, int64_t step,
                       bool *seen, int64_t *twice)
{
    const int64_t length = j->of.ndim > 0 ? j->of.sizes[j->dim] : 1;
    bool differ = true;
    for (int64_t k = 0; k < length; k++)
        seen[k] = false;
    for (int64_t k = 0; k < j->group && differ; k++) {
        const int64_t place = slice / step * step * j->group + slice % step + k * step;
        const int64_t index = ref_get_whole(got, ref_offset(got, place));
        differ = index >= 0 && index < length && !seen[index];
        *twice = index;
        if (differ)
            seen[index] = true;
    }
    return differ;
}

static bool judge_sorted(const ref_judge *j, const ref_tensor *got, ob_reason *why)
{
    if (!ref_judge_places(j, got, why))
        return false;
    const int64_t length = j->of.ndim > 0 ? j->of.sizes[j->dim] : 1;
    const int64_t slices = j->group > 0 ? ref_numel(got) / j->group : 0;
    int64_t step = 1, twice = 0;
    bool differ = true;
    bool *seen = malloc((size_t)length + 1);
    for (int d = j->dim + 1; d < j->of.ndim; d++)
        step *= j->of.sizes[d];
    for (int64_t i = 0; seen != NULL && i < slices && differ; i++)
        differ = all_differ(j, got, i, step, seen, &twice);
    free(seen);
    if (!differ)
        snprintf(why->text, sizeof why->text, "place %lld appears twice, or does not exist",
                 (long long)twice);
    return differ;
}

/* The largest or smallest in any order: sorted, they must be the wanted ones. The places are judged with the values that were
 * given, so they are judged alone: each must be one of the wanted, and none twice. */
static ob_status give_judges(ref_call *call, const sorting *t, ob_err *err)
{
    const ref_judge judge = {
        .fn = judge_sorted, .of = *t->x, .values = t->values->t, .dim = t->dim, .group = t->kept};
    if (t->places == NULL || t->stable)
        return OB_OK;
    return ref_out_judge(call, t->places, &judge, NULL, 0, err);
}

static ob_status run_sort(ref_call *call, sorting *t, ob_err *err)
{
    bool reduced[OB_MAX_DIMS] = {false};
    ref_slices s;
    int64_t *chosen, count;
    if (t->x->ndim > 0)
        reduced[t->dim] = true;
    ref_slices_start(&s, t->x, reduced);
    t->step = 1;
    for (int d = t->dim + 1; d < t->x->ndim; d++)
        t->step *= t->x->sizes[d];
    const double length = (double)s.length;
    OB_TRY(ref_choose(call, t->values, s.count, t->kept, length * (60 + 10 * log2(length + 1)),
                      &chosen, &count, err));
    ob_status status = t->places == NULL
                           ? OB_OK
                           : ref_out_make(call, t->places, count * t->kept, chosen != NULL, err);
    t->items = malloc(((size_t)s.length + 1) * sizeof *t->items);
    if (status == OB_OK && t->items == NULL)
        status = ref_no_memory(call, err);
    for (int64_t i = 0; status == OB_OK && t->items != NULL && i < count; i++)
        sort_slice(call, t, &s, chosen != NULL ? chosen[i] : i);
    if (status == OB_OK)
        status = give_judges(call, t, err);
    free(t->items);
    free(chosen);
    return status;
}

enum { SORT, TOPK, ARGSORT };

static ob_status sort(ref_call *call, ob_err *err)
{
    const bool topk = call->variant == TOPK, only_places = call->variant == ARGSORT;
    const ref_tensor *x = ref_arg(call, "self");
    ref_out hidden = {.t = call->outs[0].t};
    hidden.t.dtype = x->dtype;
    hidden.t.store = NULL;
    sorting t = {.x = x,
                 .values = only_places ? &hidden : &call->outs[0],
                 .places = only_places ? &call->outs[0] : &call->outs[1],
                 .dim = ob_kit_dim(ob_kit_arg_int(&call->kit, "dim", -1), x->ndim),
                 .falls = topk ? ob_kit_arg_bool(&call->kit, "largest", true)
                               : ob_kit_arg_bool(&call->kit, "descending", false),
                 .stable = ob_kit_arg_bool(&call->kit, "stable", false)};
    t.kept = topk ? ob_kit_arg_int(&call->kit, "k", 0) : x->ndim > 0 ? x->sizes[t.dim] : 1;
    if (ref_is_complex(x->dtype) || (topk && !ob_kit_arg_bool(&call->kit, "sorted", true)))
        return ref_unsupported(call, topk ? "that does not sort" : "on complex numbers", err);
    const ob_status status = run_sort(call, &t, err);
    if (only_places)
        ref_tensor_release(&hidden.t);
    return status;
}

/* ---- searching ---- */

/* How many of the sorted numbers are below x (or, from the right, at most x). */
static int64_t count_below(const ref_tensor *line, int64_t offset, int64_t length, int64_t stride,
                           ball x, bool right, bool *doubtful)
{
    int64_t below = 0;
    double last = -INFINITY;
    for (int64_t k = 0; k < length; k++) {
        const ball y = ref_get(line, offset + k * stride);
        const double reach = x.e + y.e;
        /* What is not sorted gives what the search happens to meet. */
        *doubtful = *doubtful || y.v < last || (reach > 0 && fabs(x.v - y.v) <= reach);
        last = y.v;
        /* NaN is larger than all. */
        const bool less = isnan(x.v) ? !isnan(y.v) || right : right ? y.v <= x.v : y.v < x.v;
        below += less;
    }
    return below;
}

static ob_status search(ref_call *call, ob_err *err)
{
    const ref_tensor *x = ref_arg(call, "self");
    const ref_tensor *line = ref_arg(call, "boundaries");
    if (line == NULL)
        line = ref_arg(call, "sorted_sequence");
    const char *side = ob_kit_arg_str(&call->kit, "side");
    const bool right = ob_kit_arg_bool(&call->kit, "right", false) || side[0] == 'r';
    const int64_t length = line->ndim > 0 ? line->sizes[line->ndim - 1] : 1;
    const int64_t stride = line->ndim > 0 ? line->strides[line->ndim - 1] : 0;
    int64_t *chosen, count;
    if (!ob_kit_arg_is_none(&call->kit, "sorter"))
        return ref_unsupported(call, "with a sorter", err);
    OB_TRY(ref_choose_elements(call, call->outs, 4 * (double)length + 20, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = chosen != NULL ? chosen[i] : i;
        const int64_t values = x != NULL && x->ndim > 0 ? x->sizes[x->ndim - 1] : 1;
        ref_tensor row = *line; /* the row of sorted numbers that the place belongs to */
        row.ndim = line->ndim - 1;
        const int64_t offset =
            line->ndim > 1 ? ref_offset(&row, place / (values > 0 ? values : 1)) : line->offset;
        const ball wanted = x != NULL ? ref_get(x, ref_offset(x, place))
                                      : ref_number(call, ob_kit_arg_double(&call->kit, "self", 0));
        bool doubtful = false;
        const int64_t below = count_below(line, offset, length, stride, wanted, right, &doubtful);
        ref_put_whole(call->outs, place, below, doubtful);
    }
    free(chosen);
    return OB_OK;
}

const ref_row ref_rows_order[] = {
    {.name = "aten::cumsum", .run = accumulate, .variant = CUMSUM},
    {.name = "aten::cumprod", .run = accumulate, .variant = CUMPROD},
    {.name = "aten::sort", .run = sort, .variant = SORT},
    {.name = "aten::topk", .run = sort, .variant = TOPK},
    {.name = "aten::argsort", .run = sort, .variant = ARGSORT},
    {.name = "aten::bucketize", .run = search},
    {.name = "aten::searchsorted", .run = search},
    {.name = NULL},
};
