/* SPDX-License-Identifier: Apache-2.0
 *
 * A recorded call becomes a graph of one operator, is prepared, run once and released. Timed: run, and
 * the wait for the device. Not timed: making arguments, building, preparing, keeping results.
 *
 * Arguments are given by the names that the recorded schema has, because releases of PyTorch add some: a
 * further one that says nothing is left away. An out= variant that a backend lacks is called without out,
 * and its result takes the place of what out was.
 */
#include "trace/replay_call.h"

#include "gen/constrain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 64, MAX_OUTPUTS = 32 };
#define ONE_CALL SIZE_MAX

/* The call under way. */
typedef struct making {
    ob_replay_caller *caller;
    const ob_replay_step *step;
    ob_trace_alias alias;
    char name[256];
    ob_schema *recorded; /* NULL = arguments go by place */
    ob_value values[MAX_ARGS];
    const char *names[MAX_ARGS];
    size_t count;
    const ob_storage *fresh[MAX_ARGS]; /* storages that were made just now */
    size_t fresh_count;
    size_t element; /* ONE_CALL, or which of the tensors in its lists the present call is about */
    ob_err *err;
} making;

/* ---- values ---- */

typedef struct need_search {
    const ob_trace_tensor *wanted;
    size_t at, found;
} need_search;

static void look_for(void *ctx, const ob_trace_tensor *tensor)
{
    need_search *search = ctx;
    if (tensor == search->wanted && search->found == SIZE_MAX)
        search->found = search->at;
    search->at++;
}

static uint64_t need_of(const making *m, const ob_trace_tensor *tensor)
{
    need_search search = {.wanted = tensor, .found = SIZE_MAX};
    ob__replay_each_tensor(m->step->node->inputs, m->step->node->input_count, look_for, &search);
    return search.found != SIZE_MAX
               ? m->caller->values->plan->needs[m->step->first_need + search.found]
               : 0;
}

static ob_status make_value(making *m, const ob_trace_value *from, ob_value *out)
{
    bool fresh = false;
    ob_status status;
    *out = ob_value_none();
    switch ((ob_trace_value_kind)from->kind) {
    case OB_TRACE_NONE:
    case OB_TRACE_GENERATOR:
    case OB_TRACE_NO_TENSOR:
        return OB_OK;
    case OB_TRACE_BOOL:
        *out = ob_value_bool(from->as.integer != 0);
        return OB_OK;
    case OB_TRACE_INT:
        *out = ob_value_int(from->as.integer);
        return OB_OK;
    case OB_TRACE_DOUBLE:
        *out = ob_value_double(from->as.real);
        return OB_OK;
    case OB_TRACE_STR:
        return ob_value_init_str(out, from->as.text, from->count, m->err);
    case OB_TRACE_DEVICE:
        out->kind = OB_VALUE_DEVICE;
        out->as.device = m->caller->session->device;
        return OB_OK;
    case OB_TRACE_TENSOR:
        status = ob__replay_values_tensor(m->caller->values, from->as.tensor,
                                          need_of(m, from->as.tensor), out, &fresh, m->err);
        if (status == OB_OK && fresh && m->fresh_count < MAX_ARGS)
            m->fresh[m->fresh_count++] = out->as.tensor->storage;
        return status;
    case OB_TRACE_OTHER:
        return ob_err_set(m->err, OB_ERR_INVALID, "a value that cannot be made again: %.100s",
                          from->as.text);
    case OB_TRACE_LIST:
    case OB_TRACE_TUPLE:
        break;
    }
    OB_TRY(ob_value_init_list(out, from->kind == OB_TRACE_TUPLE ? OB_VALUE_TUPLE : OB_VALUE_LIST,
                              from->count, m->err));
    for (uint32_t i = 0; i < from->count; i++)
        OB_TRY(make_value(m, &from->as.items[i], &out->as.list.items[i]));
    return OB_OK;
}

static const ob_type *plain_type(const ob_type *type)
{
    return type->kind == OB_TYPE_OPTIONAL ? type->element : type;
}

