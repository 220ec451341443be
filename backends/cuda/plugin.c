/* SPDX-License-Identifier: Apache-2.0
 *
 * The cuda backend as a plug-in: its description and its entry.
 */
#include "cuda_backend.h"

static ob_status supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not)
{
    return ob_kit_supports(&backend->engine, graph, pass, why_not);
}

static ob_status prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    return ob_kit_prepare(&backend->engine, args, out, err);
}

static ob_status memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err)
{
    (void)err;
    return ob_kit_memory_peak(&backend->engine, reset, peak_bytes);
}

static const ob_backend_desc BACKEND = {
    .name = "cuda",
    .help = "NVIDIA GPUs: kernels by NVRTC, matrix products by cuBLAS (not verified on a GPU)",
    .device_types = "cuda",
    .asynchronous = true,
    .probe = cuda_probe,
    .open = cuda_open,
    .close = cuda_close,
    .supports = supports,
    .prepare = prepare,
    .release = ob_kit_release,
    .run = ob_kit_run,
    .outputs = ob_kit_outputs,
    .sync = cuda_sync,
    .event_create = cuda_event_create,
    .event_record = cuda_event_record,
    .event_elapsed_ns = cuda_event_elapsed_ns,
    .event_destroy = cuda_event_destroy,
    .refill = ob_kit_refill,
    .alloc = cuda_alloc,
    .copy = cuda_copy,
    .memory_peak = memory_peak,
    .flush_cache = cuda_flush_cache,
    .properties = cuda_properties,
    .library = cuda_library,
    .owns_gradients = true,
};

OB_PLUGIN_OF_BACKEND(BACKEND, "cuda", "1");
