/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups in tables, bags of them, and their gradients.
 */
#include "reference_formula.h"
#include "reference_update.h"

#include <stdlib.h>

enum { SUM = 0, MEAN = 1, MAX = 2 };

static int64_t whole_at(const ref_tensor *t, int64_t place)
{
    return ref_get_whole(t, ref_offset(t, place));
}

static ball at(const ref_tensor *t, int64_t place)
{
    return ref_get(t, ref_offset(t, place));
}

static const char OWN[] = "it is only for the operator's backward pass";

/* ---- single rows ---- */

static ob_status run_lookup(ref_call *call, ob_err *err)
{
    const ref_tensor *weight = ref_arg(call, "weight"), *indices = ref_arg(call, "indices");
    const int64_t width = weight->sizes[1];
    int64_t *chosen, count;
    OB_TRY(ref_choose_elements(call, call->outs, 30, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = chosen != NULL ? chosen[i] : i;
        const int64_t row = whole_at(indices, place / width);
        if (row < 0 || row >= weight->sizes[0])
            ref_put(call, call->outs, place, (ball){0, INFINITY});
        else
            ref_put_copy(call, call->outs, place, weight,
                         ref_offset(weight, row * width + place % width));
    }
    free(chosen);
    return OB_OK;
}

static ob_status run_one_hot(ref_call *call, ob_err *err)
{
    const ref_tensor *self = ref_arg(call, "self");
    const ref_tensor *out = &call->outs[0].t;
    const int64_t classes = out->sizes[out->ndim - 1];
    int64_t *chosen, count;
    OB_TRY(ref_choose_elements(call, call->outs, 20, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = chosen != NULL ? chosen[i] : i;
        ref_put_whole(call->outs, place, whole_at(self, place / classes) == place % classes, false);
    }
    free(chosen);
    return OB_OK;
}

/* ---- gradients ---- */

typedef struct table {
    const ref_tensor *grad, *indices, *map, *sizes, *maxima, *factors;
    int64_t width, rows, padding, mode;
    int64_t *frequency; /* how often each row is looked up; NULL = it does not matter */
} table;

static ball scaled_by_frequency(const ref_updates *u, const table *t, ball g, int64_t row)
{
    const ball_rules *r = &u->call->rules;
    return t->frequency != NULL && t->frequency[row] > 1
               ? DIV(g, ball_of((double)t->frequency[row]))
               : g;
}

static void row_gradient(const ref_updates *u, int64_t number, ref_update *out)
{
    const table *t = u->data;
    const int64_t row = whole_at(t->indices, number / t->width);
    if (row == t->padding || row < 0 || row >= t->rows)
        return;
    out->place = row * t->width + number % t->width;
    out->value = scaled_by_frequency(u, t, at(t->grad, number), row);
}

static void bag_gradient(const ref_updates *u, int64_t number, ref_update *out)
{
    const table *t = u->data;
    const ball_rules *r = &u->call->rules;
    const int64_t n = number / t->width, column = number % t->width;
    const int64_t row = whole_at(t->indices, n), bag = whole_at(t->map, n);
    if (row == t->padding || row < 0 || row >= t->rows)
        return;
    ball g = at(t->grad, bag * t->width + column);
    if (t->factors != NULL)
        g = MUL(g, at(t->factors, n));
    const int64_t size = t->mode == MEAN ? whole_at(t->sizes, bag) : 1;
    if (size > 1)
        g = DIV(g, ball_of((double)size));
    out->place = row * t->width + column;
    out->value = scaled_by_frequency(u, t, g, row);
}

static void max_gradient(const ref_updates *u, int64_t number, ref_update *out)
{
    const table *t = u->data;
    const int64_t row = whole_at(t->maxima, number);
    if (whole_at(t->sizes, number / t->width) == 0 || row < 0 || row >= t->rows)
        return;
    out->place = row * t->width + number % t->width;
    out->value = at(t->grad, number);
    if (!ref_is_doubtful(t->maxima, ref_offset(t->maxima, number)))
        return;
    out->first = number % t->width;
    out->step = t->width;
    out->reach = t->rows;
}

static ob_status count_rows(const ref_call *call, table *t, ob_err *err)
{
    if (call->dry || !ob_kit_arg_bool(&call->kit, "scale_grad_by_freq", false))
        return OB_OK;
    t->frequency = calloc((size_t)t->rows + 1, sizeof *t->frequency);
    if (t->frequency == NULL)
        return ref_no_memory(call, err);
    for (int64_t i = 0; i < ref_numel(t->indices); i++) {
        const int64_t row = whole_at(t->indices, i);
        if (row >= 0 && row < t->rows)
            t->frequency[row]++;
    }
    return OB_OK;
}

/* variant: whether rows are in bags. */
static ob_status run_gradient(ref_call *call, ob_err *err)
{
    const bool bags = call->variant != 0;
    const ref_tensor *out = &call->outs[0].t;
    table t = {.grad = ref_arg(call, bags ? "grad" : "grad_output"),
               .indices = ref_arg(call, "indices"),
               .map = ref_arg(call, "offset2bag"),
               .sizes = ref_arg(call, "bag_size"),
               .maxima = ref_arg(call, "maximum_indices"),
               .factors = ref_arg(call, "per_sample_weights"),
               .rows = out->sizes[0],
               .width = out->sizes[1],
               .padding = ob_kit_arg_int(&call->kit, "padding_idx", -1),
               .mode = ob_kit_arg_int(&call->kit, "mode", SUM)};
    if (ref_is_whole(out->dtype))
        return ref_unsupported(call, "of whole numbers", err);
    OB_TRY(count_rows(call, &t, err));
    const bool max = bags && t.mode == MAX;
    const ref_updates u = {.count = max ? ref_numel(t.grad) : ref_numel(t.indices) * t.width,
                           .adds = true,
                           .at = max    ? max_gradient
                                 : bags ? bag_gradient
                                        : row_gradient,
                           .call = call,
                           .data = &t};
    const ob_status status = ref_update_run(call, &u, err);
    free(t.frequency);
    return status;
}

static ob_status run_factor_gradient(ref_call *call, ob_err *err)
{
    const ref_tensor *grad = ref_arg(call, "grad"), *weight = ref_arg(call, "weight");
    const ref_tensor *indices = ref_arg(call, "indices"), *map = ref_arg(call, "offset2bag");
    const ball_rules *r = &call->rules;
    const int64_t width = weight->sizes[1];
    const int64_t padding = ob_kit_arg_int(&call->kit, "padding_idx", -1);
    int64_t *chosen, count;
    OB_TRY(ref_choose_elements(call, call->outs, 40 * (double)width, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t n = chosen != NULL ? chosen[i] : i;
        const int64_t row = whole_at(indices, n), bag = whole_at(map, n);
        ball_sum sum = {.count = 0};
        for (int64_t k = 0; k < width && row != padding; k++)
            ball_sum_add(&sum, MUL(at(weight, row * width + k), at(grad, bag * width + k)));
        ref_put(call, call->outs, n, ball_sum_end(r, &sum));
    }
    free(chosen);
    return OB_OK;
}

/* ---- bags ---- */

typedef struct bags {
    const ref_tensor *weight, *indices, *offsets, *factors;
    int64_t width, count, mode, padding;
} bags;

static int64_t bag_start(const bags *b, int64_t bag)
{
    return bag < b->offsets->sizes[0] ? whole_at(b->offsets, bag) : b->count;
}

/* One element of a bag; best: the row of its maximum, which is in doubt where others are as large. */
static ball bag_element(const ref_call *call, const bags *b, int64_t bag, int64_t column,
                        int64_t *best, bool *doubtful)
{
    const ball_rules *r = &call->rules;
    ball_sum sum = {.count = 0};
    ball most = ball_of(0);
    int64_t seen = 0;
    *best = 0;
    *doubtful = false;
    for (int64_t i = bag_start(b, bag); i < bag_start(b, bag + 1); i++) {
        const int64_t row = whole_at(b->indices, i);
        if (row == b->padding || row < 0 || row >= b->weight->sizes[0])
            continue;
        const ball x = at(b->weight, row * b->width + column);
        ball_sum_add(&sum, b->factors != NULL ? MUL(x, at(b->factors, i)) : x);
        if (seen > 0 && x.v == most.v && row != *best)
            *doubtful = true;
        if (seen++ == 0 || x.v > most.v) {
            most = x;
            *best = row;
            *doubtful = false;
        }
    }
    if (b->mode == MAX)
        return most;
    const ball total = ball_sum_end(r, &sum);
    return b->mode == MEAN && seen > 1 ? DIV(total, ball_of((double)seen)) : total;
}

/* Which bag each index is in, and how many count in each bag. */
static ob_status put_maps(ref_call *call, const bags *b, ob_err *err)
{
    ref_out *map = &call->outs[1], *sizes = &call->outs[2], *maxima = &call->outs[3];
    const int64_t bag_count = ref_numel(&sizes->t);
    for (int k = 1; k < 4; k++) {
        OB_TRY(ref_out_make(call, &call->outs[k], 0, false, err));
        call->outs[k].t.store->own = OWN;
    }
    for (int64_t i = 0; b->mode != MAX && i < ref_numel(&maxima->t); i++)
        ref_put_whole(maxima, i, 0, false);
    for (int64_t bag = 0; bag < bag_count; bag++) {
        int64_t seen = 0;
        for (int64_t i = bag_start(b, bag); i < bag_start(b, bag + 1); i++) {
            seen += whole_at(b->indices, i) != b->padding;
            if (i < ref_numel(&map->t))
                ref_put_whole(map, i, bag, false);
        }
        ref_put_whole(sizes, bag, seen, false);
    }
    return OB_OK;
}

static ob_status run_bags(ref_call *call, ob_err *err)
{
    bags b = {.weight = ref_arg(call, "weight"),
              .indices = ref_arg(call, "indices"),
              .offsets = ref_arg(call, "offsets"),
              .factors = ref_arg(call, "per_sample_weights"),
              .mode = ob_kit_arg_int(&call->kit, "mode", SUM),
              .padding = ob_kit_arg_int(&call->kit, "padding_idx", -1)};
    b.width = b.weight->sizes[1];
    b.count = ref_numel(b.indices);
    const double per_bag = (double)b.count / fmax(1, (double)call->outs[0].t.sizes[0]);
    int64_t *chosen, count;
    OB_TRY(ref_choose_elements(call, call->outs, 40 * per_bag + 20, &chosen, &count, err));
    ob_status status = put_maps(call, &b, err);
    for (int64_t i = 0; status == OB_OK && i < count; i++) {
        const int64_t place = chosen != NULL ? chosen[i] : i;
        int64_t best;
        bool doubtful;
        const ball x = bag_element(call, &b, place / b.width, place % b.width, &best, &doubtful);
        ref_put(call, call->outs, place, x);
        if (b.mode == MAX && chosen == NULL)
            ref_put_whole(&call->outs[3], place, best, doubtful);
    }
    free(chosen);
    return status;
}

/* Many tables in one: bag b of table t has the indices from offsets[t * batch + b] on. */
static ob_status run_split_tables(ref_call *call, ob_err *err)
{
    const ref_tensor *weights = ref_arg(call, "weights"), *indices = ref_arg(call, "indices");
    const ref_tensor *offsets = ref_arg(call, "offsets");
    const ref_tensor *factors = ref_arg(call, "per_sample_weights");
    const ob_value *rows = ob_kit_arg(&call->kit, "rows"), *dims = ob_kit_arg(&call->kit, "dims");
    const bool mean = ob_kit_arg_int(&call->kit, "pooling", SUM) == MEAN;
    const ball_rules *r = &call->rules;
    const int64_t batch = call->outs[0].t.sizes[0], width = call->outs[0].t.sizes[1];
    int64_t *chosen, count;
    const double per_bag =
        (double)ref_numel(indices) / fmax(1, (double)batch * (double)rows->as.list.count);
    OB_TRY(ref_choose_elements(call, call->outs, 40 * per_bag + 20, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = chosen != NULL ? chosen[i] : i;
        int64_t column = place % width, first = 0;
        size_t t = 0;
        for (; column >= dims->as.list.items[t].as.integer; t++) {
            column -= dims->as.list.items[t].as.integer;
            first += rows->as.list.items[t].as.integer * dims->as.list.items[t].as.integer;
        }
        const int64_t bag = (int64_t)t * batch + place / width;
        ball_sum sum = {.count = 0};
        for (int64_t k = whole_at(offsets, bag); k < whole_at(offsets, bag + 1); k++) {
            const int64_t row = whole_at(indices, k);
            const ball x = at(weights, first + row * dims->as.list.items[t].as.integer + column);
            ball_sum_add(&sum, factors != NULL ? MUL(x, at(factors, k)) : x);
        }
        const ball total = ball_sum_end(r, &sum);
        ref_put(call, call->outs, place,
                mean && sum.count > 1 ? DIV(total, ball_of((double)sum.count)) : total);
    }
    free(chosen);
    return OB_OK;
}

/* It changes the tables, which are no result, and gives a gradient without elements. */
static ob_status run_split_update(ref_call *call, ob_err *err)
{
    for (size_t k = 0; k < call->out_count; k++) {
        OB_TRY(ref_out_make(call, &call->outs[k], 0, true, err));
        ref_out_unknown(&call->outs[k], "the update of split tables has no reference");
    }
    return OB_OK;
}

const ref_row ref_rows_embedding[] = {
    {.name = "aten::embedding", .run = run_lookup},
    {.name = "aten::one_hot", .run = run_one_hot},
    {.name = "aten::embedding_dense_backward", .run = run_gradient, .variant = 0},
    {.name = "aten::_embedding_bag", .run = run_bags},
    {.name = "aten::_embedding_bag_forward_only", .run = run_bags},
    {.name = "aten::_embedding_bag_dense_backward", .run = run_gradient, .variant = 1},
    {.name = "aten::_embedding_bag_per_sample_weights_backward", .run = run_factor_gradient},
    {.name = "opbench::split_table_embedding_bags", .run = run_split_tables},
    {.name = "opbench::split_table_embedding_bags_update", .run = run_split_update},
    {.name = NULL},
};
