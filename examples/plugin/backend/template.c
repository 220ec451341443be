/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend with every function there is, to copy and fill in. It works: it runs each operator that
 * brings a host function (see operator/softclip.c) on the CPU, forward only.
 *
 * Order of calls: probe, open, then for each case supports, prepare, run (many times), outputs,
 * release; at last close. One thread at a time. Only the functions marked "required" in
 * opbench/plugin.h must exist; leave out (NULL) what your device cannot do.
 */
#define _GNU_SOURCE
#include <opbench/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FLUSH_BYTES = 64 << 20 }; /* more than the last-level cache of most machines */

/* One opened device: its handles, streams, allocator. */
struct ob_backend {
    const ob_host *host; /* everything of opbench is called through this table */
    uint64_t used_bytes, peak_bytes;
    char *flush_buffer;
    unsigned flush_count;
};

/* A call of the graph with room for its arguments, so that run only fills them in. */
typedef struct step {
    const ob_graph_node *node;
    ob_value *args;   /* borrowed values, in the schema's order */
    ob_value **lists; /* per argument: items of a list operand, else NULL */
} step;

/* One case, ready to run. */
struct ob_prepared {
    ob_backend *backend;
    const ob_graph *graph; /* lives until release */
    ob_value *edges;       /* owned: inputs are references, results are made by run */
    step *steps;
    bool ran;
};

/* A point on the device's time line; here the host's clock is the device's. */
struct ob_event {
    const ob_host *host;
    bool recorded;
    struct timespec when;
};

/* ------------------------------------------------------------------ options */

/* The host fills this struct from the rows; a row gives its default as `initial`. */
typedef struct template_options {
    bool verbose;
} template_options;

static const ob_option OPTIONS[] = {
    OB_OPTION(FLAG, "verbose", template_options, verbose,
              .help = "Logs when the backend is opened."),
    {.name = NULL},
};

/* ------------------------------------------------------------------ open and close */

/* Must be quick and load nothing: it runs for every listing. Look for the library's file or the
 * device's node, and say in why_not what is missing and how to get it. */
static ob_status template_probe(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    return OB_OK;
}

static void template_close(ob_backend *backend)
{
    free(backend->flush_buffer);
    free(backend);
}

/* Here the heavy library is loaded (dlopen) and the device is taken. */
static ob_status template_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    const template_options *options = settings->options;
    *out = calloc(1, sizeof(**out));
    if (*out == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    (*out)->host = settings->host;
    if (options != NULL && options->verbose)
        settings->host->log_message(settings->log, OB_LOG_INFO, "template backend opened on %s",
                                    settings->device.type);
    return OB_OK;
}

static ob_status template_set_threads(ob_backend *backend, int threads, ob_err *err)
{
    if (threads != 1)
        return backend->host->err_set(err, OB_ERR_UNSUPPORTED,
                                      "the template backend has one thread; ask for 1");
    return OB_OK;
}

/* What belongs into the record besides the times: versions, device names, settings. */
static void template_properties(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    (void)backend;
    fn(ctx, "library", "host functions of operators");
}

/* For libraries that bring operators of their own: one schema per call of fn. */
static ob_status template_schemas(ob_backend *backend, ob_schema_fn fn, void *ctx, ob_err *err)
{
    (void)backend, (void)fn, (void)ctx, (void)err;
    return OB_OK;
}

/* ------------------------------------------------------------------ cases */

static bool is_nested(const ob_operand *operand)
{
    for (size_t i = 0; operand->kind == OB_OPERAND_LIST && i < operand->count; i++) {
        if (operand->items[i].kind == OB_OPERAND_LIST)
            return true;
    }
    return false;
}

