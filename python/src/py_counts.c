/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic and texts of instruction counts: the library's, on rows of (count, function).
 */
#include "py_counts.h"

/* ---- rows of Python and tables of the library ---- */

ob_counts *ob__py_get_counts(PyObject *module, PyObject *rows, bool inclusive)
{
    ob_counts *counts = NULL;
    ob_err err = {.code = OB_OK};
    PyObject *held = PySequence_Tuple(rows); /* the texts are borrowed from it */
    if (held == NULL)
        return NULL;
    const Py_ssize_t size = PyTuple_Size(held);
    ob_count *copies = PyMem_Malloc((size_t)(size > 0 ? size : 1) * sizeof *copies);
    if (copies == NULL)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; copies != NULL && i < size && PyErr_Occurred() == NULL; i++) {
        long long count;
        PyObject *row = PyTuple_GetItem(held, i);
        if (!PyTuple_Check(row))
            PyErr_SetString(PyExc_TypeError, "a row is a tuple of a count and a function");
        else if (PyArg_ParseTuple(row, "Ls", &count, &copies[i].function))
            copies[i].count = count;
    }
    if (PyErr_Occurred() == NULL &&
        ob_counts_create(copies, (size_t)size, inclusive, &counts, &err) != OB_OK)
        ob__py_raise(module, &err);
    PyMem_Free(copies);
    Py_DECREF(held);
    return counts;
}

PyObject *ob__py_make_rows(const ob_counts *counts)
{
    const size_t size = ob_counts_size(counts);
    PyObject *rows = PyTuple_New((Py_ssize_t)size);
    for (size_t i = 0; rows != NULL && i < size; i++) {
        const ob_count row = ob_counts_row(counts, i);
        PyObject *name = PyUnicode_DecodeUTF8(row.function, (Py_ssize_t)strlen(row.function),
                                              "backslashreplace");
        PyObject *pair = name != NULL ? Py_BuildValue("(LN)", (long long)row.count, name) : NULL;
        if (pair == NULL || PyTuple_SetItem(rows, (Py_ssize_t)i, pair) < 0)
            Py_CLEAR(rows);
    }
    return rows;
}

/* Rows of what an operation made, which is destroyed; its error otherwise. */
static PyObject *take_rows(PyObject *module, ob_status status, ob_counts *made, const ob_err *err)
{
    PyObject *rows = status == OB_OK ? ob__py_make_rows(made) : ob__py_raise(module, err);
    ob_counts_destroy(made);
    return rows;
}

/* ---- operations ---- */

typedef ob_status (*combine_fn)(const ob_counts *left, const ob_counts *right, ob_counts **out,
                                ob_err *err);

static PyObject *combine(PyObject *module, PyObject *args, combine_fn function)
{
    PyObject *left_rows, *right_rows, *result = NULL;
    ob_counts *made = NULL;
    ob_err err = {.code = OB_OK};
    if (!PyArg_ParseTuple(args, "OO", &left_rows, &right_rows))
        return NULL;
    ob_counts *left = ob__py_get_counts(module, left_rows, false);
    ob_counts *right = left != NULL ? ob__py_get_counts(module, right_rows, false) : NULL;
    if (right != NULL) {
        const ob_status status = function(left, right, &made, &err);
        result = take_rows(module, status, made, &err);
    }
    ob_counts_destroy(left);
    ob_counts_destroy(right);
    return result;
}

static PyObject *py_add(PyObject *module, PyObject *args)
{
    return combine(module, args, ob_counts_add);
}

static PyObject *py_subtract(PyObject *module, PyObject *args)
{
    return combine(module, args, ob_counts_subtract);
}

static PyObject *py_scale(PyObject *module, PyObject *args)
{
    PyObject *rows;
    double factor;
    ob_counts *made = NULL;
    ob_err err = {.code = OB_OK};
    if (!PyArg_ParseTuple(args, "Od:counts_scale", &rows, &factor))
        return NULL;
    ob_counts *counts = ob__py_get_counts(module, rows, false);
    if (counts == NULL)
        return NULL;
    const ob_status status = ob_counts_scale(counts, factor, &made, &err);
    PyObject *result = take_rows(module, status, made, &err);
    ob_counts_destroy(counts);
    return result;
}

