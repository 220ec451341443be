/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements in C++ and C, and instruction counts in any language: the library compiles them and runs them in processes of
 * their own. The GIL is free meanwhile; ctrl-c ends what was started.
 */
#include "py_counts.h"

#include "opbench/snippet_run.h"

static const char CAPSULE[] = "opbench.snippet";

/* ctrl-c, from whatever thread the library asks. The exception stays set in the main thread alone, where signals are handled. */
static int is_interrupted(void *ctx)
{
    int *interrupted = ctx;
    const PyGILState_STATE gil = PyGILState_Ensure();
    if (*interrupted == 0 && PyErr_CheckSignals() < 0)
        *interrupted = 1;
    PyGILState_Release(gil);
    return *interrupted;
}

typedef struct code {
    ob_timer_args args;
    ob_snippet_options options;
    int interrupted;
} code;

/* (stmt, setup, global_setup, num_threads, language, program, python). */
static bool get_code(PyObject *module, PyObject *tuple, code *out)
{
    const char *language, *program, *python;
    long long threads;
    ob_err err = {.code = OB_OK};
    *out = (code){.args = {.size = sizeof out->args}, .options = {.size = sizeof out->options}};
    if (!PyArg_ParseTuple(tuple, "sssLszz", &out->args.stmt, &out->args.setup,
                          &out->args.global_setup, &threads, &language, &program, &python))
        return false;
    if (ob_language_parse(language, &out->args.language, &err) != OB_OK) {
        ob__py_raise(module, &err);
        return false;
    }
    out->args.num_threads = threads;
    out->options.program = program;
    out->options.python = python;
    out->options.stop = is_interrupted;
    return true;
}

/* ---- time ---- */

typedef struct snippet {
    ob_snippet_process *process;
    int interrupted;
    bool is_busy; /* another thread waits for its answer; the GIL guards it */
} snippet;

static void close_snippet(PyObject *capsule)
{
    snippet *held = PyCapsule_GetPointer(capsule, CAPSULE);
    if (held == NULL)
        return;
    Py_BEGIN_ALLOW_THREADS;
    ob_snippet_close(held->process);
    Py_END_ALLOW_THREADS;
    PyMem_Free(held);
}

static PyObject *py_open(PyObject *module, PyObject *tuple)
{
    code what;
    ob_err err = {.code = OB_OK};
    ob_status status;
    if (!PyTuple_Check(tuple) || !get_code(module, tuple, &what)) {
        if (PyErr_Occurred() == NULL)
            PyErr_SetString(PyExc_TypeError, "code is a tuple");
        return NULL;
    }
    snippet *held = PyMem_Calloc(1, sizeof *held);
    if (held == NULL)
        return PyErr_NoMemory();
    what.options.ctx = &held->interrupted;
    Py_BEGIN_ALLOW_THREADS;
    status = ob_snippet_open(&what.args, &what.options, &held->process, &err);
    Py_END_ALLOW_THREADS;
    PyObject *capsule = status == OB_OK ? PyCapsule_New(held, CAPSULE, close_snippet) : NULL;
    if (capsule != NULL)
        return capsule;
    PyMem_Free(held);
    return status == OB_OK ? NULL : ob__py_raise(module, &err);
}

static PyObject *py_time(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    unsigned long long number;
    double seconds = 0;
    ob_err err = {.code = OB_OK};
    ob_status status;
    if (!PyArg_ParseTuple(args, "OK:snippet_time", &capsule, &number))
        return NULL;
    snippet *held = PyCapsule_GetPointer(capsule, CAPSULE);
    if (held == NULL)
        return NULL;
    if (held->is_busy) {
        PyErr_SetString(ob__py_get_state(module)->error,
                        "another thread is using this Timer; give each thread its own");
        return NULL;
    }
    held->interrupted = 0;
    held->is_busy = true;
    Py_INCREF(capsule);
    Py_BEGIN_ALLOW_THREADS;
    status = ob_snippet_time(held->process, number, &seconds, &err);
    Py_END_ALLOW_THREADS;
    held->is_busy = false;
    Py_DECREF(capsule);
    return status == OB_OK ? PyFloat_FromDouble(seconds) : ob__py_raise(module, &err);
}

/* ---- instructions ---- */

/* (inclusive, exclusive, baseline inclusive, baseline exclusive, callgrind's file or None, debug symbols). */
static PyObject *make_stats(const ob_count_stats *stats)
{
    const ob_count_stats_params *has = ob_count_stats_get(stats);
    const ob_counts *const tables[] = {has->stmt_inclusive, has->stmt_exclusive,
                                       has->baseline_inclusive, has->baseline_exclusive};
    PyObject *rows[4] = {NULL};
    bool complete = true;
    for (size_t i = 0; i < 4 && complete; i++) {
        rows[i] = ob__py_make_rows(tables[i]);
        complete = rows[i] != NULL;
    }
    PyObject *made =
        complete ? Py_BuildValue("(OOOOzO)", rows[0], rows[1], rows[2], rows[3], has->callgrind_out,
                                 has->built_with_debug_symbols ? Py_True : Py_False)
                 : NULL;
    for (size_t i = 0; i < 4; i++)
        Py_XDECREF(rows[i]);
    return made;
}

static PyObject *make_all(ob_count_stats *const *stats, Py_ssize_t count)
{
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
        PyObject *one = make_stats(stats[i]);
        if (one == NULL || PyList_SetItem(list, i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *py_count(PyObject *module, PyObject *args)
{
    PyObject *tuple, *task, *result = NULL;
    ob_task_spec spec;
    ob_snippet_count_params params = {0};
    long long number, repeats;
    int baseline;
    code what;
    ob_err err = {.code = OB_OK};
    ob_status status;
    if (!PyArg_ParseTuple(args, "O!OLLp:snippet_count", &PyTuple_Type, &tuple, &task, &number,
                          &repeats, &baseline) ||
        !ob__py_get_spec(task, &spec) || !get_code(module, tuple, &what))
        return NULL;
    params = (ob_snippet_count_params){
        .size = sizeof params, .number = number, .repeats = repeats, .no_baseline = baseline == 0};
    what.options.ctx = &what.interrupted;
    ob_count_stats **stats = PyMem_Calloc((size_t)repeats, sizeof *stats);
    if (stats == NULL)
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS;
    status = ob_snippet_count(&what.args, &spec, &params, &what.options, stats, &err);
    Py_END_ALLOW_THREADS;
    result = status == OB_OK ? make_all(stats, (Py_ssize_t)repeats) : ob__py_raise(module, &err);
    for (long long i = 0; i < repeats; i++)
        ob_count_stats_destroy(stats[i]);
    PyMem_Free(stats);
    return result;
}

PyMethodDef ob__py_snippet_methods[] = {
    {"snippet_open", py_open, METH_O,
     "snippet_open((stmt, setup, global_setup, num_threads, language, program, python)): a process "
     "with compiled code."},
    {"snippet_time", py_time, METH_VARARGS, "snippet_time(process, number): seconds."},
    {"snippet_count", py_count, METH_VARARGS,
     "snippet_count(code, task, number, repeats, collect_baseline): a list of tables."},
    {NULL, NULL, 0, NULL}};
