/* SPDX-License-Identifier: Apache-2.0
 *
 * From a recorded call's values to a graph that the backend can run.
 *
 * Arguments are given by the names that the recorded schema has, because releases of PyTorch add some: a
 * further one that says nothing is left away. An out= variant that a backend lacks is called without out,
 * and its result takes the place of what out was.
 */
#include "trace/replay_making.h"

#include <stdio.h>
#include <string.h>

bool ob__replay_says_nothing(const ob_schema_arg *arg, const ob_value *value)
{
    return value->kind == OB_VALUE_NONE ||
           (arg->has_default && ob_value_equal(&arg->default_value, value));
}

/* Splits the values into those by place and those by name. `keep` NULL keeps all; else arguments that
 * it does not have are left away when they say nothing, and refused otherwise. */
static ob_status arrange(ob_replay_making *m, const ob_schema *keep, const char *without,
                         ob_value *values, const char **names, ob_call *call)
{
    size_t by_place = 0, by_name = 0;
    bool gap = false; /* an argument was left away: the next ones need their names */
    for (size_t i = 0; i < m->count; i++) {
        const ob_schema_arg *arg =
            m->recorded != NULL && i < m->recorded->arg_count ? &m->recorded->args[i] : NULL;
        const char *name = arg != NULL ? m->names[i] : NULL;
        if (name != NULL && without != NULL && strcmp(name, without) == 0)
            continue;
        if (i < m->alias.count && ob__trace_left_away(arg, &m->alias.args[i])) {
            gap = true;
            continue;
        }
        if (name != NULL && keep != NULL && ob_schema_find_arg(keep, name) < 0) {
            if (ob__replay_says_nothing(arg, &m->values[i]))
                continue;
            return ob_err_set(m->err, OB_ERR_UNSUPPORTED,
                              "argument '%.60s' is newer than the backend's operator", name);
        }
        const bool keyword = name != NULL && (gap || by_name > 0 || arg->keyword_only);
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

ob_setup_args ob__replay_setup(const ob_replay_making *m)
{
    return (ob_setup_args){.context = m->caller->session->context,
                           .desc = m->caller->session->desc,
                           .backend = m->caller->session->backend,
                           .ops = &m->caller->session->ops};
}

static ob_status build(ob_replay_making *m, ob_value *values, const char **names, ob_call *call,
                       ob_graph **graph)
{
    const ob_setup_args setup = ob__replay_setup(m);
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

const ob_value *ob__replay_argument(const ob_replay_making *m, size_t arg)
{
    const ob_value *value = &m->values[arg];
    return m->element != OB_REPLAY_ONE_CALL && value->kind == OB_VALUE_LIST &&
                   value->as.list.count == m->elements
               ? &value->as.list.items[m->element]
               : value;
}

/* Also over the names that the recorded release did not have. */
ob_status ob__replay_build_text(ob_replay_making *m, const char *text, ob_value *values,
                                const char **names, ob_call *call, ob_graph **graph)
{
    static const struct {
        const char *name;
        ob_value value;
    } LATER[] = {{"attn_mask", {.kind = OB_VALUE_NONE}}, {"attn_bias", {.kind = OB_VALUE_NONE}},
                 {"scale", {.kind = OB_VALUE_NONE}},     {"dropout_p", {.kind = OB_VALUE_DOUBLE}},
                 {"is_causal", {.kind = OB_VALUE_BOOL}}, {"enable_gqa", {.kind = OB_VALUE_BOOL}},
                 {"grad_scale", {.kind = OB_VALUE_NONE}}};
    const ob_setup_args setup = ob__replay_setup(m);
    size_t count = 0;
    if (m->recorded == NULL || m->count > m->recorded->arg_count)
        return ob_err_set(m->err, OB_ERR_UNSUPPORTED, "its arguments have no names");
    for (; count < m->count; count++) {
        values[count] = *ob__replay_argument(m, count);
        names[count] = m->names[count];
    }
    for (size_t i = 0; i < sizeof LATER / sizeof *LATER && count < OB_REPLAY_ARGS; i++) {
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
ob_status ob__replay_build(ob_replay_making *m, ob_value *values, const char **names, ob_call *call,
                           ob_graph **graph)
{
    const char *text = ob__trace_alias_text(m->name);
    const char *later = ob__trace_alias_later_text(m->name);
    if (text != NULL && strcmp(m->caller->session->device.type, "cpu") == 0)
        return ob__replay_build_text(m, text, values, names, call, graph);
    const ob_status status = build(m, values, names, call, graph);
    if (status != OB_OK && later != NULL)
        return ob__replay_build_text(m, later, values, names, call, graph);
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
