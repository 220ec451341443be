/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict on one file of records against another, in this process: what a test of pytest is told about its own results
 * before the next one begins. The table of all is `opbench diff`'s.
 */
#include "py_core.h"

#include "opbench/diff.h"

static ob_status add_side(ob_diff *diff, const char *name, const char *path, ob_err *err)
{
    ob_record_reader *reader;
    const ob_record *record;
    ob_status status;
    OB_TRY(ob_diff_add_side(diff, name, err));
    OB_TRY(ob_record_reader_open(path, NULL, &reader, err));
    while ((status = ob_record_reader_next(reader, &record, err)) == OB_OK)
        if ((status = ob_diff_add(diff, record, err)) != OB_OK)
            break;
    ob_record_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

/* (id, verdict, whether it is slower beyond the threshold, baseline and subject in ms, ratio, low, high). */
static PyObject *make_row(const ob_diff_row *row)
{
    const ob_verdict *v = &row->time;
    return Py_BuildValue("(ssOddddd)", row->id,
                         row->state == OB_DIFF_COMPARED ? ob_verdict_word(v->kind)
                                                        : ob_diff_state_word(row->state),
                         row->slower_beyond ? Py_True : Py_False, v->baseline, v->subject, v->ratio,
                         v->low, v->high);
}

static PyObject *make_rows(const ob_diff *diff)
{
    const size_t count = ob_diff_count(diff);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *row = make_row(ob_diff_at(diff, i));
        if (row == NULL || PyList_SetItem(list, (Py_ssize_t)i, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *py_judge(PyObject *module, PyObject *args)
{
    ob_diff_params params = {.size = sizeof params};
    const char *base, *now;
    ob_diff *diff = NULL;
    ob_err err = {.code = OB_OK};
    if (!PyArg_ParseTuple(args, "ssdd:judge", &base, &now, &params.threshold, &params.error_rate))
        return NULL;
    ob_status status = ob_diff_create(&params, &diff, &err);
    if (status == OB_OK)
        status = add_side(diff, "base", base, &err);
    if (status == OB_OK)
        status = add_side(diff, "now", now, &err);
    if (status == OB_OK)
        status = ob_diff_judge(diff, &err);
    PyObject *rows = status == OB_OK ? make_rows(diff) : ob__py_raise(module, &err);
    ob_diff_destroy(diff);
    return rows;
}

PyMethodDef ob__py_verdict_methods[] = {
    {"judge", py_judge, METH_VARARGS,
     "judge(base, now, threshold, error_rate): (id, verdict, is worse, base ms, now ms, ratio, "
     "low, high) of each case of two files; 0 = the default."},
    {NULL, NULL, 0, NULL}};
