/* SPDX-License-Identifier: Apache-2.0
 *
 * The torch backend as a plug-in: its options, its description and its entry. It is built without
 * libtorch too, so that listings can say what is missing; the work is done by the shim.
 */
#include "load.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Set by the first open, before any function that uses it can be called; never changes then. */
static const torch_shim *shim;

static ob_status open_backend(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    *out = NULL;
    if (shim == NULL)
        OB_TRY(torch_shim_load(settings->host, settings->threads, &shim, err));
    return shim->open(settings, out, err);
}

static ob_status probe(const ob_host *host, ob_reason *why_not)
{
    (void)host;
    return torch_shim_probe(why_not);
}

/* One line each: the shim has the contracts. */
static void close_backend(ob_backend *backend)
{
    if (backend != NULL)
        shim->close(backend);
}
static ob_status supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not)
{
    return shim->supports(backend, graph, pass, why_not);
}
static ob_status prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    return shim->prepare(backend, args, out, err);
}
static void release(ob_prepared *prepared)
{
    if (prepared != NULL)
        shim->release(prepared);
}
static ob_status run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    return shim->run(prepared, phase, iterations, err);
}
static ob_status outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err)
{
    return shim->outputs(prepared, pass, values, capacity, count, err);
}
static ob_status sync(ob_backend *backend, ob_err *err)
{
    return shim->sync(backend, err);
}
static ob_status event_create(ob_backend *backend, ob_event **out, ob_err *err)
{
    return shim->event_create(backend, out, err);
}
static ob_status event_record(ob_event *event, ob_err *err)
{
    return shim->event_record(event, err);
}
static ob_status event_elapsed_ns(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err)
{
    return shim->event_elapsed_ns(start, end, elapsed_ns, err);
}
static void event_destroy(ob_event *event)
{
    shim->event_destroy(event);
}
static ob_status memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err)
{
    return shim->memory_peak(backend, reset, peak_bytes, err);
}
#if defined(__x86_64__) /* elsewhere the core does it */
static ob_status flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how,
                             ob_err *err)
{
    return shim->flush_cache(backend, prepared, how, err);
}
#endif
static ob_status set_threads(ob_backend *backend, int threads, ob_err *err)
{
    return shim->set_threads(backend, threads, err);
}
static void properties(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    shim->properties(backend, fn, ctx);
}
static void take_version(void *ctx, const char *name, const char *value)
{
    ob_reason *out = ctx;
    if (strcmp(name, "libtorch") == 0)
        snprintf(out->text, sizeof out->text, "libtorch %s", value);
}
static void library(ob_backend *backend, ob_reason *out)
{
    shim->properties(backend, take_version, out);
}
static ob_status schemas(ob_backend *backend, ob_schema_fn fn, void *ctx, ob_err *err)
{
    return shim->schemas(backend, fn, ctx, err);
}
static bool has_backward(ob_prepared *prepared)
{
    return shim->has_backward(prepared);
}
static ob_status kernels(ob_prepared *prepared, ob_pass pass, ob_kernel_fn fn, void *ctx,
                         ob_err *err)
{
    return shim->kernels(prepared, pass, fn, ctx, err);
}
static ob_status refill(ob_prepared *prepared, ob_err *err)
{
    return shim->refill(prepared, err);
}
static const char *refuses(ob_backend *backend, const char *name)
{
    return shim->refuses(backend, name);
}

static const ob_option OPTIONS[] = {
    OB_OPTION(STRING, "library", torch_options, library, .value = "FILES",
              .help = "Shared objects that register operators, separated by ':'."),
    OB_OPTION(
        STRING, "script", torch_options, script, .value = "FILE",
        .help =
            "TorchScript, saved or as source; its functions become operators torchscript::NAME."),
    OB_OPTION(STRING, "et", torch_options, trace, .value = "FILE",
              .help = "Where to write the execution graph of the run."),
    {.name = NULL},
};

static const ob_backend_desc BACKEND = {
    .name = "torch",
    .help = "libtorch: every operator of its dispatcher, autograd, TorchScript",
    .device_types = "cpu cuda",
    .options = OPTIONS,
    .options_size = sizeof(torch_options),
    .has_autograd = true,
    .asynchronous = true, /* on CUDA; on the CPU there is nothing to wait for */
    .probe = probe,
    .open = open_backend,
    .close = close_backend,
    .supports = supports,
    .prepare = prepare,
    .release = release,
    .run = run,
    .outputs = outputs,
    .sync = sync,
    .event_create = event_create,
    .event_record = event_record,
    .event_elapsed_ns = event_elapsed_ns,
    .event_destroy = event_destroy,
    .memory_peak = memory_peak,
#if defined(__x86_64__)
    .flush_cache = flush_cache,
#endif
    .set_threads = set_threads,
    .properties = properties,
    .library = library,
    .isa_limits = "ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=default OPENBLAS_CORETYPE=Haswell",
    .schemas = schemas,
    .has_backward = has_backward,
    .kernels = kernels,
    .refuses = refuses,
    .refill = refill,
    .takes_sparse = true,
};

OB_PLUGIN_OF_BACKEND(BACKEND, "torch", "1");
