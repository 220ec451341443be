/* SPDX-License-Identifier: Apache-2.0
 *
 * From samples to what a record states of a pass: times in ms, statistics, the confidence interval of
 * the median, work per second at the median.
 */
#include "run/pass_statistics.h"

#include "run/session_int.h"

#include <math.h>
#include <stdlib.h>

void ob__pass_statistics_fini(ob_pass_statistics *statistics)
{
    for (int i = 0; i < 2; i++) {
        free(statistics->time_ms[i]);
        free(statistics->memory_mib[i]);
    }
    free(statistics->disturbed);
    free(statistics->scratch);
    *statistics = (ob_pass_statistics){0};
}

/* A copy of the series divided by unit (a quotient of whole numbers prints short, a product with 1e-9
 * does not); an empty series is an empty list, not an absent one. */
static bool scale(const ob_series *series, double unit, double **copy, ob_reals *out)
{
    *copy = malloc((series->count + 1) * sizeof **copy);
    if (*copy == NULL)
        return false;
    for (size_t i = 0; i < series->count; i++)
        (*copy)[i] = series->values[i] / unit;
    *out =
        series->count > 0 ? (ob_reals){.items = *copy, .count = series->count} : ob_reals_empty();
    return true;
}

double ob__work_rate(double work, double median_ms)
{
    return work >= 0 && median_ms > 0 ? work / (median_ms * 1e-3) / 1e9 : NAN;
}

static const struct {
    const char *word;
    ob_status (*make)(const double *samples, size_t count, double confidence, ob_interval *out,
                      ob_err *err);
    const char *one, *few; /* why there is no interval, and what helps */
} SOURCES[] = {
    [OB_OVER_SAMPLES] =
        {"samples", ob_interval_from_samples,
         "one sample gives no interval; use --precision 0.02, or -i 10 or more",
         "fewer than 10 samples give no interval; use --precision 0.02, or -i 10 or more"},
    [OB_OVER_BLOCKS] =
        {"samples", ob_interval_from_samples,
         "one block gives no interval; use a larger --min-run-time, without --number",
         "fewer than 10 blocks give no interval; use a larger --min-run-time"},
    [OB_OVER_PROCESSES] =
        {"processes", ob_interval_from_processes,
         "one process gives no interval; use --processes 6 or more",
         "fewer than 6 processes give no 95 % interval; use --processes 6 or more"},
    [OB_OVER_PASSES] = {"passes", ob_interval_from_processes,
                        "one pass gives no interval; use -i 6 or more",
                        "fewer than 6 passes give no 95 % interval; use -i 6 or more"},
};

ob_status ob__fill_interval(ob_reals times_ms, ob_interval_source source, ob_record_pass *pass,
                            ob_err *err)
{
    ob_interval *interval = &pass->interval_ms;
    const size_t least = SOURCES[source].make == ob_interval_from_samples
                             ? (size_t)OB_MIN_SAMPLES
                             : (size_t)OB_MIN_PROCESSES;
    OB_TRY(SOURCES[source].make(times_ms.items, times_ms.count, 0, interval, err));
    pass->interval_over = SOURCES[source].word;
    pass->no_interval = interval->enough      ? NULL
                        : times_ms.count == 1 ? SOURCES[source].one
                        : times_ms.count < least
                            ? SOURCES[source].few
                            : "the samples are too strongly correlated to give an interval; "
                              "measure longer, with more warm-up";
    return OB_OK;
}

