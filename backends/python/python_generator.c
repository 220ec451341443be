/* SPDX-License-Identifier: Apache-2.0
 *
 * The data generator that stands for those that users wrote in Python: entries come with the name of one as their last
 * argument (opbench_configs.py), and values are made where the interpreter is, in the worker.
 */
#include "python_backend.h"

enum { MOST_VALUES = 64 }; /* beyond as many as an entry has arguments */

static ob_backend *opened; /* in this process; NULL = none */

void python_generator_use(ob_backend *backend)
{
    opened = backend;
}

static py_object *from_json(ob_backend *b, const ob_json *node);

static py_object *from_object(ob_backend *b, const ob_json *node)
{
    const py_api *py = &b->py;
    py_object *made = py->PyDict_New();
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < b->host->json_count(node); i++) {
        py_object *value = from_json(b, b->host->json_item(node, i));
        ok =
            value != NULL && py->PyDict_SetItemString(made, b->host->json_key(node, i), value) == 0;
        py->Py_DecRef(value);
    }
    if (ok)
        return made;
    py->Py_DecRef(made);
    return NULL;
}

static py_object *from_array(ob_backend *b, const ob_json *node)
{
    const py_api *py = &b->py;
    py_object *made = py->PyList_New(0);
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < b->host->json_count(node); i++) {
        py_object *value = from_json(b, b->host->json_item(node, i));
        ok = value != NULL && py->PyList_Append(made, value) == 0;
        py->Py_DecRef(value);
    }
    if (ok)
        return made;
    py->Py_DecRef(made);
    return NULL;
}

static py_object *from_text(ob_backend *b, const ob_json *node)
{
    size_t length = 0;
    const char *text = b->host->json_string(node, &length);
    /* cppcheck-suppress returnDanglingLifetime; the text is copied */
    return b->py.PyUnicode_DecodeUTF8(text, (ssize_t)length, "replace");
}

/* As deep as the config may be. */
static py_object *from_json(ob_backend *b, const ob_json *node)
{
    const ob_host *host = b->host;
    const py_api *py = &b->py;
    switch (host->json_get_kind(node)) {
    case OB_JSON_BOOL:
        return py->PyBool_FromLong(host->json_bool(node, false));
    case OB_JSON_INT:
        return py->PyLong_FromLongLong(host->json_int(node, 0));
    case OB_JSON_REAL:
        return py->PyFloat_FromDouble(host->json_real(node, 0));
    case OB_JSON_STRING:
        return from_text(b, node);
    case OB_JSON_ARRAY:
        return from_array(b, node);
    case OB_JSON_OBJECT:
        return from_object(b, node);
    case OB_JSON_NULL:
    default:
        py->Py_IncRef(b->none);
        return b->none;
    }
}

/* A list of exported values. */
static ob_status take_values(ob_backend *b, py_object *list, ob_value *values, size_t room,
                             size_t *count, ob_err *err)
{
    const ssize_t length = list != NULL ? b->py.PySequence_Size(list) : -1;
    if (length < 0)
        return python_fail(b, OB_ERR_BACKEND, err);
    if ((size_t)length > room)
        return b->host->err_set(err, OB_ERR_LIMIT,
                                "the generator returned %zd values; at most %zu are allowed",
                                length, room);
    for (; *count < (size_t)length; (*count)++) {
        py_object *item = b->py.PySequence_GetItem(list, (ssize_t)*count);
        const ob_status status = item != NULL ? python_to_value(b, item, &values[*count], err)
                                              : python_fail(b, OB_ERR_BACKEND, err);
        b->py.Py_DecRef(item);
        OB_TRY(status);
    }
    return OB_OK;
}

/* opbench_configs.py keeps the names. */
static ob_status take_names(ob_backend *b, py_object *list, size_t count, const char **names,
                            ob_err *err)
{
    for (size_t i = 0; i < count; i++) {
        py_object *item = list != NULL ? b->py.PySequence_GetItem(list, (ssize_t)i) : NULL;
        names[i] = item != NULL ? b->py.PyUnicode_AsUTF8AndSize(item, NULL) : NULL;
        b->py.Py_DecRef(item);
        if (names[i] == NULL)
            return python_fail(b, OB_ERR_BACKEND, err);
    }
    return OB_OK;
}

static ob_status generate(const ob_generate_args *args, ob_generated *out, ob_err *err)
{
    const size_t room = out->arg_count, named_room = out->kwarg_count;
    ob_backend *b = opened;
    out->arg_count = out->kwarg_count = 0;
    if (args->entry == NULL)
        return OB_OK;
    if (b == NULL)
        return args->host->err_set(err, OB_ERR_UNSUPPORTED,
                                   "its data is made in Python, which only the python backend can "
                                   "do; measure it with that one alone");
    const int64_t seed = (int64_t)(args->host->rng_u64(args->rng) >> 2);
    py_object *const given[] = {from_json(b, args->entry), b->py.PyLong_FromLongLong(seed)};
    py_object *made = python_call(b, b->framework, "generate", given, 2), *parts[3] = {NULL};
    for (ssize_t i = 0; made != NULL && i < 3; i++)
        parts[i] = b->py.PySequence_GetItem(made, i);
    ob_status status = made == NULL
                           ? python_fail(b, OB_ERR_BACKEND, err)
                           : take_values(b, parts[0], out->args, room, &out->arg_count, err);
    if (status == OB_OK)
        status = take_values(b, parts[2], out->kwargs, named_room, &out->kwarg_count, err);
    if (status == OB_OK)
        status = take_names(b, parts[1], out->kwarg_count, out->kwarg_names, err);
    for (size_t i = 0; i < 3; i++)
        b->py.Py_DecRef(parts[i]);
    b->py.Py_DecRef(made);
    return status;
}

static const ob_arg_attr NAME_ATTRS[] = {
    {.name = "value", .kind = OB_ATTR_STRING, .required = true},
    {.name = NULL},
};

static const ob_arg_type TYPES[] = {
    {.name = "python_generator",
     .attrs = NAME_ATTRS,
     .help = "the data generator in Python that makes the values; the last of an entry"},
    {.name = NULL},
};

const ob_generator_desc python_generator = {
    .name = "Python:DataGenerator",
    .help = "stands for a data generator that was registered in Python",
    .types = TYPES,
    .min_capacity = MOST_VALUES,
    .generate = generate,
};
