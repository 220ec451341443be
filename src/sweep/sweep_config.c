/* SPDX-License-Identifier: Apache-2.0
 *
 * The benchmark config of a sweep: one operator, one entry of SweepConfigIterator. Everything that works
 * for configs works for sweeps by this.
 */
#include "sweep/sweep_int.h"
#include "sweep/sweep_iterator.h"

#include "base/json_node.h"
#include "base/sized.h"

#include <stdio.h>
#include <string.h>

/* Builds nodes; the first failure sticks. */
typedef struct maker {
    const ob_sweep *sweep;
    ob_json_doc *doc;
    ob_err *err;
    ob_status status;
} maker;

static ob_json *kept(maker *m, ob_json *node)
{
    if (node == NULL && m->status == OB_OK)
        m->status = ob_err_set(m->err, OB_ERR_NOMEM, "out of memory for the sweep's config");
    return node;
}

static void set(maker *m, ob_json *object, const char *key, const ob_json *value)
{
    if (m->status == OB_OK && object != NULL && value != NULL)
        m->status = ob_json_set(m->doc, object, key, value, m->err);
}

static void append(maker *m, ob_json *list, const ob_json *value)
{
    if (m->status == OB_OK && list != NULL && value != NULL)
        m->status = ob_json_append(m->doc, list, value, m->err);
}

static ob_json *text(maker *m, const char *value)
{
    return kept(m, ob_json_new_string(m->doc, value, strlen(value)));
}

static ob_json *reference(maker *m, const char *name)
{
    char buffer[300];
    snprintf(buffer, sizeof buffer, "$%.290s", name);
    return text(m, buffer);
}

static ob_json *object(maker *m)
{
    return kept(m, ob_json_new_object(m->doc));
}

static ob_json *list(maker *m)
{
    return kept(m, ob_json_new_array(m->doc));
}

static ob_json *argument(maker *m, const char *type, const ob_json *value)
{
    ob_json *out = object(m);
    set(m, out, "type", text(m, type));
    set(m, out, "value", value);
    return out;
}

/* ---- inputs ---- */

static ob_json *tensor(maker *m, const ob_json *input, const ob_sweep_params *params)
{
    const bool described = ob_json_get_kind(input) == OB_JSON_OBJECT;
    const ob_json *dims = described ? ob_json_get(input, "dims") : input;
    const ob_json *dtype = described ? ob_json_get(input, "dtype") : NULL;
    const ob_json *range = described ? ob_json_get(input, "value_range") : NULL;
    ob_json *out = object(m), *shape = list(m);
    set(m, out, "type", text(m, "tensor"));
    set(m, out, "dtype", dtype != NULL ? dtype : reference(m, OB__SWEEP_PRECISION));
    for (size_t i = 0; i < ob_json_count(dims); i++) {
        const char *name = ob_json_string(ob_json_item(dims, i), NULL);
        append(m, shape, name != NULL ? reference(m, name) : ob_json_item(dims, i));
    }
    set(m, out, "shape", shape);
    if (range != NULL)
        set(m, out, "value_range", range);
    if (params->backward && dtype == NULL)
        set(m, out, "requires_grad", kept(m, ob_json_new_bool(m->doc, true)));
    return out;
}

/* {"value": ...}: a variable by its name, or a constant. */
static ob_json *scalar(maker *m, const ob_json *value)
{
    const char *name = ob_json_string(value, NULL);
    if (name != NULL)
        return reference(m, name);
    switch (ob_json_get_kind(value)) {
    case OB_JSON_BOOL:
        return argument(m, "bool", value);
    case OB_JSON_INT:
        return argument(m, "int", value);
    case OB_JSON_REAL:
        return argument(m, "float", value);
    case OB_JSON_ARRAY: {
        ob_json *items = list(m);
        for (size_t i = 0; i < ob_json_count(value); i++)
            append(m, items, scalar(m, ob_json_item(value, i)));
        return argument(m, "genericlist", items);
    }
    default:
        return argument(m, "none", NULL);
    }
}

static void add_inputs(maker *m, ob_json *entry, const ob_sweep_params *params)
{
    ob_json *args = list(m), *kwargs = object(m);
    for (size_t i = 0; i < ob_json_count(m->sweep->inputs); i++) {
        const ob_json *input = ob_json_item(m->sweep->inputs, i);
        const ob_json *value = ob_json_get(input, "value");
        const char *name = ob_json_string(ob_json_get(input, "name"), NULL);
        const ob_json *made = value != NULL ? scalar(m, value) : tensor(m, input, params);
        if (name != NULL)
            set(m, kwargs, name, made);
        else
            append(m, args, made);
    }
    set(m, entry, "args", args);
    if (ob_json_count(kwargs) > 0)
        set(m, entry, "kwargs", kwargs);
}