ob_status ob__fill_pass(const ob_pass_samples *samples, const ob_pass_facts *facts,
                        ob_pass_statistics *statistics, ob_record_pass *pass, ob_err *err)
{
    static const double MS = 1e6, MIB = 1048576;
    if (!scale(&samples->warmup_ns, MS, &statistics->time_ms[0], &pass->warmup_time_ms) ||
        !scale(&samples->measure_ns, MS, &statistics->time_ms[1], &pass->measure_time_ms) ||
        !scale(&samples->warmup_peak_bytes, MIB, &statistics->memory_mib[0],
               &pass->warmup_memory_mib) ||
        !scale(&samples->measure_peak_bytes, MIB, &statistics->memory_mib[1],
               &pass->measure_memory_mib))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the samples");
    if (facts->disturbed_by != NULL) {
        if (!scale(&samples->disturbed, 1, &statistics->disturbed, &pass->disturbed))
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the samples");
        pass->disturbed_by = facts->disturbed_by;
    }
    const size_t count = samples->measure_ns.count;
    double peak = 0;
    for (size_t i = 0; i < samples->measure_peak_bytes.count; i++)
        peak = samples->measure_peak_bytes.values[i] > peak ? samples->measure_peak_bytes.values[i]
                                                            : peak;
    pass->allocator_peak_bytes = (uint64_t)peak;
    const ob_cost *cost = facts->cost;
    if (cost != NULL && cost->flops >= 0)
        pass->flops = cost->flops;
    if (cost != NULL && cost->read_bytes >= 0 && cost->write_bytes >= 0)
        pass->bytes = cost->read_bytes + cost->write_bytes;
    if (count == 0)
        return OB_OK;
    statistics->scratch = malloc(count * sizeof *statistics->scratch);
    if (statistics->scratch == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the statistics");
    OB_TRY(
        ob_stats_compute(statistics->time_ms[1], count, statistics->scratch, &pass->time_ms, err));
    OB_TRY(ob__fill_interval(pass->measure_time_ms, facts->source, pass, err));
    pass->gflops_per_s = ob__work_rate(pass->flops, pass->time_ms.median);
    pass->gb_per_s = ob__work_rate(pass->bytes, pass->time_ms.median);
    return OB_OK;
}

ob_status ob__fill_raw_times(const ob_exec_result *samples, double **copy, ob_record_result *r,
                             ob_err *err)
{
    const uint64_t number = samples->number_per_run > 0 ? samples->number_per_run : 1;
    const ob_series *times = &samples->forward.measure_ns;
    r->number_per_run = (int64_t)samples->number_per_run;
    if (!scale(times, 1, copy, &r->raw_times_s))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the samples");
    /* The block's whole nanoseconds first, which are exact. */
    for (size_t i = 0; i < times->count; i++)
        (*copy)[i] = times->values[i] * (double)number / 1e9;
    return OB_OK;
}

ob_status ob__fill_unfinished(const ob_exec_result *samples, ob_unfinished *statistics,
                              ob_record_result *r, ob_err *err)
{
    const ob_pass_samples *f = &samples->forward, *b = &samples->backward;
    if (f->warmup_ns.count == 0 && f->measure_ns.count == 0)
        return OB_OK;
    const ob_pass_facts facts = {.cost = NULL};
    OB_TRY(ob__fill_pass(f, &facts, &statistics->forward, &r->forward, err));
    if (b->warmup_ns.count > 0 || b->measure_ns.count > 0)
        OB_TRY(ob__fill_pass(b, &facts, &statistics->backward, &r->backward, err));
    return f->measure_ns.count > 0 && samples->number_per_run > 0
               ? ob__fill_raw_times(samples, &statistics->raw_times_s, r, err)
               : OB_OK;
}

void ob__unfinished_fini(ob_unfinished *statistics)
{
    ob__pass_statistics_fini(&statistics->forward);
    ob__pass_statistics_fini(&statistics->backward);
    free(statistics->raw_times_s);
    statistics->raw_times_s = NULL;
}

ob_status ob__fill_pass_statistics(ob_session *s, ob_record *record, ob_err *err)
{
    ob_record_result *r = &record->result;
    const ob_series *times = &s->samples.forward.measure_ns;
    if (times->count == 0 && s->samples.forward.warmup_ns.count == 0)
        return OB_OK; /* no iteration was asked for: PARAM's metric is empty then */
    /* The Timer's pairs of forward and backward are neither of the two. */
    if (s->options.timer.method != NULL && s->setup.has_backward)
        return ob__fill_raw_times(&s->samples, &s->raw_times_s, r, err);
    const ob_interval_source source = s->made != NULL                   ? OB_OVER_PASSES
                                      : s->options.timer.method != NULL ? OB_OVER_BLOCKS
                                                                        : OB_OVER_SAMPLES;
    const ob_pass_facts forward = {
        .cost = &s->setup.cost, .source = source, .disturbed_by = s->samples.disturbed_by};
    OB_TRY(ob__fill_pass(&s->samples.forward, &forward, &s->forward, &r->forward, err));
    if (s->setup.has_backward) {
        const ob_pass_facts backward = {
            .cost = s->setup.backward.graph != NULL ? &s->setup.backward_cost : NULL,
            .disturbed_by = s->samples.disturbed_by};
        OB_TRY(ob__fill_pass(&s->samples.backward, &backward, &s->backward, &r->backward, err));
    }
    r->cache_how = s->samples.cache[0] != '\0' ? s->samples.cache : NULL;
    return ob__fill_raw_times(&s->samples, &s->raw_times_s, r, err);
}
