/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the native backend share: the opened backend, and a module or operator that is
 * built, filled and prepared.
 */
#ifndef OB_TEST_NATIVE_H
#define OB_TEST_NATIVE_H

#include "check.h"
#include "opbench/builder.h"
#include "opbench/run.h"

#include <stdlib.h>

enum { MAX_VALUES = 512 };

typedef struct native_subject {
    ob_context *context;
    const ob_backend_desc *desc;
    ob_backend *backend;
} native_subject;

static inline void subject_open(native_subject *s, int threads)
{
    ob_err err;
    if (ob_context_create(NULL, &s->context, &err) != OB_OK ||
        ob_plugin_load(s->context, OB_NATIVE_PLUGIN, &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    s->desc = ob_context_find_backend(s->context, "native");
    const ob_backend_settings settings = {
        .host = ob_host_get(), .device = {.type = "cpu", .index = -1}, .threads = threads};
    if (s->desc == NULL || s->desc->open(&settings, &s->backend, &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
}

static inline void subject_close(native_subject *s)
{
    s->desc->close(s->backend);
    ob_context_destroy(s->context);
}

/* One case: graph, values of its inputs, parameters and buffers, and the prepared thing. */
typedef struct native_case {
    const native_subject *on;
    ob_graph *built, *graph;
    ob_backward backward;
    ob_value inputs[MAX_VALUES], parameters[MAX_VALUES];
    size_t input_count, parameter_count;
    ob_prepared *prepared;
} native_case;

static inline void case_close(native_case *c)
{
    if (c->prepared != NULL)
        c->on->desc->release(c->prepared);
    for (size_t i = 0; i < c->input_count; i++)
        ob_value_fini(&c->inputs[i]);
    for (size_t i = 0; i < c->parameter_count; i++)
        ob_value_fini(&c->parameters[i]);
    ob_backward_fini(&c->backward);
    ob_graph_destroy(c->graph);
    ob_graph_destroy(c->built);
    *c = (native_case){0};
}

/* Parameters as their edges say; the same for the same seed. */
static inline ob_status fill_parameter(const ob_graph_edge *edge, ob_rng *rng, ob_value *out,
                                       ob_err *err)
{
    const ob_tensor *meta = edge->meta.as.tensor;
    ob_tensor tensor;
    OB_TRY(ob_tensor_init(&tensor, meta->dtype, meta->sizes, meta->ndim, NULL, err));
    for (int64_t i = 0; i < ob_tensor_numel(&tensor); i++) {
        const double x = edge->init == OB_INIT_ONES       ? 1
                         : edge->init == OB_INIT_CONSTANT ? edge->init_a
                         : edge->init == OB_INIT_UNIFORM
                             ? ob_rng_uniform(rng, -edge->init_a, edge->init_a)
                         : edge->init == OB_INIT_NORMAL ? edge->init_a * ob_rng_normal(rng)
                                                        : 0;
        if (tensor.dtype == OB_DTYPE_F32)
            ((float *)ob_tensor_data(&tensor))[i] = (float)x;
        else if (tensor.dtype == OB_DTYPE_I64)
            ((int64_t *)ob_tensor_data(&tensor))[i] = (int64_t)x;
        else /* f16 and the like are set by the test */
            ((uint16_t *)ob_tensor_data(&tensor))[i] = 0;
    }
    const ob_status status = ob_value_init_tensor(out, &tensor, err);
    ob_tensor_fini(&tensor);
    return status;
}

/* Builds and fills; case_prepare makes it ready to run. */
static inline ob_status case_build(native_case *c, const native_subject *on, const char *op,
                                   const ob_call *build, const ob_call *input, bool backward,
                                   ob_err *err)
{
    ob_rng rng;
    ob_rng_init(&rng, 7, 0);
    *c = (native_case){.on = on};
    OB_TRY(ob_graph_build(ob_context_operators(on->context), op, build, input, &c->built, err));
    OB_TRY(ob_graph_decompose(c->built, NULL, NULL, &c->graph, err));
    if (backward)
        OB_TRY(ob_graph_derive_backward(c->graph, &c->backward, err));
    size_t count = MAX_VALUES;
    OB_TRY(ob_graph_flatten_inputs(input, c->inputs, &count, err));
    c->input_count = count;
    for (size_t i = 0; i < c->graph->edge_count; i++) {
        const ob_graph_edge *edge = &c->graph->edges[i];
        if (edge->role == OB_EDGE_PARAMETER || edge->role == OB_EDGE_BUFFER) {
            OB_TRY(fill_parameter(edge, &rng, &c->parameters[c->parameter_count], err));
            c->parameter_count++;
        }
    }
    return OB_OK;
}

static inline ob_status case_prepare(native_case *c, ob_err *err)
{
    ob_reason why = {.text = ""};
    const bool backward = c->backward.graph != NULL;
    const ob_pass pass = backward ? OB_PASS_BACKWARD : OB_PASS_FORWARD;
    if (c->on->desc->supports(c->on->backend, c->graph, pass, &why) != OB_OK)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "%s", why.text);
    return c->on->desc->prepare(c->on->backend,
                                &(const ob_prepare_args){.graph = c->graph,
                                                         .backward = backward ? &c->backward : NULL,
                                                         .inputs = c->inputs,
                                                         .input_count = c->input_count,
                                                         .parameters = c->parameters,
                                                         .parameter_count = c->parameter_count,
                                                         .pass = pass},
                                &c->prepared, err);
}

static inline ob_status case_run(native_case *c, ob_phase phase, ob_err *err)
{
    return c->on->desc->run(c->prepared, phase, 1, err);
}

/* One forward of an operator that must work; how many outputs came. The arguments stay the caller's. */
static inline size_t run_operator(const native_subject *on, const char *op, ob_value *args,
                                  size_t count, ob_value *outputs, size_t capacity)
{
    native_case c = {0};
    size_t got = 0;
    ob_err err;
    ob_err_clear(&err);
    const ob_call call = {.args = args, .arg_count = count};
    CHECK_INT(case_build(&c, on, op, NULL, &call, false, &err), OB_OK);
    CHECK_INT(case_prepare(&c, &err), OB_OK);
    CHECK_INT(case_run(&c, OB_PHASE_FORWARD, &err), OB_OK);
    CHECK_INT(on->desc->outputs(c.prepared, OB_PASS_FORWARD, outputs, capacity, &got, &err), OB_OK);
    CHECK_STR(err.message, "");
    case_close(&c);
    return got;
}

/* The parameter or buffer of that name. */
static inline ob_tensor *case_parameter(native_case *c, const char *name)
{
    size_t number = 0;
    for (size_t i = 0; i < c->graph->edge_count; i++) {
        const ob_graph_edge *edge = &c->graph->edges[i];
        if (edge->role != OB_EDGE_PARAMETER && edge->role != OB_EDGE_BUFFER)
            continue;
        if (strcmp(edge->name, name) == 0)
            return c->parameters[number].as.tensor;
        number++;
    }
    return NULL;
}

#endif
