/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of CPython's stable interface that the backend calls, found in the process that it is loaded into: whatever
 * release the interpreter is of (from 3.11 on), and whether its library is shared or part of the program. So this folder is built without
 * Python's headers. All of it is called by the one thread that the interpreter entered opbench with, which holds the lock.
 */
#ifndef OB_PYTHON_API_H
#define OB_PYTHON_API_H

#include "opbench/plugin.h"

#include <stddef.h>
#include <sys/types.h>

typedef struct py_object py_object; /* PyObject */

enum { PY_WRITABLE = 0x200 };
/* The word before the arguments may be written to by the callee: methods then need no copy of them. */
#define PY_ARGUMENTS_OFFSET ((size_t)1 << (8 * sizeof(size_t) - 1))

/* X(type, name, parameters), each as in Python's own headers. */
#define PY_API_MAP(X)                                                                              \
    X(void, Py_IncRef, (py_object *))                                                              \
    X(void, Py_DecRef, (py_object *))                                                              \
    X(py_object *, Py_BuildValue, (const char *, ...))                                             \
    X(py_object *, PyImport_ImportModule, (const char *))                                          \
    X(py_object *, PyObject_GetAttrString, (py_object *, const char *))                            \
    X(py_object *, PyObject_CallObject, (py_object *, py_object *))                                \
    X(py_object *, PyObject_Vectorcall, (py_object *, py_object *const *, size_t, py_object *))    \
    X(int, PyObject_IsTrue, (py_object *))                                                         \
    X(py_object *, PyList_New, (ssize_t))                                                          \
    X(int, PyList_Append, (py_object *, py_object *))                                              \
    X(py_object *, PyList_AsTuple, (py_object *))                                                  \
    X(ssize_t, PySequence_Size, (py_object *))                                                     \
    X(py_object *, PySequence_GetItem, (py_object *, ssize_t))                                     \
    X(py_object *, PyDict_New, (void))                                                             \
    X(int, PyDict_SetItemString, (py_object *, const char *, py_object *))                         \
    X(py_object *, PyLong_FromLongLong, (long long))                                               \
    X(long long, PyLong_AsLongLong, (py_object *))                                                 \
    X(void *, PyLong_AsVoidPtr, (py_object *))                                                     \
    X(py_object *, PyFloat_FromDouble, (double))                                                   \
    X(double, PyFloat_AsDouble, (py_object *))                                                     \
    X(py_object *, PyComplex_FromDoubles, (double, double))                                        \
    X(py_object *, PyBool_FromLong, (long))                                                        \
    X(py_object *, PyUnicode_DecodeUTF8, (const char *, ssize_t, const char *))                    \
    X(const char *, PyUnicode_AsUTF8AndSize, (py_object *, ssize_t *))                             \
    X(py_object *, PyMemoryView_FromMemory, (char *, ssize_t, int))                                \
    X(py_object *, PyErr_Occurred, (void))                                                         \
    X(void, PyErr_Fetch, (py_object **, py_object **, py_object **))                               \
    X(void, PyErr_NormalizeException, (py_object **, py_object **, py_object **))                  \
    X(void, PyErr_Clear, (void))

typedef struct py_api {
#define PY_API_FIELD(type, name, parameters) type(*name) parameters;
    PY_API_MAP(PY_API_FIELD)
#undef PY_API_FIELD
} py_api;

/* OB_ERR_UNSUPPORTED: this process is not an interpreter. */
ob_status python_api_find(const ob_host *host, py_api *out, ob_err *err);

#endif