/* Answers from metadata alone; a "no" is a result with a reason, not an error. */
static ob_status template_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                                   ob_reason *why_not)
{
    (void)backend;
    const char *no = pass == OB_PASS_FORWARD ? NULL : "the template backend runs forward only";
    for (size_t i = 0; no == NULL && i < graph->node_count; i++) {
        const ob_op *op = graph->nodes[i].op;
        if (op->row->function == NULL)
            no = "it has an operator without a host function";
        for (size_t k = 0; no == NULL && k < op->schema->arg_count; k++) {
            if (op->schema->args[k].writes)
                no = "it has an operator that changes its input";
            else if (is_nested(&graph->nodes[i].args[k]))
                no = "it has an operator with a list in a list";
        }
    }
    if (no == NULL)
        return OB_OK;
    snprintf(why_not->text, sizeof why_not->text, "%s", no);
    return OB_ERR_UNSUPPORTED;
}

static void template_release(ob_prepared *prepared)
{
    if (prepared == NULL)
        return;
    const ob_graph *graph = prepared->graph;
    for (size_t i = 0; prepared->edges != NULL && i < graph->edge_count; i++)
        prepared->backend->host->value_fini(&prepared->edges[i]);
    for (size_t i = 0; prepared->steps != NULL && i < graph->node_count; i++) {
        const step *s = &prepared->steps[i];
        for (size_t k = 0; s->lists != NULL && k < graph->nodes[i].op->schema->arg_count; k++)
            free(s->lists[k]);
        free(s->lists);
        free(s->args);
    }
    free(prepared->edges);
    free(prepared->steps);
    free(prepared);
}

static bool make_step(const ob_graph_node *node, step *s)
{
    const size_t count = node->op->schema->arg_count;
    s->node = node;
    s->args = calloc(count + 1, sizeof(*s->args));
    s->lists = calloc(count + 1, sizeof(*s->lists));
    if (s->args == NULL || s->lists == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (node->args[i].kind != OB_OPERAND_LIST)
            continue;
        s->lists[i] = calloc(node->args[i].count + 1, sizeof(ob_value));
        if (s->lists[i] == NULL)
            return false;
    }
    return true;
}

/* All that need not be timed: copies to the device, plans, kernels, memory. Tensors that are kept
 * must be kept by a reference of one's own (value_copy shares the storage). */
