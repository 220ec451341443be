/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples of one process share its buffers' places and its libraries' choices, so they say little about
 * the next process. The merged record keeps all of them; its median is that of the processes' medians, and so is
 * its confidence interval.
 */
#include "run/merge.h"
#include "run/roof.h"

#include "run/pass_statistics.h"
#include "run/record_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MERGED_SERIES = 8 };

static ob_series *const *series_of(ob_merged_pass *pass, ob_series *out[MERGED_SERIES])
{
    out[0] = &pass->warmup_time_ms;
    out[1] = &pass->warmup_memory_mib;
    out[2] = &pass->measure_time_ms;
    out[3] = &pass->measure_memory_mib;
    out[4] = &pass->medians_ms;
    out[5] = &pass->scratch;
    out[6] = &pass->disturbed;
    out[7] = &pass->process_samples;
    return out;
}

static void reset_pass(ob_merged_pass *pass)
{
    ob_series *all[MERGED_SERIES];
    series_of(pass, all);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]->count = 0;
    pass->allocator_peak_bytes = 0;
    pass->present = pass->undisturbed_unknown = false;
    pass->disturbed_by = NULL;
}

void ob__merge_reset(ob_merge *merge)
{
    reset_pass(&merge->forward);
    reset_pass(&merge->backward);
    merge->raw_times_s.count = 0;
    merge->processes = merge->process_peak_bytes = 0;
    merge->number_per_run = 0;
    merge->gave_up = false;
    merge->seconds = 0;
}

static void fini_pass(ob_merged_pass *pass)
{
    ob_series *all[MERGED_SERIES];
    series_of(pass, all);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ob__series_fini(all[i]);
}

void ob__merge_fini(ob_merge *merge)
{
    fini_pass(&merge->forward);
    fini_pass(&merge->backward);
    ob__series_fini(&merge->raw_times_s);
}

/* ---- adding ---- */

static bool append(ob_series *series, ob_reals values, double factor)
{
    if (!ob__series_reserve(series, values.count))
        return false;
    for (size_t i = 0; i < values.count; i++)
        series->values[series->count++] = factor == 1 ? values.items[i] : values.items[i] * factor;
    return true;
}

/* Known of all processes, or not at all. What is no index of the process's samples, a worker made up. Before the samples
 * themselves. */
static bool add_disturbed(ob_merged_pass *to, const ob_record_pass *pass)
{
    static const char *const SOURCES[] = {"getrusage", "perf_event"}; /* the weaker first */
    const char *source = NULL;
    const double before = (double)to->measure_time_ms.count;
    const double count = (double)pass->measure_time_ms.count;
    const ob_reals own = {.items = &count, .count = 1}, *disturbed = &pass->disturbed;
    for (size_t i = 0; pass->disturbed_by != NULL && i < sizeof SOURCES / sizeof *SOURCES; i++)
        if (strcmp(SOURCES[i], pass->disturbed_by) == 0)
            source = SOURCES[i];
    to->undisturbed_unknown = to->undisturbed_unknown || source == NULL;
    if (source != NULL && to->disturbed_by != SOURCES[0])
        to->disturbed_by = source;
    if (!append(&to->process_samples, own, 1) ||
        !ob__series_reserve(&to->disturbed, disturbed->count))
        return false;
    for (size_t i = 0; i < disturbed->count; i++) {
        const double index = disturbed->items[i];
        if (index >= 0 && index < count && index == floor(index))
            to->disturbed.values[to->disturbed.count++] = before + index;
    }
    return true;
}

static bool add_pass(ob_merged_pass *to, const ob_record_pass *pass)
{
    if (pass->measure_time_ms.items == NULL)
        return true;
    if (!add_disturbed(to, pass))
        return false;
    to->present = true;
    if (pass->allocator_peak_bytes > to->allocator_peak_bytes)
        to->allocator_peak_bytes = pass->allocator_peak_bytes;
    const ob_reals median = {.items = &pass->time_ms.median, .count = pass->time_ms.count > 0};
    return append(&to->warmup_time_ms, pass->warmup_time_ms, 1) &&
           append(&to->warmup_memory_mib, pass->warmup_memory_mib, 1) &&
           append(&to->measure_time_ms, pass->measure_time_ms, 1) &&
           append(&to->measure_memory_mib, pass->measure_memory_mib, 1) &&
           append(&to->medians_ms, median, 1);
}

