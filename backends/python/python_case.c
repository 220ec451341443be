/* SPDX-License-Identifier: Apache-2.0
 *
 * One case in the interpreter. Timed in a forward: the call of the operator's own function (or of one function that was made of
 * a longer graph) with arguments that are ready, by vectorcall, and dropping the result of the call before. In a backward:
 * the framework's own call. Python's collector is off from prepare to release. Nothing of ours is a Python frame in between.
 */
#include "python_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ob_prepared {
    ob_backend *backend;
    py_object *handle;     /* opbench_frameworks.Case */
    py_object *function;   /* what forward calls */
    py_object **arguments; /* the first is room for the callee */
    size_t count;
    py_object *names;  /* of the last arguments, which are given by name; NULL = none */
    py_object *result; /* of the last forward */
    ob_tensor *kept;   /* whose memory Python shares */
    size_t kept_count;
    bool wants_backward, pending;
};

/* A new reference to an attribute; NULL is remembered in *ok. */
static py_object *attribute(ob_backend *b, py_object *object, const char *name, bool *ok)
{
    py_object *found = *ok ? b->py.PyObject_GetAttrString(object, name) : NULL;
    *ok = found != NULL;
    return found;
}

ob_status python_supports(ob_backend *b, const ob_graph *graph, ob_pass pass, ob_reason *why_not)
{
    py_object *const arguments[] = {python_calls(b, graph),
                                    b->py.PyBool_FromLong(pass == OB_PASS_BACKWARD)};
    py_object *answer = python_call(b, b->framework, "supports", arguments, 2);
    ob_err err;
    ob_status status = OB_OK;
    if (answer == NULL) {
        status = python_fail(b, OB_ERR_UNSUPPORTED, &err);
        snprintf(why_not->text, sizeof why_not->text, "%.250s", err.message);
    } else if (answer != b->none) {
        const char *text = b->py.PyUnicode_AsUTF8AndSize(answer, NULL);
        snprintf(why_not->text, sizeof why_not->text, "%.250s", text != NULL ? text : "");
        status = OB_ERR_UNSUPPORTED;
    }
    b->py.Py_DecRef(answer);
    return status;
}

/* ---- preparing ---- */

static bool keep_tensor(ob_prepared *p, const ob_value *value)
{
    if (value->kind == OB_VALUE_LIST || value->kind == OB_VALUE_TUPLE) {
        for (size_t i = 0; i < value->as.list.count; i++)
            if (!keep_tensor(p, &value->as.list.items[i]))
                return false;
        return true;
    }
    if (value->kind != OB_VALUE_TENSOR)
        return true;
    ob_tensor *more = realloc(p->kept, (p->kept_count + 1) * sizeof *more);
    if (more == NULL)
        return false;
    p->kept = more;
    if (p->backend->host->tensor_copy(&more[p->kept_count], value->as.tensor, NULL) != OB_OK)
        return false;
    p->kept_count++;
    return true;
}

/* The values of inputs, parameters and buffers by their edges: a list as long as the graph has edges. */
static py_object *given_values(ob_prepared *p, const ob_prepare_args *args)
{
    ob_backend *b = p->backend;
    py_object *list = b->py.PyList_New(0);
    size_t input = 0, parameter = 0;
    for (size_t e = 0; list != NULL && e < args->graph->edge_count; e++) {
        const ob_edge_role role = args->graph->edges[e].role;
        const ob_value *value = role == OB_EDGE_INPUT && input < args->input_count
                                    ? &args->inputs[input++]
                                : (role == OB_EDGE_PARAMETER || role == OB_EDGE_BUFFER) &&
                                        parameter < args->parameter_count
                                    ? &args->parameters[parameter++]
                                    : NULL;
        const ob_value none = ob_value_none();
        py_object *item = value == NULL || keep_tensor(p, value)
                              ? python_from_value(b, value != NULL ? value : &none)
                              : NULL;
        if (item == NULL || b->py.PyList_Append(list, item) != 0) {
            b->py.Py_DecRef(list);
            list = NULL;
        }
        b->py.Py_DecRef(item);
    }
    return list;
}