/* Values in the order of the recorded schema; without out if asked. */
static ob_status make_values(making *m)
{
    const ob_trace_alias *alias = &m->alias;
    if (alias->count > MAX_ARGS)
        return ob_err_set(m->err, OB_ERR_LIMIT, "a call with more than %d arguments", MAX_ARGS);
    for (size_t i = 0; i < alias->count; i++) {
        ob_value *value = &m->values[m->count];
        m->names[m->count] =
            m->recorded != NULL && i < m->recorded->arg_count ? m->recorded->args[i].name : NULL;
        m->count++;
        OB_TRY(make_value(m, &alias->args[i], value));
        /* Pages are pinned for a device that is not there. */
        if (value->kind == OB_VALUE_BOOL && m->names[i] != NULL &&
            strcmp(m->names[i], "pin_memory") == 0)
            *value = ob_value_bool(false);
        if (m->caller->values->half_to_bfloat16 && value->kind == OB_VALUE_INT &&
            m->recorded != NULL && m->names[i] != NULL &&
            plain_type(m->recorded->args[i].type)->kind == OB_TYPE_DTYPE &&
            value->as.integer == ob_dtype_get_info(OB_DTYPE_F16)->torch_number)
            value->as.integer = ob_dtype_get_info(OB_DTYPE_BF16)->torch_number;
    }
    return OB_OK;
}

/* ---- building ---- */

static bool says_nothing(const ob_schema_arg *arg, const ob_value *value)
{
    return value->kind == OB_VALUE_NONE ||
           (arg->has_default && ob_value_equal(&arg->default_value, value));
}

/* Splits the values into those by place and those by name. `keep` NULL keeps all; else arguments that
 * it does not have are left away when they say nothing, and refused otherwise. */
static ob_status arrange(making *m, const ob_schema *keep, const char *without, ob_value *values,
                         const char **names, ob_call *call)
{
    size_t by_place = 0, by_name = 0;
    for (size_t i = 0; i < m->count; i++) {
        const ob_schema_arg *arg =
            m->recorded != NULL && i < m->recorded->arg_count ? &m->recorded->args[i] : NULL;
        const char *name = arg != NULL ? m->names[i] : NULL;
        if (name != NULL && without != NULL && strcmp(name, without) == 0)
            continue;
        if (name != NULL && keep != NULL && ob_schema_find_arg(keep, name) < 0) {
            if (says_nothing(arg, &m->values[i]))
                continue;
            return ob_err_set(m->err, OB_ERR_UNSUPPORTED,
                              "argument '%.60s' is newer than the backend's operator", name);
        }
        const bool keyword = name != NULL && (by_name > 0 || arg->keyword_only);
        values[by_place + by_name] = m->values[i];
        if (keyword)
            names[by_name++] = name;
        else
            by_place++;
    }
    *call = (ob_call){.args = values,
                      .arg_count = by_place,
                      .kwargs = values + by_place,
                      .kwarg_names = names,
                      .kwarg_count = by_name};
    return OB_OK;
}

static ob_setup_args setup_of(const making *m)
{
    return (ob_setup_args){.context = m->caller->session->context,
                           .desc = m->caller->session->desc,
                           .backend = m->caller->session->backend,
                           .ops = &m->caller->session->ops};
}

static ob_status build(making *m, ob_value *values, const char **names, ob_call *call,
                       ob_graph **graph)
{
    const ob_setup_args setup = setup_of(m);
    const ob_op *op = ob__setup_find_op(&setup, m->alias.name);
    ob_status status = arrange(m, op != NULL ? op->schema : NULL, NULL, values, names, call);
    if (status == OB_OK)
        status = ob__setup_build_graph(&setup, m->alias.name, NULL, call, graph, m->err);
    const char *dot = strchr(m->alias.name, '.');
    if ((status != OB_ERR_UNSUPPORTED && status != OB_ERR_NOT_FOUND) || dot == NULL ||
        m->recorded == NULL || ob_schema_find_arg(m->recorded, "out") < 0)
        return status;
    char base[256];
    ob_err other;
    snprintf(base, sizeof base, "%.*s", (int)(dot - m->alias.name), m->alias.name);
    OB_TRY(arrange(m, NULL, "out", values, names, call));
    return ob__setup_build_graph(&setup, base, NULL, call, graph, &other) == OB_OK ? OB_OK : status;
}

