/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the notation about lists and dimensions. The lengths of what they make are bounded:
 * the numbers come from texts and inputs that nobody has checked.
 */
#include "graph/notation_functions.h"

#include <stdlib.h>

static size_t count_leaves(const ob_operand *operand);

static size_t count_value_leaves(const ob_value *value)
{
    if (!ob_value_is_list(value))
        return 1;
    size_t count = 1;
    for (size_t i = 0; i < value->as.list.count && count <= OB__NOTATION_MAX_ITEMS; i++)
        count += count_value_leaves(&value->as.list.items[i]);
    return count;
}

static size_t count_leaves(const ob_operand *operand)
{
    if (operand->kind != OB_OPERAND_LIST)
        return count_value_leaves(&operand->value);
    size_t count = 1;
    for (size_t i = 0; i < operand->count && count <= OB__NOTATION_MAX_ITEMS; i++)
        count += count_leaves(&operand->items[i]);
    return count;
}

static ob_status fail_length(ob_err *err)
{
    return ob_err_set(err, OB_ERR_LIMIT,
                      "a list in a text can have at most %d items; this one has more",
                      OB__NOTATION_MAX_ITEMS);
}

ob_status ob__operand_check_size(const ob_operand *operand, ob_err *err)
{
    return count_leaves(operand) <= OB__NOTATION_MAX_ITEMS ? OB_OK : fail_length(err);
}

static ob_status want_list(const ob__function_args *args, size_t i, size_t *count, ob_err *err)
{
    if (!ob__operand_is_list(args->scope->graph, &args->args[i]))
        return ob_err_set(err, OB_ERR_INVALID, "argument %zu of @%s must be a list", i + 1,
                          args->name);
    *count = ob__operand_count(args->scope->graph, &args->args[i]);
    return OB_OK;
}

/* Which item stands at place k of a list that is put together. */
typedef struct picker {
    const ob__function_args *args;
    ob_status (*pick)(const struct picker *p, size_t k, ob_operand *out, ob_err *err);
    int64_t first, step; /* for slices and reversals */
} picker;

