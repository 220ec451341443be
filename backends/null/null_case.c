/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of the null backend: what is supported, prepared, run and given back. Iterations cost
 * virtual time only; outputs are zeros of the shapes that the graph has worked out.
 */
#include "null.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "aten::mm" or "aten::mm.out". */
static bool is_op(const ob_op *op, const char *name, size_t length)
{
    const size_t base = strlen(op->schema->name);
    if (length < base || strncmp(name, op->schema->name, base) != 0)
        return false;
    if (length == base)
        return true;
    return name[base] == '.' && length - base - 1 == strlen(op->schema->overload) &&
           strncmp(name + base + 1, op->schema->overload, length - base - 1) == 0;
}

/* Whether the list, separated by commas or blanks, names the operator. */
static bool list_names(const char *list, const ob_op *op)
{
    while (list != NULL && *list != '\0') {
        list += strspn(list, ", ");
        const size_t length = strcspn(list, ", ");
        if (length > 0 && is_op(op, list, length))
            return true;
        list += length;
    }
    return false;
}

static bool graph_has(const ob_graph *graph, const char *list)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        if (list_names(list, graph->nodes[i].op))
            return true;
    }
    return false;
}

ob_status null_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                        ob_reason *why_not)
{
    (void)pass;
    for (size_t i = 0; i < graph->node_count; i++) {
        const ob_op *op = graph->nodes[i].op;
        if (list_names(backend->options.unsupported, op)) {
            snprintf(why_not->text, sizeof why_not->text,
                     "the option 'unsupported' of the null backend names %s; remove it there",
                     op->schema->name);
            return OB_ERR_UNSUPPORTED;
        }
    }
    return OB_OK;
}

/* The edges whose gradients backward() leaves behind: inputs, then parameters. */
static size_t find_grad_edges(const ob_graph *graph, ob_edge_id *edges)
{
    static const ob_edge_role roles[] = {OB_EDGE_INPUT, OB_EDGE_PARAMETER};
    size_t count = 0;
    for (size_t r = 0; r < sizeof roles / sizeof roles[0]; r++) {
        for (size_t i = 0; i < graph->edge_count; i++) {
            if (graph->edges[i].role == roles[r] && graph->edges[i].requires_grad)
                edges[count++] = (ob_edge_id)i;
        }
    }
    return count;
}

static ob_status copy_metas(ob_prepared *prepared, ob_pass pass, const ob_graph *graph,
                            const ob_edge_id *edges, size_t count, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    prepared->metas[pass] = calloc(count + 1, sizeof(ob_value));
    if (prepared->metas[pass] == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        OB_TRY(host->value_copy(&prepared->metas[pass][i], &graph->edges[edges[i]].meta, err));
        prepared->meta_count[pass]++;
    }
    return OB_OK;
}

static ob_status copy_grad_metas(ob_prepared *prepared, const ob_prepare_args *args, ob_err *err)
{
    const ob_backward *backward = args->backward;
    if (backward != NULL)
        return copy_metas(prepared, OB_PASS_BACKWARD, args->graph, backward->targets,
                          backward->target_count, err);
    ob_edge_id *edges = calloc(args->graph->edge_count + 1, sizeof *edges);
    if (edges == NULL)
        return prepared->backend->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    const size_t count = find_grad_edges(args->graph, edges);
    const ob_status status = copy_metas(prepared, OB_PASS_BACKWARD, args->graph, edges, count, err);
    free(edges);
    return status;
}

/* Takes references to all operands and counts their bytes. */
static ob_status take_inputs(ob_prepared *prepared, const ob_prepare_args *args, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    const size_t total = args->input_count + args->parameter_count;
    prepared->inputs = calloc(total + 1, sizeof(ob_value));
    if (prepared->inputs == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < total; i++) {
        const ob_value *from =
            i < args->input_count ? &args->inputs[i] : &args->parameters[i - args->input_count];
        OB_TRY(host->value_copy(&prepared->inputs[i], from, err));
        prepared->input_count++;
        OB_TRY(null_value_bytes(host, from, &prepared->bytes, err));
    }
    return OB_OK;
}

