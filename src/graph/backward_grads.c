/* SPDX-License-Identifier: Apache-2.0
 *
 * Gradients of a derivation: bringing them to the shape and type of what they belong to, adding
 * them up, and reaching the forward's edges.
 */
#include "graph/backward.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- fitting ---- */

static bool same_sizes(const ob_tensor *a, const ob_tensor *b)
{
    bool same = a->ndim == b->ndim;
    for (int i = 0; same && i < a->ndim; i++)
        same = a->sizes[i] == b->sizes[i];
    return same;
}

static ob_status int_list(const int64_t *items, size_t count, ob_operand *out, ob_err *err)
{
    ob_value list;
    OB_TRY(ob_value_init_list(&list, OB_VALUE_LIST, count, err));
    for (size_t i = 0; i < count; i++)
        list.as.list.items[i] = ob_value_int(items[i]);
    *out = ob__operand_value(list);
    return OB_OK;
}

static ob_status fail_shape(const ob__deriver *d, const ob_tensor *got, const ob_tensor *want)
{
    char texts[2][128];
    const ob_tensor *tensors[] = {got, want};
    for (int k = 0; k < 2; k++) {
        size_t used = 0;
        texts[k][0] = '\0';
        for (int i = 0; i < tensors[k]->ndim && used < sizeof texts[k]; i++)
            used += (size_t)snprintf(texts[k] + used, sizeof texts[k] - used, "%s%lld",
                                     i > 0 ? ", " : "", (long long)tensors[k]->sizes[i]);
    }
    return ob_err_set(d->err, OB_ERR_INVALID,
                      "the derivative of %s gives [%s] for an argument of [%s]; correct its row",
                      d->node->op->schema->name, texts[0], texts[1]);
}

/* Sums a gradient over the dimensions along which its argument was broadcast. */
static ob_status sum_to_shape(ob__deriver *d, ob_operand *gradient, const ob_tensor *want)
{
    const ob_tensor *got = ob__operand_tensor(d->graph, gradient);
    int64_t dims[OB_MAX_DIMS];
    size_t count = 0;
    const int extra = got->ndim - want->ndim;
    if (extra < 0)
        return fail_shape(d, got, want);
    for (int i = 0; i < got->ndim; i++) {
        const bool kept = i >= extra && got->sizes[i] == want->sizes[i - extra];
        if (kept)
            continue;
        if (i >= extra && want->sizes[i - extra] != 1)
            return fail_shape(d, got, want);
        dims[count++] = i;
    }
    ob_operand args[3] = {*gradient, ob__operand_none(), ob__operand_value(ob_value_bool(true))};
    const ob__operand_call call = {.args = args, .arg_count = 3};
    OB_TRY(int_list(dims, count, &args[1], d->err));
    ob_operand sum = ob__operand_none(), view = ob__operand_none();
    ob_status status = ob__graph_call(d->graph, "aten::sum.dim_IntList", &call, NULL, &sum, d->err);
    ob__operand_fini(&args[1]);
    OB_TRY(status);
    *gradient = sum;
    if (extra == 0)
        return OB_OK;
    ob_operand sizes;
    OB_TRY(int_list(want->sizes, (size_t)want->ndim, &sizes, d->err));
    status = ob__graph_call2(d->graph, "aten::view", &sum, &sizes, &view, d->err);
    ob__operand_fini(&sizes);
    if (status == OB_OK)
        *gradient = view;
    return status;
}

/* gradient stays the caller's; it is replaced by what fits. */
static ob_status fit(ob__deriver *d, ob_operand *gradient, const ob_tensor *want)
{
    const ob_tensor *got = ob__operand_tensor(d->graph, gradient);
    if (got == NULL)
        return ob_err_set(d->err, OB_ERR_INVALID,
                          "the derivative of %s gives something other than a tensor for a tensor; "
                          "correct its row",
                          d->node->op->schema->name);
    if (!same_sizes(got, want))
        OB_TRY(sum_to_shape(d, gradient, want));
    got = ob__operand_tensor(d->graph, gradient);
    if (got->dtype == want->dtype)
        return OB_OK;
    const ob_operand dtype =
        ob__operand_value((ob_value){.kind = OB_VALUE_DTYPE, .as = {.dtype = want->dtype}});
    ob_operand cast;
    OB_TRY(ob__graph_call2(d->graph, "aten::to.dtype", gradient, &dtype, &cast, d->err));
    *gradient = cast;
    return OB_OK;
}

/* ---- adding up ---- */

/* *sum is a gradient or None; gradient is an edge or an item, so it owns nothing. */
static ob_status add_to(ob__deriver *d, ob_operand *sum, const ob_operand *gradient)
{
    if (ob__operand_is_none(sum)) {
        *sum = *gradient;
        return OB_OK;
    }
    ob_operand total;
    OB_TRY(ob__graph_call2(d->graph, "aten::add", sum, gradient, &total, d->err));
    *sum = total;
    return OB_OK;
}

static ob_status accumulate_tensor(ob__deriver *d, ob_operand *sum, const ob_tensor *like,
                                   ob_operand *gradient)
{
    ob_operand own = *gradient;
    ob_status status = fit(d, &own, like);
    if (status == OB_OK)
        status = add_to(d, sum, &own);
    else if (own.kind == OB_OPERAND_LIST || own.kind == OB_OPERAND_VALUE)
        ob__operand_fini(&own);
    return status;
}

