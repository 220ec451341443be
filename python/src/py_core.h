/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the extension module opbench._core share: its state, and how statuses and texts of the library become
 * exceptions and strings. The module uses the limited API of CPython 3.11, so that one binary serves all later versions.
 *
 * A function that returns NULL, or a negative int, has set a Python exception, unless it says otherwise.
 */
#ifndef OPBENCH_PY_CORE_H
#define OPBENCH_PY_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "opbench/opbench.h"
#include "opbench/status.h"

typedef struct ob__py_state {
    PyObject *error;         /* opbench.Error */
    PyObject *input_error;   /* opbench.InputError, also a ValueError */
    PyTypeObject *loop_type; /* opbench._core.Loop */
    PyTypeObject *turns_type;
    PyTypeObject *dlpack_type; /* opbench._core.TensorView */
    PyObject *function_type;   /* types.FunctionType */
    PyObject *default_timer;   /* time.perf_counter */
} ob__py_state;

ob__py_state *ob__py_get_state(PyObject *module);

/* ---- py_error.c ---- */

int ob__py_add_errors(PyObject *module);
/* Raises what err says and returns NULL; an exception that Python code raised meanwhile stays. */
PyObject *ob__py_raise(PyObject *module, const ob_err *err);
/* For a callback of the library in which Python code failed: the exception is kept and comes out of ob__py_raise. */
ob_status ob__py_failed(ob_err *err);
/* The text as a string, and frees it. Bytes that are no UTF-8 are escaped. */
PyObject *ob__py_take_text(ob_text *text);
/* A string of Python as UTF-8, or NULL for None; valid as long as the object. False after an exception. */
bool ob__py_get_text(PyObject *object, const char **out);

/* ---- py_args.c: what Python hands over, as the library takes it ---- */

/* From (stmt, setup, global_setup, label, sub_label, description, env, num_threads); borrows from it. */
bool ob__py_get_spec(PyObject *tuple, ob_task_spec *out);
/* A list or tuple of numbers as doubles; PyMem_Free it. NULL after an exception. */
double *ob__py_get_doubles(PyObject *sequence, size_t *count);

/* ---- one file per job ---- */

int ob__py_add_loop(PyObject *module);           /* py_loop.c */
extern PyMethodDef ob__py_timer_methods[];       /* py_timer.c */
extern PyMethodDef ob__py_measurement_methods[]; /* py_measurement.c */
extern PyMethodDef ob__py_counts_methods[];      /* py_counts.c */
extern PyMethodDef ob__py_snippet_methods[];     /* py_snippet.c */
extern PyMethodDef ob__py_records_methods[];     /* py_records.c */
extern PyMethodDef ob__py_rows_methods[];        /* py_rows.c */
extern PyMethodDef ob__py_verdict_methods[];     /* py_verdict.c */
int ob__py_add_dlpack(PyObject *module);         /* py_dlpack.c */
extern PyMethodDef ob__py_dlpack_methods[];

#endif
