/* SPDX-License-Identifier: Apache-2.0
 *
 * The onednn backend as a plug-in: its options, its description and its entry.
 */
#include "opbench/plugin.h"

#include "onednn_backend.h"
#include "options.h"

#include <stddef.h>

#define ROW(kind, member, ...) OB_OPTION(kind, #member, onednn_options, member, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(CHOICE, reorders, .value = "WHERE", .choices = "inside|outside", .initial = "inside",
        .help = "Whether converting inputs and outputs from and to their plain layout is timed."),
    ROW(CHOICE, inexact, .value = "STATE", .choices = "on|off", .initial = "off",
        .help = "Also run what the library computes less precisely than the operator's tolerance: "
                "log and log_softmax of float32."),
    ROW(CHOICE, integers, .value = "HOW", .choices = "exact|library", .initial = "exact",
        .help = "int8 and uint8: results wrap around as in PyTorch, which takes an extra step; or "
                "they saturate, and averages are rounded, as the library itself does."),
    ROW(STRING, library, .value = "FILE",
        .otherwise = "$OPBENCH_ONEDNN_LIBRARY, then where it was when opbench was built, then by "
                     "its name",
        .help = "The libdnnl.so to use."),
    {.name = NULL},
};

static const ob_backend_desc BACKEND = {
    .name = "onednn",
    .help = "oneDNN on the CPU: primitives with the layouts that the library chooses",
    .device_types = "cpu",
    .options = OPTIONS,
    .options_size = sizeof(onednn_options),
    .probe = onednn_probe,
    .open = onednn_open,
    .close = onednn_close,
    .supports = onednn_supports,
    .prepare = onednn_prepare,
    .release = onednn_release,
    .run = onednn_run,
    .outputs = onednn_outputs,
    .refill = onednn_refill,
    .memory_peak = onednn_memory_peak,
    .set_threads = onednn_set_threads,
    .threads = onednn_threads,
    .properties = onednn_properties,
    .library = onednn_library,
    .isa_limits = "ONEDNN_MAX_CPU_ISA=AVX2",
    .kernels = onednn_kernels,
    .case_properties = onednn_case_properties,
    .owns_gradients = true,
};

OB_PLUGIN_OF_BACKEND(BACKEND, "onednn", "1");
