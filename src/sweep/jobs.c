/* SPDX-License-Identifier: Apache-2.0
 *
 * Job configs: precision and runtime. One of them is {"precision": "fp16", "runtime": "pt"} or ["fp16", "pt"]; where a
 * list stands for a word, the product is meant. A job that is said twice is run once.
 */
#include "sweep/sweep_int.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *meaning;
} PRECISIONS[] = {{"fp64", "float64"},
                  {"fp32", "float32"},
                  {"fp16", "float16"},
                  {"bf16", "bfloat16"},
                  {"single", "float32"}};

static ob_status read_precision(const ob_json *node, ob_sweep_job *job, ob_err *err)
{
    size_t length = 0;
    const char *word = ob_json_string(node, &length), *name = word;
    if (word == NULL)
        return ob__node_error(err, node, "a precision must be a word such as \"fp32\", not %s",
                              ob_json_kind_name(ob_json_get_kind(node)));
    for (size_t i = 0; i < sizeof PRECISIONS / sizeof *PRECISIONS; i++)
        if (strcmp(PRECISIONS[i].word, word) == 0)
            name = PRECISIONS[i].meaning;
    job->precision = word;
    job->dtype = ob_dtype_from_name(name, strlen(name));
    if (job->dtype == OB_DTYPE_INVALID)
        return ob__node_error(err, node,
                              "\"%.60s\" is not a precision; give fp64, fp32, fp16, bf16 or an "
                              "element type that `opbench list dtypes` shows",
                              word);
    return OB_OK;
}

const char *ob_sweep_backend_of_runtime(const ob_context *context, const char *word)
{
    const ob_manifests *manifests = ob_context_manifests(context);
    for (size_t i = 0; i < ob_manifests_count(manifests); i++)
        if (ob_manifest_has(ob_manifests_at(manifests, i)->runtimes, word))
            return ob_manifests_at(manifests, i)->name;
    return word;
}

static ob_status read_runtime(const ob_sweep *sweep, const ob_json *node, ob_sweep_job *job,
                              ob_err *err)
{
    const char *word = ob_json_string(node, NULL);
    if (word == NULL || word[0] == '\0')
        return ob__node_error(
            err, node, "a runtime must be a word: pt, ort or a backend of `opbench list backends`");
    job->backend = ob_sweep_backend_of_runtime(sweep->context, word);
    return OB_OK;
}

static ob_sweep_backend_jobs *backend_of(ob_sweep *sweep, const char *name)
{
    for (size_t i = 0; i < sweep->backend_count; i++)
        if (strcmp(sweep->backends[i].name, name) == 0)
            return &sweep->backends[i];
    if (!OB_RESERVE(sweep->backends, sweep->backend_capacity, sweep->backend_count + 1))
        return NULL;
    sweep->backends[sweep->backend_count] = (ob_sweep_backend_jobs){.name = name};
    return &sweep->backends[sweep->backend_count++];
}

static ob_status add_job(ob_sweep *sweep, const ob_json *where, const ob_sweep_job *job,
                         ob_err *err)
{
    ob_sweep_backend_jobs *backend = backend_of(sweep, job->backend);
    if (backend == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the job configs");
    for (size_t i = 0; i < backend->job_count; i++)
        if (sweep->jobs[backend->jobs[i]].dtype == job->dtype)
            return OB_OK;
    if (sweep->job_count == OB_SWEEP_MAX_JOBS)
        return ob__node_error(err, where, "more than %d job configs", OB_SWEEP_MAX_JOBS);
    backend->jobs[backend->job_count++] = sweep->job_count;
    sweep->jobs[sweep->job_count++] = *job;
    return OB_OK;
}

/* A node, or each item of a list. */
static size_t word_count(const ob_json *node)
{
    return ob_json_get_kind(node) == OB_JSON_ARRAY ? ob_json_count(node) : 1;
}

static const ob_json *word_at(const ob_json *node, size_t index)
{
    return ob_json_get_kind(node) == OB_JSON_ARRAY ? ob_json_item(node, index) : node;
}

static ob_status read_job(ob_sweep *sweep, const ob_json *node, ob_err *err)
{
    const bool pair = ob_json_get_kind(node) == OB_JSON_ARRAY;
    if ((pair && ob_json_count(node) != 2) || (!pair && ob_json_get_kind(node) != OB_JSON_OBJECT))
        return ob__node_error(
            err, node,
            "a job config must look like {\"precision\": \"fp32\", \"runtime\": \"pt\"}");
    const ob_json *precision = pair ? ob_json_item(node, 0) : ob_json_get(node, "precision");
    const ob_json *runtime = pair ? ob_json_item(node, 1) : ob_json_get(node, "runtime");
    if (!pair && runtime == NULL)
        runtime = ob_json_get(node, "backend");
    if (precision == NULL || runtime == NULL)
        return ob__node_error(err, node, "the job config has no \"%s\"; add it",
                              precision == NULL ? "precision" : "runtime");
    for (size_t i = 0; !pair && i < ob_json_count(node); i++) {
        const char *key = ob_json_key(node, i);
        if (strcmp(key, "precision") != 0 && strcmp(key, "runtime") != 0 &&
            strcmp(key, "backend") != 0)
            return ob__node_error(
                err, ob_json_key_node(node, i),
                "unknown key \"%.60s\"; a job config has \"precision\" and \"runtime\"", key);
    }
    for (size_t r = 0; r < word_count(runtime); r++)
        for (size_t p = 0; p < word_count(precision); p++) {
            ob_sweep_job job = {.precision = "", .backend = ""};
            OB_TRY(read_precision(word_at(precision, p), &job, err));
            OB_TRY(read_runtime(sweep, word_at(runtime, r), &job, err));
            OB_TRY(add_job(sweep, node, &job, err));
        }
    return OB_OK;
}

ob_status ob__sweep_read_jobs(ob_sweep *sweep, ob_err *err)
{
    const ob_json *jobs = ob_json_get(sweep->root, "job_configs");
    const ob_json_kind kind = ob_json_get_kind(jobs);
    if (jobs == NULL)
        return ob__node_error(err, sweep->root,
                              "\"job_configs\" is missing; add [{\"precision\": \"fp32\", "
                              "\"runtime\": \"native\"}]");
    if (kind == OB_JSON_OBJECT)
        OB_TRY(read_job(sweep, jobs, err));
    else if (kind != OB_JSON_ARRAY)
        return ob__node_error(err, jobs, "\"job_configs\" must be a list of job configs, not %s",
                              ob_json_kind_name(kind));
    for (size_t i = 0; kind == OB_JSON_ARRAY && i < ob_json_count(jobs); i++)
        OB_TRY(read_job(sweep, ob_json_item(jobs, i), err));
    return sweep->job_count > 0 ? OB_OK
                                : ob__node_error(err, jobs, "there are no job configs; add one");
}
