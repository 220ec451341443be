/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph of a recorded call is prepared, executed once as any case (run/executor.c says what is timed) and released.
 * Not timed: making arguments, building, preparing, keeping results.
 */
#include "gen/constrain.h"
#include "trace/replay_cast.h"
#include "trace/replay_making.h"

#include <stdlib.h>
#include <string.h>

/* What aten::empty gave was filled by somebody whom the trace did not see (the data of torch.tensor), and
 * whatever is in the memory now may be an index later: it gets values as everything else that no call made. */
static bool is_empty(const char *name)
{
    static const char *const NAMES[] = {"aten::empty", "aten::new_empty"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strncmp(name, NAMES[i], strlen(NAMES[i])) == 0)
            return true;
    return false;
}

typedef struct key_search {
    const ob_trace_tensor *wanted;
    bool found;
} key_search;

static void look_for_key(void *ctx, const ob_trace_tensor *tensor)
{
    key_search *search = ctx;
    search->found |= tensor->id == search->wanted->id && tensor->storage == search->wanted->storage;
}

/* In float32 a result becomes what was recorded; one that is an argument is put back into that. */
static void keep_output(ob_replay_making *m, const ob_trace_tensor *recorded, ob_value *value)
{
    const ob_dtype dtype = ob__replay_values_dtype(m->caller->values, recorded);
    if (m->in_float32 && ob__replay_is_narrow(dtype)) {
        key_search search = {.wanted = recorded};
        ob__replay_each_tensor(m->step->node->inputs, m->step->node->input_count, look_for_key,
                               &search);
        const bool written = search.found && !ob__trace_is_sparse(recorded);
        if (written || ob__replay_narrow(value, dtype, m->err) != OB_OK)
            ob_value_fini(value);
    }
    ob__replay_values_put(m->caller->values, recorded, value);
}

static void keep_outputs(ob_replay_making *m, ob_value *values, size_t count)
{
    for (size_t i = 0; is_empty(m->alias.name) && i < count; i++)
        if (values[i].kind == OB_VALUE_TENSOR)
            ob__replay_values_fill(m->caller->values, values[i].as.tensor);
    const ob_trace_node *node = m->step->node;
    for (size_t i = 0; i < count; i++) {
        const ob_trace_value *recorded = i < node->output_count ? &node->outputs[i] : NULL;
        if (m->element != OB_REPLAY_ONE_CALL)
            recorded =
                recorded != NULL && recorded->kind == OB_TRACE_LIST && m->element < recorded->count
                    ? &recorded->as.items[m->element]
                    : NULL;
        if (recorded != NULL && recorded->kind == OB_TRACE_TENSOR)
            keep_output(m, recorded->as.tensor, &values[i]);
        if (recorded != NULL && recorded->kind == OB_TRACE_LIST && values[i].kind == OB_VALUE_LIST)
            for (size_t k = 0; k < recorded->count && k < values[i].as.list.count; k++)
                if (recorded->as.items[k].kind == OB_TRACE_TENSOR)
                    keep_output(m, recorded->as.items[k].as.tensor, &values[i].as.list.items[k]);
        ob_value_fini(&values[i]);
    }
}

/* In place of timing: its results and what they must be. */
static ob_status check_prepared(ob_replay_making *m, const ob_setup *setup)
{
    ob_check_result one;
    ob_replay_caller *caller = m->caller;
    OB_TRY(ob__check_case(setup, caller->session->backend, caller->reference, &one, m->err));
    if (caller->checked.verdict == NULL)
        caller->checked = one;
    else
        ob__check_join(&caller->checked, &one); /* a call that is made for each of its tensors */
    return OB_OK;
}

static ob_status time_prepared(ob_replay_making *m, ob_prepared *prepared, double *elapsed_ns)
{
    static const ob_exec_settings ONCE = {
        .mode = OB_EXEC_DISCRETE, .pass = OB_PASS_FORWARD, .iterations = 1};
    const ob_session *s = m->caller->session;
    const ob_exec_target target = {.desc = s->desc, .backend = s->backend, .prepared = prepared};
    ob_exec_result taken;
    const ob_status status = ob__execute(&target, &ONCE, &taken, m->err);
    if (status == OB_OK) {
        *elapsed_ns = taken.forward.measure_ns.values[0];
        m->caller->peak_bytes = (uint64_t)taken.forward.measure_peak_bytes.values[0];
    }
    ob__exec_result_fini(&taken);
    return status;
}

