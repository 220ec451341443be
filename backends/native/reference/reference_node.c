/* SPDX-License-Identifier: Apache-2.0
 *
 * One call of a graph: its row is found, its arguments brought together, its results put where they belong.
 */
#include "reference_node.h"

#include "reference_pointwise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static const ref_row *const FAMILIES[] = {
#define REF_FAMILY(family) ref_rows_##family,
#include "reference_families.def"
#undef REF_FAMILY
};

/* "aten::add_" and "aten::_foreach_add_" are "aten::add". */
static void plain_name(const char *name, char *out, size_t size)
{
    static const char LISTS[] = "aten::_foreach_";
    const bool lists = strncmp(name, LISTS, sizeof LISTS - 1) == 0;
    snprintf(out, size, "%s%s", lists ? "aten::" : "", lists ? name + sizeof LISTS - 1 : name);
    const size_t length = strlen(out);
    if (length > 0 && out[length - 1] == '_')
        out[length - 1] = '\0';
}

/* NULL = there is none */
static const ref_row *find_row(const ob_op *op)
{
    char name[128];
    plain_name(op->schema->name, name, sizeof name);
    for (size_t f = 0; f < sizeof FAMILIES / sizeof *FAMILIES; f++)
        for (const ref_row *row = FAMILIES[f]; row->name != NULL; row++)
            if (strcmp(row->name, name) == 0)
                return row;
    return NULL;
}

/* Overloads that the rows of the same name do not mean. */
static bool is_other(const ob_op *op)
{
    return strcmp(op->schema->overload, "vec") == 0 ||
           (strcmp(op->schema->overload, "other") == 0 &&
            strcmp(op->schema->name, "aten::to") != 0);
}

ob_kit_kind ref_kind(const ob_op *op)
{
    char name[192];
    ob_kit_op_name(op, name, sizeof name);
    for (const ob_kit_kernel *view = ob_kit_kernels_view; view->name != NULL; view++)
        if (strcmp(view->name, name) == 0)
            return OB_KIT_VIEW;
    return strcmp(op->schema->name, "aten::contiguous") == 0 ||
                   strcmp(op->schema->name, "aten::to") == 0
               ? OB_KIT_VIEW_OR_COMPUTE
               : OB_KIT_COMPUTE;
}

bool ref_knows(const ob_op *op)
{
    return ref_kind(op) != OB_KIT_COMPUTE || (find_row(op) != NULL && !is_other(op));
}

/* ---- arguments ---- */

static ob_status no_memory(const ref_node *n, ob_err *err)
{
    n->s->host->err_set(err, OB_ERR_NOMEM, "out of memory for the reference");
    return OB_ERR_NOMEM;
}

/* The tensors of an operand, shared. */
static ob_status take_operand(const ref_node *n, const ob_operand *operand, ref_value *out,
                              ob_err *err)
{
    const ref_pass *pass = n->pass;
    *out = (ref_value){.is_list = operand->kind == OB_OPERAND_LIST};
    const ref_value *from = operand->kind == OB_OPERAND_EDGE || operand->kind == OB_OPERAND_ITEM
                                ? &pass->values[operand->edge]
                                : NULL;
    const size_t count = operand->kind == OB_OPERAND_LIST   ? operand->count
                         : operand->kind == OB_OPERAND_ITEM ? 1
                         : from != NULL                     ? from->count
                                                            : 0;
    if (count == 0)
        return OB_OK;
    out->items = calloc(count, sizeof *out->items);
    if (out->items == NULL)
        return no_memory(n, err);
    out->count = count;
    for (size_t i = 0; i < count; i++) {
        const ob_operand *item = operand->kind == OB_OPERAND_LIST ? &operand->items[i] : operand;
        const size_t index = item->kind == OB_OPERAND_ITEM      ? item->index
                             : operand->kind == OB_OPERAND_LIST ? 0
                                                                : i;
        const ref_value *edge = item->kind == OB_OPERAND_EDGE || item->kind == OB_OPERAND_ITEM
                                    ? &pass->values[item->edge]
                                    : NULL;
        if (edge != NULL && index < edge->count)
            out->items[i] = ref_tensor_share(&edge->items[index]);
    }
    out->is_list =
        out->is_list || (from != NULL && from->is_list && operand->kind == OB_OPERAND_EDGE);
    return OB_OK;
}