/* A graph over the arguments by their names, and over those that the recorded release did not have. */
static ob_status build_text(making *m, const char *text, ob_value *values, const char **names,
                            ob_call *call, ob_graph **graph)
{
    static const struct {
        const char *name;
        ob_value value;
    } LATER[] = {{"attn_mask", {.kind = OB_VALUE_NONE}},
                 {"attn_bias", {.kind = OB_VALUE_NONE}},
                 {"scale", {.kind = OB_VALUE_NONE}},
                 {"dropout_p", {.kind = OB_VALUE_DOUBLE}},
                 {"is_causal", {.kind = OB_VALUE_BOOL}}};
    const ob_setup_args setup = setup_of(m);
    size_t count = 0;
    if (m->recorded == NULL || m->count > m->recorded->arg_count)
        return ob_err_set(m->err, OB_ERR_UNSUPPORTED, "its arguments have no names");
    for (; count < m->count; count++) {
        values[count] = m->values[count];
        names[count] = m->names[count];
    }
    for (size_t i = 0; i < sizeof LATER / sizeof *LATER && count < MAX_ARGS; i++) {
        if (ob_schema_find_arg(m->recorded, LATER[i].name) >= 0)
            continue;
        values[count] = LATER[i].value;
        names[count++] = LATER[i].name;
    }
    ob_value program;
    OB_TRY(ob_value_init_str(&program, text, strlen(text), m->err));
    *call = (ob_call){.kwargs = values, .kwarg_names = names, .kwarg_count = count};
    const ob_call made = {.args = &program, .arg_count = 1};
    const ob_status status =
        ob__setup_build_graph(&setup, "opbench.graph", &made, call, graph, m->err);
    ob_value_fini(&program);
    return status;
}

/* The values are made; an operator that does the same takes the first of them. */
static ob_status build_or_replace(making *m, ob_value *values, const char **names, ob_call *call,
                                  ob_graph **graph)
{
    const char *text = ob__trace_alias_text(m->name);
    if (text != NULL && strcmp(m->caller->session->device.type, "cpu") == 0)
        return build_text(m, text, values, names, call, graph);
    const ob_status status = build(m, values, names, call, graph);
    if ((status != OB_ERR_UNSUPPORTED && status != OB_ERR_NOT_FOUND) ||
        !ob__trace_alias_replace(m->step->node, m->name, &m->alias))
        return status;
    ob_err first = *m->err;
    ob_schema_destroy(m->recorded);
    m->recorded = NULL;
    ob_schema_parse(m->alias.schema, strlen(m->alias.schema), &m->recorded, NULL);
    while (m->count > m->alias.count)
        ob_value_fini(&m->values[--m->count]);
    for (size_t i = 0; i < m->count && m->recorded != NULL; i++)
        m->names[i] = m->recorded->args[i].name;
    const ob_status again = build(m, values, names, call, graph);
    if (again != OB_OK)
        *m->err = first;
    return again == OB_OK ? OB_OK : status;
}

/* ---- running ---- */

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

static void keep_outputs(making *m, ob_value *values, size_t count)
{
    for (size_t i = 0; is_empty(m->alias.name) && i < count; i++)
        if (values[i].kind == OB_VALUE_TENSOR)
            ob__replay_values_fill(m->caller->values, values[i].as.tensor);
    const ob_trace_node *node = m->step->node;
    for (size_t i = 0; i < count; i++) {
        const ob_trace_value *recorded = i < node->output_count ? &node->outputs[i] : NULL;
        if (m->element != ONE_CALL)
            recorded =
                recorded != NULL && recorded->kind == OB_TRACE_LIST && m->element < recorded->count
                    ? &recorded->as.items[m->element]
                    : NULL;
        if (recorded != NULL && recorded->kind == OB_TRACE_TENSOR)
            ob__replay_values_put(m->caller->values, recorded->as.tensor, &values[i]);
        if (recorded != NULL && recorded->kind == OB_TRACE_LIST && values[i].kind == OB_VALUE_LIST)
            for (size_t k = 0; k < recorded->count && k < values[i].as.list.count; k++)
                if (recorded->as.items[k].kind == OB_TRACE_TENSOR)
                    ob__replay_values_put(m->caller->values, recorded->as.items[k].as.tensor,
                                          &values[i].as.list.items[k]);
        ob_value_fini(&values[i]);
    }
}