static py_object *edge_list(const py_api *py, const ob_edge_id *edges, size_t count)
{
    py_object *list = py->PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        py_object *id = py->PyLong_FromLongLong(edges[i]);
        py->PyList_Append(list, id);
        py->Py_DecRef(id);
    }
    return list;
}

/* Which edges are given, and which of them are to get a gradient: "given" and "grad" by their numbers. */
static py_object *edges_with(ob_backend *b, const ob_graph *graph, bool grad)
{
    py_object *list = b->py.PyList_New(0);
    for (size_t e = 0; list != NULL && e < graph->edge_count; e++) {
        const ob_graph_edge *edge = &graph->edges[e];
        const bool given = edge->role == OB_EDGE_INPUT || edge->role == OB_EDGE_PARAMETER ||
                           edge->role == OB_EDGE_BUFFER;
        if (!given || (grad && !edge->requires_grad))
            continue;
        py_object *id = b->py.PyLong_FromLongLong((int64_t)e);
        b->py.PyList_Append(list, id);
        b->py.Py_DecRef(id);
    }
    return list;
}

static ob_status take_arguments(ob_prepared *p, ob_err *err)
{
    ob_backend *b = p->backend;
    bool ok = true;
    p->function = attribute(b, p->handle, "function", &ok);
    py_object *list = attribute(b, p->handle, "arguments", &ok);
    p->names = attribute(b, p->handle, "names", &ok);
    const ssize_t count = ok ? b->py.PySequence_Size(list) : -1;
    const ssize_t named = ok && p->names != b->none ? b->py.PySequence_Size(p->names) : 0;
    ok = count >= 0 && named >= 0 && named <= count;
    p->arguments = ok ? calloc((size_t)count + 1, sizeof(py_object *)) : NULL;
    for (ssize_t i = 0; p->arguments != NULL && i < count; i++)
        p->arguments[1 + i] = b->py.PySequence_GetItem(list, i);
    p->count = ok ? (size_t)(count - named) : 0;
    if (p->names == b->none) {
        b->py.Py_DecRef(p->names);
        p->names = NULL;
    }
    b->py.Py_DecRef(list);
    return p->arguments != NULL ? OB_OK : python_fail(b, OB_ERR_BACKEND, err);
}

ob_status python_prepare(ob_backend *b, const ob_prepare_args *args, ob_prepared **out, ob_err *err)
{
    const py_api *py = &b->py;
    ob_prepared *p = calloc(1, sizeof *p);
    *out = NULL;
    if (p == NULL)
        return b->host->err_set(err, OB_ERR_NOMEM, "out of memory for a case");
    p->backend = b;
    p->wants_backward = args->pass == OB_PASS_BACKWARD;
    py_object *const arguments[] = {
        python_calls(b, args->graph),
        given_values(p, args),
        edges_with(b, args->graph, false),
        edges_with(b, args->graph, true),
        edge_list(py, args->graph->outputs, args->graph->output_count),
        py->PyBool_FromLong(p->wants_backward),
        py->PyBool_FromLong(args->inference_mode),
    };
    p->handle = python_call(b, b->framework, "prepare", arguments, 7);
    ob_status status =
        p->handle != NULL ? take_arguments(p, err) : python_fail(b, OB_ERR_BACKEND, err);
    if (status == OB_OK)
        *out = p;
    else
        python_release(p);
    return status;
}

void python_release(ob_prepared *p)
{
    if (p == NULL)
        return;
    const py_api *py = &p->backend->py;
    const size_t names = p->names != NULL ? (size_t)py->PySequence_Size(p->names) : 0;
    for (size_t i = 0; p->arguments != NULL && i < p->count + names; i++)
        py->Py_DecRef(p->arguments[1 + i]);
    p->backend->last = NULL;
    py->Py_DecRef(p->result);
    py->Py_DecRef(p->names);
    py->Py_DecRef(p->function);
    py->Py_DecRef(p->handle != NULL ? python_call(p->backend, p->handle, "close", NULL, 0) : NULL);
    py->PyErr_Clear();
    py->Py_DecRef(p->handle);
    for (size_t i = 0; i < p->kept_count; i++)
        p->backend->host->tensor_fini(&p->kept[i]);
    free(p->kept);
    free((void *)p->arguments);
    free(p);
}

/* ---- running ---- */

