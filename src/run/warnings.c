/* SPDX-License-Identifier: Apache-2.0
 *
 * Warnings of a record. Each says what was seen, and what to do about it. Comparisons are written so
 * that an unknown figure (NaN) is no reason to warn.
 */
#include "run/warnings.h"

#include "run/record_fit.h"

#include <stdio.h>
#include <string.h>

/* Share of the CPUs' time in the latest window. Below, it is the usual background of a machine that
 * does nothing else, and the tick of /proc/stat (10 ms of at least 100 ms) is as large. */
static const double MOST_FOREIGN = 0.10, MOST_STEAL = 0.10;
/* Ten independent batches exceed 0.42 in one of 20 cases, so this is no accident. */
static const double MOST_LAG1 = 0.5;
/* A sample holds about one reading of the clock: it may be a hundredth of it. */
static const double LEAST_READINGS = 100;

static void warn(ob_warnings *w, const char *format, ...) OB_PRINTF(2, 3);
static void warn(ob_warnings *w, const char *format, ...)
{
    va_list args;
    if (w->count == OB_MOST_WARNINGS)
        return;
    va_start(args, format);
    vsnprintf(w->texts[w->count], OB_WARNING_BYTES, format, args);
    va_end(args);
    w->items[w->count] = w->texts[w->count];
    w->count++;
}

static void warn_of_noise(ob_warnings *w, const ob_record_result *r)
{
    if (r->noise_foreign > MOST_FOREIGN)
        warn(w, "other processes used %.0f %% of the CPU time; stop them, or --pin to an idle CPU",
             100 * r->noise_foreign);
    if (r->noise_steal > MOST_STEAL)
        warn(w,
             "the hypervisor took %.0f %% of the CPU time; measure on a machine that is not shared",
             100 * r->noise_steal);
}

/* A block would find the cache as its first iteration left it, so a cold cache has no blocks. */
static const char *cure_of_short_samples(const char *mode, const char *cache_state)
{
    static const struct {
        const char *mode, *cure;
    } ROWS[] = {
        {"continuous", "use a larger --block, or more iterations"},
        {"blocked", "use a larger --min-run-time"},
        {"adaptive", "use a larger --min-run-time"},
        {"timeit", "use a larger --number"},
    };
    for (size_t i = 0; mode != NULL && i < sizeof ROWS / sizeof *ROWS; i++)
        if (strcmp(mode, ROWS[i].mode) == 0)
            return ROWS[i].cure;
    if (cache_state != NULL && strcmp(cache_state, "cold") == 0)
        return "use a larger case, or --cache hot";
    return "use --exec-mode continuous";
}

static void warn_of_pass(ob_warnings *w, const ob_record_pass *pass, const char *name,
                         const ob_warning_facts *facts, const ob_record_result *r)
{
    const double median_ns = pass->time_ms.median * 1e6;
    if (pass->measure_time_ms.count == 0)
        return;
    if (pass->interval_ms.enough && pass->interval_ms.lag1 > MOST_LAG1)
        warn(w,
             "%s: times drift (neighbouring batches correlate by %.2f), so the interval may be too "
             "narrow; measure longer, or with more warm-up",
             name, pass->interval_ms.lag1);
    /* A sample is a whole block; its time is given per iteration. */
    const double number = r->number_per_run > 1 ? (double)r->number_per_run : 1;
    if (!facts->own_clock && !facts->own_events &&
        median_ns * number < LEAST_READINGS * facts->clock_overhead_ns)
        warn(w,
             "%s: %s of %.0f ns is below %.0f times the %.0f ns that reading the clock takes; %s",
             name, number > 1 ? "the median block" : "the median", median_ns * number,
             LEAST_READINGS, facts->clock_overhead_ns,
             cure_of_short_samples(r->mode, r->cache_state));
}

/* A limit came before what was asked for: nothing else in the statistics tells of it. */
static void warn_of_stop(ob_warnings *w, const ob_record_result *r)
{
    const bool backward = r->backward.measure_time_ms.count > 0;
    const ob_interval *interval = backward ? &r->backward.interval_ms : &r->forward.interval_ms;
    if (r->stop_verdict == NULL || strcmp(r->stop_verdict, "gave up") != 0)
        return;
    if (r->mode != NULL && strcmp(r->mode, "adaptive") == 0)
        warn(w, "the spread that --max-spread asks for was not reached within --max-run-time; "
                "measure longer, or on a quieter machine");
    else if (r->forward.measure_time_ms.count + r->backward.measure_time_ms.count >=
             OB_MOST_SAMPLES)
        warn(w,
             "%d samples, the most that a record holds, came before what was asked "
             "for; " OB_CURE_OF_MANY_SAMPLES,
             OB_MOST_SAMPLES);
    else if (interval->enough)
        warn(w,
             "--precision was not reached within its time limit: the interval is %.2g of the "
             "median to each side; ask for less, or use a quieter machine",
             interval->relative_half_width);
    else
        warn(w, "--precision was not reached within its time limit, and there are too few samples "
                "for an interval; ask for less, or measure a smaller case");
}

void ob__warnings_fill(ob_warnings *w, const ob_warning_facts *facts, ob_record_result *r)
{
    w->count = 0;
    if (facts->no_backward != NULL)
        warn(w, "the backward pass was left out: %s", facts->no_backward);
    if (facts->schema_difference != NULL && facts->schema_difference[0] != '\0')
        warn(
            w,
            "the config's schema is from another release; only its name and overload were used: %s",
            facts->schema_difference);
    if (facts->nothing_measured)
        warn(w, "nothing was measured: -i asks for no iterations");
    if (facts->not_checked != NULL)
        warn(w, "the results were not checked: %s", facts->not_checked);
    if (!facts->own_clock && r->forward.measure_time_ms.count > 0)
        warn_of_noise(w, r); /* without samples there is nothing that it could have disturbed */
    if (r->cache_reached != NULL && strcmp(r->cache_reached, "memory") != 0)
        warn(w,
             "flushing the cache did not work: a load from flushed data took %.0f ns, one from "
             "memory takes %.0f ns; do not trust the times, or use --cache hot",
             r->cache_load_ns, r->cache_memory_ns);
    warn_of_stop(w, r);
    warn_of_pass(w, &r->forward, "forward", facts, r);
    warn_of_pass(w, &r->backward, "backward", facts, r);
    if (r->fp_mode != NULL)
        warn(w, "a library changed the floating-point mode: %s", r->fp_mode);
    r->warnings = (ob_strings){.items = w->count > 0 ? w->items : NULL, .count = w->count};
}
