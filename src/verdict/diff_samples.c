/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the estimates of two files are estimates of the same: a low quantile of 5 samples is not that of 500.
 */
#include "verdict/diff_int.h"
#include "verdict/unit.h"

#include <math.h>

/* Levels that are this many times apart are of two estimators: 5 samples and 10, 30 and 500, but not 100 and 500. */
static const double APART = 1.5;

/* The mean of what each unit's estimate is taken from. */
static double samples_of(const ob_diff_units *units)
{
    double sum = 0;
    for (size_t i = 0; i < units->count; i++)
        sum += (double)(units->items[i].samples - units->items[i].set_aside);
    return units->count > 0 ? sum / (double)units->count : 0;
}

ob_status ob__diff_note_samples(ob_diff *diff, const ob_diff_side_data *side,
                                const ob_diff_units *a, const ob_diff_units *b, ob_err *err)
{
    const double in_a = samples_of(a), in_b = samples_of(b);
    if (diff->sides_by_record || diff->told_samples == side || in_a <= 0 || in_b <= 0)
        return OB_OK;
    const double ratio = ob__unit_level(in_a) / ob__unit_level(in_b);
    if (fmax(ratio, 1 / ratio) < APART)
        return OB_OK;
    const char *base = diff->sides[0]->name;
    diff->told_samples = side;
    return ob__diff_note(diff, err,
                         "an estimate of %s is from %.0f samples, one of %s from %.0f: a low "
                         "quantile of few samples is higher, so %s looks slower than it is; "
                         "measure both with the same --processes, and -i or --min-time",
                         base, in_a, side->name, in_b, in_a < in_b ? base : side->name);
}