static ob_status template_prepare(ob_backend *backend, const ob_prepare_args *args,
                                  ob_prepared **out, ob_err *err)
{
    const ob_host *host = backend->host;
    const ob_graph *graph = args->graph;
    *out = NULL;
    ob_prepared *prepared = calloc(1, sizeof *prepared);
    if (prepared == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    prepared->backend = backend;
    prepared->graph = graph;
    prepared->edges = calloc(graph->edge_count + 1, sizeof(*prepared->edges));
    prepared->steps = calloc(graph->node_count + 1, sizeof(*prepared->steps));
    ob_status status = OB_OK;
    if (prepared->edges == NULL || prepared->steps == NULL)
        goto no_memory;
    for (size_t i = 0; i < graph->node_count; i++) {
        if (!make_step(&graph->nodes[i], &prepared->steps[i]))
            goto no_memory;
    }
    size_t input = 0, parameter = 0;
    for (size_t i = 0; status == OB_OK && i < graph->edge_count; i++) {
        const ob_edge_role role = graph->edges[i].role;
        if (role == OB_EDGE_INPUT && input < args->input_count)
            status = host->value_copy(&prepared->edges[i], &args->inputs[input++], err);
        else if ((role == OB_EDGE_PARAMETER || role == OB_EDGE_BUFFER) &&
                 parameter < args->parameter_count)
            status = host->value_copy(&prepared->edges[i], &args->parameters[parameter++], err);
    }
    if (status != OB_OK)
        goto fail;
    *out = prepared;
    return OB_OK;
no_memory:
    status = host->err_set(err, OB_ERR_NOMEM, "out of memory");
fail:
    template_release(prepared);
    return status;
}

static ob_value borrow(const ob_prepared *prepared, const ob_operand *operand)
{
    return operand->kind == OB_OPERAND_EDGE ? prepared->edges[operand->edge] : operand->value;
}

static void fill_args(const ob_prepared *prepared, const step *s)
{
    for (size_t i = 0; i < s->node->op->schema->arg_count; i++) {
        const ob_operand *operand = &s->node->args[i];
        if (operand->kind != OB_OPERAND_LIST) {
            s->args[i] = borrow(prepared, operand);
            continue;
        }
        for (size_t k = 0; k < operand->count; k++)
            s->lists[i][k] = borrow(prepared, &operand->items[k]);
        s->args[i] = (ob_value){
            .kind = OB_VALUE_LIST,
            .as = {.list = {.items = s->lists[i], .count = operand->count}},
        };
    }
}

static ob_status run_step(ob_prepared *prepared, const step *s, ob_err *err)
{
    enum { MAX_OUTPUTS = 16 };
    const ob_host *host = prepared->backend->host;
    const ob_op *op = s->node->op;
    ob_value results[MAX_OUTPUTS] = {{.kind = OB_VALUE_NONE}};
    if (s->node->output_count > MAX_OUTPUTS)
        return host->err_set(err, OB_ERR_LIMIT, "%s has more than %d outputs", op->schema->name,
                             (int)MAX_OUTPUTS);
    fill_args(prepared, s);
    const ob_op_call call = {.op = op, .schema = op->schema, .args = s->args};
    OB_TRY(op->row->function(op->row->function_ctx, &call, results, err));
    for (size_t i = 0; i < s->node->output_count; i++) {
        ob_value *edge = &prepared->edges[s->node->outputs[i]];
        host->value_fini(edge); /* of the iteration before */
        *edge = results[i];
    }
    return OB_OK;
}

/* The allocator's book of a real device; here the results of the case count. */
static void count_memory(ob_prepared *prepared)
{
    ob_backend *backend = prepared->backend;
    uint64_t bytes = 0;
    for (size_t i = 0; i < prepared->graph->edge_count; i++) {
        const ob_value *value = &prepared->edges[i];
        if (value->kind == OB_VALUE_TENSOR && value->as.tensor->storage != NULL)
            bytes += backend->host->storage_size(value->as.tensor->storage);
    }
    backend->used_bytes = bytes;
    if (backend->peak_bytes < bytes)
        backend->peak_bytes = bytes;
}

/* The timed part. It only starts the work if the backend is asynchronous; it never measures, logs
 * or waits for more than it must. */
static ob_status template_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations,
                              ob_err *err)
{
    if (phase == OB_PHASE_RESTORE)
        return OB_OK; /* supports() lets nothing in that changes its inputs */
    if (phase != OB_PHASE_FORWARD)
        return prepared->backend->host->err_set(err, OB_ERR_UNSUPPORTED,
                                                "the template backend runs forward only");
    for (uint64_t i = 0; i < iterations; i++) {
        for (size_t k = 0; k < prepared->graph->node_count; k++)
            OB_TRY(run_step(prepared, &prepared->steps[k], err));
    }
    prepared->ran = prepared->ran || iterations > 0;
    count_memory(prepared);
    return OB_OK;
}

/* Copies the results to host memory if they are elsewhere. */
static ob_status template_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values,
                                  size_t capacity, size_t *count, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    const ob_graph *graph = prepared->graph;
    *count = 0;
    if (pass != OB_PASS_FORWARD || !prepared->ran)
        return host->err_set(err, OB_ERR_STATE, "there is no result; run forward first");
    if (capacity < graph->output_count)
        return host->err_set(err, OB_ERR_LIMIT, "there are %zu outputs, but room for only %zu",
                             graph->output_count, capacity);
    for (size_t i = 0; i < graph->output_count; i++) {
        const ob_status status =
            host->value_copy(&values[i], &prepared->edges[graph->outputs[i]], err);
        if (status != OB_OK) {
            while (i-- > 0)
                host->value_fini(&values[i]);
            return status;
        }
    }
    *count = graph->output_count;
    return OB_OK;
}

/* ------------------------------------------------------------------ time */

/* Waits for all that was enqueued, and reports what failed since. */
static ob_status template_sync(ob_backend *backend, ob_err *err)
{
    (void)backend, (void)err;
    return OB_OK;
}

