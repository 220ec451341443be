/* SPDX-License-Identifier: Apache-2.0
 *
 * Our values as Python's, and back. Tensors are handed over as memory that both share; what Python gives back is copied
 * out of its memory.
 */
#include "python_backend.h"

#include <stdio.h>
#include <string.h>

static py_object *from_text(const py_api *py, const char *text, size_t length)
{
    return py->PyUnicode_DecodeUTF8(text, (ssize_t)length, "replace");
}

/* Takes over item; false with Python's error set. */
static bool append(const py_api *py, py_object *list, py_object *item)
{
    const bool ok = list != NULL && item != NULL && py->PyList_Append(list, item) == 0;
    py->Py_DecRef(item);
    return ok;
}

/* Takes over list. */
static py_object *as_tuple(const py_api *py, py_object *list, bool ok)
{
    py_object *tuple = ok && list != NULL ? py->PyList_AsTuple(list) : NULL;
    py->Py_DecRef(list);
    return tuple;
}

py_object *python_sizes(const py_api *py, const int64_t *sizes, int count)
{
    py_object *list = py->PyList_New(0);
    bool ok = list != NULL;
    for (int i = 0; ok && i < count; i++)
        ok = append(py, list, py->PyLong_FromLongLong(sizes[i]));
    return as_tuple(py, list, ok);
}

/* framework.special("dtype", "float32") */
static py_object *special(ob_backend *b, const char *kind, py_object *what)
{
    py_object *const arguments[] = {from_text(&b->py, kind, strlen(kind)), what};
    return python_call(b, b->framework, "special", arguments, 2);
}

/* framework.tensor(memory, dtype, sizes, strides, requires_grad); memory begins with the first element. */
static py_object *from_tensor(ob_backend *b, const ob_tensor *t)
{
    const py_api *py = &b->py;
    const char *dtype = b->host->dtype_get_info(t->dtype)->torch_name;
    int64_t span = 0;
    if (b->host->shape_span_bytes(t->sizes, t->strides, t->ndim, t->dtype, &span, NULL) != OB_OK)
        span = 0;
    static char nothing[1];
    char *data = span > 0 ? b->host->tensor_data(t) : nothing;
    py_object *const arguments[] = {
        py->PyMemoryView_FromMemory(data, (ssize_t)span, PY_WRITABLE),
        from_text(py, dtype, strlen(dtype)),
        python_sizes(py, t->sizes, t->ndim),
        python_sizes(py, t->strides, t->ndim),
        py->PyBool_FromLong(t->requires_grad),
    };
    return python_call(b, b->framework, "tensor", arguments, 5);
}

static py_object *from_list(ob_backend *b, const ob_value *value)
{
    py_object *list = b->py.PyList_New(0);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < value->as.list.count; i++)
        ok = append(&b->py, list, python_from_value(b, &value->as.list.items[i]));
    if (value->kind == OB_VALUE_TUPLE || !ok)
        return as_tuple(&b->py, list, ok);
    return list;
}

static py_object *from_device(ob_backend *b, const ob_device *device)
{
    char text[32];
    if (device->index < 0)
        snprintf(text, sizeof text, "%s", device->type);
    else
        snprintf(text, sizeof text, "%s:%d", device->type, device->index);
    return special(b, "device", from_text(&b->py, text, strlen(text)));
}

py_object *python_from_value(ob_backend *b, const ob_value *v)
{
    const py_api *py = &b->py;
    const char *dtype;
    switch (v->kind) {
    case OB_VALUE_BOOL:
        return py->PyBool_FromLong(v->as.boolean);
    case OB_VALUE_INT:
        return py->PyLong_FromLongLong(v->as.integer);
    case OB_VALUE_DOUBLE:
        return py->PyFloat_FromDouble(v->as.real);
    case OB_VALUE_COMPLEX:
        return py->PyComplex_FromDoubles(v->as.complex.real, v->as.complex.imag);
    case OB_VALUE_STR:
        return from_text(py, v->as.str.text, v->as.str.length);
    case OB_VALUE_DEVICE:
        return from_device(b, &v->as.device);
    case OB_VALUE_DTYPE:
        dtype = b->host->dtype_get_info(v->as.dtype)->torch_name;
        return special(b, "dtype", from_text(py, dtype, strlen(dtype)));
    case OB_VALUE_LAYOUT:
        return special(b, "layout", py->PyLong_FromLongLong((int64_t)v->as.layout));
    case OB_VALUE_MEMORY_FORMAT:
        return special(b, "memory_format", py->PyLong_FromLongLong((int64_t)v->as.memory_format));
    case OB_VALUE_GENERATOR:
        return special(b, "generator", py->PyLong_FromLongLong((int64_t)(v->as.seed >> 1)));
    case OB_VALUE_TENSOR:
        return from_tensor(b, v->as.tensor);
    case OB_VALUE_LIST:
    case OB_VALUE_TUPLE:
        return from_list(b, v);
    case OB_VALUE_NONE:
    default:
        py->Py_IncRef(b->none);
        return b->none;
    }
}

