/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics and texts of measurements, and Compare's tables: the library's, on what the classes of Python hold.
 */
#include "py_core.h"

#include "opbench/compare.h"
#include "opbench/measurement.h"

#include <math.h>

/* ---- units and figures ---- */

static PyObject *py_select_unit(PyObject *module, PyObject *arg)
{
    (void)module;
    const double seconds = PyFloat_AsDouble(arg);
    if (PyErr_Occurred() != NULL)
        return NULL;
    const ob_time_unit *unit = ob_time_unit_select(seconds);
    if (unit == NULL) {
        PyErr_Format(PyExc_ValueError,
                     "a time must be finite and above 0 to have a unit, which %R is not", arg);
        return NULL;
    }
    return Py_BuildValue("(sd)", unit->symbol, unit->scale);
}

static PyObject *py_trim_figures(PyObject *module, PyObject *args)
{
    double value;
    int figures;
    (void)module;
    if (!PyArg_ParseTuple(args, "di:trim_figures", &value, &figures))
        return NULL;
    return PyFloat_FromDouble(ob_trim_figures(value, figures));
}

/* ---- the task ---- */

typedef ob_status (*print_task_fn)(const ob_task_spec *task, ob_text *text, ob_err *err);

static PyObject *print_task(PyObject *module, PyObject *arg, print_task_fn print)
{
    ob_task_spec spec;
    ob_text text = {0};
    ob_err err = {.code = OB_OK};
    if (!ob__py_get_spec(arg, &spec))
        return NULL;
    if (print(&spec, &text, &err) == OB_OK)
        return ob__py_take_text(&text);
    ob_text_fini(&text);
    return ob__py_raise(module, &err);
}

static PyObject *py_title(PyObject *module, PyObject *arg)
{
    return print_task(module, arg, ob_task_spec_print_title);
}

static PyObject *py_summary(PyObject *module, PyObject *arg)
{
    return print_task(module, arg, ob_task_spec_print_summary);
}

/* ---- statistics ---- */

/* Of times per run that may be anything finite: (mean, median, p25, p75). */
static PyObject *py_statistics(PyObject *module, PyObject *arg)
{
    ob_stats stats;
    ob_err err = {.code = OB_OK};
    size_t count = 0;
    double *times = ob__py_get_doubles(arg, &count);
    if (times == NULL)
        return NULL;
    const ob_status status = ob_stats_compute(times, count, times, &stats, &err);
    PyMem_Free(times);
    if (status != OB_OK)
        return ob__py_raise(module, &err);
    return Py_BuildValue("(dddd)", stats.mean, stats.median, stats.p25, stats.p75);
}

/* A measurement of (number_per_run, raw_times, task); raw_times is PyMem_Free'd by the caller. */
static bool get_measurement(PyObject *args, ob_measurement *m, double **times)
{
    PyObject *samples, *task;
    long long number;
    *m = (ob_measurement){.number_per_run = 0};
    *times = NULL;
    if (!PyArg_ParseTuple(args, "LOO", &number, &samples, &task) ||
        !ob__py_get_spec(task, &m->task))
        return false;
    *times = ob__py_get_doubles(samples, &m->count);
    m->raw_times = *times;
    m->number_per_run = number;
    return *times != NULL;
}

static PyObject *py_significant_figures(PyObject *module, PyObject *args)
{
    ob_measurement m;
    ob_measurement_stats stats;
    ob_err err = {.code = OB_OK};
    double *times;
    if (!get_measurement(args, &m, &times))
        return NULL;
    const ob_status status = ob_measurement_compute(&m, &stats, &err);
    PyMem_Free(times);
    return status == OB_OK ? PyLong_FromLong(stats.significant_figures)
                           : ob__py_raise(module, &err);
}

static PyObject *py_warning(PyObject *module, PyObject *args)
{
    ob_measurement_stats stats = {.count = 1};
    ob_text text = {0};
    ob_err err = {.code = OB_OK};
    int spread;
    if (!PyArg_ParseTuple(args, "ddi:warning", &stats.median, &stats.iqr, &spread))
        return NULL;
    if (spread < 0 || spread >= OB_SPREAD_COUNT) {
        PyErr_SetString(PyExc_ValueError, "no such spread");
        return NULL;
    }
    stats.spread = (ob_spread)spread;
    if (ob_measurement_print_warning(&stats, &text, &err) == OB_OK)
        return ob__py_take_text(&text);
    ob_text_fini(&text);
    return ob__py_raise(module, &err);
}

