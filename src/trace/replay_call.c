/* SPDX-License-Identifier: Apache-2.0
 *
 * A recorded call: its values as they are now, a graph of it, a run.
 */
#include "trace/replay_cast.h"
#include "trace/replay_making.h"

#include <stdlib.h>
#include <string.h>

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

static uint64_t need_of(const ob_replay_making *m, const ob_trace_tensor *tensor)
{
    need_search search = {.wanted = tensor, .found = SIZE_MAX};
    ob__replay_each_tensor(m->step->node->inputs, m->step->node->input_count, look_for, &search);
    return search.found != SIZE_MAX
               ? m->caller->values->plan->needs[m->step->first_need + search.found]
               : 0;
}

static ob_status make_value(ob_replay_making *m, const ob_trace_value *from, ob_value *out)
{
    bool fresh = false;
    ob_status status;
    *out = ob_value_none();
    switch ((ob_trace_value_kind)from->kind) {
    case OB_TRACE_NONE:
    case OB_TRACE_GENERATOR:
    case OB_TRACE_NO_TENSOR:
    case OB_TRACE_UNRECORDED:
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
        if (status == OB_OK && fresh && m->fresh_count < OB_REPLAY_ARGS)
            m->fresh[m->fresh_count++] = out->as.tensor->storage;
        return status;
    case OB_TRACE_OTHER:
        return ob_err_set(m->err, OB_ERR_INVALID, "a value that cannot be recreated: %.160s",
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

/* Whether the argument asks for that dtype by its number. */
static bool names_dtype(const ob_replay_making *m, size_t arg, ob_dtype dtype)
{
    return m->values[arg].kind == OB_VALUE_INT && m->recorded != NULL && m->names[arg] != NULL &&
           plain_type(m->recorded->args[arg].type)->kind == OB_TYPE_DTYPE &&
           m->values[arg].as.integer == ob_dtype_get_info(dtype)->torch_number;
}

/* Values in the order of the recorded schema; without out if asked. */
static ob_status make_values(ob_replay_making *m)
{
    const ob_trace_alias *alias = &m->alias;
    if (alias->count > OB_REPLAY_ARGS)
        return ob_err_set(m->err, OB_ERR_LIMIT, "a call with more than %d arguments",
                          OB_REPLAY_ARGS);
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
        if (m->caller->values->half_to_bfloat16 && names_dtype(m, i, OB_DTYPE_F16))
            value->as.integer = ob_dtype_get_info(OB_DTYPE_BF16)->torch_number;
    }
    return OB_OK;
}

/* ---- in float32 ---- */

typedef struct dtype_search {
    ob_dtype wanted;
    bool found;
} dtype_search;

static void look_for_dtype(void *ctx, const ob_trace_tensor *tensor)
{
    dtype_search *search = ctx;
    search->found |= tensor->dtype == search->wanted;
}

bool ob__replay_uses_dtype(const ob_trace_node *node, ob_dtype dtype)
{
    dtype_search search = {.wanted = dtype};
    ob__replay_each_tensor(node->inputs, node->input_count, look_for_dtype, &search);
    ob__replay_each_tensor(node->outputs, node->output_count, look_for_dtype, &search);
    return search.found;
}

static bool may_widen(const ob_replay_caller *caller, const ob_trace_node *node)
{
    return caller->widens && (ob__replay_uses_dtype(node, OB_DTYPE_F16) ||
                              ob__replay_uses_dtype(node, OB_DTYPE_BF16));
}

/* Tensors become copies, and dtypes that are asked for become float32. */
static ob_status widen_values(ob_replay_making *m)
{
    for (size_t i = 0; i < m->count; i++) {
        m->narrow[i] = m->values[i];
        m->values[i] = ob_value_none();
        OB_TRY(ob__replay_widen(&m->narrow[i], &m->values[i], m->err));
        if (names_dtype(m, i, OB_DTYPE_F16) || names_dtype(m, i, OB_DTYPE_BF16))
            m->values[i].as.integer = ob_dtype_get_info(OB_DTYPE_F32)->torch_number;
    }
    return OB_OK;
}

/* What the call wrote into its arguments. */
static void put_back(const ob_replay_making *m)
{
    for (size_t i = 0; m->recorded != NULL && i < m->count && i < m->recorded->arg_count; i++)
        if (m->recorded->args[i].writes)
            ob__replay_put_back(&m->values[i], &m->narrow[i]);
}

/* ---- */

static ob_replay_fate kind_of(const ob_replay_making *m, ob_status status)
{
    const bool core = strncmp(m->alias.name, "aten::", 6) == 0 ||
                      strncmp(m->alias.name, "prim::", 6) == 0 ||
                      strncmp(m->alias.name, "prims::", 7) == 0;
    if (status == OB_ERR_NOT_FOUND || status == OB_ERR_UNSUPPORTED)
        return core ? OB_REPLAY_UNSUPPORTED : OB_REPLAY_NO_LIBRARY;
    return OB_REPLAY_FAILED;
}

/* The names of operators that are near do not help here. */
static bool is_missing(const ob_replay_making *m, ob_status status)
{
    const ob_setup_args setup = ob__replay_setup(m);
    return (status == OB_ERR_NOT_FOUND || status == OB_ERR_UNSUPPORTED) &&
           ob__setup_find_op(&setup, m->alias.name) == NULL;
}

static ob_status make_call(ob_replay_making *m, double *elapsed_ns, ob_replay_fate *why)
{
    ob_value values[OB_REPLAY_ARGS];
    const char *names[OB_REPLAY_ARGS];
    ob_call call;
    ob_graph *graph = NULL;
    *why = OB_REPLAY_ARGUMENT;
    OB_TRY(make_values(m));
    if (m->in_float32)
        OB_TRY(widen_values(m));
    /* What exists for a GPU's lists of tensors only is there, but has no kernel. */
    ob_status status = OB_ERR_UNSUPPORTED;
    if (ob__trace_alias_each_text(m->name) == NULL ||
        strcmp(m->caller->session->device.type, "cpu") != 0)
        status = ob__replay_build(m, values, names, &call, &graph);
    else
        ob_err_set(m->err, status, "the backend does not have it");
    if (status == OB_OK)
        status = ob__replay_run_graph(m, graph, &call, elapsed_ns);
    if (status == OB_ERR_NOT_FOUND || status == OB_ERR_UNSUPPORTED) {
        *elapsed_ns = 0;
        status = ob__replay_run_each(m, elapsed_ns);
    }
    if (is_missing(m, status))
        ob_err_set(m->err, status, "the backend does not have it");
    if (status == OB_OK && m->in_float32)
        put_back(m);
    *why = status == OB_OK ? OB_REPLAY_RAN : kind_of(m, status);
    ob_graph_destroy(graph);
    return status;
}

/* Among the core's operators or the backend's own; else without a tensor that it writes to. */
static void find_overload(ob_replay_making *m)
{
    const ob_setup_args setup = ob__replay_setup(m);
    const ob_op_table *core = ob_context_operators(setup.context), *own = NULL;
    if (m->alias.schema[0] != '\0')
        return;
    if (setup.desc->schemas == NULL ||
        ob__backend_ops_table(setup.ops, setup.desc, setup.backend, &own, NULL) != OB_OK)
        own = core;
    (void)(ob__trace_alias_fit(core, false, &m->alias) ||
           ob__trace_alias_fit(own, false, &m->alias) ||
           ob__trace_alias_fit(core, true, &m->alias) || ob__trace_alias_fit(own, true, &m->alias));
}

static ob_status call_as(ob_replay_caller *caller, const ob_replay_step *step, bool in_float32,
                         double *elapsed_ns, ob_replay_fate *why, ob_err *err)
{
    ob_replay_making *m = calloc(1, sizeof *m);
    *elapsed_ns = 0;
    *why = OB_REPLAY_FAILED;
    if (m == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a call");
    m->caller = caller;
    m->step = step;
    m->err = err;
    m->in_float32 = in_float32;
    m->element = OB_REPLAY_ONE_CALL;
    ob__trace_call_name(step->node, m->name, sizeof m->name);
    ob__trace_alias_apply(step->node, m->name, &m->alias);
    find_overload(m);
    if (m->alias.schema[0] != '\0')
        ob_schema_parse(m->alias.schema, strlen(m->alias.schema), &m->recorded, NULL);
    const ob_status status = make_call(m, elapsed_ns, why);
    for (size_t i = 0; i < OB_REPLAY_ARGS; i++) {
        ob_value_fini(&m->values[i]);
        ob_value_fini(&m->narrow[i]);
    }
    ob_schema_destroy(m->recorded);
    free(m);
    return status;
}

ob_status ob__replay_call(ob_replay_caller *caller, ob_replay_step *step, double *elapsed_ns,
                          ob_replay_fate *why, ob_err *err)
{
    if (step->in_float32)
        return call_as(caller, step, true, elapsed_ns, why, err);
    const ob_status status = call_as(caller, step, false, elapsed_ns, why, err);
    if (status == OB_OK || *why == OB_REPLAY_ARGUMENT || *why == OB_REPLAY_NO_LIBRARY ||
        !may_widen(caller, step->node))
        return status;
    ob_err again;
    ob_replay_fate why_again;
    step->in_float32 = call_as(caller, step, true, elapsed_ns, &why_again, &again) == OB_OK;
    if (step->in_float32) {
        *why = OB_REPLAY_RAN;
        return OB_OK;
    }
    const ob_err first = *err;
    if (strcmp(first.message, again.message) == 0)
        return status;
    return ob_err_set(err, status, "%s; in float32: %s", first.message, again.message);
}
