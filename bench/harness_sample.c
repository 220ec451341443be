/* SPDX-License-Identifier: Apache-2.0
 *
 * What the harness adds to a sample: an operator that does nothing, in discrete mode (one sample per
 * iteration) beside two readings of the clock, and in one continuous block, where the cost per iteration
 * is that of the backend's own loop. Then the wall time of a whole iteration, in which the harness also
 * keeps the sample and looks at memory. Each figure is the median of several cases. Beside it stands
 * what torch.utils.benchmark says of a statement that does nothing, where a python3 with torch is found.
 */
#include "opbench/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISCRETE = 200000, CONTINUOUS = 50000000, PASSES = 7, READINGS = 1000000 };

static const double MORE_THAN_CLOCK_NS = 20, ITERATION_NS = 2;

static const char CONFIG[] =
    "{\"torch.add\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": "
    "[{\"input\": [{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [4]}, "
    "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [4]}]}]}]}}";

/* ---- a backend that does nothing, in real time ---- */

struct ob_backend {
    int unused;
};

struct ob_prepared {
    int unused;
};

static ob_status empty_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    static ob_backend only;
    (void)settings, (void)err;
    *out = &only;
    return OB_OK;
}

static void empty_close(ob_backend *backend)
{
    (void)backend;
}

static ob_status empty_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                                ob_reason *why_not)
{
    (void)backend, (void)graph, (void)pass, (void)why_not;
    return OB_OK;
}

static ob_status empty_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                               ob_err *err)
{
    static ob_prepared only;
    (void)backend, (void)args, (void)err;
    *out = &only;
    return OB_OK;
}

static void empty_release(ob_prepared *prepared)
{
    (void)prepared;
}

static ob_status empty_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    (void)prepared, (void)phase, (void)err;
    for (uint64_t i = 0; i < iterations; i++)
        __asm__ volatile("" ::: "memory");
    return OB_OK;
}

static const ob_backend_desc EMPTY = {
    .name = "empty",
    .help = "does nothing",
    .device_types = "cpu",
    .open = empty_open,
    .close = empty_close,
    .supports = empty_supports,
    .prepare = empty_prepare,
    .release = empty_release,
    .run = empty_run,
};

/* ---- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

static double two_readings_ns(void)
{
    const ob_clock clock = ob_clock_monotonic();
    double rounds[PASSES];
    for (size_t p = 0; p < PASSES; p++) {
        const uint64_t start = ob_clock_now_ns(&clock);
        for (int i = 0; i < READINGS; i++)
            ob_clock_now_ns(&clock);
        rounds[p] = 2 * (double)(ob_clock_now_ns(&clock) - start) / READINGS;
    }
    return median(rounds, PASSES);
}

/* Of one iteration. */
typedef struct cost {
    double sample_ns, wall_ns;
} cost;

static bool measure(ob_context *context, const ob_config *config, const char *mode,
                    int64_t iterations, cost *out)
{
    double samples[PASSES], walls[PASSES];
    ob_run_options options;
    ob_session *session = NULL;
    ob_cases *cases = NULL;
    const ob_case *c;
    ob_err err;
    ob_run_options_init(&options);
    options.backend = EMPTY.name;
    options.exec_mode = mode;
    options.warmup = 1000;
    options.iteration = iterations;
    bool ok = ob_session_open(context, &options, &session, &err) == OB_OK &&
              ob_cases_open(config, NULL, &cases, &err) == OB_OK &&
              ob_cases_next(cases, &c, &err) == OB_OK;
    for (size_t p = 0; ok && p < PASSES; p++) {
        ob_record record;
        ok = ob_session_run(session, c, &record, &err) == OB_OK &&
             record.result.status == OB_RECORD_OK;
        if (ok) {
            samples[p] = record.result.forward.time_ms.median * 1e6;
            walls[p] = record.result.seconds * 1e9 / (double)iterations;
        }
    }
    if (ok)
        *out = (cost){.sample_ns = median(samples, PASSES), .wall_ns = median(walls, PASSES)};
    else
        fprintf(stderr, "bench/harness_sample: %s\n", err.message);
    ob_cases_close(cases);
    ob_session_close(session);
    return ok;
}

/* Nanoseconds per iteration of `pass`; 0 = no torch here. */
static double torch_ns(void)
{
    static const char *const PLACES[] = {"python3", "/usr/bin/python3"};
    double ns = 0;
    for (size_t i = 0; ns <= 0 && i < sizeof PLACES / sizeof *PLACES; i++) {
        char command[256], text[64] = "";
        snprintf(command, sizeof command,
                 "%s -c 'import torch.utils.benchmark as b; "
                 "print(b.Timer(\"pass\").timeit(1000000).median * 1e9)' 2>/dev/null",
                 PLACES[i]);
        FILE *python = popen(command, "r");
        if (python == NULL)
            continue;
        if (fgets(text, sizeof text, python) != NULL)
            ns = strtod(text, NULL);
        pclose(python);
    }
    return ns;
}

static bool report(const char *what, double value_ns, double bound_ns)
{
    const bool ok = value_ns <= bound_ns;
    printf("%-44s %8.2f ns  (bound %.2f)%s\n", what, value_ns, bound_ns, ok ? "" : "  MISSED");
    return ok;
}

int main(void)
{
    ob_context *context;
    ob_config *config;
    ob_err err;
    cost discrete, continuous;
    if (ob_context_create(NULL, &context, &err) != OB_OK ||
        ob_register_backend(context, &EMPTY, &err) != OB_OK ||
        ob_config_open_memory(context, "bench", CONFIG, strlen(CONFIG), NULL, &config, &err) !=
            OB_OK) {
        fprintf(stderr, "bench/harness_sample: cannot start: %s\n", err.message);
        return 2;
    }
    if (!measure(context, config, "discrete", DISCRETE, &discrete) ||
        !measure(context, config, "continuous", CONTINUOUS, &continuous))
        return 2;
    const double clock_ns = two_readings_ns();
    printf("harness_sample: an operator that does nothing\n");
    printf("%-44s %8.2f ns\n", "two readings of the clock", clock_ns);
    bool ok = report("discrete: a sample", discrete.sample_ns, clock_ns + MORE_THAN_CLOCK_NS);
    ok &= report("continuous: an iteration", continuous.sample_ns, ITERATION_NS);
    printf("%-44s %8.2f ns\n", "discrete: wall time of an iteration", discrete.wall_ns);
    printf("%-44s %8.2f ns\n", "continuous: wall time of an iteration", continuous.wall_ns);
    const double torch = torch_ns();
    if (torch > 0)
        printf("%-44s %8.2f ns\n", "torch.utils.benchmark: an iteration of `pass`", torch);
    else
        printf("no python3 with torch here to compare with\n");
    ob_config_destroy(config);
    ob_context_destroy(context);
    return ok ? 0 : 1;
}
