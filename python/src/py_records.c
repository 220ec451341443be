/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of Python code as a file of records: what Python measured goes through a job of the library, so that the file has
 * the header, the statistics and the finish line of any other, and show, diff, report and history read it.
 */
#include "py_core.h"

#include "opbench/job.h"
#include "opbench/measurement.h"
#include "opbench/record.h"
#include "opbench/snippet.h"

#include <string.h>

/* What a result is made from: a dict of Python, whose texts live as long as it does. */
typedef struct py_result {
    PyObject *held; /* a copy of the dict: code of its numbers may change the caller's */
    const char *id, *key, *call, *side, *reference, *reason;
    int64_t number, threads, processes;
    double seconds;
    double *times_s; /* per block */
    size_t count;
    double *each; /* samples of each process */
    size_t each_count;
} py_result;

typedef struct py_results {
    PyObject *list; /* a tuple of dicts */
    ob_run_options options;
} py_results;

/* ---- from Python ---- */

static bool get_member(PyObject *dict, const char *name, const char **out)
{
    PyObject *value = PyDict_GetItemString(dict, name);
    *out = NULL;
    return value == NULL || ob__py_get_text(value, out);
}

static bool get_number(PyObject *dict, const char *name, int64_t missing, int64_t *out)
{
    PyObject *value = PyDict_GetItemString(dict, name);
    *out = value != NULL && value != Py_None ? PyLong_AsLongLong(value) : missing;
    return PyErr_Occurred() == NULL;
}

/* PyMem_Free it. */
static bool get_numbers(PyObject *dict, const char *name, double **out, size_t *count)
{
    PyObject *value = PyDict_GetItemString(dict, name);
    *out = NULL;
    *count = 0;
    if (value == NULL || value == Py_None)
        return true;
    *out = ob__py_get_doubles(value, count);
    return *out != NULL;
}

static void free_result(py_result *r)
{
    PyMem_Free(r->times_s);
    PyMem_Free(r->each);
    Py_XDECREF(r->held);
}

static bool get_result(PyObject *dict, py_result *out)
{
    *out = (py_result){.id = NULL};
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "a result is a dict");
        return false;
    }
    if ((out->held = dict = PyDict_Copy(dict)) == NULL)
        return false;
    PyObject *seconds = PyDict_GetItemString(dict, "seconds");
    out->seconds = seconds != NULL ? PyFloat_AsDouble(seconds) : 0;
    const bool ok =
        PyErr_Occurred() == NULL && get_member(dict, "id", &out->id) &&
        get_member(dict, "key", &out->key) && get_member(dict, "call", &out->call) &&
        get_member(dict, "side", &out->side) && get_member(dict, "reference", &out->reference) &&
        get_member(dict, "reason", &out->reason) && get_number(dict, "number", 1, &out->number) &&
        get_number(dict, "threads", 1, &out->threads) &&
        get_number(dict, "processes", OB_NO_INT, &out->processes) &&
        get_numbers(dict, "times", &out->times_s, &out->count) &&
        get_numbers(dict, "process_samples", &out->each, &out->each_count);
    if (!ok)
        free_result(out);
    return ok;
}

/* ---- to records ---- */

static void name_result(const py_result *from, size_t index, ob_record_result *r)
{
    r->op_name = ob_language_label(OB_LANGUAGE_PYTHON);
    r->id = from->id;
    r->key = from->key;
    r->call = from->call;
    r->side = from->side;
    r->reference = from->reference;
    r->index = (int64_t)index;
    r->mode = "continuous";
    r->threads = from->threads;
    r->processes = from->processes;
    r->seconds = from->seconds;
    r->task = (ob_task_spec){.stmt = from->call, .num_threads = from->threads};
}

/* Samples in ms, and with several processes the interval over their medians. */
static ob_status fill_samples(const py_result *from, double *ms, double *medians,
                              ob_record_pass *pass, ob_err *err)
{
    double *scratch = medians + from->each_count;
    for (size_t i = 0; i < from->count; i++)
        ms[i] = from->times_s[i] / (double)from->number * 1e3;
    pass->measure_time_ms = (ob_reals){.items = ms, .count = from->count};
    if (from->each_count < 2)
        return OB_OK;
    size_t at = 0;
    for (size_t i = 0; i < from->each_count; i++) {
        ob_stats stats;
        if (!(from->each[i] >= 1 && from->each[i] <= (double)(from->count - at)))
            return ob_err_set(err, OB_ERR_INVALID,
                              "the samples per process do not add up to the samples");
        const size_t count = (size_t)from->each[i];
        OB_TRY(ob_stats_compute(ms + at, count, scratch, &stats, err));
        medians[i] = stats.median;
        at += count;
    }
    pass->process_samples = (ob_reals){.items = from->each, .count = from->each_count};
    pass->interval_over = "processes";
    return ob_interval_from_processes(medians, from->each_count, 0, &pass->interval_ms, err);
}

