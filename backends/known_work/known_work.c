/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend whose operators take a known amount of work, whatever they are: so many steps over a buffer that fits the
 * first cache, each of which needs the one before. One per cent more steps is one per cent more time.
 */
#include "opbench/plugin.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1024, COPIES = 4 };

typedef struct work_options {
    int64_t steps, copy;
} work_options;

static const ob_option OPTIONS[] = {
    OB_OPTION(INT, "steps", work_options, steps, .initial = "1000", .min = 1, .max = 1e12,
              .help = "How much work an iteration does."),
    OB_OPTION(INT, "copy", work_options, copy, .initial = "0", .max = COPIES - 1,
              .help = "Which copy of the loop does it: the same code in another place."),
    {.name = NULL},
};

typedef uint64_t work_loop(const uint64_t *words, uint64_t x, int64_t steps);

struct ob_backend {
    const ob_host *host;
    int64_t steps;
    work_loop *loop;
};

struct ob_prepared {
    ob_backend *backend;
    uint64_t sum;
    uint64_t words[WORDS];
};

/* Copies begin at other distances from a cache line, as functions of two builds do. */
#define LOOP(number)                                                                               \
    __attribute__((noinline)) static uint64_t loop_##number(const uint64_t *words, uint64_t x,     \
                                                            int64_t steps)                         \
    {                                                                                              \
        __asm__ volatile("" ::"i"(number)); /* or equal functions are folded into one */           \
        for (int64_t k = 0; k < steps; k++)                                                        \
            x = x * 6364136223846793005u + words[k % WORDS];                                       \
        return x;                                                                                  \
    }
LOOP(0)
LOOP(1)
LOOP(2)
LOOP(3)

static work_loop *const LOOPS[COPIES] = {loop_0, loop_1, loop_2, loop_3};

static ob_status work_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    const work_options *options = settings->options;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    **out =
        (ob_backend){.host = settings->host, .steps = options->steps, .loop = LOOPS[options->copy]};
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
    snprintf(why_not->text, sizeof why_not->text, "it only runs forward");
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
    const ob_backend *backend = prepared->backend;
    for (uint64_t i = 0; phase == OB_PHASE_FORWARD && i < iterations; i++)
        prepared->sum = backend->loop(prepared->words, prepared->sum, backend->steps);
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
    .name = "known_work",
    .help = "does a known amount of work for every operator; for testing how well differences are "
            "found",
    .device_types = "cpu",
    .options = OPTIONS,
    .options_size = sizeof(work_options),
    .open = work_open,
    .close = work_close,
    .supports = work_supports,
    .prepare = work_prepare,
    .release = work_release,
    .run = work_run,
    .outputs = work_outputs,
};

OB_PLUGIN_OF_BACKEND(BACKEND, "known_work", "1");
