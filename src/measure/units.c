/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of time and rounding to significant figures. Both go through single precision because the original
 * does: which side of a power of ten a value falls on, and the last digits of a trimmed value, depend
 * on it.
 */
#include "measure/units.h"

#include "opbench/measurement.h"

#include <math.h>
#include <string.h>

static const ob_time_unit UNITS[] = {
#define UNIT(id, symbol_text, english_text, seconds)                                               \
    {.symbol = symbol_text, .english = english_text, .scale = seconds},
    OB_TIME_UNIT_MAP(UNIT)
#undef UNIT
};
enum { UNIT_COUNT = sizeof UNITS / sizeof *UNITS };

double ob__log10_single(double x)
{
    const float single = (float)x;
    if (!(single > 0) || isinf(single))
        return log10(x);
    return (double)(float)log10((double)single);
}

const ob_time_unit *ob_time_unit_select(double seconds)
{
    if (!(seconds > 0) || isinf(seconds))
        return NULL;
    /* -3 is ns; the original takes seconds below that too, and so shows 0.00. */
    const double thousands = floor(ob__log10_single(seconds) / 3) + 3;
    return &UNITS[thousands < 0                    ? 0
                  : thousands < (double)UNIT_COUNT ? (size_t)thousands
                                                   : UNIT_COUNT - 1];
}

const ob_time_unit *ob_time_unit_find(const char *symbol)
{
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (strcmp(UNITS[i].symbol, symbol) == 0)
            return &UNITS[i];
    return NULL;
}

double ob_trim_figures(double value, int figures)
{
    if (value == 0 || !isfinite(value))
        return value;
    const double magnitude = ceil(ob__log10_single(fabs(value)));
    const double scale = pow(10, magnitude - figures);
    const float rounded = rintf((float)(value / scale)) * (float)scale;
    /* What single precision cannot hold is rounded in double. */
    return isnormal(rounded) ? (double)rounded : rint(value / scale) * scale;
}
