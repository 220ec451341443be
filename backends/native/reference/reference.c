/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference as the core sees it: a case is taken apart into calls that it knows, computed, and its results are laid out
 * with the bound of each element.
 */
#include "reference.h"

#include "reference_graph.h"

#include <stdlib.h>
#include <string.h>

/* How far beyond the bounds of the formulas a right result may be: by the slack that docs/check.md measures. */
static const double SLACK = 4, SLACK_OF_HALF = 1.5;
/* Differences are mostly smaller than their bounds: the root of their mean square is at most this part of that of the bounds; a few
 * elements say less about it. */
static const double NORM = 1;
static const double NORM_OF_FEW = 1;

typedef struct laid_out {
    ob_reference_result result;
    int64_t sizes[OB_MAX_DIMS];
    ref_tensor tensor;
} laid_out;

struct ob_reference {
    ref_state state;
    laid_out *results[2];
    size_t counts[2];
};

/* ---- results ---- */

static void fill_norm(ob_reference_result *r, int64_t reals)
{
    double square = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < r->count * reals; i++)
        if (isfinite(r->bounds[i])) {
            square += r->bounds[i] * r->bounds[i];
            count++;
        }
    r->norm = sqrt(square) * (NORM + NORM_OF_FEW / sqrt((double)(count > 0 ? count : 1)));
}

static ob_status lay_out_elements(const ob_reference *ref, laid_out *to, ob_err *err)
{
    const ref_tensor *t = &to->tensor;
    const ref_store *s = t->store;
    ob_reference_result *r = &to->result;
    const int64_t reals = ref_is_complex(t->dtype) ? 2 : 1;
    r->count = s->places != NULL ? s->place_count : ref_numel(t);
    const size_t room = (size_t)(r->count * reals) + 1;
    double *values = ref_is_whole(t->dtype) ? NULL : malloc(room * sizeof *values);
    int64_t *wholes = ref_is_whole(t->dtype) ? malloc(room * sizeof *wholes) : NULL;
    double *bounds = malloc(room * sizeof *bounds);
    r->values = values;
    r->wholes = wholes;
    r->bounds = bounds;
    r->places = s->places;
    const bool half = t->dtype == OB_DTYPE_F16 || t->dtype == OB_DTYPE_BF16;
    const double slack = half ? SLACK_OF_HALF : SLACK;
    if (bounds == NULL || (values == NULL && wholes == NULL))
        return ref->state.host->err_set(err, OB_ERR_NOMEM, "out of memory for the reference");
    for (int64_t i = 0; i < r->count; i++) {
        const int64_t at = s->places != NULL ? i : ref_offset(t, i);
        if (wholes != NULL) {
            wholes[i] = ref_get_whole(t, at);
            bounds[i] = ref_is_doubtful(t, at) ? s->bounds[at] : 0;
            continue;
        }
        for (int64_t k = 0; k < reals; k++) {
            const ball x = k == 0 ? ref_get(t, at) : ref_get_imaginary(t, at);
            values[reals * i + k] = x.v;
            bounds[reals * i + k] = slack * x.e;
        }
    }
    fill_norm(r, reals);
    r->shared = slack * s->shared;
    return OB_OK;
}

static bool is_in_order(const ref_tensor *t)
{
    return ob_shape_is_contiguous(t->sizes, t->strides, t->ndim);
}

/* Whether these are the elements that the judge is for, in their order. */
static bool is_judged(const ref_judge *judge, const ref_tensor *t)
{
    const ref_tensor *form = &judge->form;
    bool same = form->ndim == t->ndim && form->offset == t->offset;
    for (int d = 0; same && d < t->ndim; d++)
        same = form->sizes[d] == t->sizes[d] && form->strides[d] == t->strides[d];
    return same || (is_in_order(form) && is_in_order(t) && form->offset == t->offset &&
                    ref_numel(form) == ref_numel(t));
}

static ob_status lay_out(const ob_reference *ref, const ref_tensor *tensor, laid_out *to,
                         ob_err *err)
{
    ob_reference_result *r = &to->result;
    const ref_store *s = tensor->store;
    to->tensor = ref_tensor_share(tensor);
    *r = (ob_reference_result){
        .size = sizeof *r, .dtype = tensor->dtype, .ndim = tensor->ndim, .sizes = to->sizes};
    for (int d = 0; d < tensor->ndim; d++)
        to->sizes[d] = tensor->sizes[d];
    if (s == NULL || s->own != NULL) {
        r->reason = s != NULL ? s->own : "it is not a tensor";
        return OB_OK;
    }
    if (s->judge != NULL && is_judged(s->judge, tensor)) {
        r->kind = OB_REFERENCE_JUDGED;
        return OB_OK;
    }
    if (s->why_unknown != NULL) {
        r->reason = s->why_unknown;
        return OB_OK;
    }
    r->kind = OB_REFERENCE_VALUES;
    return lay_out_elements(ref, to, err);
}