static ob_status run_prepared(ob_replay_making *m, const ob_setup *setup, double *elapsed_ns)
{
    const ob_session *s = m->caller->session;
    ob_prepared *prepared = setup->prepared;
    ob_value outputs[OB_REPLAY_OUTPUTS] = {0};
    size_t count = 0;
    ob_status status = m->caller->checks && s->desc->outputs != NULL
                           ? check_prepared(m, setup)
                           : time_prepared(m, prepared, elapsed_ns);
    if (status == OB_OK && s->desc->outputs != NULL)
        status =
            s->desc->outputs(prepared, OB_PASS_FORWARD, outputs, OB_REPLAY_OUTPUTS, &count, m->err);
    keep_outputs(m, outputs, count);
    return status;
}

/* An operator's constraints go on what was made just now and has no recorded range; to repair a call that
 * failed, on all of its tensors: indices that came through other calls are as random as any, and
 * probabilities may have become NaN. */
static ob_status constrain(ob_replay_making *m, const ob_graph *graph, ob_value *inputs,
                           size_t count, bool repair)
{
    if (m->fresh_count == 0 && !repair)
        return OB_OK;
    bool *given = calloc(count + 1, sizeof *given);
    if (given == NULL)
        return ob_err_set(m->err, OB_ERR_NOMEM, "out of memory for a call");
    for (size_t i = 0; i < count; i++) {
        given[i] = !repair || inputs[i].kind != OB_VALUE_TENSOR;
        for (size_t k = 0; inputs[i].kind == OB_VALUE_TENSOR && k < m->fresh_count; k++)
            given[i] = given[i] && inputs[i].as.tensor->storage != m->fresh[k];
    }
    const ob_status status =
        ob__constrain_marked(graph, given, inputs, count, &m->caller->values->rng, m->err);
    free(given);
    return status;
}

/* index_put with a mask wants as many true elements as there are values; those of the training are not known. */
static bool repair_mask(const ob_replay_making *m)
{
    const ob_value *list = m->count > 2 ? &m->values[1] : NULL, *values = &m->values[2];
    if (list == NULL || strstr(m->name, "index_put") == NULL || list->kind != OB_VALUE_LIST ||
        list->as.list.count != 1 || values->kind != OB_VALUE_TENSOR ||
        values->as.tensor->ndim == 0 || list->as.list.items[0].kind != OB_VALUE_TENSOR)
        return false;
    const ob_tensor *mask = list->as.list.items[0].as.tensor;
    const int64_t count = ob_tensor_numel(mask), wanted = values->as.tensor->sizes[0];
    int64_t span = 0;
    if (mask->dtype != OB_DTYPE_BOOL || mask->layout != OB_LAYOUT_STRIDED || wanted > count ||
        ob_shape_span_bytes(mask->sizes, mask->strides, mask->ndim, mask->dtype, &span, NULL) !=
            OB_OK ||
        span != count)
        return false;
    char *bytes = ob_tensor_data(mask);
    for (int64_t i = 0; i < count; i++)
        bytes[i] = i < wanted;
    return true;
}

static bool has_constraints(const ob_graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].op->row->constraints != NULL)
            return true;
    return false;
}

static ob_status run_once(ob_replay_making *m, const ob_graph *graph, ob_value *inputs,
                          size_t count, double *elapsed_ns)
{
    const ob_session *s = m->caller->session;
    const ob_prepare_args args = {
        .graph = graph, .inputs = inputs, .input_count = count, .once = true};
    ob_setup setup = {.desc = s->desc,
                      .graph = (ob_graph *)graph,
                      .inputs = inputs,
                      .input_count = count,
                      .check_seconds = m->caller->check_seconds};
    ob_status status = s->desc->prepare(s->backend, &args, &setup.prepared, m->err);
    if (status == OB_OK)
        status = run_prepared(m, &setup, elapsed_ns);
    if (setup.prepared != NULL)
        s->desc->release(setup.prepared);
    return status;
}

