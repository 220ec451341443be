/* SPDX-License-Identifier: Apache-2.0
 *
 * The native backend: plain kernels, planned and run as opbench/kit.h says.
 */
#ifndef OB_NATIVE_H
#define OB_NATIVE_H

#include "native_kernel.h"
#include "opbench/kit.h"

struct ob_backend {
    native_env env;
    ob_kit_engine engine;
    const ob_log *log;
    int threads_asked; /* env.threads is what there are processors for */
};

/* native_kernels.c: all tables, ended by NULL */
extern const ob_kit_kernel *const native_kernel_tables[];

/* native_device.c: memory of the host */
extern const ob_kit_device native_device;

/* flush.c */
ob_status native_flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how,
                             ob_err *err);

#endif
