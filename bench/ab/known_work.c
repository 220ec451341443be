/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend whose operators take a known amount of work, whatever they are: so many steps over a buffer that fits the
 * first cache, each of which needs the one before. One per cent more steps is one per cent more time.
 */
#include <opbench/plugin.h>

#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1024 };

typedef struct work_options {
    int64_t steps;
} work_options;

static const ob_option OPTIONS[] = {
    OB_OPTION(INT, "steps", work_options, steps, .initial = "1000", .min = 1, .max = 1e12,
              .help = "How much work an iteration is."),
    {.name = NULL},
};

struct ob_backend {
    const ob_host *host;
    int64_t steps;
};

struct ob_prepared {
    ob_backend *backend;
    uint64_t sum;
    uint64_t words[WORDS];
};

static ob_status work_probe(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    return OB_OK;
}

static ob_status work_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    const work_options *options = settings->options;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    **out = (ob_backend){.host = settings->host, .steps = options->steps};
    return OB_OK;
}

static void work_close(ob_backend *backend)
{
    free(backend);
}

static ob_status work_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                               ob_reason *why_not)
{
    (void)backend, (void)graph;
    if (pass == OB_PASS_FORWARD)
        return OB_OK;
    snprintf(why_not->text, sizeof why_not->text, "it runs forward only");
    return OB_ERR_UNSUPPORTED;
}

static ob_status work_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                              ob_err *err)
{
    (void)args;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return backend->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    (*out)->backend = backend;
    for (int i = 0; i < WORDS; i++)
        (*out)->words[i] = (uint64_t)i * 2654435761u;
    return OB_OK;
}

static void work_release(ob_prepared *prepared)
{
    free(prepared);
}

static ob_status work_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    (void)err;
    const int64_t steps = prepared->backend->steps;
    for (uint64_t i = 0; phase == OB_PHASE_FORWARD && i < iterations; i++) {
        uint64_t x = prepared->sum;
        for (int64_t k = 0; k < steps; k++)
            x = x * 6364136223846793005u + prepared->words[k % WORDS];
        prepared->sum = x;
    }
    return OB_OK;
}

static ob_status work_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values,
                              size_t capacity, size_t *count, ob_err *err)
{
    (void)pass, (void)values, (void)capacity;
    *count = 0;
    return prepared->backend->host->err_set(err, OB_ERR_UNSUPPORTED, "its results mean nothing");
}

static const ob_backend_desc BACKEND = {
    .name = "work",
    .help = "a known amount of work for every operator",
    .device_types = "cpu",
    .options = OPTIONS,
    .options_size = sizeof(work_options),
    .probe = work_probe,
    .open = work_open,
    .close = work_close,
    .supports = work_supports,
    .prepare = work_prepare,
    .release = work_release,
    .run = work_run,
    .outputs = work_outputs,
};

static const ob_backend_desc *const BACKENDS[] = {&BACKEND, NULL};
static const ob_plugin PLUGIN = {OB_PLUGIN_HEAD, .name = "work", .version = "1",
                                 .backends = BACKENDS};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);
const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    return &PLUGIN;
}