static ob_status template_event_create(ob_backend *backend, ob_event **out, ob_err *err)
{
    *out = calloc(1, sizeof(**out));
    if (*out == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    (*out)->host = backend->host;
    return OB_OK;
}

static ob_status template_event_record(ob_event *event, ob_err *err)
{
    (void)err;
    clock_gettime(CLOCK_MONOTONIC, &event->when);
    event->recorded = true;
    return OB_OK;
}

static ob_status template_event_elapsed_ns(ob_event *start, ob_event *end, double *elapsed_ns,
                                           ob_err *err)
{
    if (!start->recorded || !end->recorded)
        return start->host->err_set(err, OB_ERR_STATE,
                                    "an event was not recorded; record both first");
    *elapsed_ns = (double)(end->when.tv_sec - start->when.tv_sec) * 1e9 +
                  (double)(end->when.tv_nsec - start->when.tv_nsec);
    return OB_OK;
}

static void template_event_destroy(ob_event *event)
{
    free(event);
}

/* ------------------------------------------------------------------ memory */

/* Device memory: wrap the device's pointer with storage_wrap and a deleter. */
static ob_status template_alloc(ob_backend *backend, size_t size_bytes, ob_storage **out,
                                ob_err *err)
{
    return backend->host->storage_create(size_bytes, out, err);
}

/* Either side may be host or device memory. */
static ob_status template_copy(ob_backend *backend, ob_storage *to, const ob_storage *from,
                               size_t size_bytes, ob_err *err)
{
    const ob_host *host = backend->host;
    if (size_bytes > host->storage_size(to) || size_bytes > host->storage_size(from))
        return host->err_set(err, OB_ERR_INVALID, "%zu bytes do not fit", size_bytes);
    if (size_bytes > 0)
        memmove(host->storage_data(to), host->storage_data(from), size_bytes);
    return OB_OK;
}

static ob_status template_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes,
                                      ob_err *err)
{
    (void)err;
    *peak_bytes = backend->peak_bytes;
    if (reset)
        backend->peak_bytes = backend->used_bytes;
    return OB_OK;
}

/* Makes the next run start with a cold cache; the word is written into the record. */
static ob_status template_flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how,
                                      ob_err *err)
{
    (void)prepared;
    if (backend->flush_buffer == NULL)
        backend->flush_buffer = malloc(FLUSH_BYTES);
    if (backend->flush_buffer == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    memset(backend->flush_buffer, (int)(++backend->flush_count % 256), FLUSH_BYTES);
    *how = "wrote 64 MiB";
    return OB_OK;
}

/* ------------------------------------------------------------------ what the host sees */

static const ob_backend_desc BACKEND = {
    .name = "template",
    .help = "runs operators that have a host function; copy it to write a backend",
    .device_types = "cpu",
    .options = OPTIONS,
    .options_size = sizeof(template_options),
    .has_autograd = false, /* true: the library derives backward itself */
    .asynchronous = false, /* true: run returns before the work is done; sync is required then */
    .probe = template_probe,
    .open = template_open,
    .close = template_close,
    .supports = template_supports,
    .prepare = template_prepare,
    .release = template_release,
    .run = template_run,
    .outputs = template_outputs,
    .sync = template_sync,
    .event_create = template_event_create,
    .event_record = template_event_record,
    .event_elapsed_ns = template_event_elapsed_ns,
    .event_destroy = template_event_destroy,
    .alloc = template_alloc,
    .copy = template_copy,
    .memory_peak = template_memory_peak,
    .flush_cache = template_flush_cache,
    .set_threads = template_set_threads,
    .properties = template_properties,
    .schemas = template_schemas,
    .clock_ns = NULL, /* only for simulators with a time of their own */
};

static const ob_backend_desc *const BACKENDS[] = {&BACKEND, NULL};

static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "example-backend",
    .version = "1.0",
    .backends = BACKENDS,
};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);

/* May refuse with NULL and a reason, if the plug-in makes no sense on this machine at all. Loads
 * nothing heavy: every command that looks for plug-ins comes through here. */
const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    return &PLUGIN;
}
