/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of results for data frames: what `opbench show --long --format json` prints of them, from any file of records. In
 * this process, since starting one takes longer than reading thousands of records.
 */
#include "py_core.h"

#include "opbench/report.h"

static ob_status read_file(ob_report *report, const char *path, ob_err *err)
{
    ob_record_reader *reader;
    const ob_record *record;
    ob_status status;
    OB_TRY(ob_record_reader_open(path, NULL, &reader, err));
    while ((status = ob_record_reader_next(reader, &record, err)) == OB_OK)
        if ((status = ob_report_add(report, record, err)) != OB_OK)
            break;
    ob_record_reader_close(reader);
    return status == OB_END ? ob_report_add(report, NULL, err) : status;
}

static ob_status print_rows(const char *const *paths, size_t count, const char *columns,
                            ob_text *text, ob_err *err)
{
    const ob_table_choice choice = {.size = sizeof choice, .columns = columns};
    const ob_report_params params = {.size = sizeof params, .view = OB_VIEW_RUN, .choice = &choice};
    ob_report *report;
    OB_TRY(ob_report_create(&params, &report, err));
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++)
        status = read_file(report, paths[i], err);
    if (status == OB_OK)
        status = ob_report_print(report, OB_TABLE_JSON, text, err);
    ob_report_destroy(report);
    return status;
}

/* The texts are borrowed from the list; PyMem_Free the array. */
static const char **get_paths(PyObject *list, size_t *count)
{
    const Py_ssize_t size = PyList_Size(list);
    const char **paths = PyMem_Malloc(((size_t)size + 1) * sizeof *paths);
    if (paths == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < size; i++)
        if (!ob__py_get_text(PyList_GetItem(list, i), &paths[i]) || paths[i] == NULL) {
            PyMem_Free(paths);
            if (PyErr_Occurred() == NULL)
                PyErr_SetString(PyExc_TypeError, "a path must be a string");
            return NULL;
        }
    *count = (size_t)size;
    return paths;
}

static PyObject *py_result_rows(PyObject *module, PyObject *args)
{
    PyObject *list;
    const char *columns;
    ob_text text = {.data = NULL};
    ob_err err = {.code = OB_OK};
    size_t count = 0;
    if (!PyArg_ParseTuple(args, "O!s:result_rows", &PyList_Type, &list, &columns))
        return NULL;
    list = PyList_GetSlice(list, 0, PyList_Size(list)); /* others may change theirs meanwhile */
    const char **paths = list != NULL ? get_paths(list, &count) : NULL;
    if (paths == NULL) {
        Py_XDECREF(list);
        return NULL;
    }
    ob_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = print_rows(paths, count, columns, &text, &err);
    Py_END_ALLOW_THREADS;
    PyMem_Free(paths);
    Py_DECREF(list);
    if (status == OB_OK)
        return ob__py_take_text(&text);
    ob_text_fini(&text);
    return ob__py_raise(module, &err);
}

PyMethodDef ob__py_rows_methods[] = {
    {"result_rows", py_result_rows, METH_VARARGS,
     "result_rows(paths, columns): a line of JSON for each result and pass."},
    {NULL, NULL, 0, NULL}};
