/* SPDX-License-Identifier: Apache-2.0
 *
 * The edge between the plug-in (C, always built, light) and the shim (C++, linked to libtorch). The
 * shim is a shared object of its own, opened when a session needs the backend: loading libtorch
 * takes half a second, which no listing, no help and no supervisor should pay.
 *
 * Nothing of C++ passes here: no std types, no exceptions.
 */
#ifndef OB_TORCH_SHIM_H
#define OB_TORCH_SHIM_H

#include "opbench/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Both halves are built together; a shim left over from another build is refused. */
#define TORCH_SHIM_ABI 2u
#define TORCH_SHIM_ENTRY "opbench_torch_shim"
#define TORCH_SHIM_FILE "torch/shim.so" /* beside the plug-in */

/* What the backend's option rows fill. */
typedef struct torch_options {
    const char *library; /* shared objects with operators, separated by ':' ; NULL = none */
    const char *script;  /* TorchScript: a saved module, or source; NULL = none */
    const char *trace;   /* where the execution graph goes; NULL = none is written */
} torch_options;

/* The functions of ob_backend_desc that need libtorch, with its contracts. */
typedef struct torch_shim {
    uint32_t abi;
    uint32_t size;
    ob_status (*open)(const ob_backend_settings *settings, ob_backend **out, ob_err *err);
    void (*close)(ob_backend *backend);
    ob_status (*supports)(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not);
    ob_status (*prepare)(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err);
    void (*release)(ob_prepared *prepared);
    ob_status (*run)(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err);
    ob_status (*outputs)(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err);
    ob_status (*sync)(ob_backend *backend, ob_err *err);
    ob_status (*event_create)(ob_backend *backend, ob_event **out, ob_err *err);
    ob_status (*event_record)(ob_event *event, ob_err *err);
    ob_status (*event_elapsed_ns)(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err);
    void (*event_destroy)(ob_event *event);
    ob_status (*memory_peak)(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err);
    ob_status (*flush_cache)(ob_backend *backend, ob_prepared *prepared, const char **how,
                             ob_err *err);
    ob_status (*set_threads)(ob_backend *backend, int threads, ob_err *err);
    void (*properties)(ob_backend *backend, ob_property_fn fn, void *ctx);
    ob_status (*schemas)(ob_backend *backend, ob_schema_fn fn, void *ctx, ob_err *err);
    bool (*has_backward)(ob_prepared *prepared);
    ob_status (*kernels)(ob_prepared *prepared, ob_pass pass, ob_kernel_fn fn, void *ctx,
                         ob_err *err);
    const char *(*refuses)(ob_backend *backend, const char *name);
    ob_status (*refill)(ob_prepared *prepared, ob_err *err);
} torch_shim;

typedef const torch_shim *(*torch_shim_entry_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