ob_status ob__replay_run_graph(ob_replay_making *m, const ob_graph *graph, const ob_call *call,
                               double *elapsed_ns)
{
    const ob_session *s = m->caller->session;
    ob_reason why = {.text = ""};
    size_t count = 0;
    for (size_t i = 0; i < graph->edge_count; i++)
        count += graph->edges[i].role == OB_EDGE_INPUT;
    ob_value *inputs = calloc(count + 1, sizeof *inputs);
    if (inputs == NULL)
        return ob_err_set(m->err, OB_ERR_NOMEM, "out of memory for a call");
    ob_status status = s->desc->supports(s->backend, graph, OB_PASS_FORWARD, &why);
    if (status != OB_OK)
        ob_err_set(m->err, status, "%s", why.text[0] ? why.text : "the backend does not say why");
    size_t input_count = 0;
    if (status == OB_OK) {
        input_count = count;
        status = ob_graph_flatten_inputs(call, inputs, &input_count, m->err);
    }
    if (status == OB_OK)
        status = constrain(m, graph, inputs, input_count, false);
    if (status == OB_OK)
        status = run_once(m, graph, inputs, input_count, elapsed_ns);
    if (status != OB_OK && status != OB_ERR_UNSUPPORTED &&
        (repair_mask(m) ||
         (has_constraints(graph) && constrain(m, graph, inputs, input_count, true) == OB_OK)))
        status = run_once(m, graph, inputs, input_count, elapsed_ns);
    for (size_t i = 0; i < input_count; i++)
        ob_value_fini(&inputs[i]);
    free(inputs);
    return status;
}

/* ---- calls on lists ---- */

static size_t list_length(const ob_replay_making *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->values[i].kind == OB_VALUE_LIST && m->values[i].as.list.count > 0 &&
            m->values[i].as.list.items[0].kind == OB_VALUE_TENSOR)
            return m->values[i].as.list.count;
    return 0;
}

/* As a graph over one tensor of each list. */
static ob_status run_text(ob_replay_making *m, const char *text, double *elapsed_ns)
{
    ob_value values[OB_REPLAY_ARGS];
    const char *names[OB_REPLAY_ARGS];
    ob_call call;
    ob_graph *graph = NULL;
    ob_status status = ob__replay_build_text(m, text, values, names, &call, &graph);
    if (status == OB_OK)
        status = ob__replay_run_graph(m, graph, &call, elapsed_ns);
    ob_graph_destroy(graph);
    return status;
}

static ob_status run_element(ob_replay_making *m, const char *name, double *elapsed_ns)
{
    /* The only arguments by place that the operator on one tensor has by name. */
    const bool named_last = strncmp(name, "aten::addc", 10) == 0 && m->count == 4;
    const ob_setup_args setup = ob__replay_setup(m);
    ob_value values[OB_REPLAY_ARGS];
    const char *names[OB_REPLAY_ARGS];
    size_t by_place = 0, by_name = 0;
    for (size_t i = 0; i < m->count; i++) {
        const ob_schema_arg *arg =
            m->recorded != NULL && i < m->recorded->arg_count ? &m->recorded->args[i] : NULL;
        const bool last = named_last && i + 1 == m->count;
        if (arg != NULL && ob__replay_says_nothing(arg, &m->values[i]))
            continue;
        values[by_place + by_name] = *ob__replay_argument(m, i);
        if (last || (arg != NULL && arg->keyword_only))
            names[by_name++] = last ? "value" : arg->name;
        else
            by_place++;
    }
    const ob_call call = {.args = values,
                          .arg_count = by_place,
                          .kwargs = values + by_place,
                          .kwarg_names = names,
                          .kwarg_count = by_name};
    ob_graph *graph = NULL;
    ob_status status = ob__setup_build_graph(&setup, name, NULL, &call, &graph, m->err);
    if (status == OB_OK)
        status = ob__replay_run_graph(m, graph, &call, elapsed_ns);
    ob_graph_destroy(graph);
    return status;
}

/* The operator on one tensor, for each of the lists' tensors. The first failure is the call's. */
ob_status ob__replay_run_each(ob_replay_making *m, double *elapsed_ns)
{
    char name[256];
    const char *text = ob__trace_alias_each_text(m->name);
    const ob_err first = *m->err;
    m->elements = list_length(m);
    if ((text == NULL && !ob__trace_alias_each(m->name, name, sizeof name)) || m->elements == 0)
        return OB_ERR_UNSUPPORTED;
    for (m->element = 0; m->element < m->elements; m->element++) {
        double ns = 0;
        const ob_status status = text != NULL ? run_text(m, text, &ns) : run_element(m, name, &ns);
        if (status != OB_OK) {
            *m->err = status == OB_ERR_NOT_FOUND || status == OB_ERR_UNSUPPORTED ? first : *m->err;
            return status;
        }
        *elapsed_ns += ns;
    }
    return OB_OK;
}
