/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a sweep file: everything is checked before anything runs.
 */
#include "sweep/sweep_int.h"

#include "base/json_node.h"
#include "base/nearest.h"
#include "base/read_file.h"
#include "base/yaml.h"
#include "graph/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ob__sweep_input_name(const ob_sweep *sweep, size_t index, char *out, size_t size)
{
    const char *name =
        ob_json_string(ob_json_get(ob_json_item(sweep->inputs, index), "name"), NULL);
    if (name != NULL)
        return name;
    snprintf(out, size, "input_%zu", index);
    return out;
}

enum { MOST_YAML_BYTES = 4 << 20 };

/* ---- keys ---- */

static ob_status check_keys(const ob_json *node, const char *const *known, size_t count,
                            const char *what, ob_err *err)
{
    for (size_t i = 0; i < ob_json_count(node); i++) {
        const char *key = ob_json_key(node, i);
        bool found = false;
        for (size_t k = 0; k < count; k++)
            found = found || strcmp(key, known[k]) == 0;
        const char *near = found ? NULL : ob_nearest_name(key, known, count);
        if (!found)
            return ob__node_error(err, ob_json_key_node(node, i),
                                  "unknown key \"%.60s\" in %s%s; remove it", key, what,
                                  ob__near_text(near, ", did you mean \"", "\"?", "").text);
    }
    return OB_OK;
}

/* ---- inputs ---- */

/* The variables in a value, also in lists. */
static ob_status use_value(ob_sweep *sweep, const ob_json *value, ob_err *err)
{
    const char *name = ob_json_string(value, NULL);
    if (name != NULL)
        return ob__sweep_use(sweep, value, name, NULL, err);
    if (ob_json_get_kind(value) == OB_JSON_OBJECT)
        return ob__node_error(err, value,
                              "a value must be the name of a variable, a number, true, false, null "
                              "or a list of these");
    for (size_t i = 0; i < ob_json_count(value); i++)
        OB_TRY(use_value(sweep, ob_json_item(value, i), err));
    return OB_OK;
}

static ob_status check_dims(ob_sweep *sweep, const ob_json *dims, const ob_json *where, ob_err *err)
{
    if (ob_json_get_kind(dims) != OB_JSON_ARRAY)
        return ob__node_error(err, where,
                              "an input must be a list of the names of its dimensions, [\"batch\", "
                              "\"width\"], or {\"dims\": [...], \"dtype\": ...}");
    for (size_t i = 0; i < ob_json_count(dims); i++) {
        const ob_json *dim = ob_json_item(dims, i);
        const char *name = ob_json_string(dim, NULL);
        if (name == NULL && (ob_json_get_kind(dim) != OB_JSON_INT || ob_json_int(dim, -1) < 0))
            return ob__node_error(err, dim, "a dimension must be the name of a variable or a size");
        if (name == NULL)
            continue;
        size_t variable = 0;
        OB_TRY(ob__sweep_use(sweep, dim, name, &variable, err));
        OB_TRY(ob__sweep_check_sizes(&sweep->space.variables[variable], err));
    }
    return OB_OK;
}

static ob_status read_input(ob_sweep *sweep, const ob_json *input, ob_err *err)
{
    static const char *const KNOWN[] = {"name", "dims", "dtype", "value_range", "value"};
    if (ob_json_get_kind(input) != OB_JSON_OBJECT)
        return check_dims(sweep, input, input, err);
    const ob_json *name = ob_json_get(input, "name"), *dtype = ob_json_get(input, "dtype");
    size_t length = 0;
    const char *word = ob_json_string(dtype, &length);
    OB_TRY(check_keys(input, KNOWN, sizeof KNOWN / sizeof *KNOWN, "an input", err));
    if (name != NULL && ob_json_string(name, NULL) == NULL)
        return ob__node_error(err, name, "the name of an input must be a string");
    if (dtype != NULL && (word == NULL || ob_dtype_from_name(word, length) == OB_DTYPE_INVALID))
        return ob__node_error(err, dtype,
                              "this is not an element type; `opbench list dtypes` lists them");
    if (ob_json_get(input, "value") != NULL)
        return use_value(sweep, ob_json_get(input, "value"), err);
    return check_dims(sweep, ob_json_get(input, "dims"), input, err);
}

static ob_status read_inputs(ob_sweep *sweep, ob_err *err)
{
    sweep->inputs = ob_json_get(sweep->root, "input_params");
    if (ob_json_get_kind(sweep->inputs) != OB_JSON_ARRAY)
        return ob__node_error(err, sweep->inputs != NULL ? sweep->inputs : sweep->root,
                              "\"input_params\" must be a list with one list of names per input, "
                              "[[\"batch\", \"width\"]]");
    for (size_t i = 0; i < ob_json_count(sweep->inputs); i++)
        OB_TRY(read_input(sweep, ob_json_item(sweep->inputs, i), err));
    return OB_OK;
}