/* The edges whose values are results: the graph's outputs, or the inputs of one that has none. */
static ob_status lay_out_pass(ob_reference *ref, int which, ob_err *err)
{
    const ref_pass *pass = &ref->state.passes[which];
    const ob_graph *graph = pass->graph;
    const bool inputs = which == OB_PASS_FORWARD && graph->output_count == 0;
    const size_t edges = inputs ? graph->edge_count : graph->output_count;
    size_t count = 0;
    for (size_t i = 0; i < edges; i++)
        count += pass->values[inputs ? i : graph->outputs[i]].count;
    ref->results[which] = calloc(count + 1, sizeof *ref->results[which]);
    if (ref->results[which] == NULL)
        return ref->state.host->err_set(err, OB_ERR_NOMEM, "out of memory for the reference");
    for (size_t i = 0; i < edges; i++) {
        const size_t edge = inputs ? i : graph->outputs[i];
        if (inputs && graph->edges[edge].role != OB_EDGE_INPUT)
            continue;
        for (size_t k = 0; k < pass->values[edge].count; k++)
            OB_TRY(lay_out(ref, &pass->values[edge].items[k],
                           &ref->results[which][ref->counts[which]++], err));
    }
    return OB_OK;
}

/* ---- the functions ---- */

static bool keep(void *ctx, const ob_op *op)
{
    (void)ctx;
    return ref_knows(op);
}

static bool all_known(const ob_graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++)
        if (!ref_knows(graph->nodes[i].op))
            return false;
    return true;
}

static ob_status resolve(void *ctx, const ob_graph *graph, ob_graph **own, ob_err *err)
{
    const ob_host *host = ctx;
    *own = NULL;
    if (all_known(graph))
        return OB_OK;
    OB_TRY(host->graph_decompose(graph, keep, NULL, own, err));
    for (size_t i = 0; i < (*own)->node_count; i++) {
        const ob_schema *schema = (*own)->nodes[i].op->schema;
        if (ref_knows((*own)->nodes[i].op))
            continue;
        const ob_status status =
            host->err_set(err, OB_ERR_UNSUPPORTED, "there is no reference for %s", schema->name);
        host->graph_destroy(*own);
        *own = NULL;
        return status;
    }
    return OB_OK;
}

static ob_status take_apart(ref_state *s, ob_err *err)
{
    const ob_reference_args *a = s->args;
    const ob_prepare_args like = {.graph = a->graph,
                                  .backward = a->backward,
                                  .inputs = a->inputs,
                                  .input_count = a->input_count,
                                  .parameters = a->parameters,
                                  .parameter_count = a->parameter_count,
                                  .pass = a->backward != NULL ? OB_PASS_BACKWARD : OB_PASS_FORWARD};
    s->map = calloc(a->graph->edge_count + 1, sizeof *s->map);
    if (s->map == NULL)
        return s->host->err_set(err, OB_ERR_NOMEM, "out of memory for the reference");
    OB_TRY(ob_kit_resolve_forward(s->host, &like, resolve, (void *)(uintptr_t)s->host,
                                  &s->passes[0].graph, &s->passes[0].own, s->map, err));
    if (a->backward == NULL)
        return OB_OK;
    OB_TRY(resolve((void *)(uintptr_t)s->host, a->backward->graph, &s->passes[1].own, err));
    s->passes[1].graph = s->passes[1].own != NULL ? s->passes[1].own : a->backward->graph;
    return OB_OK;
}

static void destroy(ob_reference *ref)
{
    if (ref == NULL)
        return;
    for (int which = 0; which < 2; which++) {
        for (size_t i = 0; i < ref->counts[which]; i++) {
            laid_out *r = &ref->results[which][i];
            ref_tensor_release(&r->tensor);
            free((void *)(uintptr_t)r->result.values);
            free((void *)(uintptr_t)r->result.bounds);
            free((void *)(uintptr_t)r->result.wholes);
        }
        free(ref->results[which]);
    }
    ref_graph_free(&ref->state);
    free(ref);
}

static ob_status compute(const ob_reference_args *args, ob_reference **out, ob_err *err)
{
    ob_reference *ref = calloc(1, sizeof *ref);
    *out = NULL;
    if (ref == NULL)
        return args->host->err_set(err, OB_ERR_NOMEM, "out of memory for the reference");
    ref->state.host = args->host;
    ref->state.args = args;
    ob_status status = take_apart(&ref->state, err);
    if (status == OB_OK)
        status = ref_graph_run(&ref->state, err);
    for (int which = 0; status == OB_OK && which < 2; which++)
        if (ref->state.passes[which].graph != NULL)
            status = lay_out_pass(ref, which, err);
    if (status != OB_OK) {
        destroy(ref);
        return status;
    }
    *out = ref;
    return OB_OK;
}

static size_t count_results(const ob_reference *ref, ob_pass pass)
{
    return ref->counts[pass];
}

static const ob_reference_result *result_at(const ob_reference *ref, ob_pass pass, size_t index)
{
    return &ref->results[pass][index].result;
}

static bool judge(const ob_reference *ref, ob_pass pass, size_t index, const ob_tensor *got,
                  ob_reason *why)
{
    const ref_judge *j = ref->results[pass][index].tensor.store->judge;
    ref_store store = {
        .uses = 1, .dtype = got->dtype, .raw = ref->state.host->storage_data(got->storage)};
    ref_tensor t = {.dtype = got->dtype, .ndim = got->ndim, .offset = got->offset, .store = &store};
    for (int d = 0; d < got->ndim; d++) {
        t.sizes[d] = got->sizes[d];
        t.strides[d] = got->strides[d];
    }
    why->text[0] = '\0';
    return j->fn(j, &t, why);
}

const ob_reference_desc native_reference = {
    .compute = compute,
    .destroy = destroy,
    .count = count_results,
    .result = result_at,
    .judge = judge,
};
