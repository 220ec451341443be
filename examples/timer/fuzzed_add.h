/* SPDX-License-Identifier: Apache-2.0
 *
 * torch.add on two tensors that are drawn at random: what the examples fuzzer and end_to_end share.
 */
#ifndef OPBENCH_TIMER_FUZZED_ADD_H
#define OPBENCH_TIMER_FUZZED_ADD_H

#include "example.h"

#include <inttypes.h>

/* x is k0 by k1, y is k0 by 1. The bound keeps a tensor below 4 MiB. */
static inline ob_status fuzzed_open(ob_fuzzer **out, ob_err *err)
{
    static const double MOSTLY = 0.75;
    static const ob_fuzz_parameter PARAMETERS[] = {
        {.name = "k0", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(16, 16 * 1024)},
        {.name = "k1", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(16, 16 * 1024)},
    };
    static const ob_fuzz_tensor TENSORS[] = {
        {.name = "x",
         .size = {"k0", "k1"},
         .probability_contiguous = &MOSTLY,
         .max_elements = 1 << 20},
        {.name = "y", .size = {"k0", "1"}, .probability_contiguous = &MOSTLY},
    };
    const ob_fuzz_spec spec = {.size = sizeof spec,
                               .parameters = PARAMETERS,
                               .parameter_size = sizeof *PARAMETERS,
                               .parameter_count = 2,
                               .tensors = TENSORS,
                               .tensor_size = sizeof *TENSORS,
                               .tensor_count = 2};
    return ob_fuzzer_create(&spec, 0, out, err);
}

/* A draw in short notation. */
typedef struct fuzzed_case {
    char x[96], y[96];
    int64_t elements;
} fuzzed_case;

static inline void fuzzed_describe_tensor(const ob_fuzz_tensor_info *t, char *out, size_t size)
{
    const int length = snprintf(out, size, "f32[%" PRId64 ",%" PRId64 "]", t->size[0], t->size[1]);
    if (!t->is_contiguous && length > 0)
        snprintf(out + length, size - (size_t)length, ":[%" PRId64 ",%" PRId64 "]", t->strides[0],
                 t->strides[1]);
}

static inline void fuzzed_describe(const ob_fuzz_draw *draw, fuzzed_case *out)
{
    fuzzed_describe_tensor(&draw->tensors[0], out->x, sizeof out->x);
    fuzzed_describe_tensor(&draw->tensors[1], out->y, sizeof out->y);
    out->elements = draw->tensors[0].numel;
}

typedef struct fuzzed_timing {
    ob_session *session;
    ob_measurements *list; /* gets the measurement */
    const char *env;       /* NULL = none */
    const char *description;
    double seconds;
} fuzzed_timing;

static inline ob_status fuzzed_time(void *ctx, const ob_case *c, ob_err *err)
{
    const fuzzed_timing *how = ctx;
    const ob_clock clock = ob_session_clock(how->session);
    ob_timer timer = {.size = sizeof timer,
                      .spec = {.label = "torch.add",
                               .description = how->description,
                               .env = how->env,
                               .num_threads = 1},
                      .clock = &clock};
    OB_TRY(ob_session_prepare_task(how->session, c, &timer.task, err));
    return ob_timer_blocked_autorange(&timer, how->seconds, how->list, err);
}

static inline ob_status fuzzed_measure(ob_context *context, fuzzed_timing *how,
                                       const fuzzed_case *drawn, double *median_s, ob_err *err)
{
    ob_measurement_stats stats;
    OB_TRY(with_case(context, "torch.add", (const char *const[]){drawn->x, drawn->y}, 2,
                     fuzzed_time, how, err));
    OB_TRY(ob_measurement_compute(
        ob_measurements_at(how->list, ob_measurements_count(how->list) - 1), &stats, err));
    *median_s = stats.median;
    return OB_OK;
}

#endif
