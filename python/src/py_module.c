/* SPDX-License-Identifier: Apache-2.0
 *
 * The extension module opbench._core: puts together what the other files bring. Python's side of the package is python/opbench.
 */
#include "py_core.h"

#include "opbench/version.h"

ob__py_state *ob__py_get_state(PyObject *module)
{
    return PyModule_GetState(module);
}

static int add_names(PyObject *module, ob__py_state *state)
{
    PyObject *types = PyImport_ImportModule("types");
    state->function_type = types != NULL ? PyObject_GetAttrString(types, "FunctionType") : NULL;
    Py_XDECREF(types);
    PyObject *time = PyImport_ImportModule("time");
    state->default_timer = time != NULL ? PyObject_GetAttrString(time, "perf_counter") : NULL;
    Py_XDECREF(time);
    if (state->function_type == NULL || state->default_timer == NULL)
        return -1;
    return PyModule_AddStringConstant(module, "version", ob_version());
}

static int exec_module(PyObject *module)
{
    ob__py_state *state = ob__py_get_state(module);
    if (add_names(module, state) < 0 || ob__py_add_errors(module) < 0 ||
        ob__py_add_loop(module) < 0 || ob__py_add_dlpack(module) < 0)
        return -1;
    PyMethodDef *const methods[] = {ob__py_timer_methods,   ob__py_measurement_methods,
                                    ob__py_counts_methods,  ob__py_snippet_methods,
                                    ob__py_records_methods, ob__py_dlpack_methods,
                                    ob__py_rows_methods,    ob__py_verdict_methods};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (PyModule_AddFunctions(module, methods[i]) < 0)
            return -1;
    return 0;
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    const ob__py_state *state = ob__py_get_state(module);
    Py_VISIT(state->error);
    Py_VISIT(state->input_error);
    Py_VISIT(state->loop_type);
    Py_VISIT(state->turns_type);
    Py_VISIT(state->dlpack_type);
    Py_VISIT(state->function_type);
    Py_VISIT(state->default_timer);
    return 0;
}

static int clear(PyObject *module)
{
    ob__py_state *state = ob__py_get_state(module);
    Py_CLEAR(state->error);
    Py_CLEAR(state->input_error);
    Py_CLEAR(state->loop_type);
    Py_CLEAR(state->turns_type);
    Py_CLEAR(state->dlpack_type);
    Py_CLEAR(state->function_type);
    Py_CLEAR(state->default_timer);
    return 0;
}

static void free_module(void *module)
{
    clear(module);
}

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    static PyModuleDef_Slot slots[] = {{Py_mod_exec, exec_module}, {0, NULL}};
    static PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                     .m_name = "opbench._core",
                                     .m_doc = "opbench's library, for the package's own use.",
                                     .m_size = sizeof(ob__py_state),
                                     .m_slots = slots,
                                     .m_traverse = traverse,
                                     .m_clear = clear,
                                     .m_free = free_module};
    return PyModuleDef_Init(&definition);
}
