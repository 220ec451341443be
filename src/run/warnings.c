/* SPDX-License-Identifier: Apache-2.0
 *
 * Warnings of a record. Each says what was seen, and what to do about it. Comparisons are written so
 * that an unknown figure (NaN) is no reason to warn.
 */
#include "run/warnings.h"

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
        warn(w,
             "other processes used %.0f %% of the CPU time; end them, or use --pin with a CPU that "
             "is idle",
             100 * r->noise_foreign);
    if (r->noise_steal > MOST_STEAL)
        warn(w,
             "the hypervisor took %.0f %% of the CPU time away; measure on a machine that is not "
             "shared",
             100 * r->noise_steal);
}

static void warn_of_pass(ob_warnings *w, const ob_record_pass *pass, const char *name,
                         const ob_warning_facts *facts, const char *mode)
{
    const double median_ns = pass->time_ms.median * 1e6;
    if (pass->measure_time_ms.count == 0)
        return;
    if (pass->interval_ms.enough && pass->interval_ms.lag1 > MOST_LAG1)
        warn(w,
             "%s: times drift (neighbouring batches correlate by %.2f), so the interval is too "
             "narrow; measure longer, or with more warm-up",
             name, pass->interval_ms.lag1);
    if (!facts->own_clock && mode != NULL && strcmp(mode, "discrete") == 0 &&
        median_ns < LEAST_READINGS * facts->clock_overhead_ns)
        warn(w,
             "%s: the median of %.0f ns is below %.0f times the %.0f ns that reading the clock "
             "takes; use --exec-mode continuous",
             name, median_ns, LEAST_READINGS, facts->clock_overhead_ns);
}

void ob__warnings_fill(ob_warnings *w, const ob_warning_facts *facts, ob_record_result *r)
{
    w->count = 0;
    if (facts->backward_left_out)
        warn(w, "backward was left out: no input or parameter requires a gradient");
    if (facts->nothing_measured)
        warn(w, "nothing was measured: -i asks for no iteration");
    if (facts->not_checked != NULL)
        warn(w, "the results were not checked: %s", facts->not_checked);
    if (!facts->own_clock)
        warn_of_noise(w, r);
    warn_of_pass(w, &r->forward, "forward", facts, r->mode);
    warn_of_pass(w, &r->backward, "backward", facts, r->mode);
    if (r->fp_mode != NULL)
        warn(w, "a library changed the floating-point mode: %s", r->fp_mode);
    r->warnings = (ob_strings){.items = w->count > 0 ? w->items : NULL, .count = w->count};
}