typedef ob_status (*change_fn)(const ob_counts *counts, ob_counts **out, ob_err *err);

static PyObject *change(PyObject *module, PyObject *rows, change_fn function)
{
    ob_counts *made = NULL;
    ob_err err = {.code = OB_OK};
    ob_counts *counts = ob__py_get_counts(module, rows, false);
    if (counts == NULL)
        return NULL;
    const ob_status status = function(counts, &made, &err);
    PyObject *result = take_rows(module, status, made, &err);
    ob_counts_destroy(counts);
    return result;
}

static PyObject *py_denoise(PyObject *module, PyObject *rows)
{
    return change(module, rows, ob_counts_denoise);
}

static PyObject *py_standardise(PyObject *module, PyObject *rows)
{
    return change(module, rows, ob_counts_standardise);
}

/* ---- texts ---- */

static PyObject *py_describe_counts(PyObject *module, PyObject *args)
{
    ob_counts_style style = {.size = sizeof style};
    PyObject *rows;
    int inclusive, all_rows;
    Py_ssize_t width;
    ob_text text = {0};
    ob_err err = {.code = OB_OK};
    if (!PyArg_ParseTuple(args, "Oppn:describe_counts", &rows, &inclusive, &all_rows, &width))
        return NULL;
    style.all_rows = all_rows != 0;
    style.line_width = width > 0 ? (size_t)width : 0;
    ob_counts *counts = ob__py_get_counts(module, rows, inclusive != 0);
    if (counts == NULL)
        return NULL;
    const ob_status status = ob_counts_print(counts, &style, &text, &err);
    ob_counts_destroy(counts);
    if (status == OB_OK)
        return ob__py_take_text(&text);
    ob_text_fini(&text);
    return ob__py_raise(module, &err);
}

static PyObject *print_stats(PyObject *module, const ob_count_stats_params *params)
{
    ob_count_stats *stats = NULL;
    ob_text text = {0};
    ob_err err = {.code = OB_OK};
    ob_status status = ob_count_stats_create(params, &stats, &err);
    if (status == OB_OK)
        status = ob_count_stats_print(stats, &text, &err);
    ob_count_stats_destroy(stats);
    if (status == OB_OK)
        return ob__py_take_text(&text);
    ob_text_fini(&text);
    return ob__py_raise(module, &err);
}

static PyObject *py_describe_stats(PyObject *module, PyObject *args)
{
    ob_count_stats_params params = {.size = sizeof params};
    PyObject *task, *stmt_rows, *baseline_rows, *result = NULL;
    int symbols;
    long long number;
    if (!PyArg_ParseTuple(args, "OLpOO:describe_stats", &task, &number, &symbols, &stmt_rows,
                          &baseline_rows) ||
        !ob__py_get_spec(task, &params.task))
        return NULL;
    params.number_per_run = number;
    params.built_with_debug_symbols = symbols != 0;
    ob_counts *stmt = ob__py_get_counts(module, stmt_rows, false);
    ob_counts *baseline = stmt != NULL ? ob__py_get_counts(module, baseline_rows, false) : NULL;
    params.stmt_exclusive = stmt;
    params.baseline_exclusive = baseline;
    if (baseline != NULL)
        result = print_stats(module, &params);
    ob_counts_destroy(stmt);
    ob_counts_destroy(baseline);
    return result;
}

PyMethodDef ob__py_counts_methods[] = {
    {"counts_add", py_add, METH_VARARGS, "counts_add(rows, rows)."},
    {"counts_subtract", py_subtract, METH_VARARGS, "counts_subtract(rows, rows)."},
    {"counts_scale", py_scale, METH_VARARGS, "counts_scale(rows, factor)."},
    {"counts_denoise", py_denoise, METH_O, "counts_denoise(rows)."},
    {"counts_standardise", py_standardise, METH_O, "counts_standardise(rows)."},
    {"describe_counts", py_describe_counts, METH_VARARGS,
     "describe_counts(rows, inclusive, all_rows, line_width): the first line says what it is."},
    {"describe_stats", py_describe_stats, METH_VARARGS,
     "describe_stats(task, number_per_run, built_with_debug_symbols, rows, baseline_rows)."},
    {NULL, NULL, 0, NULL}};
