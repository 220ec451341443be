/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing and reading the log of samples. A count is stored behind the values it counts, so a reader
 * never sees a value that is not written.
 */
#include "run/sample_log.h"

#include <math.h>

void ob__sample_log_reset(ob_sample_log *log)
{
    ob_logged_series *const all[] = {&log->forward_warmup, &log->forward, &log->backward_warmup,
                                     &log->backward};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        atomic_store_explicit(&all[i]->count, 0, memory_order_release);
    atomic_store_explicit(&log->number_per_run, 0, memory_order_release);
}

static void take(ob_logged_series *to, const ob_series *from)
{
    uint64_t count = atomic_load_explicit(&to->count, memory_order_relaxed);
    if (count == from->count || count >= OB_LOGGED_SAMPLES)
        return;
    while (count < from->count && count < OB_LOGGED_SAMPLES) {
        to->values[count] = from->values[count];
        count++;
    }
    atomic_store_explicit(&to->count, count, memory_order_release);
}

void ob__sample_log_take(ob_sample_log *log, const ob_exec_result *result)
{
    take(&log->forward_warmup, &result->forward.warmup_ns);
    take(&log->forward, &result->forward.measure_ns);
    take(&log->backward_warmup, &result->backward.warmup_ns);
    take(&log->backward, &result->backward.measure_ns);
    atomic_store_explicit(&log->number_per_run, result->number_per_run, memory_order_release);
}

/* Up to the first number that cannot be a time. */
static bool read_series(const ob_logged_series *from, ob_series *to)
{
    uint64_t count = atomic_load_explicit(&from->count, memory_order_acquire);
    count = count < OB_LOGGED_SAMPLES ? count : OB_LOGGED_SAMPLES;
    if (!ob__series_reserve(to, count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const double value = from->values[i];
        if (!(fabs(value) < 1e18))
            break;
        to->values[to->count++] = value;
    }
    return true;
}

ob_status ob__sample_log_read(const ob_sample_log *log, ob_exec_result *out, ob_err *err)
{
    const uint64_t number = atomic_load_explicit(&log->number_per_run, memory_order_acquire);
    *out = (ob_exec_result){.cache = "", .number_per_run = number < INT64_MAX ? number : 0};
    if (read_series(&log->forward_warmup, &out->forward.warmup_ns) &&
        read_series(&log->forward, &out->forward.measure_ns) &&
        read_series(&log->backward_warmup, &out->backward.warmup_ns) &&
        read_series(&log->backward, &out->backward.measure_ns))
        return OB_OK;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the samples");
}
