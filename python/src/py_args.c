/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments that several functions of the module take: the texts of a task, lists of samples.
 */
#include "py_core.h"

bool ob__py_get_spec(PyObject *tuple, ob_task_spec *out)
{
    enum { FIELDS = 8 };
    *out = (ob_task_spec){.num_threads = 1};
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != FIELDS) {
        PyErr_SetString(PyExc_TypeError, "a task is a tuple of eight fields");
        return false;
    }
    const char **const texts[] = {&out->stmt,  &out->setup,     &out->global_setup,
                                  &out->label, &out->sub_label, &out->description,
                                  &out->env};
    for (Py_ssize_t i = 0; i < FIELDS - 1; i++)
        if (!ob__py_get_text(PyTuple_GetItem(tuple, i), texts[i]))
            return false;
    out->num_threads = PyLong_AsLongLong(PyTuple_GetItem(tuple, FIELDS - 1));
    return PyErr_Occurred() == NULL;
}

double *ob__py_get_doubles(PyObject *sequence, size_t *count)
{
    /* A copy, whose size is true: __len__ may say anything, and __float__ change the list. */
    PyObject *held = PySequence_Tuple(sequence);
    if (held == NULL)
        return NULL;
    const Py_ssize_t size = PyTuple_Size(held);
    double *numbers = PyMem_Malloc((size_t)(size > 0 ? size : 1) * sizeof *numbers);
    if (numbers == NULL)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; numbers != NULL && i < size; i++) {
        numbers[i] = PyFloat_AsDouble(PyTuple_GetItem(held, i));
        if (numbers[i] == -1 && PyErr_Occurred() != NULL) {
            PyMem_Free(numbers);
            numbers = NULL;
        }
    }
    Py_DECREF(held);
    *count = (size_t)size;
    return numbers;
}
