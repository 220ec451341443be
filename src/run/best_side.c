/* SPDX-License-Identifier: Apache-2.0
 *
 * The fastest of several sides. Sides took turns with the first one, so the ratios to it tell them apart better than
 * their times do.
 */
#include "run/best_side.h"

#include <math.h>

static bool has_times(const ob_record_pass *pass)
{
    return pass != NULL && pass->measure_time_ms.count > 0 && !isnan(pass->time_ms.median);
}

static size_t find_fastest(const ob_record_pass *const *passes, size_t count)
{
    size_t fastest = count;
    for (size_t i = 0; i < count; i++)
        if (has_times(passes[i]) &&
            (fastest == count || passes[i]->time_ms.median < passes[fastest]->time_ms.median))
            fastest = i;
    return fastest;
}

size_t ob__best_side(const ob_record_pass *const *passes, size_t count)
{
    static const ob_record_ratio FIRST = {.value = 1, .low = 1, .high = 1};
    const size_t best = find_fastest(passes, count);
    size_t others = 0;
    if (best == count || !has_times(passes[0]))
        return count;
    const ob_record_ratio *own = best == 0 ? &FIRST : &passes[best]->ratio;
    for (size_t i = 0; i < count; i++) {
        if (i == best || !has_times(passes[i]))
            continue;
        const ob_record_ratio *other = i == 0 ? &FIRST : &passes[i]->ratio;
        if (!(own->high < other->low)) /* also where there is no interval */
            return count;
        others++;
    }
    return others > 0 ? best : count;
}
