/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's Timer on a callable that times a block of a number of runs: a Loop's, or what the caller puts in its place.
 * The ways to measure, block sizes and stopping rules are the library's; what is timed is Python's.
 */
#include "py_core.h"

#include "opbench/timer.h"

#include <string.h>

typedef struct measuring {
    PyObject *time_block; /* seconds of a number of runs */
    PyObject *callback;   /* of blocks that count; NULL = none */
    bool skips_first;     /* the library's untimed iteration, which the original does not have */
} measuring;

static ob_status time_block(void *ctx, uint64_t number, double *seconds, ob_err *err)
{
    measuring *m = ctx;
    if (m->skips_first) {
        m->skips_first = false;
        *seconds = 0;
        return OB_OK;
    }
    if (PyErr_CheckSignals() < 0)
        return ob__py_failed(err);
    PyObject *result = PyObject_CallFunction(m->time_block, "K", (unsigned long long)number);
    *seconds = result != NULL ? PyFloat_AsDouble(result) : 0;
    Py_XDECREF(result);
    return PyErr_Occurred() == NULL ? OB_OK : ob__py_failed(err);
}

/* Python's side sets threads, around all of it. */
static ob_status keep_threads(void *ctx, int64_t threads, int64_t *before, ob_err *err)
{
    (void)ctx;
    (void)err;
    *before = threads;
    return OB_OK;
}

static ob_status tell(void *ctx, uint64_t number, double seconds, ob_err *err)
{
    const measuring *m = ctx;
    PyObject *result =
        PyObject_CallFunction(m->callback, "Kd", (unsigned long long)number, seconds);
    if (result == NULL)
        return ob__py_failed(err);
    Py_DECREF(result);
    return OB_OK;
}

static ob_timer make_timer(measuring *m)
{
    return (ob_timer){
        .size = sizeof(ob_timer),
        .task = {.time_block = time_block, .set_threads = keep_threads, .ctx = m},
        .spec = {.num_threads = 1},
        .progress = m->callback != NULL ? tell : NULL,
        .progress_ctx = m,
    };
}

/* (number_per_run, [seconds, ...]). Destroys the list. */
static PyObject *take_result(PyObject *module, ob_status status, ob_measurements *list,
                             const ob_err *err)
{
    PyObject *times = NULL, *result = NULL;
    if (status != OB_OK) {
        ob_measurements_destroy(list);
        return ob__py_raise(module, err);
    }
    const ob_measurement *m = ob_measurements_at(list, 0);
    times = PyList_New((Py_ssize_t)m->count);
    for (size_t i = 0; times != NULL && i < m->count; i++) {
        PyObject *seconds = PyFloat_FromDouble(m->raw_times[i]);
        if (seconds == NULL || PyList_SetItem(times, (Py_ssize_t)i, seconds) < 0)
            Py_CLEAR(times);
    }
    if (times != NULL)
        result = Py_BuildValue("(LO)", (long long)m->number_per_run, times);
    Py_XDECREF(times);
    ob_measurements_destroy(list);
    return result;
}

static PyObject *py_timeit(PyObject *module, PyObject *args)
{
    measuring m = {0};
    long long number;
    ob_measurements *list = NULL;
    ob_err err = {.code = OB_OK};
    if (!PyArg_ParseTuple(args, "OL:timeit", &m.time_block, &number))
        return NULL;
    const ob_timer timer = make_timer(&m);
    ob_status status = ob_measurements_create(&list, &err);
    if (status == OB_OK)
        status = ob_timer_timeit(&timer, number > 0 ? (uint64_t)number : 0, list, &err);
    return take_result(module, status, list, &err);
}

static void set_callback(measuring *m, PyObject *callback)
{
    m->callback = callback != Py_None ? callback : NULL;
}

static PyObject *py_blocked(PyObject *module, PyObject *args)
{
    measuring m = {0};
    PyObject *callback;
    double min_run_time_s;
    int warms_up;
    ob_measurements *list = NULL;
    ob_err err = {.code = OB_OK};
    if (!PyArg_ParseTuple(args, "OdOp:blocked_autorange", &m.time_block, &min_run_time_s, &callback,
                          &warms_up))
        return NULL;
    m.skips_first = !warms_up;
    set_callback(&m, callback);
    const ob_timer timer = make_timer(&m);
    ob_status status = ob_measurements_create(&list, &err);
    if (status == OB_OK)
        status = ob_timer_blocked_autorange(&timer, min_run_time_s, list, &err);
    return take_result(module, status, list, &err);
}

static PyObject *py_adaptive(PyObject *module, PyObject *args)
{
    measuring m = {0};
    ob_adaptive_params params = OB_ADAPTIVE_DEFAULTS;
    PyObject *callback;
    int warms_up;
    ob_measurements *list = NULL;
    ob_err err = {.code = OB_OK};
    if (!PyArg_ParseTuple(args, "OdddOp:adaptive_autorange", &m.time_block, &params.threshold,
                          &params.min_run_time_s, &params.max_run_time_s, &callback, &warms_up))
        return NULL;
    m.skips_first = !warms_up;
    set_callback(&m, callback);
    const ob_timer timer = make_timer(&m);
    ob_status status = ob_measurements_create(&list, &err);
    if (status == OB_OK)
        status = ob_timer_adaptive_autorange(&timer, &params, list, &err);
    return take_result(module, status, list, &err);
}

/* ---- threads of libraries ---- */

static PyObject *py_set_threads(PyObject *module, PyObject *args)
{
    long long threads;
    ob_threads before;
    ob_err err;
    if (!PyArg_ParseTuple(args, "L:set_threads", &threads))
        return NULL;
    if (ob_threads_set(threads, &before, &err) != OB_OK)
        return ob__py_raise(module, &err);
    return PyBytes_FromStringAndSize((const char *)&before, sizeof before);
}

static PyObject *py_restore_threads(PyObject *module, PyObject *args)
{
    const char *bytes;
    Py_ssize_t size;
    ob_threads before;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#:restore_threads", &bytes, &size))
        return NULL;
    if (size != (Py_ssize_t)sizeof before) {
        PyErr_SetString(PyExc_ValueError, "not what set_threads returned");
        return NULL;
    }
    memcpy(&before, bytes, sizeof before);
    ob_threads_restore(&before);
    return Py_NewRef(Py_None);
}

PyMethodDef ob__py_timer_methods[] = {
    {"timeit", py_timeit, METH_VARARGS, "timeit(time_block, number): (number, times)."},
    {"blocked_autorange", py_blocked, METH_VARARGS,
     "blocked_autorange(time_block, min_run_time, callback, warms_up): (number, times)."},
    {"adaptive_autorange", py_adaptive, METH_VARARGS,
     "adaptive_autorange(time_block, threshold, min_run_time, max_run_time, callback, warms_up): "
     "(number, times)."},
    {"set_threads", py_set_threads, METH_VARARGS,
     "set_threads(n): sets the threads of all libraries that are known; returns what "
     "restore_threads takes."},
    {"restore_threads", py_restore_threads, METH_VARARGS, "restore_threads(before)."},
    {NULL, NULL, 0, NULL}};