/* The value that the call's row reads numbers from; shallow. */
static ob_value plain_value(const ref_node *n, const ob_operand *operand)
{
    if (operand->kind == OB_OPERAND_VALUE)
        return operand->value;
    if (operand->kind == OB_OPERAND_LIST)
        return (ob_value){.kind = OB_VALUE_TUPLE};
    return n->pass->graph->edges[operand->edge].meta;
}

/* What makes the results unknown; NULL = nothing. */
static const char *why_unknown(const ref_node *n)
{
    for (size_t i = 0; i < n->arg_count && !n->row->blind; i++)
        for (size_t k = 0; k < n->args[i].count; k++) {
            const ref_store *store = n->args[i].items[k].store;
            if (store != NULL && store->why_unknown != NULL)
                return store->why_unknown;
        }
    return NULL;
}

/* ---- results ---- */

static void shape_out(const ob_tensor *meta, ref_out *out)
{
    *out = (ref_out){.t = {.dtype = OB_DTYPE_INVALID}};
    if (meta == NULL)
        return;
    out->t.dtype = meta->dtype;
    out->t.ndim = meta->ndim;
    for (int d = 0; d < meta->ndim; d++) {
        out->t.sizes[d] = meta->sizes[d];
        out->t.strides[d] = meta->strides[d];
    }
}

static void shape_contiguous(const ref_tensor *like, ref_out *out)
{
    int64_t step = 1;
    *out = (ref_out){.t = {.dtype = like->dtype, .ndim = like->ndim}};
    for (int d = like->ndim - 1; d >= 0; d--) {
        out->t.sizes[d] = like->sizes[d];
        out->t.strides[d] = step;
        step *= like->sizes[d];
    }
}

/* The argument that return k changes; with no returns, the first that is changed at all. */
static int changed_argument(const ref_node *n, size_t k)
{
    const ob_schema *schema = n->node->op->schema;
    if (schema->return_count > 0)
        return ob_kit_changed_argument(schema, k);
    for (size_t i = 0; i < schema->arg_count; i++)
        if (schema->args[i].writes)
            return (int)i;
    return -1;
}

static ob_status make_outs(ref_node *n, ob_err *err)
{
    const ob_graph *graph = n->pass->graph;
    const size_t returns = n->node->op->schema->return_count > 0 ? n->node->output_count : 1;
    size_t count = 0;
    for (size_t k = 0; k < returns; k++) {
        const int changed = changed_argument(n, k);
        count += changed >= 0 ? n->args[changed].count
                              : ob_kit_tensor_count(&graph->edges[n->node->outputs[k]].meta) + 1;
    }
    n->outs = calloc(count + 4, sizeof *n->outs);
    if (n->outs == NULL)
        return no_memory(n, err);
    for (size_t k = 0; k < returns; k++) {
        const int changed = changed_argument(n, k);
        for (size_t i = 0; changed >= 0 && i < n->args[changed].count; i++)
            shape_contiguous(&n->args[changed].items[i], &n->outs[n->out_count++]);
        if (changed >= 0 || n->node->op->schema->return_count == 0)
            continue;
        const ob_value *meta = &graph->edges[n->node->outputs[k]].meta;
        const size_t tensors = ob_kit_tensor_count(meta);
        for (size_t i = 0; i < tensors; i++)
            shape_out(ob_kit_tensor_at(meta, i), &n->outs[n->out_count++]);
        if (tensors == 0)
            shape_out(NULL, &n->outs[n->out_count++]);
    }
    return OB_OK;
}

/* A store whose elements can be written: an input's own memory stays as it is. */
static ob_status own_elements(const ref_node *n, ref_store *store, ob_err *err)
{
    if (store->raw == NULL)
        return OB_OK;
    ref_store *copy = ref_store_copy(store);
    if (copy == NULL)
        return no_memory(n, err);
    store->raw = NULL;
    store->values = copy->values;
    store->bounds = copy->bounds;
    store->wholes = copy->wholes;
    copy->values = copy->bounds = NULL;
    copy->wholes = NULL;
    ref_store_release(copy);
    return OB_OK;
}

