/* SPDX-License-Identifier: Apache-2.0
 *
 * The OpenCL backend where the headers of OpenCL were missing when opbench was built: listings say so.
 */
#include "opbench/plugin.h"

#include <stdio.h>

#define ABSENT                                                                                     \
    "the headers of OpenCL were not there when opbench was built; install opencl-c-headers and "   \
    "build again"

static ob_status probe(const ob_host *host, ob_reason *why_not)
{
    (void)host;
    snprintf(why_not->text, sizeof why_not->text, ABSENT);
    return OB_ERR_UNSUPPORTED;
}

static ob_status open_backend(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    *out = NULL;
    return settings->host->err_set(err, OB_ERR_UNSUPPORTED, ABSENT);
}

/* Nobody has an opened backend or a prepared case to call these with. */
static void close_backend(ob_backend *backend)
{
    (void)backend;
}
static ob_status supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not)
{
    (void)backend, (void)graph, (void)pass;
    return probe(NULL, why_not);
}
static ob_status prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    (void)backend, (void)args, (void)err;
    *out = NULL;
    return OB_ERR_UNSUPPORTED;
}
static void release(ob_prepared *prepared)
{
    (void)prepared;
}
static ob_status run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    (void)prepared, (void)phase, (void)iterations, (void)err;
    return OB_ERR_UNSUPPORTED;
}

static const ob_backend_desc BACKEND = {
    .name = "opencl",
    .help = "kernels in OpenCL C on any device that has a driver",
    .device_types = "opencl cpu",
    .probe = probe,
    .open = open_backend,
    .close = close_backend,
    .supports = supports,
    .prepare = prepare,
    .release = release,
    .run = run,
};

static const ob_backend_desc *const BACKENDS[] = {&BACKEND, NULL};

static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "opencl",
    .version = "1",
    .backends = BACKENDS,
};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);

const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    return &PLUGIN;
}
