/* SPDX-License-Identifier: Apache-2.0
 *
 * The python backend as a plug-in: its options, its description, and opening it. It works inside an interpreter, which
 * opbench's worker becomes for it (python.backend.json has the words); elsewhere it can be listed only.
 */
#include "python_backend.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A copy of this process, made by code of the user's that then goes on here, would write to the worker's socket. */
static volatile bool is_copy;

static void note_copy(void)
{
    is_copy = true;
}

void python_end_copy(void)
{
    if (is_copy)
        _exit(EXIT_SUCCESS);
}

py_object *python_call(ob_backend *b, py_object *object, const char *method,
                       py_object *const *arguments, size_t count)
{
    const py_api *py = &b->py;
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        ok = ok && arguments[i] != NULL;
    py_object *function = ok ? py->PyObject_GetAttrString(object, method) : NULL;
    py_object *result =
        function != NULL ? py->PyObject_Vectorcall(function, arguments, count, NULL) : NULL;
    python_end_copy();
    py->Py_DecRef(function);
    for (size_t i = 0; i < count; i++)
        py->Py_DecRef(arguments[i]);
    return result;
}

ob_status python_fail(ob_backend *b, ob_status status, ob_err *err)
{
    const py_api *py = &b->py;
    py_object *type = NULL, *value = NULL, *trace = NULL;
    py->PyErr_Fetch(&type, &value, &trace);
    if (type == NULL)
        return b->host->err_set(err, OB_ERR_NOMEM, "the interpreter is out of memory");
    py->PyErr_NormalizeException(&type, &value, &trace);
    if (trace == NULL) {
        py->Py_IncRef(b->none);
        trace = b->none;
    }
    py_object *refusal = py->PyObject_GetAttrString(value, "is_refusal");
    if (refusal != NULL && status == OB_ERR_BACKEND)
        status = OB_ERR_UNSUPPORTED;
    py->Py_DecRef(refusal);
    py->PyErr_Clear();
    py->Py_IncRef(value);
    py->Py_IncRef(trace);
    py_object *const arguments[] = {value, trace};
    py_object *text = python_call(b, b->module, "explain", arguments, 2);
    const char *said = text != NULL ? py->PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    status =
        b->host->err_set(err, status, "%s", said != NULL ? said : "an exception without a message");
    py->PyErr_Clear();
    py->Py_DecRef(text);
    py->Py_DecRef(type);
    py->Py_DecRef(value);
    py->Py_DecRef(trace);
    return status;
}

/* ---- opening ---- */