/* A result that was made apart, into the argument that it changes. */
static ob_status write_back(const ref_node *n, const ref_out *out, ref_tensor *to, ob_err *err)
{
    const ref_store *from = out->t.store;
    if (from == NULL)
        return no_memory(n, err);
    if (from->why_unknown != NULL) {
        to->store->why_unknown = from->why_unknown;
        ref_judge_release(to->store->judge); /* what it was before is overwritten */
        to->store->judge = from->judge;
        if (from->judge != NULL)
            from->judge->uses++;
        return OB_OK;
    }
    OB_TRY(own_elements(n, to->store, err));
    to->store->shared = from->shared;
    for (int64_t i = 0; i < ref_numel(to); i++) {
        const int64_t at = ref_offset(to, i), source = out->t.offset + i;
        if (to->store->wholes != NULL) {
            to->store->wholes[at] = from->wholes[source];
            to->store->bounds[at] = from->bounds[source];
            continue;
        }
        const int reals = ref_is_complex(to->dtype) ? 2 : 1;
        for (int k = 0; k < reals; k++) {
            to->store->values[reals * at + k] = from->values[reals * source + k];
            to->store->bounds[reals * at + k] = from->bounds[reals * source + k];
        }
    }
    return OB_OK;
}

/* A view of a judged result has fewer elements, or others in other places: only the result itself can be judged. */
static void set_form(const ref_tensor *made)
{
    if (made->store == NULL || made->store->judge == NULL)
        return;
    made->store->judge->form = *made;
    made->store->judge->form.store = NULL;
}

/* What results are judged by, once the backend has run, stays as it is now: later calls, and the backend, may overwrite it. */
static ob_status keep_judged(const ref_node *n, ob_err *err)
{
    for (size_t k = 0; k < n->out_count; k++) {
        ref_judge *judge = n->outs[k].t.store != NULL ? n->outs[k].t.store->judge : NULL;
        for (int i = 0; judge != NULL && i < 2; i++) {
            ref_tensor *t = i == 0 ? &judge->of : &judge->values;
            if (t->store == NULL || t->store->places != NULL)
                continue;
            ref_store *copy = ref_store_copy(t->store);
            if (copy == NULL)
                return no_memory(n, err);
            ref_store_release(t->store);
            t->store = copy;
        }
    }
    return OB_OK;
}

/* The values of the call's edges. */
static ob_status give_outs(ref_node *n, ob_err *err)
{
    const ob_schema *schema = n->node->op->schema;
    const size_t returns = schema->return_count > 0 ? n->node->output_count : 1;
    size_t at = 0;
    for (size_t k = 0; k < returns; k++) {
        const int changed = changed_argument(n, k);
        const bool gives = schema->return_count > 0;
        const ob_value *meta = gives ? &n->pass->graph->edges[n->node->outputs[k]].meta : NULL;
        const size_t tensors = changed >= 0 ? n->args[changed].count
                               : gives      ? ob_kit_tensor_count(meta)
                                            : 0;
        ref_value made = {.items = calloc(tensors + 1, sizeof *made.items),
                          .count = tensors,
                          .is_list = gives && meta->kind != OB_VALUE_TENSOR};
        if (made.items == NULL)
            return no_memory(n, err);
        for (size_t i = 0; i < tensors; i++, at++) {
            ref_out *out = &n->outs[at];
            if (n->dry) { /* shapes are all that the next calls need */
                ref_store_release(out->t.store);
                out->t.store = ref_store_empty(out->t.dtype);
                made.items[i] = ref_tensor_share(&out->t);
                continue;
            }
            const bool sampled = out->t.store != NULL && out->t.store->places != NULL &&
                                 out->t.store->why_unknown == NULL;
            if (changed >= 0 && !sampled) {
                const ob_status status = write_back(n, out, &n->args[changed].items[i], err);
                if (status != OB_OK) {
                    free(made.items);
                    return status;
                }
                made.items[i] = ref_tensor_share(&n->args[changed].items[i]);
            } else {
                made.items[i] = ref_tensor_share(&out->t);
            }
            set_form(&made.items[i]);
        }
        at += changed < 0 && gives && tensors == 0;
        if (gives)
            n->pass->values[n->node->outputs[k]] = made;
        else
            ref_value_release(&made);
    }
    return OB_OK;
}