static ob_status check_counts(const ob_host *host, const ob_prepare_args *args, ob_err *err)
{
    size_t inputs = 0, parameters = 0;
    for (size_t i = 0; i < args->graph->edge_count; i++) {
        const ob_edge_role role = args->graph->edges[i].role;
        inputs += role == OB_EDGE_INPUT;
        parameters += role == OB_EDGE_PARAMETER || role == OB_EDGE_BUFFER;
    }
    if (inputs != args->input_count || parameters != args->parameter_count)
        return host->err_set(
            err, OB_ERR_INVALID,
            "the graph has %zu inputs and %zu parameters, but %zu and %zu were given", inputs,
            parameters, args->input_count, args->parameter_count);
    return OB_OK;
}

ob_status null_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                       ob_err *err)
{
    const ob_host *host = backend->host;
    *out = NULL;
    OB_TRY(check_counts(host, args, err));
    const char *fault_op = backend->options.fault_op;
    const bool fault_here = fault_op == NULL || graph_has(args->graph, fault_op);
    if (fault_here && null_fault_is_for(backend, "prepare"))
        OB_TRY(null_fault_strike(backend, "prepare", err));

    ob_prepared *prepared = calloc(1, sizeof *prepared);
    if (prepared == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    prepared->backend = backend;
    prepared->pass = args->pass;
    prepared->fault_here = fault_here;
    ob_status status = take_inputs(prepared, args, err);
    if (status == OB_OK)
        status = copy_metas(prepared, OB_PASS_FORWARD, args->graph, args->graph->outputs,
                            args->graph->output_count, err);
    for (size_t i = 0; status == OB_OK && i < prepared->meta_count[OB_PASS_FORWARD]; i++)
        status =
            null_value_bytes(host, &prepared->metas[OB_PASS_FORWARD][i], &prepared->bytes, err);
    if (status == OB_OK && args->pass == OB_PASS_BACKWARD)
        status = copy_grad_metas(prepared, args, err);
    if (status == OB_OK &&
        __builtin_add_overflow(backend->used_bytes, prepared->bytes, &backend->used_bytes))
        status = host->err_set(err, OB_ERR_OVERFLOW, "the prepared cases exceed 2^64 bytes");
    if (status != OB_OK) {
        prepared->bytes = 0; /* not counted yet */
        null_release(prepared);
        return status;
    }
    if (backend->peak_bytes < backend->used_bytes)
        backend->peak_bytes = backend->used_bytes;
    *out = prepared;
    return OB_OK;
}

void null_release(ob_prepared *prepared)
{
    if (prepared == NULL)
        return;
    const ob_host *host = prepared->backend->host;
    prepared->backend->used_bytes -= prepared->bytes;
    for (size_t i = 0; i < prepared->input_count; i++)
        host->value_fini(&prepared->inputs[i]);
    free(prepared->inputs);
    for (int pass = OB_PASS_FORWARD; pass <= OB_PASS_BACKWARD; pass++) {
        for (size_t i = 0; i < prepared->meta_count[pass]; i++)
            host->value_fini(&prepared->metas[pass][i]);
        free(prepared->metas[pass]);
    }
    free(prepared);
}

static ob_status check_order(const ob_prepared *prepared, ob_phase phase, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    if (phase == OB_PHASE_FORWARD || phase == OB_PHASE_RESTORE)
        return OB_OK;
    if (prepared->pass != OB_PASS_BACKWARD)
        return host->err_set(err, OB_ERR_STATE,
                             "the case was prepared for forward only; prepare it for backward");
    if (phase != OB_PHASE_ZERO_GRAD && prepared->done[OB_PASS_FORWARD] == 0)
        return host->err_set(err, OB_ERR_STATE, "no forward pass has run yet; run forward first");
    if (phase == OB_PHASE_BACKWARD && !prepared->has_grad)
        return host->err_set(err, OB_ERR_STATE,
                             "the outputs have no gradients; run make_grad first");
    return OB_OK;
}

/* How many of the iterations that follow the first `done` of a pass are disturbed. */
static uint64_t disturbed_among(const null_options *options, uint64_t done, uint64_t iterations)
{
    const uint64_t every = (uint64_t)options->slow_every;
    return every > 0 ? (done + iterations) / every - done / every : 0;
}

/* Iterations of forward or backward, with the fault at its place among them. */
static ob_status run_pass(ob_prepared *prepared, ob_pass pass, uint64_t iterations, ob_err *err)
{
    ob_backend *backend = prepared->backend;
    const null_options *options = &backend->options;
    const bool is_forward = pass == OB_PASS_FORWARD;
    const char *phase = is_forward ? "forward" : "backward";
    const uint64_t work_ns = (uint64_t)(is_forward ? options->forward_ns : options->backward_ns);
    uint64_t *done = &prepared->done[pass];
    const bool struck = prepared->fault_here && null_fault_is_for(backend, phase) &&
                        (uint64_t)options->fault_at >= *done &&
                        (uint64_t)options->fault_at - *done < iterations;
    const uint64_t before = struck ? (uint64_t)options->fault_at - *done : iterations;

    uint64_t warm = before;
    if (is_forward && backend->cold && before > 0) {
        OB_TRY(null_clock_run(backend, work_ns + (uint64_t)options->cold_ns, 1, err));
        backend->cold = false;
        warm--;
    }
    const uint64_t slow = disturbed_among(options, *done + before - warm, warm);
    OB_TRY(null_clock_run(backend, work_ns + (uint64_t)options->slow_ns, slow, err));
    OB_TRY(null_clock_run(backend, work_ns, warm - slow, err));
    *done += before;
    if (!struck)
        return OB_OK;
    OB_TRY(null_fault_strike(backend, phase, err));
    OB_TRY(null_clock_run(backend, work_ns, iterations - before, err));
    *done += iterations - before;
    return OB_OK;
}

ob_status null_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    OB_TRY(check_order(prepared, phase, err));
    ob_backend *backend = prepared->backend;
    switch (phase) {
    case OB_PHASE_FORWARD:
        return run_pass(prepared, OB_PASS_FORWARD, iterations, err);
    case OB_PHASE_BACKWARD:
        return run_pass(prepared, OB_PASS_BACKWARD, iterations, err);
    case OB_PHASE_MAKE_GRAD:
    case OB_PHASE_ZERO_GRAD:
    case OB_PHASE_RESTORE:
        OB_TRY(null_clock_run(backend, (uint64_t)backend->options.other_ns, iterations, err));
        prepared->has_grad = prepared->has_grad || (phase == OB_PHASE_MAKE_GRAD && iterations > 0);
        return OB_OK;
    }
    return backend->host->err_set(err, OB_ERR_UNSUPPORTED, "the null backend has no phase %d",
                                  (int)phase);
}

ob_status null_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                       size_t *count, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    *count = 0;
    if (prepared->done[pass] == 0)
        return host->err_set(err, OB_ERR_STATE, "no %s has run yet; run it first",
                             pass == OB_PASS_FORWARD ? "forward" : "backward");
    if (capacity < prepared->meta_count[pass])
        return host->err_set(err, OB_ERR_LIMIT, "there are %zu outputs, but room for only %zu",
                             prepared->meta_count[pass], capacity);
    OB_TRY(null_sync(prepared->backend, err));
    for (size_t i = 0; i < prepared->meta_count[pass]; i++) {
        const ob_status status = null_value_zeros(host, &prepared->metas[pass][i], &values[i], err);
        if (status != OB_OK) {
            while (i-- > 0)
                host->value_fini(&values[i]);
            return status;
        }
    }
    *count = prepared->meta_count[pass];
    return OB_OK;
}