/* ---- the model ---- */

static const char *module_signature(const char *name)
{
    for (size_t i = 0; i < ob_module_count(); i++) {
        const ob_module_info info = ob_module_at(i);
        if (strcmp(info.name, name) == 0 && strcmp(info.category, "function") != 0)
            return info.signature;
    }
    return NULL;
}

static ob_status read_init(ob_sweep *sweep, const ob_json *init, ob_err *err)
{
    const ob_json_kind kind = ob_json_get_kind(init);
    if (init != NULL && kind != OB_JSON_ARRAY && kind != OB_JSON_OBJECT)
        return ob__node_error(err, init,
                              "\"model_init_params\" must be a list of names, or an object that "
                              "maps arguments to names");
    for (size_t i = 0; i < ob_json_count(init); i++)
        OB_TRY(use_value(sweep, ob_json_item(init, i), err));
    sweep->init = init;
    return OB_OK;
}

static ob_status read_operator(ob_sweep *sweep, const ob_json *node, ob_err *err)
{
    const char *signature = module_signature(sweep->model);
    const ob_op_table *table = ob_context_operators(sweep->context);
    ob_op_name name;
    if (signature != NULL) {
        sweep->takes_dtype = strstr(signature, "ScalarType? dtype") != NULL;
        if (sweep->init == NULL)
            sweep->init = ob_json_new_array(sweep->made);
        return sweep->init != NULL ? OB_OK
                                   : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a sweep");
    }
    if (ob_json_count(sweep->init) == 0)
        sweep->init = NULL;
    if (sweep->init != NULL && ob_op_resolve_name(table, sweep->model, &name, NULL) == OB_OK &&
        name.known)
        return ob__node_error(
            err, node,
            "\"%.80s\" is a function and has no initialisation; empty \"model_init_params\", and "
            "give scalars as inputs, {\"value\": \"name\"}",
            sweep->model);
    return OB_OK;
}

static ob_status read_model(ob_sweep *sweep, ob_err *err)
{
    const ob_json *model = ob_json_get(sweep->root, "model");
    OB_TRY(read_init(sweep, ob_json_get(sweep->root, "model_init_params"), err));
    if (ob_json_get_kind(model) == OB_JSON_OBJECT) {
        static const char *const KNOWN[] = {"name", "nodes", "edges", "outputs"};
        OB_TRY(check_keys(model, KNOWN, 4, "a chain", err));
        sweep->is_chain = true;
        sweep->model = "opbench.graph";
        return ob__sweep_read_chain(sweep, model, err);
    }
    sweep->model = ob_json_string(model, NULL);
    if (sweep->model == NULL || sweep->model[0] == '\0')
        return ob__node_error(err, model != NULL ? model : sweep->root,
                              "\"model\" must be the name of an operator or module, such as "
                              "\"torch.nn.Linear\", or a chain {\"nodes\": ..., \"edges\": ...}");
    snprintf(sweep->title, sizeof sweep->title, "%s", sweep->model);
    return read_operator(sweep, model, err);
}

ob_status ob__sweep_check_operator(const ob_sweep *sweep, const ob_json *node, ob_err *err)
{
    const char *word = ob_json_string(node, NULL);
    const ob_op_table *table = ob_context_operators(sweep->context);
    const char *cure = ob__module_missing(word);
    ob_op_name name;
    ob_err why;
    char nearest[160];
    const ob_status status = ob_op_resolve_name(table, word, &name, &why);
    if (status == OB_ERR_INVALID)
        return ob__node_error(err, node, "%s", why.message);
    if (status == OB_OK && name.known)
        return OB_OK;
    for (size_t i = 0; i < ob_module_count(); i++)
        if (strcmp(ob_module_at(i).name, word) == 0)
            return OB_OK;
    if (cure != NULL)
        return ob__node_error(err, node, "\"%.80s\" is not available as a module; %s", word, cure);
    for (size_t i = 0; status == OB_OK && i < sweep->backend_count; i++) {
        const ob_backend_desc *desc =
            ob_context_find_backend(sweep->context, sweep->backends[i].name);
        if (desc != NULL && desc->schemas != NULL)
            return OB_OK; /* the row says whether the backend has it */
    }
    const bool near = ob__name_nearest(table, word, nearest, sizeof nearest);
    return ob__node_error(
        err, node, "there is no operator or module \"%.80s\"%s `opbench list ops` lists them", word,
        ob__near_text(near ? nearest : NULL, ", did you mean \"", "\"?", ";").text);
}

static ob_status check_model(const ob_sweep *sweep, ob_err *err)
{
    const ob_json *model = ob_json_get(sweep->root, "model");
    return sweep->is_chain ? ob__sweep_check_chain(sweep, model, err)
                           : ob__sweep_check_operator(sweep, model, err);
}