/* ("value", x), ("edge", id), ("item", id, index), ("list", [...]) */
static py_object *from_operand(ob_backend *b, const ob_operand *o)
{
    const py_api *py = &b->py;
    py_object *list = py->PyList_New(0), *items = NULL;
    static const char *const KINDS[] = {"edge", "value", "list", "item"};
    const char *kind = KINDS[o->kind];
    bool ok = append(py, list, from_text(py, kind, strlen(kind)));
    if (o->kind == OB_OPERAND_VALUE)
        return as_tuple(py, list, ok && append(py, list, python_from_value(b, &o->value)));
    if (o->kind == OB_OPERAND_LIST) {
        items = py->PyList_New(0);
        for (size_t i = 0; ok && i < o->count; i++)
            ok = append(py, items, from_operand(b, &o->items[i]));
        return as_tuple(py, list, append(py, list, items) && ok);
    }
    ok = ok && append(py, list, py->PyLong_FromLongLong(o->edge));
    if (o->kind == OB_OPERAND_ITEM)
        ok = ok && append(py, list, py->PyLong_FromLongLong((int64_t)o->index));
    return as_tuple(py, list, ok);
}

/* (name, keyword only, operand, has a default, default) for each argument */
static py_object *from_arguments(ob_backend *b, const ob_graph_node *node)
{
    const py_api *py = &b->py;
    const ob_schema *schema = node->op->schema;
    py_object *list = py->PyList_New(0);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < schema->arg_count; i++) {
        const ob_schema_arg *a = &schema->args[i];
        py_object *one = py->PyList_New(0);
        ok = append(py, one, from_text(py, a->name, strlen(a->name))) &&
             append(py, one, py->PyBool_FromLong(a->keyword_only)) &&
             append(py, one, from_operand(b, &node->args[i])) &&
             append(py, one, py->PyBool_FromLong(a->has_default)) &&
             append(py, one, python_from_value(b, &a->default_value)) &&
             append(py, one, py->PyBool_FromLong(a->writes));
        ok = append(py, list, as_tuple(py, one, ok));
    }
    return as_tuple(py, list, ok);
}

py_object *python_calls(ob_backend *b, const ob_graph *graph)
{
    const py_api *py = &b->py;
    py_object *list = py->PyList_New(0);
    bool ok = list != NULL;
    for (size_t n = 0; ok && n < graph->node_count; n++) {
        const ob_graph_node *node = &graph->nodes[n];
        const ob_schema *schema = node->op->schema;
        int64_t outputs[64];
        const size_t count = node->output_count < 64 ? node->output_count : 64;
        for (size_t i = 0; i < count; i++)
            outputs[i] = node->outputs[i];
        py_object *const arguments[] = {
            from_text(py, schema->name, strlen(schema->name)),
            from_text(py, schema->overload, strlen(schema->overload)),
            from_arguments(b, node),
            python_sizes(py, outputs, (int)count),
        };
        ok = append(py, list, python_call(b, b->module, "Call", arguments, 4));
    }
    if (ok)
        return list;
    py->Py_DecRef(list);
    return NULL;
}

/* ---- back ---- */

/* Item i of a sequence as a whole number; false with Python's error set. */
static bool take_int(const py_api *py, py_object *sequence, ssize_t i, int64_t *out)
{
    py_object *item = py->PySequence_GetItem(sequence, i);
    *out = item != NULL ? py->PyLong_AsLongLong(item) : -1;
    py->Py_DecRef(item);
    return item != NULL && py->PyErr_Occurred() == NULL;
}

static ob_status take_sizes(ob_backend *b, py_object *list, int64_t *sizes, int *count, ob_err *err)
{
    const ssize_t length = b->py.PySequence_Size(list);
    if (length > OB_MAX_DIMS)
        return b->host->err_set(err, OB_ERR_LIMIT,
                                "a result has %zd dimensions; at most %d are supported", length,
                                (int)OB_MAX_DIMS);
    *count = (int)length;
    for (ssize_t i = 0; i < length; i++)
        if (!take_int(&b->py, list, i, &sizes[i]))
            return python_fail(b, OB_ERR_BACKEND, err);
    return length < 0 ? python_fail(b, OB_ERR_BACKEND, err) : OB_OK;
}

