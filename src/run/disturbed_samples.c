/* SPDX-License-Identifier: Apache-2.0
 *
 * Switches count at once. Faults wait for the end of the pass, since an operator that takes memory from the system in each
 * iteration has them always.
 */
#include "run/disturbed_samples.h"

#include "opbench/measure.h"

#include <stdlib.h>

static bool put(ob_series *series, double value)
{
    if (!ob__series_reserve(series, 1))
        return false;
    series->values[series->count++] = value;
    return true;
}

bool ob__disturbed_note(ob_pass_samples *samples, ob_disturbed seen)
{
    const double index = (double)samples->measure_ns.count - 1;
    return (!seen.switched || put(&samples->disturbed, index)) &&
           (seen.faults == 0 ||
            (put(&samples->faulted, index) && put(&samples->faults, (double)seen.faults)));
}

bool ob__disturbed_last(const ob_pass_samples *samples)
{
    const ob_series *disturbed = &samples->disturbed;
    return disturbed->count > 0 &&
           disturbed->values[disturbed->count - 1] == (double)samples->measure_ns.count - 1;
}

/* The lower median over all samples; those that are not in the list have none. */
static bool usual_faults(const ob_pass_samples *samples, double *out)
{
    const size_t all = samples->measure_ns.count, some = samples->faults.count;
    const size_t without = all - some, middle = (all - 1) / 2;
    ob_series sorted = {0};
    *out = 0;
    if (middle < without)
        return true;
    if (!ob__series_reserve(&sorted, some))
        return false;
    for (size_t i = 0; i < some; i++)
        sorted.values[i] = samples->faults.values[i];
    ob_stats_sort(sorted.values, some);
    *out = sorted.values[middle - without];
    ob__series_fini(&sorted);
    return true;
}

bool ob__disturbed_settle(ob_pass_samples *samples)
{
    const ob_series *faulted = &samples->faulted;
    double usual;
    size_t added = 0;
    if (faulted->count == 0)
        return true;
    if (!usual_faults(samples, &usual) || !ob__series_reserve(&samples->disturbed, faulted->count))
        return false;
    /* Both lists rise; what is in both stays once. */
    ob_series *to = &samples->disturbed;
    const size_t before = to->count;
    for (size_t i = 0, at = 0; i < faulted->count; i++) {
        while (at < before && to->values[at] < faulted->values[i])
            at++;
        const bool known = at < before && to->values[at] == faulted->values[i];
        if (!known && samples->faults.values[i] > usual)
            to->values[before + added++] = faulted->values[i];
    }
    to->count = before + added;
    ob_stats_sort(to->values, to->count);
    return true;
}