static ob_status run_prepared(making *m, ob_prepared *prepared, uint64_t *elapsed_ns)
{
    const ob_session *s = m->caller->session;
    ob_value outputs[MAX_OUTPUTS] = {0};
    size_t count = 0;
    const uint64_t start = ob_clock_now_ns(&m->caller->clock);
    ob_status status = s->desc->run(prepared, OB_PHASE_FORWARD, 1, m->err);
    if (status == OB_OK && s->desc->sync != NULL)
        status = s->desc->sync(s->backend, m->err);
    *elapsed_ns = ob_clock_now_ns(&m->caller->clock) - start;
    if (status == OB_OK && s->desc->outputs != NULL)
        status = s->desc->outputs(prepared, OB_PASS_FORWARD, outputs, MAX_OUTPUTS, &count, m->err);
    keep_outputs(m, outputs, count);
    return status;
}

/* An operator's constraints go on what was made just now and has no recorded range; to repair a call that
 * failed, on all its integers: indices that came through other calls are as random as any. */
static ob_status constrain(making *m, const ob_graph *graph, ob_value *inputs, size_t count,
                           bool repair)
{
    if (m->fresh_count == 0 && !repair)
        return OB_OK;
    bool *given = calloc(count + 1, sizeof *given);
    if (given == NULL)
        return ob_err_set(m->err, OB_ERR_NOMEM, "out of memory for a call");
    for (size_t i = 0; i < count; i++) {
        given[i] = !repair || inputs[i].kind != OB_VALUE_TENSOR ||
                   !ob_dtype_is_integral(inputs[i].as.tensor->dtype);
        for (size_t k = 0; inputs[i].kind == OB_VALUE_TENSOR && k < m->fresh_count; k++)
            given[i] = given[i] && inputs[i].as.tensor->storage != m->fresh[k];
    }
    const ob_status status =
        ob__constrain_marked(graph, given, inputs, count, &m->caller->values->rng, m->err);
    free(given);
    return status;
}

/* index_put with a mask wants as many true elements as there are values; those of the training are not known. */
static bool repair_mask(const making *m)
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

static ob_status run_once(making *m, const ob_graph *graph, const ob_value *inputs, size_t count,
                          uint64_t *elapsed_ns)
{
    const ob_session *s = m->caller->session;
    ob_prepared *prepared = NULL;
    const ob_prepare_args args = {
        .graph = graph, .inputs = inputs, .input_count = count, .once = true};
    ob_status status = s->desc->prepare(s->backend, &args, &prepared, m->err);
    if (status == OB_OK)
        status = run_prepared(m, prepared, elapsed_ns);
    if (prepared != NULL)
        s->desc->release(prepared);
    return status;
}

static ob_status run_graph(making *m, const ob_graph *graph, const ob_call *call,
                           uint64_t *elapsed_ns)
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

/* What the argument is for one tensor of the lists. */
static const ob_value *element_of(const ob_value *value, size_t at, size_t count)
{
    return value->kind == OB_VALUE_LIST && value->as.list.count == count ? &value->as.list.items[at]
                                                                         : value;
}

static size_t list_length(const making *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->values[i].kind == OB_VALUE_LIST && m->values[i].as.list.count > 0 &&
            m->values[i].as.list.items[0].kind == OB_VALUE_TENSOR)
            return m->values[i].as.list.count;
    return 0;
}

