/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench.Error: what ob_err says, as an exception with its file, line, column and fix.
 */
#include "py_core.h"

#include <stdio.h>
#include <string.h>

static const char ERROR_TEXT[] = "What opbench could not do.\n\n"
                                 "file, line, column and path say where in the input it is (None: "
                                 "nowhere), fix what to do about it, code which kind\n"
                                 "of error the library had (\"OB_ERR_SYNTAX\").";
static const char INPUT_ERROR_TEXT[] =
    "An Error of what was given: a file, an argument, a name. Also a ValueError.";

static PyObject *make_defaults(void)
{
    static const char *const NAMES[] = {"code", "file", "line", "column", "path", "fix"};
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < sizeof NAMES / sizeof *NAMES; i++)
        if (PyDict_SetItemString(dict, NAMES[i], Py_None) < 0)
            Py_CLEAR(dict);
    return dict;
}

int ob__py_add_errors(PyObject *module)
{
    ob__py_state *state = ob__py_get_state(module);
    PyObject *defaults = make_defaults();
    if (defaults == NULL)
        return -1;
    state->error =
        PyErr_NewExceptionWithDoc("opbench.Error", ERROR_TEXT, PyExc_Exception, defaults);
    Py_DECREF(defaults);
    if (state->error == NULL || PyModule_AddObjectRef(module, "Error", state->error) < 0)
        return -1;
    PyObject *bases = PyTuple_Pack(2, state->error, PyExc_ValueError);
    if (bases == NULL)
        return -1;
    state->input_error =
        PyErr_NewExceptionWithDoc("opbench.InputError", INPUT_ERROR_TEXT, bases, NULL);
    Py_DECREF(bases);
    if (state->input_error == NULL)
        return -1;
    return PyModule_AddObjectRef(module, "InputError", state->input_error);
}

/* Takes the value. */
static int set_attribute(PyObject *object, const char *name, PyObject *value)
{
    const int result = value != NULL ? PyObject_SetAttrString(object, name, value) : -1;
    Py_XDECREF(value);
    return result;
}

static PyObject *decode(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
}

static int set_place(PyObject *object, const ob_err *err)
{
    if (err->file[0] != '\0' && set_attribute(object, "file", decode(err->file)) < 0)
        return -1;
    if (err->line > 0 && set_attribute(object, "line", PyLong_FromUnsignedLong(err->line)) < 0)
        return -1;
    if (err->column > 0 &&
        set_attribute(object, "column", PyLong_FromUnsignedLong(err->column)) < 0)
        return -1;
    if (err->path[0] != '\0' && set_attribute(object, "path", decode(err->path)) < 0)
        return -1;
    return set_attribute(object, "code", decode(ob_status_name(err->code)));
}

/* Messages say what is wrong; what to do about it. */
static int set_fix(PyObject *object, const ob_err *err)
{
    const char *fix = NULL;
    for (const char *at = strstr(err->message, "; "); at != NULL; at = strstr(at + 1, "; "))
        fix = at + 2;
    return fix != NULL ? set_attribute(object, "fix", decode(fix)) : 0;
}

static bool is_input(ob_status code)
{
    return code == OB_ERR_INVALID || code == OB_ERR_SYNTAX || code == OB_ERR_CONFIG ||
           code == OB_ERR_NOT_FOUND || code == OB_ERR_DUPLICATE || code == OB_ERR_OVERFLOW;
}

/* Texts of files are shown on terminals, which take some of their bytes as commands. */
static void hide_controls(char *line)
{
    for (; *line != '\0'; line++)
        if (((unsigned char)*line < ' ' && *line != '\n' && *line != '\t') || *line == 0x7f)
            *line = '?';
}

/* As ob_err_format, which has a word for a terminal where an exception has its type. */
static void write_line(const ob_err *err, char *line, size_t size)
{
    char place[32] = "";
    if (err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, ":%u:%u", err->line, err->column);
    else if (err->line > 0)
        snprintf(place, sizeof place, ":%u", err->line);
    snprintf(line, size, "%s%s%s%s%s%s", err->file, err->file[0] != '\0' ? place : "",
             err->file[0] != '\0' ? ": " : "", err->path, err->path[0] != '\0' ? ": " : "",
             err->message[0] != '\0' ? err->message : ob_status_text(err->code));
    hide_controls(line);
}

PyObject *ob__py_raise(PyObject *module, const ob_err *err)
{
    const ob__py_state *state = ob__py_get_state(module);
    char line[2048];
    if (PyErr_Occurred() != NULL)
        return NULL;
    if (err->code == OB_ERR_NOMEM)
        return PyErr_NoMemory();
    write_line(err, line, sizeof line);
    PyObject *message = decode(line);
    PyObject *type = is_input(err->code) ? state->input_error : state->error;
    PyObject *object = message != NULL ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
    Py_XDECREF(message);
    if (object == NULL)
        return NULL;
    if (set_place(object, err) == 0 && set_fix(object, err) == 0)
        PyErr_SetObject(type, object);
    Py_DECREF(object);
    return NULL;
}

ob_status ob__py_failed(ob_err *err)
{
    return ob_err_set(err, OB_ERR_STATE, "an exception of Python");
}

PyObject *ob__py_take_text(ob_text *text)
{
    PyObject *made = PyUnicode_DecodeUTF8(text->data, (Py_ssize_t)text->size, "backslashreplace");
    ob_text_fini(text);
    return made;
}

bool ob__py_get_text(PyObject *object, const char **out)
{
    *out = NULL;
    if (object == Py_None)
        return true;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "expected a string, not %R", object);
        return false;
    }
    *out = PyUnicode_AsUTF8AndSize(object, NULL);
    return *out != NULL;
}