/* A variable that nothing uses would repeat every case. */
static ob_status check_used(const ob_sweep *sweep, ob_err *err)
{
    const ob_json *scales = ob_json_get(sweep->root, "input_scales");
    for (size_t i = 0; i < sweep->space.variable_count; i++)
        if (!sweep->used[i])
            return ob__node_error(err, ob_json_key_node(scales, i),
                                  "neither the inputs nor the model uses \"%.60s\"; remove it",
                                  sweep->space.variables[i].name);
    return OB_OK;
}

static ob_status read_root(ob_sweep *sweep, ob_err *err)
{
    static const char *const KNOWN[] = {"model", "model_init_params", "input_params",
                                        "input_scales", "job_configs"};
    if (ob_json_get_kind(sweep->root) != OB_JSON_OBJECT)
        return ob__node_error(err, sweep->root,
                              "a sweep must be an object with model, model_init_params, "
                              "input_params, input_scales and job_configs, not %s",
                              ob_json_kind_name(ob_json_get_kind(sweep->root)));
    OB_TRY(check_keys(sweep->root, KNOWN, sizeof KNOWN / sizeof *KNOWN, "a sweep", err));
    OB_TRY(ob__sweep_read_scales(sweep, err));
    OB_TRY(read_inputs(sweep, err));
    OB_TRY(read_model(sweep, err));
    OB_TRY(check_used(sweep, err));
    OB_TRY(ob__sweep_read_jobs(sweep, err));
    return check_model(sweep, err);
}

/* ---- opening ---- */

/* Takes over doc. */
static ob_status open_doc(ob_context *context, const char *name, ob_json_doc *doc, ob_sweep **out,
                          ob_err *err)
{
    ob_sweep *sweep = calloc(1, sizeof *sweep);
    ob_status status = OB_OK;
    if (sweep == NULL || (sweep->name = strdup(name)) == NULL) {
        free(sweep);
        ob_json_doc_destroy(doc);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a sweep");
    }
    sweep->context = context;
    sweep->doc = doc;
    doc->name = sweep->name;
    sweep->root = ob_json_doc_root(doc);
    status = ob_json_doc_create(&sweep->made, err);
    if (status == OB_OK)
        status = read_root(sweep, err);
    if (status == OB_OK) {
        *out = sweep;
        return OB_OK;
    }
    if (err != NULL && err->line != 0) {
        snprintf(err->file, sizeof err->file, "%s", name);
        ob__json_path_at(sweep->root, err->line, err->column, err->path, sizeof err->path);
    }
    ob_sweep_destroy(sweep);
    return status;
}

static bool is_yaml(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending != NULL && (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".yml") == 0);
}

static ob_status parse_yaml_file(const char *path, ob_json_doc **out, ob_err *err)
{
    ob_text text = {0};
    ob_status status = ob__read_file(path, MOST_YAML_BYTES, &text, err);
    if (status == OB_OK)
        status = ob__yaml_parse(path, text.data, text.size, out, err);
    ob_text_fini(&text);
    return status;
}

ob_status ob_sweep_open_file(ob_context *context, const char *path, ob_sweep **out, ob_err *err)
{
    ob_json_doc *doc;
    *out = NULL;
    OB_TRY(is_yaml(path) ? parse_yaml_file(path, &doc, err)
                         : ob_json_parse_file(path, NULL, &doc, err));
    return open_doc(context, ob_json_doc_name(doc), doc, out, err);
}

ob_status ob_sweep_open_memory(ob_context *context, const char *name, const void *data, size_t size,
                               ob_sweep **out, ob_err *err)
{
    ob_json_doc *doc;
    *out = NULL;
    OB_TRY(ob_json_parse(name, data, size, NULL, &doc, err));
    return open_doc(context, name, doc, out, err);
}

void ob_sweep_destroy(ob_sweep *sweep)
{
    if (sweep == NULL)
        return;
    ob_json_doc_destroy(sweep->made);
    ob_json_doc_destroy(sweep->doc);
    free(sweep->backends);
    free(sweep->name);
    free(sweep);
}

const char *ob_sweep_name(const ob_sweep *sweep)
{
    return sweep->name;
}

const char *ob_sweep_model(const ob_sweep *sweep)
{
    return sweep->model;
}

const ob_json *ob_sweep_json(const ob_sweep *sweep)
{
    return sweep->root;
}

uint64_t ob_sweep_point_count(const ob_sweep *sweep)
{
    return sweep->space.points;
}

size_t ob_sweep_variable_count(const ob_sweep *sweep)
{
    return sweep->space.variable_count;
}

const char *ob_sweep_variable(const ob_sweep *sweep, size_t index)
{
    return index < sweep->space.variable_count ? sweep->space.variables[index].name : NULL;
}

size_t ob_sweep_backend_count(const ob_sweep *sweep)
{
    return sweep->backend_count;
}

const char *ob_sweep_backend(const ob_sweep *sweep, size_t index)
{
    return index < sweep->backend_count ? sweep->backends[index].name : NULL;
}
