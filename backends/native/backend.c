/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the native backend, its threads and what it tells about itself.
 */
#include "backend.h"

#include "blas.h"
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any machine has; keeps thread counts within int arithmetic. */
enum { MAX_THREADS = 4096 };

static ob_status check_threads(const ob_host *host, int threads, ob_err *err)
{
    if (threads < 1 || threads > MAX_THREADS)
        return host->err_set(err, OB_ERR_INVALID, "%d threads; the native backend takes 1 to %d",
                             threads, (int)MAX_THREADS);
    return OB_OK;
}

static ob_status open_backend(const ob_backend_settings *settings, ob_backend *backend, ob_err *err)
{
    const native_options *options = settings->options;
    const char *isa = options != NULL ? options->isa : NULL;
    if (isa != NULL && strcmp(isa, "best") == 0)
        isa = NULL;
    backend->env = (native_env){.host = settings->host,
                                .loops = native_loops_choose(isa),
                                .threads = settings->threads > 0 ? settings->threads : 1,
                                .seed = settings->seed};
    backend->log = settings->log;
    OB_TRY(check_threads(settings->host, backend->env.threads, err));
    if (backend->env.loops == NULL)
        return settings->host->err_set(err, OB_ERR_UNSUPPORTED,
                                       "this processor does not have the instruction set %s; leave "
                                       "the option 'isa' out",
                                       isa);
    return native_kernels_open(backend, err);
}

ob_status native_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    *out = NULL;
    ob_backend *backend = calloc(1, sizeof *backend);
    if (backend == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_status status = open_backend(settings, backend, err);
    if (status != OB_OK) {
        native_close(backend);
        return status;
    }
    *out = backend;
    return OB_OK;
}

void native_close(ob_backend *backend)
{
    if (backend == NULL)
        return;
    native_blas_close(backend->env.blas);
    free(backend->index);
    free(backend);
}

ob_status native_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err)
{
    (void)err;
    *peak_bytes = backend->peak_bytes;
    if (reset)
        backend->peak_bytes = backend->used_bytes;
    return OB_OK;
}

ob_status native_set_threads(ob_backend *backend, int threads, ob_err *err)
{
    OB_TRY(check_threads(backend->env.host, threads, err));
    backend->env.threads = threads;
    if (backend->env.blas != NULL)
        native_blas_set_threads(backend->env.blas, threads);
    return OB_OK;
}

void native_properties(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    char threads[16];
    snprintf(threads, sizeof threads, "%d", backend->env.threads);
    fn(ctx, "isa", backend->env.loops->isa);
    fn(ctx, "threads", threads);
    const native_blas *blas = backend->env.blas;
    fn(ctx, "blas", blas != NULL ? native_blas_config(blas) : "not loaded");
    if (blas != NULL)
        fn(ctx, "blas_core", native_blas_core(blas));
}
