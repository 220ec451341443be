/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the backend, its threads, and what it tells about itself.
 */
#include "onednn_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 4096 };

static const char *library_path(const onednn_options *options)
{
    const char *path = options != NULL && options->library != NULL
                           ? options->library
                           : getenv("OPBENCH_ONEDNN_LIBRARY");
    return path != NULL && path[0] != '\0' ? path : NULL; /* empty: not given */
}

ob_status onednn_probe(const ob_host *host, ob_reason *why_not)
{
    return dnn_lib_probe(host, library_path(NULL), why_not);
}

/* More threads than processors would only wait for each other. */
static ob_status use_threads(ob_backend *backend, int threads, ob_err *err)
{
    if (threads < 1 || threads > MAX_THREADS)
        return backend->host->err_set(err, OB_ERR_INVALID,
                                      "%d threads; the onednn backend takes 1 to %d", threads,
                                      (int)MAX_THREADS);
    backend->threads = threads;
    dnn_lib_set_threads(backend->lib, threads);
    return OB_OK;
}

ob_status onednn_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    const onednn_options *options = settings->options;
    *out = NULL;
    ob_backend *backend = calloc(1, sizeof *backend);
    if (backend == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    backend->host = settings->host;
    backend->log = settings->log;
    backend->seed = settings->seed;
    backend->reorders_outside = strcmp(options->reorders, "outside") == 0;
    backend->inexact = strcmp(options->inexact, "on") == 0;
    backend->library_integers = strcmp(options->integers, "library") == 0;
    ob_status status = dnn_lib_open(settings->host, library_path(options), &backend->lib, err);
    if (status == OB_OK)
        status = use_threads(backend, settings->threads > 0 ? settings->threads : 1, err);
    if (status != OB_OK) {
        onednn_close(backend);
        return status;
    }
    *out = backend;
    return OB_OK;
}

void onednn_close(ob_backend *backend)
{
    if (backend == NULL)
        return;
    dnn_lib_close(backend->lib);
    free(backend);
}

ob_status onednn_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err)
{
    (void)err;
    *peak_bytes = backend->peak_bytes;
    if (reset)
        backend->peak_bytes = backend->used_bytes;
    return OB_OK;
}

ob_status onednn_set_threads(ob_backend *backend, int threads, ob_err *err)
{
    const int before = backend->threads;
    OB_TRY(use_threads(backend, threads, err));
    for (ob_prepared *prepared = backend->cases; prepared != NULL && threads != before;
         prepared = prepared->next)
        OB_TRY(onednn_rebuild(prepared, err));
    return OB_OK;
}

int onednn_threads(ob_backend *backend)
{
    return backend->threads;
}

void onednn_library(ob_backend *backend, ob_reason *out)
{
    snprintf(out->text, sizeof out->text, "oneDNN %s", dnn_lib_version(backend->lib));
}

void onednn_properties(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    char threads[16];
    snprintf(threads, sizeof threads, "%d", backend->threads);
    fn(ctx, "library", dnn_lib_path(backend->lib));
    fn(ctx, "version", dnn_lib_version(backend->lib));
    fn(ctx, "isa", dnn_lib_isa(backend->lib));
    fn(ctx, "threading", dnn_lib_threading(backend->lib));
    fn(ctx, "threads", threads);
    fn(ctx, "reorders", backend->reorders_outside ? "outside" : "inside");
    fn(ctx, "integers", backend->library_integers ? "library" : "exact");
    if (backend->inexact)
        fn(ctx, "inexact", "on");
}