/* ---- the build ---- */

static ob_json *dtype_argument(maker *m)
{
    return argument(m, "ScalarType", reference(m, OB__SWEEP_PRECISION));
}

static void add_chain_build(maker *m, ob_json *entry)
{
    const ob_sweep *sweep = m->sweep;
    ob_json *build = object(m), *args = list(m), *kwargs = object(m);
    append(m, args, argument(m, "str", sweep->chain_text));
    for (size_t i = 0; i < sweep->space.variable_count; i++)
        if (sweep->in_chain[i])
            set(m, kwargs, sweep->space.variables[i].name,
                reference(m, sweep->space.variables[i].name));
    set(m, kwargs, "dtype", dtype_argument(m));
    set(m, build, "args", args);
    set(m, build, "kwargs", kwargs);
    set(m, entry, "build", build);
}

static void add_build(maker *m, ob_json *entry)
{
    const ob_json *init = m->sweep->init;
    const bool named = ob_json_get_kind(init) == OB_JSON_OBJECT;
    ob_json *build = object(m), *args = list(m), *kwargs = object(m);
    for (size_t i = 0; i < ob_json_count(init); i++) {
        const ob_json *made = scalar(m, ob_json_item(init, i));
        if (named)
            set(m, kwargs, ob_json_key(init, i), made);
        else
            append(m, args, made);
    }
    if (m->sweep->takes_dtype)
        set(m, kwargs, "dtype", dtype_argument(m));
    set(m, build, "args", args);
    if (ob_json_count(kwargs) > 0)
        set(m, build, "kwargs", kwargs);
    set(m, entry, "build", build);
}

/* ---- the whole ---- */

static ob_json *make_entry(maker *m, size_t backend, const ob_sweep_params *params)
{
    const ob_sweep *sweep = m->sweep;
    const ob_sweep_backend_jobs *jobs = &sweep->backends[backend];
    ob_json *entry = object(m), *precisions = list(m);
    set(m, entry, "variables", sweep->scales);
    for (size_t i = 0; i < jobs->job_count; i++)
        append(m, precisions,
               text(m, ob_dtype_get_info(sweep->jobs[jobs->jobs[i]].dtype)->torch_name));
    set(m, entry, "precisions", precisions);
    if (params->every > 1)
        set(m, entry, "every", kept(m, ob_json_new_int(m->doc, (int64_t)params->every)));
    if (params->sample > 0) {
        set(m, entry, "sample", kept(m, ob_json_new_int(m->doc, (int64_t)params->sample)));
        set(m, entry, "seed", kept(m, ob_json_new_int(m->doc, (int64_t)params->seed)));
    }
    if (sweep->is_chain)
        add_chain_build(m, entry);
    else if (sweep->init != NULL)
        add_build(m, entry);
    add_inputs(m, entry, params);
    return entry;
}

ob_status ob_sweep_make_config(const ob_sweep *sweep, size_t backend, const ob_sweep_params *given,
                               ob_json_doc **out, ob_err *err)
{
    static const char GENERATOR[] = "PyTorch:DefaultDataGenerator";
    ob_sweep_params params;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_sweep_params, &params, given, err));
    if (backend >= sweep->backend_count)
        return ob_err_set(err, OB_ERR_INVALID, "the sweep has %zu backends, not %zu",
                          sweep->backend_count, backend + 1);
    maker m = {.sweep = sweep, .err = err};
    OB_TRY(ob_json_doc_create(&m.doc, err));
    ob_json *root = object(&m), *op = object(&m), *configs = list(&m), *spec = object(&m),
            *inputs = list(&m);
    append(&m, inputs, make_entry(&m, backend, &params));
    set(&m, spec, "input", inputs);
    append(&m, configs, spec);
    set(&m, op, "input_iterator", text(&m, OB__SWEEP_ITERATOR));
    set(&m, op, "build_data_generator", text(&m, GENERATOR));
    set(&m, op, "input_data_generator", text(&m, GENERATOR));
    set(&m, op, "config", configs);
    set(&m, root, sweep->model, op);
    if (m.status != OB_OK) {
        ob_json_doc_destroy(m.doc);
        return m.status;
    }
    m.doc->name = sweep->name;
    ob_json_doc_set_root(m.doc, root);
    *out = m.doc;
    return OB_OK;
}