static PyObject *py_describe(PyObject *module, PyObject *args)
{
    ob_measurement m;
    ob_text text = {0};
    ob_err err = {.code = OB_OK};
    double *times;
    if (!get_measurement(args, &m, &times))
        return NULL;
    const ob_status status = ob_measurement_print(&m, NULL, &text, &err);
    PyMem_Free(times);
    if (status == OB_OK)
        return ob__py_take_text(&text);
    ob_text_fini(&text);
    return ob__py_raise(module, &err);
}

/* ---- Compare ---- */

static int add_all(PyObject *module, PyObject *items, ob_measurements *list)
{
    const Py_ssize_t count = PyTuple_Size(items);
    for (Py_ssize_t i = 0; i < count; i++) {
        ob_measurement m;
        ob_err err = {.code = OB_OK};
        double *times;
        PyObject *item = PyTuple_GetItem(items, i);
        if (!PyTuple_Check(item)) {
            PyErr_SetString(PyExc_TypeError, "a measurement is a tuple of three");
            return -1;
        }
        if (!get_measurement(item, &m, &times))
            return -1;
        const ob_status status = ob_measurements_add(list, &m, &err);
        PyMem_Free(times);
        if (status != OB_OK) {
            ob__py_raise(module, &err);
            return -1;
        }
    }
    return 0;
}

static PyObject *print_compared(PyObject *module, const ob_measurements *list,
                                const ob_compare_style *style)
{
    ob_compare *compare = NULL;
    ob_text text = {0};
    ob_err err = {.code = OB_OK};
    ob_status status = ob_compare_create(list, &compare, &err);
    if (status == OB_OK)
        status = ob_compare_print(compare, style, &text, &err);
    ob_compare_destroy(compare);
    if (status == OB_OK)
        return ob__py_take_text(&text);
    ob_text_fini(&text);
    return ob__py_raise(module, &err);
}

static PyObject *py_compare(PyObject *module, PyObject *args)
{
    ob_compare_style style = {.size = sizeof style};
    PyObject *items, *result = NULL;
    int trim, highlight;
    const char *colorize, *format;
    ob_measurements *list = NULL;
    ob_err err = {.code = OB_OK};
    if (!PyArg_ParseTuple(args, "O!ppss:compare", &PyTuple_Type, &items, &trim, &highlight,
                          &colorize, &format))
        return NULL;
    if (!ob_colorize_from_word(colorize, &style.colorize) ||
        !ob_table_format_from_word(format, &style.format)) {
        PyErr_Format(PyExc_ValueError, "there is no table style %s, %s", colorize, format);
        return NULL;
    }
    style.trim_significant_figures = trim != 0;
    style.highlight_warnings = highlight != 0;
    if (ob_measurements_create(&list, &err) != OB_OK)
        return ob__py_raise(module, &err);
    if (add_all(module, items, list) == 0)
        result = print_compared(module, list, &style);
    ob_measurements_destroy(list);
    return result;
}

PyMethodDef ob__py_measurement_methods[] = {
    {"select_unit", py_select_unit, METH_O, "select_unit(seconds): (symbol, scale)."},
    {"trim_figures", py_trim_figures, METH_VARARGS, "trim_figures(value, figures)."},
    {"title", py_title, METH_O, "title(task)."},
    {"summary", py_summary, METH_O, "summary(task)."},
    {"statistics", py_statistics, METH_O, "statistics(times): (mean, median, p25, p75)."},
    {"significant_figures", py_significant_figures, METH_VARARGS,
     "significant_figures(number_per_run, raw_times, task)."},
    {"warning", py_warning, METH_VARARGS, "warning(median, iqr, spread)."},
    {"describe", py_describe, METH_VARARGS,
     "describe(number_per_run, raw_times, task): the text; its first line says what it is."},
    {"compare", py_compare, METH_VARARGS,
     "compare(((number_per_run, raw_times, task), ...), trim, highlight, colorize, format)."},
    {NULL, NULL, 0, NULL}};