/* ---- running ---- */

static bool is_list_call(const ref_node *n)
{
    return strncmp(n->node->op->schema->name, "aten::_foreach_", 15) == 0;
}

/* Whether libraries round to half precision between the steps of an operator, and sum a few terms in it, as PyTorch 1.13
 * does in bfloat16 and ONNX Runtime in float16. All others compute in single precision and round once, at the end. */
static bool rounds_between(const char *name)
{
    static const char *const names[] = {
        "mm",
        "bmm",
        "addmm",
        "baddbmm",
        "addbmm",
        "mv",
        "addmv",
        "dot",
        "convolution",
        "convolution_backward",
        "_log_softmax",
        "_softmax",
        "_softmax_backward_data",
        "native_layer_norm",
        "native_layer_norm_backward",
        "native_batch_norm",
        "native_batch_norm_backward",
        "native_group_norm",
        "native_group_norm_backward",
        "nll_loss_forward",
        "nll_loss2d_forward",
        "linalg_vector_norm",
        "norm",
        "softplus",
        "binary_cross_entropy",
        "mse_loss",
        "gelu",
        "gelu_backward",
        "silu",
        "silu_backward",
        "prelu_backward",
        "atan2",
        "avg_pool2d_backward",
        "_adaptive_avg_pool2d_backward",
        "_adaptive_avg_pool3d",
        "_adaptive_avg_pool3d_backward",
        "embedding_dense_backward",
        "upsample_nearest2d_backward",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name + strlen("aten::"), names[i]) == 0)
            return true;
    return false;
}

/* What the call computes in. */
static void set_rules(ref_call *call, const char *name)
{
    ob_dtype dtype = call->outs[0].t.dtype;
    for (size_t i = 0;
         (dtype == OB_DTYPE_INVALID || ref_is_whole(dtype)) && i < call->kit.op->schema->arg_count;
         i++)
        for (size_t k = 0; k < call->args[i].count; k++)
            if (call->args[i].items[k].store != NULL && !ref_is_whole(call->args[i].items[k].dtype))
                dtype = call->args[i].items[k].dtype;
    for (size_t k = 1; k < call->out_count && dtype == OB_DTYPE_INVALID; k++)
        dtype = call->outs[k].t.dtype;
    /* Half precision is computed in single; the reference itself is no better than float64. */
    const bool wide = dtype == OB_DTYPE_F64 || dtype == OB_DTYPE_C128;
    call->computed = dtype == OB_DTYPE_INVALID ? OB_DTYPE_F64 : dtype;
    call->rules.u = wide ? 0x1p-52 : 0x1p-24;
    call->rules.given = ref_unit(call->computed);
    const bool half = call->rules.given > call->rules.u;
    call->rules.half = half && rounds_between(name) ? call->rules.given : 0;
}

static ob_status run_call(ref_node *n, ref_call *call, ob_err *err)
{
    set_rules(call, n->row->name);
    call->rules.deep = n->s->deep;
    return n->row->run(call, err);
}

/* One call of each item of the lists. */
static ob_status run_items(ref_node *n, const ref_call *all, ob_err *err)
{
    ob_value *values = calloc(n->arg_count + 1, sizeof *values);
    ref_value *tensors = calloc(n->arg_count + 1, sizeof *tensors);
    ob_status status = values != NULL && tensors != NULL ? OB_OK : no_memory(n, err);
    for (size_t item = 0; status == OB_OK && item < n->out_count; item++) {
        ref_call one = *all;
        for (size_t i = 0; i < n->arg_count; i++) {
            const ob_value *value = &n->values[i];
            const bool listed = value->kind == OB_VALUE_LIST && item < value->as.list.count;
            values[i] = listed ? value->as.list.items[item] : *value;
            tensors[i] = n->args[i];
            if (n->args[i].count > 0 && n->args[i].is_list)
                tensors[i] = (ref_value){
                    .items = &n->args[i].items[item < n->args[i].count ? item : 0], .count = 1};
        }
        one.kit.args = values;
        one.args = tensors;
        one.outs = &n->outs[item];
        one.out_count = 1;
        status = run_call(n, &one, err);
    }
    free(values);
    free(tensors);
    return status;
}

