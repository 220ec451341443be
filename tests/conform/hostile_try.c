/* SPDX-License-Identifier: Apache-2.0
 *
 * One hostile call, done as a run does it: a graph, by the operator's row; inputs; prepare, run and outputs.
 */
#include "hostile.h"

#include "gen/constrain.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ELEMENTS = 1 << 17, /* of all edges of a graph that runs */
    MOST_WORK = 1 << 22,     /* floating-point operations of a graph that runs */
};

static double elements_of(const ob_value *value)
{
    double sum = 0;
    if (value->kind == OB_VALUE_TENSOR)
        return (double)ob_tensor_numel(value->as.tensor);
    for (size_t i = 0; value->kind == OB_VALUE_LIST && i < value->as.list.count; i++)
        sum += elements_of(&value->as.list.items[i]);
    return sum;
}

static bool is_large(const ob_graph *graph)
{
    ob_cost cost;
    double elements = 0;
    for (size_t i = 0; graph != NULL && i < graph->edge_count; i++)
        elements += elements_of(&graph->edges[i].meta);
    return graph != NULL && (elements > MOST_ELEMENTS ||
                             ob_graph_cost(graph, &cost, NULL) != OB_OK || cost.flops > MOST_WORK);
}

/* Every argument by its place, or its name where it has none. */
static ob_call as_call(const hostile_call *call, const char **names)
{
    const ob_schema *schema = call->op->schema;
    for (size_t a = schema->positional_count; a < schema->arg_count; a++)
        names[a - schema->positional_count] = schema->args[a].name;
    return (ob_call){.args = call->args,
                     .arg_count = schema->positional_count,
                     .kwarg_names = names,
                     .kwargs = call->args + schema->positional_count,
                     .kwarg_count = schema->arg_count - schema->positional_count};
}

static ob_status build(const hostile_call *call, const ob_call *given, const ob_op_table *table,
                       ob_setup *setup, ob_err *err)
{
    char name[256];
    const ob_schema *schema = call->op->schema;
    snprintf(name, sizeof name, "%s.%s", schema->name,
             schema->overload[0] != '\0' ? schema->overload : "default");
    OB_TRY(ob_graph_build(table, name, NULL, given, &setup->graph, err));
    if (!call->backward || setup->desc->has_autograd)
        return OB_OK;
    ob_graph *simple = NULL;
    if (ob_graph_decompose(setup->graph, NULL, NULL, &simple, NULL) != OB_OK)
        return OB_OK;
    if (ob_graph_derive_backward(simple, &setup->backward, NULL) == OB_OK &&
        setup->backward.target_count > 0) {
        ob_graph_destroy(setup->graph);
        setup->graph = simple;
        setup->has_backward = true;
        return OB_OK;
    }
    ob_backward_fini(&setup->backward);
    setup->backward = (ob_backward){.graph = NULL};
    ob_graph_destroy(simple);
    return OB_OK;
}

/* The values of tame calls obey the rows, those of others are checked, as a run does it. The native backend gets them
 * unchecked: its kernels look themselves, because values that other calls compute are checked by nobody else. */
static ob_status constrain(hostile_call *call, ob_setup *setup, bool *are_given, ob_err *err)
{
    const bool fills = call->tame && !call->own;
    for (size_t i = 0; i < setup->input_count; i++)
        are_given[i] = !fills;
    if (!fills && strcmp(setup->desc->name, "native") == 0)
        return OB_OK;
    return ob__constrain_marked(setup->graph, are_given, setup->inputs, setup->input_count,
                                &call->dice.rng, err);
}

