/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the python backend share. What a framework is like is said in opbench_frameworks.py, which runs in the
 * user's interpreter; C converts values, loops over calls and keeps references.
 */
#ifndef OB_PYTHON_BACKEND_H
#define OB_PYTHON_BACKEND_H

#include "python_api.h"

typedef struct python_options {
    const char *framework, *compile, *jit;
} python_options;

struct ob_backend {
    const ob_host *host;
    py_api py;
    py_object *module;    /* opbench_frameworks */
    py_object *framework; /* one of its rows, opened */
    py_object *none;
    py_object *last; /* what the last forward gave, while its case holds it; NULL = nothing */
};

/* ---- python_values.c: all give new references, or NULL with Python's error set ---- */

py_object *python_from_value(ob_backend *backend, const ob_value *value);
/* A list of the graph's calls, as opbench_frameworks.Call takes them. */
py_object *python_calls(ob_backend *backend, const ob_graph *graph);
py_object *python_sizes(const py_api *py, const int64_t *sizes, int count);
/* What Framework.export gave: ("@int", 3), ("@list", [...]), ("float32", sizes, address, owner, requires_grad), ... */
ob_status python_to_value(ob_backend *backend, py_object *object, ob_value *out, ob_err *err);

/* ---- python.c ---- */

/* Calls a method with new references, which it takes over; some may be NULL, and then it fails. */
py_object *python_call(ob_backend *backend, py_object *object, const char *method,
                       py_object *const *arguments, size_t count);
/* Behind a call of what may be the user's: ends the process if it is a copy of the worker. */
void python_end_copy(void);
/* Tells the texts that a method gives, in turns a name and a value. */
void python_tell(ob_backend *backend, py_object *object, const char *method, ob_property_fn fn,
                 void *ctx);
/* Turns Python's error into ours: the type, what it says, and where. */
ob_status python_fail(ob_backend *backend, ob_status status, ob_err *err);

/* ---- python_generator.c ---- */

extern const ob_generator_desc python_generator;
/* The backend whose interpreter makes values; NULL = there is none. */
void python_generator_use(ob_backend *backend);

/* ---- python_case.c ---- */

ob_status python_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not);
ob_status python_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err);
void python_release(ob_prepared *prepared);
ob_status python_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err);
ob_status python_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err);
bool python_has_backward(ob_prepared *prepared);
void python_case_properties(ob_prepared *prepared, ob_property_fn fn, void *ctx);

#endif
