/* SPDX-License-Identifier: Apache-2.0
 *
 * What an opened native backend is asked besides running cases.
 */
#ifndef OB_NATIVE_BACKEND_H
#define OB_NATIVE_BACKEND_H

#include "native.h"

typedef struct native_options {
    const char *isa; /* "best" or a set of isas.c */
} native_options;

ob_status native_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err);
void native_close(ob_backend *backend);
ob_status native_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not);
ob_status native_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err);
ob_status native_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err);
ob_status native_set_threads(ob_backend *backend, int threads, ob_err *err);
int native_threads(ob_backend *backend);
void native_properties(ob_backend *backend, ob_property_fn fn, void *ctx);
void native_library(ob_backend *backend, ob_reason *out);

#endif
