/* SPDX-License-Identifier: Apache-2.0
 *
 * A tensor that comes by DLPack as a buffer of Python: memoryview reads it where it is, without a copy and without the library
 * that made it. The structs are those of the standard's version 0, which every library still gives to who asks for no other.
 */
#include "py_core.h"

#include <stdint.h>
#include <stdio.h>

typedef struct dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides; /* in elements; NULL = in C's order */
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

enum { ON_CPU = 1, MOST_DIMENSIONS = 64 };

typedef struct view {
    PyObject_HEAD dl_managed *managed;
    char format[4];
    Py_ssize_t shape[MOST_DIMENSIONS], strides[MOST_DIMENSIONS];
    Py_ssize_t item, elements;
} view;

/* ---- element types ---- */

/* As the struct module writes them; complex numbers as NumPy does, bfloat16 as ml_dtypes does. What has none (4 bits) is NULL. */
static const char *format_of(const dl_tensor *t)
{
    static const struct {
        uint8_t code, bits;
        const char *format;
    } ROWS[] = {
        {0, 8, "b"},  {0, 16, "h"}, {0, 32, "i"},  {0, 64, "q"},   {1, 8, "B"},
        {1, 16, "H"}, {1, 32, "I"}, {1, 64, "Q"},  {2, 16, "e"},   {2, 32, "f"},
        {2, 64, "d"}, {4, 16, "E"}, {5, 64, "Zf"}, {5, 128, "Zd"}, {6, 8, "?"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (t->lanes == 1 && ROWS[i].code == t->code && ROWS[i].bits == t->bits)
            return ROWS[i].format;
    return NULL;
}

/* ---- the buffer ---- */

static int fill_view(view *v, const ob__py_state *state)
{
    const dl_tensor *t = &v->managed->tensor;
    const char *format = format_of(t);
    if (t->device_type != ON_CPU || format == NULL || t->ndim < 0 || t->ndim > MOST_DIMENSIONS ||
        (t->ndim > 0 && t->shape == NULL)) {
        PyErr_Format(state->input_error,
                     t->device_type != ON_CPU
                         ? "the tensor is on a device (DLPack's type %d); copy it to the CPU first"
                         : "DLPack's element type %d has no counterpart; convert the tensor, for "
                           "example to float32",
                     t->device_type != ON_CPU ? (int)t->device_type : (int)t->code);
        return -1;
    }
    snprintf(v->format, sizeof v->format, "%s", format);
    v->item = t->bits / 8;
    v->elements = 1;
    for (int32_t i = t->ndim - 1; i >= 0; i--) {
        if (t->shape[i] < 0 ||
            (t->shape[i] > 0 && v->elements > PY_SSIZE_T_MAX / v->item / t->shape[i])) {
            PyErr_SetString(state->input_error, "the tensor has invalid sizes");
            return -1;
        }
        v->shape[i] = (Py_ssize_t)t->shape[i];
        v->strides[i] = (t->strides != NULL ? (Py_ssize_t)t->strides[i] : v->elements) * v->item;
        v->elements *= v->shape[i];
    }
    return 0;
}

static int get_buffer(PyObject *self, Py_buffer *out, int flags)
{
    view *v = (view *)self;
    const dl_tensor *t = v->managed != NULL ? &v->managed->tensor : NULL;
    /* Whoever asks for less than shape, strides and format takes bytes in C's order, which it may not be. */
    if (t == NULL || (flags & PyBUF_WRITABLE) || (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "a tensor is read by shape and strides");
        return -1;
    }
    *out = (Py_buffer){.buf = (char *)t->data + t->byte_offset,
                       .obj = Py_NewRef(self),
                       .len = v->elements * v->item,
                       .itemsize = v->item,
                       .readonly = 1,
                       .ndim = t->ndim,
                       .format = flags & PyBUF_FORMAT ? v->format : NULL,
                       .shape = v->shape,
                       .strides = v->strides};
    return 0;
}

static void free_view(PyObject *self)
{
    view *v = (view *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (v->managed != NULL && v->managed->deleter != NULL)
        v->managed->deleter(v->managed);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* A capsule is consumed once: its new name says so. */
static PyObject *py_from_dlpack(PyObject *module, PyObject *capsule)
{
    const ob__py_state *state = ob__py_get_state(module);
    dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
    if (managed == NULL)
        return NULL;
    view *v = PyObject_New(view, state->dlpack_type);
    if (v == NULL)
        return NULL;
    v->managed = NULL;
    if (PyCapsule_SetName(capsule, "used_dltensor") == 0)
        v->managed = managed;
    if (v->managed == NULL || fill_view(v, state) < 0)
        Py_CLEAR(v);
    return (PyObject *)v;
}

int ob__py_add_dlpack(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_doc, "A tensor of another library, as a buffer."},
                                  {Py_bf_getbuffer, get_buffer},
                                  {Py_tp_dealloc, free_view},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "opbench._core.TensorView",
                               .basicsize = sizeof(view),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = slots};
    ob__py_state *state = ob__py_get_state(module);
    state->dlpack_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->dlpack_type != NULL
               ? PyModule_AddObjectRef(module, "TensorView", (PyObject *)state->dlpack_type)
               : -1;
}

PyMethodDef ob__py_dlpack_methods[] = {
    {"from_dlpack", py_from_dlpack, METH_O,
     "from_dlpack(capsule): what memoryview takes, without a copy."},
    {NULL, NULL, 0, NULL}};