static ob_status take_inputs(hostile_call *call, const ob_call *given, ob_setup *setup, ob_err *err)
{
    size_t count = setup->graph->edge_count;
    setup->inputs = calloc(count + 1, sizeof *setup->inputs);
    if (setup->inputs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    OB_TRY(ob_graph_flatten_inputs(given, setup->inputs, &count, err));
    setup->input_count = count;
    bool *are_given = calloc(count + 1, sizeof *are_given);
    if (are_given == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_status status = constrain(call, setup, are_given, err);
    free(are_given);
    return status;
}

static ob_status run(const subject *s, ob_setup *setup, ob_err *err)
{
    static const ob_phase phases[] = {OB_PHASE_FORWARD, OB_PHASE_MAKE_GRAD, OB_PHASE_BACKWARD,
                                      OB_PHASE_RESTORE, OB_PHASE_FORWARD};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        const bool backward = phases[i] == OB_PHASE_MAKE_GRAD || phases[i] == OB_PHASE_BACKWARD;
        if (backward && !setup->has_backward)
            continue;
        OB_TRY(s->desc->run(setup->prepared, phases[i], 1, err));
        if (s->desc->sync != NULL)
            OB_TRY(s->desc->sync(s->backend, err));
    }
    return OB_OK;
}

static ob_status read_outputs(const subject *s, ob_setup *setup, ob_pass pass, ob_err *err)
{
    const size_t capacity = setup->graph->edge_count + setup->graph->output_count;
    size_t count = 0;
    ob_value *values = calloc(capacity + 1, sizeof *values);
    if (values == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_status status = s->desc->outputs(setup->prepared, pass, values, capacity, &count, err);
    values_free(values, count);
    return status;
}

static hostile_outcome prepare_and_run(const subject *s, ob_setup *setup, ob_err *err)
{
    ob_reason why_not = {.text = ""};
    const ob_pass pass = setup->has_backward ? OB_PASS_BACKWARD : OB_PASS_FORWARD;
    if (s->desc->supports(s->backend, setup->graph, pass, &why_not) != OB_OK) {
        ob_err_set(err, OB_ERR_UNSUPPORTED, "%s", why_not.text);
        return REFUSED_BY_BACKEND;
    }
    if (is_large(setup->graph) || is_large(setup->backward.graph))
        return TOO_LARGE;
    const ob_prepare_args args = {.graph = setup->graph,
                                  .backward = setup->has_backward ? &setup->backward : NULL,
                                  .inputs = setup->inputs,
                                  .input_count = setup->input_count,
                                  .pass = pass};
    if (s->desc->prepare(s->backend, &args, &setup->prepared, err) != OB_OK)
        return REFUSED_IN_PREPARE;
    if (run(s, setup, err) != OB_OK)
        return REFUSED_IN_RUN;
    if (read_outputs(s, setup, OB_PASS_FORWARD, err) != OB_OK ||
        (setup->has_backward && read_outputs(s, setup, OB_PASS_BACKWARD, err) != OB_OK))
        return REFUSED_IN_RUN;
    return RAN;
}

hostile_opinion hostile_ask_library(const subject *s, hostile_call *call, ob_backend_ops **ops,
                                    hostile_outcome of_row)
{
    const char *names[64];
    const ob_op_table *table = NULL;
    ob_setup setup = {.desc = s->desc, .writes_inputs = true};
    ob_err err;
    if (s->desc->schemas == NULL || !call->tame || of_row == IMPOSSIBLE || of_row == TOO_LARGE)
        return AGREED;
    if (of_row != REFUSED_BY_ROW)
        return of_row == RAN ? AGREED : ROW_IS_LOOSER;
    hostile_outcome result = REFUSED_BY_ROW;
    const ob_call given = as_call(call, names);
    if (ob__backend_ops_table(ops, s->desc, s->backend, &table, &err) == OB_OK &&
        build(call, &given, table, &setup, &err) == OB_OK &&
        take_inputs(call, &given, &setup, &err) == OB_OK)
        result = prepare_and_run(s, &setup, &err);
    ob__setup_fini(&setup);
    return result == RAN ? ROW_IS_STRICTER : AGREED;
}

hostile_outcome hostile_try(const subject *s, hostile_call *call, ob_err *err)
{
    const char *names[64];
    ob_setup setup = {.desc = s->desc, .writes_inputs = true};
    hostile_outcome result = REFUSED_BY_ROW;
    if (hostile_call_fill(call, err) != OB_OK)
        return IMPOSSIBLE;
    const ob_call given = as_call(call, names);
    if (build(call, &given, ob_context_operators(s->context), &setup, err) == OB_OK &&
        take_inputs(call, &given, &setup, err) == OB_OK)
        result = prepare_and_run(s, &setup, err);
    ob__setup_fini(&setup);
    return result;
}

bool hostile_is_named(const hostile_call *call, const ob_err *err)
{
    const char *colons = strstr(call->op->schema->name, "::");
    return strstr(err->message, "aten::") != NULL ||
           strstr(err->message, colons != NULL ? colons + 2 : "") != NULL;
}