static ob_status add_measured(ob_job *job, const py_result *from, size_t index, ob_err *err)
{
    const ob_measurement m = {
        .number_per_run = from->number, .raw_times = from->times_s, .count = from->count};
    ob_record record;
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    OB_TRY(ob_measurement_to_record(&m, &record, err));
    name_result(from, index, &record.result);
    double *room = PyMem_Malloc((2 * from->count + from->each_count + 1) * sizeof *room);
    if (room == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu samples", from->count);
    ob_status status = fill_samples(from, room, room + from->count, &record.result.forward, err);
    if (status == OB_OK)
        status = ob_job_add(job, &record, err);
    PyMem_Free(room);
    return status;
}

static ob_status add_failed(ob_job *job, const py_result *from, size_t index, ob_err *err)
{
    ob_record record;
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    name_result(from, index, &record.result);
    record.result.status = OB_RECORD_FAILED;
    record.result.reason = from->reason;
    return ob_job_add(job, &record, err);
}

static ob_status add_results(void *ctx, ob_job *job, ob_err *err)
{
    const py_results *results = ctx;
    ob_status status = OB_OK;
    for (Py_ssize_t i = 0; status == OB_OK && i < PyTuple_Size(results->list); i++) {
        py_result one;
        if (!get_result(PyTuple_GetItem(results->list, i), &one))
            return ob__py_failed(err);
        status = one.reason != NULL ? add_failed(job, &one, (size_t)i, err)
                                    : add_measured(job, &one, (size_t)i, err);
        free_result(&one);
    }
    return status;
}

static ob_status write_file(const char *path, const char *name, py_results *results, bool replaces,
                            ob_err *err)
{
    ob_context *context;
    ob_job *job = NULL;
    ob_job_hash hash = {.text = ""};
    ob_run_options_init(&results->options);
    results->options.exec_mode = "continuous";
    ob_job_hash_add(&hash, name, strlen(name));
    const uint64_t cases = (uint64_t)PyTuple_Size(results->list);
    const ob_job_source source = {.size = sizeof source,
                                  .name = name,
                                  .hash = hash.text,
                                  .cases = cases,
                                  .options = &results->options,
                                  .run = add_results,
                                  .ctx = results};
    const ob_job_params params = {
        .size = sizeof params, .output = path, .mode = replaces ? OB_JOB_REPLACE : OB_JOB_NEW};
    OB_TRY(ob_context_create(NULL, &context, err));
    ob_status status = ob_job_open(context, &source, &params, &job, err);
    if (status == OB_OK)
        status = ob_job_run(job, err);
    const ob_status closed = ob_job_close(job, status == OB_OK ? err : NULL);
    ob_context_destroy(context);
    return status == OB_OK ? closed : status;
}

static PyObject *py_write_records(PyObject *module, PyObject *args)
{
    const char *path, *name;
    py_results results = {.list = NULL};
    int replaces;
    ob_err err = {.code = OB_OK};
    PyObject *list;
    if (!PyArg_ParseTuple(args, "ssOp:write_records", &path, &name, &list, &replaces))
        return NULL;
    if (!PyList_Check(list) && !PyTuple_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "results are a list of dicts");
        return NULL;
    }
    results.list = PySequence_Tuple(list);
    if (results.list == NULL)
        return NULL;
    const ob_status status = write_file(path, name, &results, replaces != 0, &err);
    Py_DECREF(results.list);
    return status == OB_OK ? Py_NewRef(Py_None) : ob__py_raise(module, &err);
}

PyMethodDef ob__py_records_methods[] = {
    {"write_records", py_write_records, METH_VARARGS,
     "write_records(path, name, results, replaces): measured Python code as a file of records."},
    {NULL, NULL, 0, NULL}};