/* opbench_frameworks.py lies in the folder python beside this very file. */
static py_object *import_frameworks(const py_api *py)
{
    Dl_info info;
    char folder[PATH_MAX];
    if (dladdr((const void *)&import_frameworks, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(folder, sizeof folder, "%.*spython",
             slash != NULL ? (int)(slash + 1 - info.dli_fname) : 0, info.dli_fname);
    py_object *sys = py->PyImport_ImportModule("sys");
    py_object *path = sys != NULL ? py->PyObject_GetAttrString(sys, "path") : NULL;
    py_object *entry = py->PyUnicode_DecodeUTF8(folder, (ssize_t)strlen(folder), "surrogateescape");
    py_object *module = NULL;
    if (path != NULL && entry != NULL && py->PyList_Append(path, entry) == 0)
        module = py->PyImport_ImportModule("opbench_frameworks");
    py->Py_DecRef(entry);
    py->Py_DecRef(path);
    py->Py_DecRef(sys);
    return module;
}

static void close_backend(ob_backend *b)
{
    if (b == NULL)
        return;
    python_generator_use(NULL);
    b->py.Py_DecRef(b->framework);
    b->py.Py_DecRef(b->module);
    b->py.Py_DecRef(b->none);
    free(b);
}

static py_object *text_of(const py_api *py, const char *text)
{
    const char *given = text != NULL ? text : "";
    return py->PyUnicode_DecodeUTF8(given, (ssize_t)strlen(given), "surrogateescape");
}

static ob_status open_framework(ob_backend *b, const ob_backend_settings *settings, ob_err *err)
{
    const python_options *o = settings->options;
    const py_api *py = &b->py;
    char device[32];
    if (settings->device.index < 0)
        snprintf(device, sizeof device, "%s", settings->device.type);
    else
        snprintf(device, sizeof device, "%s:%d", settings->device.type, settings->device.index);
    b->none = py->Py_BuildValue("");
    b->module = import_frameworks(py);
    if (b->module == NULL) {
        py->PyErr_Clear();
        return b->host->err_set(err, OB_ERR_UNSUPPORTED,
                                "opbench_frameworks.py is not next to the plug-in, or cannot be "
                                "imported by this Python; reinstall opbench");
    }
    py_object *const arguments[] = {
        text_of(py, o->framework),
        text_of(py, device),
        py->PyLong_FromLongLong(settings->threads),
        text_of(py, o->compile),
        py->PyBool_FromLong(o->jit != NULL && strcmp(o->jit, "on") == 0),
        py->PyLong_FromLongLong((int64_t)(settings->seed >> 1))};
    b->framework = python_call(b, b->module, "open_framework", arguments,
                               sizeof arguments / sizeof *arguments);
    return b->framework != NULL ? OB_OK : python_fail(b, OB_ERR_UNSUPPORTED, err);
}

static ob_status open_backend(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    *out = NULL;
    ob_backend *b = calloc(1, sizeof *b);
    if (b == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory for a backend");
    b->host = settings->host;
    ob_status status = python_api_find(settings->host, &b->py, err);
    if (status != OB_OK) {
        free(b);
        return status;
    }
    status = open_framework(b, settings, err);
    static bool watches;
    if (!watches)
        watches = pthread_atfork(NULL, NULL, note_copy) == 0;
    if (status == OB_OK)
        python_generator_use(*out = b);
    else
        close_backend(b);
    return status;
}

/* ---- one call each ---- */

static ob_status call_plain(ob_backend *b, const char *method, py_object *argument, ob_err *err)
{
    py_object *const arguments[] = {argument};
    py_object *answer = python_call(b, b->framework, method, arguments, 1);
    b->py.Py_DecRef(answer);
    return answer != NULL ? OB_OK : python_fail(b, OB_ERR_BACKEND, err);
}

/* Some frameworks wait for a device, others for a result. */
static ob_status wait_for_all(ob_backend *b, ob_err *err)
{
    py_object *last = b->last != NULL ? b->last : b->none;
    b->py.Py_IncRef(last);
    return call_plain(b, "sync", last, err);
}

static ob_status set_threads(ob_backend *b, int threads, ob_err *err)
{
    return call_plain(b, "set_threads", b->py.PyLong_FromLongLong(threads), err);
}

static ob_status memory_peak(ob_backend *b, bool reset, uint64_t *peak, ob_err *err)
{
    py_object *const arguments[] = {b->py.PyBool_FromLong(reset)};
    py_object *answer = python_call(b, b->framework, "memory_peak", arguments, 1);
    const bool known = answer != NULL && answer != b->none;
    const long long bytes = known ? b->py.PyLong_AsLongLong(answer) : 0;
    b->py.Py_DecRef(answer);
    if (answer == NULL)
        return python_fail(b, OB_ERR_BACKEND, err);
    *peak = bytes > 0 ? (uint64_t)bytes : 0; /* 0: the framework does not tell */
    return OB_OK;
}

void python_tell(ob_backend *b, py_object *object, const char *method, ob_property_fn fn, void *ctx)
{
    py_object *list = python_call(b, object, method, NULL, 0);
    for (ssize_t i = 0, n = list != NULL ? b->py.PySequence_Size(list) : 0; i + 1 < n; i += 2) {
        py_object *name = b->py.PySequence_GetItem(list, i);
        py_object *value = b->py.PySequence_GetItem(list, i + 1);
        const char *a = name != NULL ? b->py.PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        const char *c = value != NULL ? b->py.PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
        if (a != NULL && c != NULL)
            fn(ctx, a, c);
        b->py.Py_DecRef(name);
        b->py.Py_DecRef(value);
    }
    b->py.Py_DecRef(list);
    b->py.PyErr_Clear();
}

static void properties(ob_backend *b, ob_property_fn fn, void *ctx)
{
    python_tell(b, b->framework, "describe", fn, ctx);
}

/* What functions of the user's modules are called, and with what: the texts of framework.schemas(). */
static ob_status schemas(ob_backend *b, ob_schema_fn fn, void *ctx, ob_err *err)
{
    py_object *list = python_call(b, b->framework, "schemas", NULL, 0);
    if (list == NULL)
        return python_fail(b, OB_ERR_BACKEND, err);
    ob_status status = OB_OK;
    for (ssize_t i = 0, n = b->py.PySequence_Size(list); status == OB_OK && i < n; i++) {
        py_object *item = b->py.PySequence_GetItem(list, i);
        const char *text = item != NULL ? b->py.PyUnicode_AsUTF8AndSize(item, NULL) : NULL;
        status = text != NULL ? fn(ctx, text) : python_fail(b, OB_ERR_BACKEND, err);
        b->py.Py_DecRef(item);
    }
    b->py.Py_DecRef(list);
    return status;
}

/* Of a module of workloads that was skipped; the framework keeps the text. */
static const char *refuses(ob_backend *b, const char *name)
{
    py_object *const arguments[] = {text_of(&b->py, name)};
    py_object *why = python_call(b, b->framework, "refuses", arguments, 1);
    const char *text =
        why != NULL && why != b->none ? b->py.PyUnicode_AsUTF8AndSize(why, NULL) : NULL;
    b->py.Py_DecRef(why);
    b->py.PyErr_Clear();
    return text;
}

/* What framework.expand() makes of a config. */
static ob_status expand(ob_backend *b, const char *config, ob_schema_fn fn, void *ctx, ob_err *err)
{
    py_object *const arguments[] = {text_of(&b->py, config)};
    py_object *made = python_call(b, b->framework, "expand", arguments, 1);
    const char *text = made != NULL ? b->py.PyUnicode_AsUTF8AndSize(made, NULL) : NULL;
    const ob_status status = text != NULL ? fn(ctx, text) : python_fail(b, OB_ERR_CONFIG, err);
    b->py.Py_DecRef(made);
    return status;
}

static void take_version(void *ctx, const char *name, const char *value)
{
    ob_reason *out = ctx;
    const size_t used = strlen(out->text);
    if (strcmp(name, "python") == 0 || strcmp(name, "framework") == 0)
        snprintf(out->text + used, sizeof out->text - used, "%s%s%s", used > 0 ? ", " : "",
                 strcmp(name, "python") == 0 ? "Python " : "", value);
}

static void library(ob_backend *b, ob_reason *out)
{
    properties(b, take_version, out);
}

static const ob_option OPTIONS[] = {
    OB_OPTION(STRING, "framework", python_options, framework, .value = "NAME", .initial = "torch",
              .help = "torch, jax or numpy."),
    OB_OPTION(STRING, "compile", python_options, compile, .value = "MODE",
              .help = "torch.compile with this mode, such as default or max-autotune."),
    OB_OPTION(CHOICE, "jit", python_options, jit, .value = "ON", .choices = "off|on",
              .initial = "off", .help = "jax: compile each case as a whole with jax.jit."),
    {.name = NULL},
};

static const ob_backend_desc BACKEND = {
    .name = "python",
    .help = "the user's Python: PyTorch eager or compiled, JAX, NumPy, operators written in Python",
    .device_types = "cpu cuda xla gpu tpu",
    .options = OPTIONS,
    .options_size = sizeof(python_options),
    .has_autograd = true,
    .asynchronous = true,
    .open = open_backend,
    .close = close_backend,
    .supports = python_supports,
    .prepare = python_prepare,
    .release = python_release,
    .run = python_run,
    .outputs = python_outputs,
    .sync = wait_for_all,
    .memory_peak = memory_peak,
    .set_threads = set_threads,
    .properties = properties,
    .schemas = schemas,
    .refuses = refuses,
    .library = library,
    .isa_limits = "ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=default OPENBLAS_CORETYPE=Haswell",
    .has_backward = python_has_backward,
    .case_properties = python_case_properties,
    .expand = expand,
};

static const ob_backend_desc *const BACKENDS[] = {&BACKEND, NULL};
static const ob_generator_desc *const GENERATORS[] = {&python_generator, NULL};
static const ob_plugin PLUGIN = {OB_PLUGIN_HEAD, .name = "python", .version = "1",
                                 .backends = BACKENDS, .generators = GENERATORS};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);

const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    return &PLUGIN;
}