static ob_status run_element(making *m, const char *name, size_t count, uint64_t *elapsed_ns)
{
    /* The only arguments by place that the operator on one tensor has by name. */
    const bool named_last = strncmp(name, "aten::addc", 10) == 0 && m->count == 4;
    const ob_setup_args setup = setup_of(m);
    ob_value values[MAX_ARGS];
    const char *names[MAX_ARGS];
    size_t by_place = 0, by_name = 0;
    for (size_t i = 0; i < m->count; i++) {
        const ob_schema_arg *arg =
            m->recorded != NULL && i < m->recorded->arg_count ? &m->recorded->args[i] : NULL;
        const bool last = named_last && i + 1 == m->count;
        if (arg != NULL && says_nothing(arg, &m->values[i]))
            continue;
        values[by_place + by_name] = *element_of(&m->values[i], m->element, count);
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
        status = run_graph(m, graph, &call, elapsed_ns);
    ob_graph_destroy(graph);
    return status;
}

/* The operator on one tensor, for each of the lists' tensors. The first failure is the call's. */
static ob_status run_each(making *m, uint64_t *elapsed_ns)
{
    char name[256];
    const size_t count = list_length(m);
    const ob_err first = *m->err;
    if (!ob__trace_alias_each(m->name, name, sizeof name) || count == 0)
        return OB_ERR_UNSUPPORTED;
    for (m->element = 0; m->element < count; m->element++) {
        uint64_t ns = 0;
        const ob_status status = run_element(m, name, count, &ns);
        if (status != OB_OK) {
            *m->err = status == OB_ERR_NOT_FOUND || status == OB_ERR_UNSUPPORTED ? first : *m->err;
            return status;
        }
        *elapsed_ns += ns;
    }
    return OB_OK;
}

static ob_replay_skip kind_of(const making *m, ob_status status)
{
    const bool core = strncmp(m->alias.name, "aten::", 6) == 0 ||
                      strncmp(m->alias.name, "prim::", 6) == 0 ||
                      strncmp(m->alias.name, "prims::", 7) == 0;
    if (status == OB_ERR_NOT_FOUND || status == OB_ERR_UNSUPPORTED)
        return core ? OB_REPLAY_UNSUPPORTED : OB_REPLAY_NO_LIBRARY;
    return OB_REPLAY_FAILED;
}

/* The names of operators that are near do not help here. */
static bool is_missing(const making *m, ob_status status)
{
    const ob_setup_args setup = setup_of(m);
    return (status == OB_ERR_NOT_FOUND || status == OB_ERR_UNSUPPORTED) &&
           ob__setup_find_op(&setup, m->alias.name) == NULL;
}

ob_status ob__replay_call(ob_replay_caller *caller, const ob_replay_step *step,
                          uint64_t *elapsed_ns, ob_replay_skip *why, ob_err *err)
{
    making *m = calloc(1, sizeof *m);
    ob_graph *graph = NULL;
    *elapsed_ns = 0;
    *why = OB_REPLAY_FAILED;
    if (m == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a call");
    m->caller = caller;
    m->step = step;
    m->err = err;
    m->element = ONE_CALL;
    ob__trace_call_name(step->node, m->name, sizeof m->name);
    ob__trace_alias_apply(step->node, m->name, &m->alias);
    if (m->alias.schema[0] != '\0')
        ob_schema_parse(m->alias.schema, strlen(m->alias.schema), &m->recorded, NULL);
    ob_status status = make_values(m);
    if (status != OB_OK)
        *why = OB_REPLAY_ARGUMENT;
    ob_value values[MAX_ARGS];
    const char *names[MAX_ARGS];
    ob_call call;
    if (status == OB_OK) {
        status = build_or_replace(m, values, names, &call, &graph);
        if (status == OB_OK)
            status = run_graph(m, graph, &call, elapsed_ns);
        else if (status == OB_ERR_NOT_FOUND || status == OB_ERR_UNSUPPORTED)
            status = run_each(m, elapsed_ns);
        if (is_missing(m, status))
            ob_err_set(err, status, "the backend does not have it");
        *why = status == OB_OK ? OB_REPLAY_RAN : kind_of(m, status);
    }
    ob_graph_destroy(graph);
    for (size_t i = 0; i < m->count; i++)
        ob_value_fini(&m->values[i]);
    ob_schema_destroy(m->recorded);
    free(m);
    return status;
}