static ob_status make_unknown(ref_node *n, const char *why, ob_err *err)
{
    for (size_t k = 0; k < n->out_count; k++) {
        ref_call call = {.kit = {.host = n->s->host, .op = n->node->op}};
        if (n->outs[k].t.dtype == OB_DTYPE_INVALID)
            continue;
        OB_TRY(ref_out_make(&call, &n->outs[k], 0, true, err));
        ref_out_unknown(&n->outs[k], why);
    }
    return OB_OK;
}

/* The largest bound of an operand's elements in units of themselves, if each is used several times; else 0. */
static double bound_of_broadcast(const ref_tensor *t, int64_t results)
{
    int64_t own = 1;
    double most = 0;
    for (int d = 0; d < t->ndim; d++)
        own *= t->strides[d] != 0 ? t->sizes[d] : 1;
    if (own >= results || t->store->bounds == NULL || t->store->values == NULL)
        return 0;
    for (int64_t i = 0; i < t->store->count; i++)
        if (t->store->values[i] != 0)
            most = fmax(most, t->store->bounds[i] / fabs(t->store->values[i]));
    return most;
}

/* Norms, means and the like are a factor of everything that they are broadcast to, and so is what they are off by. */
static void note_shared(const ref_node *n)
{
    const bool broadcasts = n->row->run == ref_pointwise;
    for (size_t k = 0; k < n->out_count; k++) {
        ref_store *to = n->outs[k].t.store;
        for (size_t i = 0; to != NULL && i < n->arg_count; i++)
            for (size_t item = 0; item < n->args[i].count; item++) {
                const ref_tensor *arg = &n->args[i].items[item];
                if (arg->store == NULL || ref_is_complex(arg->dtype))
                    continue;
                to->shared += arg->store->shared;
                if (broadcasts)
                    to->shared += bound_of_broadcast(arg, ref_numel(&n->outs[k].t));
            }
    }
}

static ob_status compute(ref_node *n, ob_err *err)
{
    const char *unknown = n->dry ? NULL : why_unknown(n);
    if (unknown != NULL)
        return make_unknown(n, unknown, err);
    double cost = 0;
    ref_call call = {.kit = {.host = n->s->host, .op = n->node->op, .args = n->values},
                     .args = n->args,
                     .outs = n->outs,
                     .out_count = n->out_count,
                     .variant = n->row->variant,
                     .data = n->row->data,
                     .steps = n->steps,
                     .cost = &cost,
                     .may_sample = n->may_sample,
                     .dry = n->dry,
                     .seed = n->seed};
    const ob_status status = is_list_call(n) ? run_items(n, &call, err) : run_call(n, &call, err);
    if (n->dry) {
        n->s->cost += cost * (double)(n->out_count > 0 ? n->out_count : 1);
        return status == OB_END ? OB_OK : status;
    }
    return status;
}

ob_status ref_node_run(ref_node *n, ob_err *err)
{
    const ob_schema *schema = n->node->op->schema;
    n->arg_count = schema->arg_count;
    n->row = find_row(n->node->op);
    n->args = calloc(n->arg_count + 1, sizeof *n->args);
    n->values = calloc(n->arg_count + 1, sizeof *n->values);
    ob_status status = n->args != NULL && n->values != NULL ? OB_OK : no_memory(n, err);
    for (size_t i = 0; status == OB_OK && i < n->arg_count; i++) {
        n->values[i] = plain_value(n, &n->node->args[i]);
        status = take_operand(n, &n->node->args[i], &n->args[i], err);
    }
    if (status == OB_OK)
        status = make_outs(n, err);
    if (status == OB_OK && n->out_count > 0)
        status = compute(n, err);
    if (status == OB_OK && !n->dry)
        note_shared(n);
    if (status == OB_OK && n->s->overwrites && !n->dry)
        status = keep_judged(n, err);
    if (status == OB_OK)
        status = give_outs(n, err);
    for (size_t k = 0; n->outs != NULL && k < n->out_count; k++)
        ref_tensor_release(&n->outs[k].t);
    for (size_t i = 0; n->args != NULL && i < n->arg_count; i++)
        ref_value_release(&n->args[i]);
    free(n->outs);
    free(n->args);
    free(n->values);
    return status;
}
