/* SPDX-License-Identifier: Apache-2.0 */
#include "report/log_axis.h"

#include <math.h>
#include <stdio.h>

bool ob__axis_takes(double value)
{
    return value >= OB_LOG_AXIS_LEAST && value <= OB_LOG_AXIS_MOST;
}

static double within(double value)
{
    return fmin(fmax(value, OB_LOG_AXIS_LEAST), OB_LOG_AXIS_MOST);
}

ob_log_axis ob__axis_over(double least, double most, double start, double stop)
{
    const double low = floor(log10(within(least)) + 1e-9), high = ceil(log10(within(most)) - 1e-9);
    return (ob_log_axis){.low = pow(10, low),
                         .high = pow(10, high > low ? high : low + 1),
                         .start = start,
                         .stop = stop};
}

double ob__axis_place(const ob_log_axis *axis, double value)
{
    const double share = log(value / axis->low) / log(axis->high / axis->low);
    return axis->start + share * (axis->stop - axis->start);
}

double ob__axis_value(const ob_log_axis *axis, double place)
{
    const double share = (place - axis->start) / (axis->stop - axis->start);
    return axis->low * pow(axis->high / axis->low, share);
}

size_t ob__axis_ticks(const ob_log_axis *axis, double *ticks, size_t room)
{
    const int first = (int)lround(log10(axis->low)), last = (int)lround(log10(axis->high));
    const int step = 1 + (last - first) / (int)room;
    size_t count = 0;
    for (int i = first; i <= last && count < room; i += step)
        ticks[count++] = pow(10, i);
    return count;
}

char *ob__axis_label(double tick, char *out)
{
    static const char *const SUFFIXES[] = {"", "k", "M", "G", "T"};
    size_t i = 0;
    for (; tick >= 999.5 && i + 1 < sizeof SUFFIXES / sizeof *SUFFIXES; i++)
        tick /= 1000;
    if (tick >= 0.5) {
        snprintf(out, 16, "%.0f%s", tick, SUFFIXES[i]);
        return out;
    }
    /* "0.001" by digits: a locale's comma does not come in. */
    const int zeros = (int)lround(-log10(tick)) - 1;
    snprintf(out, 16, "0.%.*s1", zeros < 12 ? zeros : 12, "000000000000");
    return out;
}
