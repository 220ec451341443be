/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of a prepared case for its results, and the reference's for the same inputs. Nothing here is timed.
 */
#include "run/result_check.h"

#include "opbench/run.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the reference may take, about: for some elements of the results, and where all are needed. */
static const double SECONDS = 2, MOST_SECONDS = 30;

const ob_reference_desc *ob__find_reference(const ob_context *context)
{
    const ob_backend_desc *desc = ob_context_find_backend(context, OB_REFERENCE_BACKEND);
    return desc != NULL ? desc->reference : NULL;
}

/* The values of a pass. */
typedef struct results {
    ob_value *values;
    size_t count, capacity;
} results;

static void results_fini(results *r)
{
    for (size_t i = 0; i < r->count; i++)
        ob_value_fini(&r->values[i]);
    free(r->values);
    *r = (results){0};
}

static ob_status read_results(const ob_setup *setup, ob_pass pass, size_t capacity, results *out,
                              ob_err *err)
{
    out->capacity = capacity;
    out->values = calloc(capacity + 1, sizeof *out->values);
    if (out->values == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the results");
    return setup->desc->outputs(setup->prepared, pass, out->values, capacity, &out->count, err);
}

/* ---- which gradients ---- */

static bool is_written(const ob_graph *graph, ob_edge_id edge)
{
    for (size_t n = 0; n < graph->node_count; n++) {
        const ob_graph_node *node = &graph->nodes[n];
        for (size_t a = 0; a < node->op->schema->arg_count; a++)
            if (node->op->schema->args[a].writes && node->args[a].kind == OB_OPERAND_EDGE &&
                node->args[a].edge == edge)
                return true;
    }
    return false;
}

/* The edges whose gradients come, in their order: the derived graph's targets, or for a backend with
 * autograd all that require one and are not overwritten, as it has no gradient of those. names has room for every edge. */
static size_t name_gradients(const ob_setup *setup, const char **names)
{
    const ob_graph *graph = setup->graph;
    size_t count = 0;
    if (!setup->desc->has_autograd) {
        for (size_t i = 0; i < setup->backward.target_count; i++) {
            const ob_edge_id target = setup->backward.targets[i];
            names[count++] = graph->edges[target].name;
        }
        return count;
    }
    for (int parameters = 0; parameters < 2; parameters++)
        for (size_t i = 0; i < graph->edge_count; i++) {
            const ob_graph_edge *edge = &graph->edges[i];
            const ob_edge_role role = parameters ? OB_EDGE_PARAMETER : OB_EDGE_INPUT;
            if (edge->role == role && edge->requires_grad && edge->meta.kind == OB_VALUE_TENSOR &&
                !is_written(graph, (ob_edge_id)i))
                names[count++] = edge->name;
        }
    return count;
}

/* ---- one run ---- */

static ob_status run_phase(const ob_setup *setup, ob_backend *backend, ob_phase phase, ob_err *err)
{
    OB_TRY(setup->desc->run(setup->prepared, phase, 1, err));
    return setup->desc->asynchronous ? setup->desc->sync(backend, err) : OB_OK;
}

/* ---- the reference ---- */

/* The graphs that the reference is computed from: those of the setup, or of a backend with autograd, derived ones. */
typedef struct plan {
    const ob_graph *graph;
    const ob_backward *backward; /* NULL = there is none */
    ob_graph *own;
    ob_backward derived;
    const char **targets; /* names of the backward's targets; "" = autograd has none of it */
} plan;

static ob_status plan_make(const ob_setup *setup, plan *p, ob_err *err)
{
    *p = (plan){.graph = setup->graph};
    if (setup->has_backward && setup->backward.graph != NULL)
        p->backward = &setup->backward;
    if (setup->has_backward && setup->backward.graph == NULL) {
        OB_TRY(ob_graph_decompose(setup->graph, NULL, NULL, &p->own, err));
        OB_TRY(ob_graph_derive_backward(p->own, &p->derived, err));
        p->graph = p->own;
        p->backward = p->derived.target_count > 0 ? &p->derived : NULL;
    }
    const size_t count = p->backward != NULL ? p->backward->target_count : 0;
    p->targets = calloc(count + 1, sizeof *p->targets);
    if (p->targets == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the names of gradients");
    for (size_t i = 0; i < count; i++) {
        const ob_edge_id target = p->backward->targets[i];
        p->targets[i] = setup->desc->has_autograd && is_written(p->graph, target)
                            ? ""
                            : p->graph->edges[target].name;
    }
    return OB_OK;
}

static void plan_fini(plan *p)
{
    ob_backward_fini(&p->derived);
    ob_graph_destroy(p->own);
    free(p->targets);
}

/* Libraries may have changed how the processor rounds; the reference computes as C says. */
static ob_status compute(const ob_setup *setup, const plan *p, const ob_reference_desc *desc,
                         ob_reference **out, ob_err *err)
{
    const double share = setup->check_seconds > 0 ? setup->check_seconds / SECONDS : 1;
    const ob_reference_args args = {.host = ob_host_get(),
                                    .graph = p->graph,
                                    .backward = p->backward,
                                    .inputs = setup->inputs,
                                    .input_count = setup->input_count,
                                    .parameters = setup->parameters,
                                    .parameter_count = setup->parameter_count,
                                    .seconds = share * SECONDS,
                                    .most_seconds = share * MOST_SECONDS,
                                    .seed = 1};
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    const ob_status status = desc->compute(&args, out, err);
    fesetenv(&before);
    return status;
}

/* ---- one run ---- */

typedef struct given {
    results outputs, gradients;
    const char **names;
    size_t name_count;
} given;

static ob_status run_passes(const ob_setup *setup, ob_backend *backend, given *g, ob_err *err)
{
    g->names = calloc(setup->graph->edge_count + 1, sizeof *g->names);
    if (g->names == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the names of gradients");
    OB_TRY(run_phase(setup, backend, OB_PHASE_FORWARD, err));
    OB_TRY(read_results(setup, OB_PASS_FORWARD, setup->graph->output_count, &g->outputs, err));
    if (!setup->has_backward)
        return OB_OK;
    g->name_count = name_gradients(setup, g->names);
    OB_TRY(run_phase(setup, backend, OB_PHASE_MAKE_GRAD, err));
    OB_TRY(run_phase(setup, backend, OB_PHASE_BACKWARD, err));
    OB_TRY(read_results(setup, OB_PASS_BACKWARD, setup->graph->edge_count, &g->gradients, err));
    return run_phase(setup, backend, OB_PHASE_ZERO_GRAD, err);
}

static void not_checked(ob_check_result *out, const char *reason)
{
    *out = (ob_check_result){.verdict = "not checked", .worst = NAN};
    snprintf(out->reason, sizeof out->reason, "%.500s", reason);
}

static void compare(const ob_setup *setup, const given *g, const plan *p,
                    const ob_reference_desc *desc, const ob_reference *reference,
                    ob_check_result *out)
{
    const bool inputs = setup->graph->output_count == 0;
    const ob_results_given both = {.outputs = inputs ? setup->inputs : g->outputs.values,
                                   .output_count = inputs ? setup->input_count : g->outputs.count,
                                   .gradients = g->gradients.values,
                                   .gradient_count =
                                       g->gradients.count == g->name_count ? g->gradients.count : 0,
                                   .gradient_names = g->names};
    if (inputs && setup->desc->alloc != NULL)
        not_checked(out, "it changes its inputs in device memory and returns no results");
    else
        ob__results_compare(&both, desc, reference, p->targets, out);
}

ob_status ob__check_case(const ob_setup *setup, ob_backend *backend, const ob_reference_desc *desc,
                         ob_check_result *out, ob_err *err)
{
    ob_reference *reference = NULL;
    given g = {.names = NULL};
    plan p = {.graph = NULL};
    ob_err why = {.message = ""};
    *out = (ob_check_result){.worst = NAN};
    if (setup->desc->outputs == NULL || desc == NULL) {
        not_checked(out, desc == NULL ? "there is no reference; the native backend is missing"
                                      : "the backend does not return its results");
        return OB_OK;
    }
    if (setup->writes_inputs)
        OB_TRY(run_phase(setup, backend, OB_PHASE_RESTORE, err));
    if (setup->writes_inputs && setup->desc->asynchronous)
        OB_TRY(setup->desc->sync(backend, err));
    /* Before the run: it may overwrite its inputs. */
    ob_status missing = plan_make(setup, &p, &why);
    if (missing == OB_OK)
        missing = compute(setup, &p, desc, &reference, &why);
    ob_status status = run_passes(setup, backend, &g, err);
    if (status == OB_OK && missing != OB_OK)
        not_checked(out, why.message);
    else if (status == OB_OK)
        compare(setup, &g, &p, desc, reference, out);
    if (reference != NULL)
        desc->destroy(reference);
    results_fini(&g.outputs);
    results_fini(&g.gradients);
    free(g.names);
    plan_fini(&p);
    return status;
}