/* (dtype, sizes, address, owner, requires_grad): dense, in host memory */
static ob_status take_tensor(ob_backend *b, py_object *parts[5], ob_value *out, ob_err *err)
{
    int64_t sizes[OB_MAX_DIMS];
    int ndim = 0;
    ssize_t length = 0;
    const char *name = b->py.PyUnicode_AsUTF8AndSize(parts[0], &length);
    if (name == NULL)
        return python_fail(b, OB_ERR_BACKEND, err);
    const ob_dtype dtype = b->host->dtype_from_name(name, (size_t)length);
    const void *address = b->py.PyLong_AsVoidPtr(parts[2]);
    if (dtype == OB_DTYPE_INVALID)
        return b->host->err_set(err, OB_ERR_UNSUPPORTED, "a result has the dtype %.40s", name);
    OB_TRY(take_sizes(b, parts[1], sizes, &ndim, err));
    ob_tensor t;
    OB_TRY(b->host->tensor_init(&t, dtype, sizes, ndim, NULL, err));
    const size_t bytes =
        (size_t)b->host->tensor_numel(&t) * b->host->dtype_get_info(dtype)->size_bytes;
    t.requires_grad = parts[4] != NULL && b->py.PyObject_IsTrue(parts[4]) == 1;
    if (bytes > 0 && address != NULL)
        memcpy(b->host->tensor_data(&t), address, bytes);
    const ob_status status =
        bytes > 0 && address == NULL /* such as a meta tensor */
            ? b->host->err_set(err, OB_ERR_UNSUPPORTED, "a result's memory cannot be read")
            : b->host->value_init_tensor(out, &t, err);
    b->host->tensor_fini(&t);
    return status;
}

static ob_status take_text(ob_backend *b, py_object *object, ob_value *out, ob_err *err)
{
    ssize_t length = 0;
    const char *text = b->py.PyUnicode_AsUTF8AndSize(object, &length);
    return text != NULL ? b->host->value_init_str(out, text, (size_t)length, err)
                        : python_fail(b, OB_ERR_BACKEND, err);
}

static ob_status take_list(ob_backend *b, py_object *list, ob_value *out, ob_err *err)
{
    const ssize_t count = b->py.PySequence_Size(list);
    if (count < 0)
        return python_fail(b, OB_ERR_BACKEND, err);
    ob_status status = b->host->value_init_list(out, OB_VALUE_LIST, (size_t)count, err);
    for (ssize_t i = 0; status == OB_OK && i < count; i++) {
        py_object *item = b->py.PySequence_GetItem(list, i);
        status = item != NULL ? python_to_value(b, item, &out->as.list.items[i], err)
                              : python_fail(b, OB_ERR_BACKEND, err);
        b->py.Py_DecRef(item);
    }
    if (status != OB_OK)
        b->host->value_fini(out);
    return status;
}

ob_status python_to_value(ob_backend *b, py_object *object, ob_value *out, ob_err *err)
{
    const py_api *py = &b->py;
    py_object *parts[5] = {NULL};
    *out = ob_value_none();
    for (ssize_t i = 0, count = py->PySequence_Size(object); i < count && i < 5; i++)
        parts[i] = py->PySequence_GetItem(object, i);
    const char *kind = parts[0] != NULL ? py->PyUnicode_AsUTF8AndSize(parts[0], NULL) : NULL;
    ob_status status = OB_OK;
    if (kind == NULL)
        status = python_fail(b, OB_ERR_BACKEND, err);
    else if (strcmp(kind, "@int") == 0)
        *out = ob_value_int(py->PyLong_AsLongLong(parts[1]));
    else if (strcmp(kind, "@bool") == 0)
        *out = ob_value_bool(py->PyObject_IsTrue(parts[1]) == 1);
    else if (strcmp(kind, "@float") == 0)
        *out = ob_value_double(py->PyFloat_AsDouble(parts[1]));
    else if (strcmp(kind, "@str") == 0)
        status = take_text(b, parts[1], out, err);
    else if (strcmp(kind, "@list") == 0)
        status = take_list(b, parts[1], out, err);
    else if (strcmp(kind, "@none") != 0)
        status = take_tensor(b, parts, out, err);
    if (py->PyErr_Occurred() != NULL && status == OB_OK)
        status = python_fail(b, OB_ERR_BACKEND, err);
    for (size_t i = 0; i < 5; i++)
        py->Py_DecRef(parts[i]);
    return status;
}
