/* SPDX-License-Identifier: Apache-2.0
 *
 * The opened backend and its prepared cases.
 */
#ifndef OB_ONEDNN_BACKEND_H
#define OB_ONEDNN_BACKEND_H

#include "onednn_graph.h"
#include "options.h"

struct ob_backend {
    const ob_host *host;
    const ob_log *log;
    dnn_lib *lib;
    int threads;
    uint64_t seed;
    bool reorders_outside, inexact, library_integers;
    uint64_t used_bytes, peak_bytes;
    ob_prepared *cases; /* all that are prepared */
};

/* An input that the forward changes, with what it was. */
typedef struct dnn_saved {
    char *live;
    void *copy;
    size_t bytes;
} dnn_saved;

struct ob_prepared {
    ob_backend *backend;
    ob_prepared *next;
    ob_prepare_args args; /* inputs and parameters are copies */
    ob_backward backward; /* what args.backward pointed to; the graph is the caller's */
    dnn_program program;
    dnn_saved *saved;
    size_t saved_count;
    uint64_t bytes;
    ob_kit_progress progress;
};

/* onednn_case.c */
ob_status onednn_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not);
ob_status onednn_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err);
ob_status onednn_refill(ob_prepared *prepared, ob_err *err);
void onednn_release(ob_prepared *prepared);
/* Plans and builds anew, for another number of threads: primitives are made for one. */
ob_status onednn_rebuild(ob_prepared *prepared, ob_err *err);

/* onednn_run.c */
ob_status onednn_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err);
ob_status onednn_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err);
ob_status onednn_kernels(ob_prepared *prepared, ob_pass pass, ob_kernel_fn fn, void *ctx,
                         ob_err *err);
/* The implementations that the library chose. */
void onednn_case_properties(ob_prepared *prepared, ob_property_fn fn, void *ctx);

/* onednn_backend.c */
ob_status onednn_probe(const ob_host *host, ob_reason *why_not);
ob_status onednn_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err);
void onednn_close(ob_backend *backend);
ob_status onednn_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err);
ob_status onednn_set_threads(ob_backend *backend, int threads, ob_err *err);
int onednn_threads(ob_backend *backend);
void onednn_properties(ob_backend *backend, ob_property_fn fn, void *ctx);
void onednn_library(ob_backend *backend, ob_reason *out);

#endif