static ob_status collect(const picker *p, size_t count, ob_operand *out, ob_err *err)
{
    if (count > OB__NOTATION_MAX_ITEMS)
        return fail_length(err);
    ob_operand *items = calloc(count + 1, sizeof *items);
    if (items == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a list of %zu items", count);
    ob_status status = OB_OK;
    size_t made = 0;
    for (; status == OB_OK && made < count; made++)
        status = p->pick(p, made, &items[made], err);
    if (status == OB_OK) {
        status = ob__operand_init_list(out, items, count, err);
        made = 0;
    }
    ob__operands_free(items, made);
    return status == OB_OK ? ob__operand_check_size(out, err) : status;
}

static ob_status pick_stepped(const picker *p, size_t k, ob_operand *out, ob_err *err)
{
    const int64_t at = p->first + (int64_t)k * p->step;
    return ob__operand_get(p->args->scope->graph, &p->args->args[0], (size_t)at, out, err);
}

static ob_status pick_same(const picker *p, size_t k, ob_operand *out, ob_err *err)
{
    (void)k;
    return ob__operand_copy(out, &p->args->args[0], err);
}

static ob_status pick_concat(const picker *p, size_t k, ob_operand *out, ob_err *err)
{
    const ob__function_args *args = p->args;
    size_t i = 0;
    for (; k >= ob__operand_count(args->scope->graph, &args->args[i]); i++)
        k -= ob__operand_count(args->scope->graph, &args->args[i]);
    return ob__operand_get(args->scope->graph, &args->args[i], k, out, err);
}

static ob_status pick_replaced(const picker *p, size_t k, ob_operand *out, ob_err *err)
{
    const ob__function_args *args = p->args;
    if ((int64_t)k == p->first)
        return ob__operand_copy(out, &args->args[2], err);
    return ob__operand_get(args->scope->graph, &args->args[0], k, out, err);
}

ob_status ob__fn_len(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    size_t count = 0;
    OB_TRY(want_list(args, 0, &count, err));
    out->value = ob_value_int((int64_t)count);
    return OB_OK;
}

ob_status ob__fn_range(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    int64_t first = 0, end = 0, step = 1;
    OB_TRY(ob__take_int(args, 0, &first, err));
    OB_TRY(ob__take_int(args, 1, &end, err));
    if (args->count > 2)
        OB_TRY(ob__take_int(args, 2, &step, err));
    if (step == 0 || step == INT64_MIN)
        return ob_err_set(err, OB_ERR_INVALID, "the step of @range must not be %lld",
                          (long long)step);
    int64_t items[OB__NOTATION_MAX_ITEMS / 16];
    size_t count = 0;
    for (int64_t i = first; step > 0 ? i < end : i > end;) {
        if (count == sizeof items / sizeof items[0])
            return ob_err_set(err, OB_ERR_LIMIT,
                              "@range can give at most %zu numbers; this one has more",
                              sizeof items / sizeof items[0]);
        items[count++] = i;
        if (__builtin_add_overflow(i, step, &i))
            break;
    }
    return ob__give_ints(items, count, out, err);
}

/* Python's rule for the ends of a slice. */
static int64_t clamp_index(int64_t index, int64_t count)
{
    if (index < 0)
        index = index < -count ? 0 : index + count;
    return index > count ? count : index;
}

ob_status ob__fn_slice(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    size_t count = 0;
    int64_t first = 0, end = 0;
    OB_TRY(want_list(args, 0, &count, err));
    OB_TRY(ob__take_int(args, 1, &first, err));
    OB_TRY(ob__take_int(args, 2, &end, err));
    first = clamp_index(first, (int64_t)count);
    end = clamp_index(end, (int64_t)count);
    const picker p = {.args = args, .pick = pick_stepped, .first = first, .step = 1};
    return collect(&p, end > first ? (size_t)(end - first) : 0, out, err);
}

ob_status ob__fn_concat(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    size_t total = 0;
    for (size_t i = 0; i < args->count; i++) {
        size_t count = 0;
        OB_TRY(want_list(args, i, &count, err));
        total += count;
    }
    const picker p = {.args = args, .pick = pick_concat};
    return collect(&p, total, out, err);
}

ob_status ob__fn_repeat(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    int64_t times = 0;
    OB_TRY(ob__take_int(args, 1, &times, err));
    if (times < 0)
        return ob_err_set(err, OB_ERR_INVALID, "@repeat cannot repeat %lld times",
                          (long long)times);
    if (times > OB__NOTATION_MAX_ITEMS ||
        (size_t)times * count_leaves(&args->args[0]) > OB__NOTATION_MAX_ITEMS)
        return fail_length(err);
    const picker p = {.args = args, .pick = pick_same};
    return collect(&p, (size_t)times, out, err);
}

ob_status ob__fn_list(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    if (ob__operand_is_none(&args->args[0]) ||
        ob__operand_is_list(args->scope->graph, &args->args[0]))
        return ob__operand_copy(out, &args->args[0], err);
    return ob__fn_repeat(args, out, err);
}

ob_status ob__fn_reverse(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    size_t count = 0;
    OB_TRY(want_list(args, 0, &count, err));
    const picker p = {.args = args, .pick = pick_stepped, .first = (int64_t)count - 1, .step = -1};
    return collect(&p, count, out, err);
}

ob_status ob__fn_replace(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    size_t count = 0;
    int64_t at = 0;
    OB_TRY(want_list(args, 0, &count, err));
    OB_TRY(ob__take_int(args, 1, &at, err));
    if (at < -(int64_t)count || at >= (int64_t)count)
        return ob_err_set(err, OB_ERR_INVALID, "a list of %zu items has no item %lld", count,
                          (long long)at);
    const picker p = {
        .args = args, .pick = pick_replaced, .first = at < 0 ? at + (int64_t)count : at};
    return collect(&p, count, out, err);
}

static ob_status fold(const ob__function_args *args, ob__token_kind op, int64_t start,
                      ob_operand *out, ob_err *err)
{
    ob__int_list list;
    ob_status status = ob__take_ints(args, 0, &list, err);
    ob_value total = ob_value_int(start);
    for (size_t i = 0; status == OB_OK && i < list.count; i++) {
        const ob_value item = ob_value_int(list.items[i]);
        status = ob__constant_binary(op, &total, &item, &total, err);
    }
    free(list.items);
    out->value = total;
    return status;
}

ob_status ob__fn_prod(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    return fold(args, OB__TOKEN_STAR, 1, out, err);
}

ob_status ob__fn_sum(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    return fold(args, OB__TOKEN_PLUS, 0, out, err);
}

ob_status ob__fn_dot(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    ob__int_list a, b = {.items = NULL};
    ob_status status = ob__take_ints(args, 0, &a, err);
    if (status == OB_OK)
        status = ob__take_ints(args, 1, &b, err);
    if (status == OB_OK && a.count != b.count)
        status = ob_err_set(err, OB_ERR_INVALID,
                            "@dot needs two lists of equal length; these have %zu and %zu items",
                            a.count, b.count);
    ob_value total = ob_value_int(0);
    for (size_t i = 0; status == OB_OK && i < a.count; i++) {
        const ob_value x = ob_value_int(a.items[i]), y = ob_value_int(b.items[i]);
        ob_value product;
        status = ob__constant_binary(OB__TOKEN_STAR, &x, &y, &product, err);
        if (status == OB_OK)
            status = ob__constant_binary(OB__TOKEN_PLUS, &total, &product, &total, err);
    }
    free(a.items);
    free(b.items);
    out->value = total;
    return status;
}

/* The arguments, or the items of the only one; the first that `op` prefers to all before it. */
static ob_status extreme(const ob__function_args *args, ob__token_kind op, ob_operand *out,
                         ob_err *err)
{
    const ob_graph *graph = args->scope->graph;
    const bool list = args->count == 1 && ob__operand_is_list(graph, &args->args[0]);
    const size_t count = list ? ob__operand_count(graph, &args->args[0]) : args->count;
    if (count == 0)
        return ob_err_set(err, OB_ERR_INVALID, "@%s of an empty list", args->name);
    for (size_t i = 0; i < count; i++) {
        ob_operand item;
        ob_value better = ob_value_bool(true);
        OB_TRY(list ? ob__operand_get(graph, &args->args[0], i, &item, err)
                    : ob__operand_copy(&item, &args->args[i], err));
        ob_status status = OB_OK;
        if (item.kind != OB_OPERAND_VALUE)
            status = ob_err_set(err, OB_ERR_INVALID, "@%s needs numbers, not tensors", args->name);
        else if (i > 0)
            status = ob__constant_binary(op, &item.value, &out->value, &better, err);
        if (status == OB_OK && better.as.boolean) {
            ob__operand_fini(out);
            *out = item;
        } else {
            ob__operand_fini(&item);
        }
        OB_TRY(status);
    }
    return OB_OK;
}

ob_status ob__fn_min(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    return extreme(args, OB__TOKEN_LT, out, err);
}

ob_status ob__fn_max(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    return extreme(args, OB__TOKEN_GT, out, err);
}