static ob_status forward(ob_prepared *p, uint64_t iterations, ob_err *err)
{
    const py_api *py = &p->backend->py;
    py_object *result = p->result;
    p->backend->last = NULL;
    const size_t count = p->count | PY_ARGUMENTS_OFFSET;
    for (uint64_t i = 0; i < iterations; i++) {
        py->Py_DecRef(result);
        result = py->PyObject_Vectorcall(p->function, p->arguments + 1, count, p->names);
        if (result == NULL)
            break;
    }
    python_end_copy();
    p->result = p->backend->last = result;
    p->pending = p->wants_backward;
    return result != NULL ? OB_OK : python_fail(p->backend, OB_ERR_BACKEND, err);
}

/* handle.method(result[, last]) */
static ob_status call_phase(ob_prepared *p, const char *method, int last, ob_err *err)
{
    ob_backend *b = p->backend;
    py_object *held = p->result != NULL ? p->result : b->none;
    b->py.Py_IncRef(held);
    py_object *const arguments[] = {held, b->py.PyBool_FromLong(last == 1)};
    py_object *answer = python_call(b, p->handle, method, arguments, last < 0 ? 1 : 2);
    if (last < 0)
        b->py.Py_DecRef(arguments[1]);
    b->py.Py_DecRef(answer);
    return answer != NULL ? OB_OK : python_fail(b, OB_ERR_BACKEND, err);
}

ob_status python_run(ob_prepared *p, ob_phase phase, uint64_t iterations, ob_err *err)
{
    const ob_host *host = p->backend->host;
    if (phase == OB_PHASE_FORWARD)
        return forward(p, iterations, err);
    if (phase == OB_PHASE_RESTORE)
        return p->pending ? OB_OK : call_phase(p, "restore", -1, err);
    if (!p->wants_backward)
        return host->err_set(err, OB_ERR_STATE, "the case was prepared for forward only");
    if (phase == OB_PHASE_MAKE_GRAD)
        return call_phase(p, "make_grad", -1, err);
    if (phase == OB_PHASE_ZERO_GRAD)
        return call_phase(p, "zero_grad", -1, err);
    if (!p->pending)
        return host->err_set(err, OB_ERR_STATE, "no forward ran before; run forward first");
    for (uint64_t i = 0; i < iterations; i++)
        OB_TRY(call_phase(p, "backward", i + 1 == iterations, err));
    p->pending = false;
    return OB_OK;
}

ob_status python_outputs(ob_prepared *p, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err)
{
    ob_backend *b = p->backend;
    py_object *held = p->result != NULL ? p->result : b->none;
    *count = 0;
    b->py.Py_IncRef(held);
    py_object *const arguments[] = {held, b->py.PyBool_FromLong(pass == OB_PASS_BACKWARD)};
    py_object *list = python_call(b, p->handle, "outputs", arguments, 2);
    const ssize_t length = list != NULL ? b->py.PySequence_Size(list) : -1;
    ob_status status = length < 0 ? python_fail(b, OB_ERR_BACKEND, err) : OB_OK;
    if (status == OB_OK && (size_t)length > capacity)
        status = b->host->err_set(err, OB_ERR_LIMIT, "there are %zd outputs and room for %zu",
                                  length, capacity);
    for (ssize_t i = 0; status == OB_OK && i < length; i++) {
        py_object *item = b->py.PySequence_GetItem(list, i);
        status = item != NULL ? python_to_value(b, item, &values[*count], err)
                              : python_fail(b, OB_ERR_BACKEND, err);
        *count += status == OB_OK;
        b->py.Py_DecRef(item);
    }
    b->py.Py_DecRef(list);
    while (status != OB_OK && *count > 0)
        b->host->value_fini(&values[--*count]);
    return status;
}

bool python_has_backward(ob_prepared *p)
{
    bool ok = true;
    py_object *answer = attribute(p->backend, p->handle, "has_backward", &ok);
    const bool has = ok && p->backend->py.PyObject_IsTrue(answer) == 1;
    p->backend->py.Py_DecRef(answer);
    p->backend->py.PyErr_Clear();
    return has;
}

void python_case_properties(ob_prepared *p, ob_property_fn fn, void *ctx)
{
    python_tell(p->backend, p->handle, "properties", fn, ctx);
}
