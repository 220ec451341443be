/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the kit that are rows with a function's pointer.
 */
#ifndef OB_KIT_FUNCTION_CALLS_H
#define OB_KIT_FUNCTION_CALLS_H

#include "opbench/kernel_plugin.h"

/* One opened backend of rows, as its kernels see it. */
struct ob_kit_env {
    const ob_host *host;
    const char *backend;
    int threads;
};

/* The three functions of such a kernel; its data is the first of the rows, all of which are looked through. */
ob_status ob_kit_function_check(ob_kit_call *call, ob_err *err);
ob_status ob_kit_function_setup(ob_kit_call *call, ob_err *err);
ob_status ob_kit_function_run(const ob_kit_call *call, ob_err *err);

#endif
