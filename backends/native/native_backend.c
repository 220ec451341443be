/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the native backend, its threads and what it tells about itself.
 */
#include "native_backend.h"

#include "blas.h"
#include "half_precision.h"
#include "loops.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any machine has; keeps thread counts within int arithmetic. */
enum { MAX_THREADS = 4096 };

/* More threads than processors would only wait for each other: those are what a run gets at most. */
static ob_status use_threads(ob_backend *backend, int threads, ob_err *err)
{
    const ob_host *host = backend->env.host;
    if (threads < 1 || threads > MAX_THREADS)
        return host->err_set(err, OB_ERR_INVALID, "%d threads; the native backend takes 1 to %d",
                             threads, (int)MAX_THREADS);
    const int usable = native_usable_cpus();
    if (threads > usable && threads != backend->threads_asked)
        host->log_message(backend->log, OB_LOG_WARNING,
                          "%d threads were asked for, but this process may use %d CPUs; the native "
                          "backend uses %d",
                          threads, usable, usable);
    backend->threads_asked = threads;
    backend->env.threads = threads < usable ? threads : usable;
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
                                .best_isa = isa == NULL,
                                .team = native_team_create(),
                                .seed = settings->seed};
    backend->log = settings->log;
    OB_TRY(use_threads(backend, settings->threads > 0 ? settings->threads : 1, err));
    if (backend->env.loops == NULL)
        return settings->host->err_set(
            err, OB_ERR_UNSUPPORTED,
            "this processor does not have the instruction set %s; leave out the option 'isa'", isa);
    return ob_kit_engine_open(&backend->engine, settings->host, &native_device, &backend->env, err);
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
    native_team_destroy(backend->env.team);
    ob_kit_engine_close(&backend->engine);
    free(backend);
}

ob_status native_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not)
{
    return ob_kit_supports(&backend->engine, graph, pass, why_not);
}

ob_status native_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    return ob_kit_prepare(&backend->engine, args, out, err);
}

ob_status native_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err)
{
    (void)err;
    return ob_kit_memory_peak(&backend->engine, reset, peak_bytes);
}

ob_status native_set_threads(ob_backend *backend, int threads, ob_err *err)
{
    if (backend->env.blas != NULL) /* somebody may have set it for the whole process */
        native_blas_use_one_thread(backend->env.blas);
    return use_threads(backend, threads, err);
}

int native_threads(ob_backend *backend)
{
    return backend->env.threads;
}

void native_properties(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    char threads[16], asked[16];
    snprintf(threads, sizeof threads, "%d", backend->env.threads);
    snprintf(asked, sizeof asked, "%d", backend->threads_asked);
    fn(ctx, "isa", backend->env.loops->isa);
    fn(ctx, "isa_bf16", native_half_loops_of(&backend->env, OB_DTYPE_BF16)->isa);
    fn(ctx, "threads", threads);
    if (backend->threads_asked != backend->env.threads)
        fn(ctx, "threads_asked", asked);
    const native_blas *blas = backend->env.blas;
    fn(ctx, "blas",
       blas != NULL ? native_blas_config(blas)
                    : "opened by the first case that needs it; see that record");
    if (blas != NULL)
        fn(ctx, "blas_core", native_blas_core(blas));
}

/* "OpenBLAS 0.3.21 NO_LAPACKE ..." without what follows the version. */
void native_library(ob_backend *backend, ob_reason *out)
{
    native_blas *blas;
    if (native_env_blas(&backend->env, &blas, NULL) != OB_OK)
        return;
    const char *config = native_blas_config(blas);
    const size_t name = strcspn(config, " ");
    const size_t version = strcspn(config + name + strspn(config + name, " "), " ");
    snprintf(out->text, sizeof out->text, "%.*s",
             (int)(name + strspn(config + name, " ") + version), config);
}
