/* SPDX-License-Identifier: Apache-2.0
 *
 * Ratios with their intervals: dots beside the line of 1. Bars would start at 0, which no ratio has to do with.
 */
#include "report/pictures.h"

#include <math.h>
#include <stdio.h>

enum { MOST_TICKS = 9 };

ob_log_axis ob__ratio_axis(const ob_ratio_item *items, size_t count, double start, double stop)
{
    double far = log(1.1);
    for (size_t i = 0; i < count; i++) {
        const double ends[] = {items[i].value, items[i].low, items[i].high};
        for (size_t k = 0; k < 3; k++)
            if (ob__axis_takes(ends[k]))
                far = fmax(far, fabs(log(ends[k])));
    }
    far = fmin(far * 1.05, log(1e6));
    return (ob_log_axis){.low = exp(-far), .high = exp(far), .start = start, .stop = stop};
}

/* 1, and round numbers as far from each other as labels need. */
static size_t ticks_of(const ob_log_axis *axis, double ticks[MOST_TICKS])
{
    static const double STEPS[] = {1.02, 1.05, 1.1, 1.2, 1.5, 2, 5, 10, 100, 1000, 100000};
    size_t s = 0, count = 0;
    while (s + 1 < sizeof STEPS / sizeof *STEPS && log(axis->high) / log(STEPS[s]) > 2.9)
        s++;
    for (int i = -4; i <= 4; i++) {
        const double at = pow(STEPS[s], i);
        if (at >= axis->low && at <= axis->high)
            ticks[count++] = at;
    }
    return count;
}

void ob__draw_ratio_grid(ob_svg *svg, const ob_log_axis *axis, double top, double bottom,
                         bool labels)
{
    double ticks[MOST_TICKS];
    char label[32];
    const size_t count = ticks_of(axis, ticks);
    for (size_t i = 0; i < count; i++) {
        const double x = ob__axis_place(axis, ticks[i]);
        ob__svg_line(svg, fabs(ticks[i] - 1) < 1e-9 ? "axis" : "grid", x, top, x, bottom);
        snprintf(label, sizeof label, "%.3g", ticks[i]);
        if (labels)
            ob__svg_text(svg, "middle faint", x, top - 6, 0, label);
    }
}

void ob__draw_ratio(ob_svg *svg, const ob_log_axis *axis, double y, const ob_ratio_item *item)
{
    char class_name[24], title[512];
    const double low = fmax(item->low, axis->low), high = fmin(item->high, axis->high);
    if (!ob__axis_takes(item->value))
        return;
    snprintf(class_name, sizeof class_name, "line c%zu", item->side % OB_SVG_COLOURS);
    if (!isnan(item->low) && high > low)
        ob__svg_line(svg, class_name, ob__axis_place(axis, low), y, ob__axis_place(axis, high), y);
    snprintf(title, sizeof title, "%.300s: %.4g", item->name, item->value);
    const double at = fmin(fmax(item->value, axis->low), axis->high);
    ob__svg_circle(svg, class_name + 5, ob__axis_place(axis, at), y, 4, title);
}