ob_status ob__merge_add(ob_merge *merge, const ob_record_result *r, ob_err *err)
{
    if (merge->processes++ == 0)
        merge->number_per_run = r->number_per_run;
    /* Blocks of estimated length differ from process to process; the record has one length for all. */
    const bool same = r->number_per_run == merge->number_per_run || r->number_per_run <= 0;
    const double factor = same ? 1 : (double)merge->number_per_run / (double)r->number_per_run;
    if (!add_pass(&merge->forward, &r->forward) || !add_pass(&merge->backward, &r->backward) ||
        !append(&merge->raw_times_s, r->raw_times_s, factor))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the samples of the processes");
    if (r->process_peak_bytes > merge->process_peak_bytes)
        merge->process_peak_bytes = r->process_peak_bytes;
    if (r->seconds > 0)
        merge->seconds += r->seconds;
    merge->gave_up =
        merge->gave_up || (r->stop_verdict != NULL && strcmp(r->stop_verdict, "done") != 0);
    return OB_OK;
}

/* ---- finishing ---- */

static ob_reals as_reals(const ob_series *series)
{
    return series->count > 0 ? (ob_reals){.items = series->values, .count = series->count}
                             : ob_reals_empty();
}

static void show_lists(const ob_merged_pass *from, ob_record_pass *pass)
{
    pass->warmup_time_ms = as_reals(&from->warmup_time_ms);
    pass->warmup_memory_mib = as_reals(&from->warmup_memory_mib);
    pass->measure_time_ms = as_reals(&from->measure_time_ms);
    pass->measure_memory_mib = as_reals(&from->measure_memory_mib);
    pass->process_samples = as_reals(&from->process_samples);
    pass->disturbed_by = from->undisturbed_unknown ? NULL : from->disturbed_by;
    pass->disturbed =
        pass->disturbed_by != NULL ? as_reals(&from->disturbed) : (ob_reals){.items = NULL};
}

void ob__merge_show(const ob_merge *merge, ob_record_pass *forward, ob_record_pass *backward)
{
    if (merge->forward.present)
        show_lists(&merge->forward, forward);
    if (merge->backward.present)
        show_lists(&merge->backward, backward);
}

static ob_status finish_pass(ob_merged_pass *from, ob_record_pass *pass, ob_err *err)
{
    const size_t count = from->measure_time_ms.count;
    if (!from->present)
        return OB_OK;
    show_lists(from, pass);
    pass->allocator_peak_bytes = from->allocator_peak_bytes;
    if (count == 0)
        return OB_OK;
    if (!ob__series_reserve(&from->scratch, count))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the statistics");
    OB_TRY(ob_stats_compute(from->measure_time_ms.values, count, from->scratch.values,
                            &pass->time_ms, err));
    OB_TRY(ob__fill_interval(as_reals(&from->medians_ms), OB_OVER_PROCESSES, pass, err));
    pass->time_ms.median = pass->interval_ms.median;
    pass->gflops_per_s = ob__work_rate(pass->flops, pass->time_ms.median);
    pass->gb_per_s = ob__work_rate(pass->bytes, pass->time_ms.median);
    ob__share_attainable(pass);
    return OB_OK;
}

/* The record is that of the last process, which reached what an earlier one did not. */
static void warn_of_another(ob_merge *merge, ob_record_result *r)
{
    size_t count = 0;
    for (; count < r->warnings.count && count < OB_MOST_WARNINGS; count++)
        merge->warnings[count] = r->warnings.items[count];
    merge->warnings[count++] =
        r->stop_rule != NULL && strcmp(r->stop_rule, "min_time") == 0
            ? "one of the processes took the most samples that a record holds before --min-time "
              "had passed; " OB_CURE_OF_MANY_SAMPLES
            : "--precision was not reached within its time limit in one of the "
              "processes; ask for less, or use a quieter machine";
    r->warnings = (ob_strings){.items = merge->warnings, .count = count};
}

ob_status ob__merge_finish(ob_merge *merge, ob_record_result *r, ob_err *err)
{
    OB_TRY(finish_pass(&merge->forward, &r->forward, err));
    OB_TRY(finish_pass(&merge->backward, &r->backward, err));
    r->raw_times_s = as_reals(&merge->raw_times_s);
    r->number_per_run = merge->number_per_run;
    r->processes = (int64_t)merge->processes;
    r->process_peak_bytes = merge->process_peak_bytes;
    r->seconds = merge->seconds;
    if (merge->gave_up && (r->stop_verdict == NULL || strcmp(r->stop_verdict, "done") == 0))
        warn_of_another(merge, r);
    if (merge->gave_up)
        r->stop_verdict = "gave up";
    return OB_OK;
}