/* The list of gradients of a list edge, made on first use. */
static ob_status list_sums(ob__deriver *d, ob_edge_id edge, ob_operand **sums)
{
    ob_operand *grad = &d->grads[edge];
    const size_t count = d->forward->edges[edge].meta.as.list.count;
    if (grad->kind != OB_OPERAND_LIST) {
        ob_operand *items = calloc(count + 1, sizeof *items);
        if (items == NULL)
            return ob_err_set(d->err, OB_ERR_NOMEM, "out of memory for %zu gradients", count);
        for (size_t i = 0; i < count; i++)
            items[i] = ob__operand_none();
        *grad = (ob_operand){.kind = OB_OPERAND_LIST, .items = items, .count = count};
    }
    *sums = grad->items;
    return OB_OK;
}

static ob_status accumulate_items(ob__deriver *d, const ob_operand *operand,
                                  const ob_operand *gradient)
{
    const size_t count = ob__operand_count(d->forward, operand);
    if (ob__operand_count(d->graph, gradient) != count)
        return ob_err_set(d->err, OB_ERR_INVALID,
                          "the derivative of %s gives %zu gradients for a list of %zu; correct its "
                          "row",
                          d->node->op->schema->name, ob__operand_count(d->graph, gradient), count);
    for (size_t i = 0; i < count; i++) {
        ob_operand item, part;
        OB_TRY(ob__operand_get(d->forward, operand, i, &item, d->err));
        ob_status status = ob__operand_get(d->graph, gradient, i, &part, d->err);
        if (status == OB_OK)
            status = ob__derive_accumulate(d, &item, &part);
        ob__operand_fini(&item);
        OB_TRY(status);
    }
    return OB_OK;
}

ob_status ob__derive_accumulate(ob__deriver *d, const ob_operand *operand, ob_operand *gradient)
{
    if (!ob__operand_requires_grad(d->forward, operand) || ob__operand_is_none(gradient)) {
        ob__operand_fini(gradient);
        return OB_OK;
    }
    const ob_tensor *like = ob__operand_tensor(d->forward, operand);
    if (like == NULL) {
        const ob_status status = accumulate_items(d, operand, gradient);
        ob__operand_fini(gradient);
        return status;
    }
    if (operand->kind == OB_OPERAND_EDGE)
        return accumulate_tensor(d, &d->grads[operand->edge], like, gradient);
    ob_operand *sums = NULL;
    const ob_status status = list_sums(d, operand->edge, &sums);
    if (status != OB_OK) {
        ob__operand_fini(gradient);
        return status;
    }
    return accumulate_tensor(d, &sums[operand->index], like, gradient);
}

/* ---- reaching the forward ---- */

static ob_status save_edge(ob__deriver *d, ob_edge_id edge, ob_edge_id *out)
{
    if (d->saved[edge] == OB_NO_EDGE) {
        ob_graph_edge like = d->forward->edges[edge];
        like.role = OB_EDGE_SAVED;
        like.requires_grad = false;
        like.producer = UINT32_MAX;
        like.forward_edge = edge;
        OB_TRY(ob__graph_add_edge(d->graph, like.name, false, &like, &d->saved[edge], d->err));
    }
    *out = d->saved[edge];
    return OB_OK;
}

ob_status ob__derive_saved(ob__deriver *d, const ob_operand *operand, ob_operand *out)
{
    *out = ob__operand_none();
    if (operand->kind == OB_OPERAND_VALUE)
        return ob__operand_copy(out, operand, d->err);
    if (operand->kind != OB_OPERAND_LIST) {
        ob_edge_id edge;
        OB_TRY(save_edge(d, operand->edge, &edge));
        *out = operand->kind == OB_OPERAND_EDGE ? ob__operand_edge(edge)
                                                : ob__operand_item(edge, operand->index);
        return OB_OK;
    }
    ob_operand *items = calloc(operand->count + 1, sizeof *items);
    if (items == NULL)
        return ob_err_set(d->err, OB_ERR_NOMEM, "out of memory for %zu operands", operand->count);
    ob_status status = OB_OK;
    size_t made = 0;
    for (; status == OB_OK && made < operand->count; made++)
        status = ob__derive_saved(d, &operand->items[made], &items[made]);
    if (status == OB_OK) {
        status = ob__operand_init_list(out, items, operand->count, d->err);
        made = 0;
    }
    ob__operands_free(items, made);
    return status;
}

/* An edge or item of the backward graph for *grad; zeros like the forward's when it is None. */
static ob_status grad_or_zeros(ob__deriver *d, const ob_operand *forward, const ob_operand *grad,
                               ob_operand *out)
{
    if (!ob__operand_is_none(grad)) {
        *out = *grad;
        return OB_OK;
    }
    ob_operand saved;
    OB_TRY(ob__derive_saved(d, forward, &saved));
    return ob__graph_call1(d->graph, "aten::zeros_like", &saved, out, d->err);
}

ob_status ob__derive_output_grad(ob__deriver *d, size_t k, ob_operand *out)
{
    const ob_edge_id edge = d->node->outputs[k];
    const ob_operand whole = ob__operand_edge(edge);
    if (!ob__operand_is_list(d->forward, &whole))
        return grad_or_zeros(d, &whole, &d->grads[edge], out);
    const size_t count = ob__operand_count(d->forward, &whole);
    ob_operand *sums = NULL;
    OB_TRY(list_sums(d, edge, &sums));
    ob_operand *items = calloc(count + 1, sizeof *items);
    if (items == NULL)
        return ob_err_set(d->err, OB_ERR_NOMEM, "out of memory for %zu gradients", count);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++) {
        const ob_operand item = ob__operand_item(edge, i);
        status = grad_or_zeros(d, &item, &sums[i], &items[i]);
    }
    if (status == OB_OK)
        status = ob__operand_init_list(out, items, count, d->err);
    free(items); /* edges and items own nothing */
    return status;
}
