/* SPDX-License-Identifier: Apache-2.0
 *
 * The native backend as a plug-in: its options, its description and its entry.
 */
#include "native_backend.h"
#include "reference/reference.h"

#include <stddef.h>

static const ob_host *entry_host;

const ob_host *native_host(void)
{
    return entry_host;
}

static const ob_option OPTIONS[] = {
    OB_OPTION(CHOICE, "isa", native_options, isa, .value = "SET",
              .choices = "best|avx512|avx2|sve|neon|base", .initial = "best",
              .help = "Instruction set of the elementwise loops."),
    {.name = NULL},
};

static const ob_backend_desc BACKEND = {
    .name = "native",
    .help = "plain C kernels on the CPU, OpenBLAS for matrix products; the reference",
    .device_types = "cpu",
    .options = OPTIONS,
    .options_size = sizeof(native_options),
    .open = native_open,
    .close = native_close,
    .supports = native_supports,
    .prepare = native_prepare,
    .release = ob_kit_release,
    .run = ob_kit_run,
    .outputs = ob_kit_outputs,
    .memory_peak = native_memory_peak,
    .flush_cache = native_flush_cache,
    .set_threads = native_set_threads,
    .properties = native_properties,
    .library = native_library,
    .isa_limits = "OPENBLAS_CORETYPE=Haswell",
    .threads = native_threads,
    .owns_gradients = true,
    .refill = ob_kit_refill,
    .reference = &native_reference,
};

static const ob_backend_desc *const BACKENDS[] = {&BACKEND, NULL};

static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "native",
    .version = "1",
    .backends = BACKENDS,
};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);

const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)why_not;
    entry_host = host;
    return &PLUGIN;
}
