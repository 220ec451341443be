/* SPDX-License-Identifier: Apache-2.0
 *
 * A value over runs: medians with their intervals in the order of time, and lines where something changed.
 */
#include "report/pictures.h"

#include <math.h>
#include <stdio.h>

enum { TICKS = 5 };

static void find_range(const ob_series_point *points, size_t count, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (isnan(points[i].value))
            continue;
        *low = fmin(*low, fmin(points[i].value, isnan(points[i].low) ? INFINITY : points[i].low));
        *high =
            fmax(*high, fmax(points[i].value, isnan(points[i].high) ? -INFINITY : points[i].high));
    }
    const double margin = fmax((*high - *low) * 0.08, *high * 0.01);
    *low = fmax(*low - margin, 0);
    *high += margin;
}

typedef struct plane {
    const ob_box *box;
    double low, high;
    size_t count;
} plane;

static double x_of(const plane *p, size_t i)
{
    return p->box->x + p->box->width * ((double)i + 0.5) / (double)p->count;
}

static double y_of(const plane *p, double value)
{
    return p->box->y + p->box->height * (1 - (value - p->low) / (p->high - p->low));
}

static void draw_axes(ob_svg *svg, const plane *p, const ob_series_point *points)
{
    double ticks[TICKS];
    char label[48];
    const double right = p->box->x + p->box->width, bottom = p->box->y + p->box->height;
    const size_t count = ob__nice_ticks(p->low, p->high, ticks, TICKS);
    for (size_t i = 0; i < count; i++) {
        const double y = y_of(p, ticks[i]);
        ob__svg_line(svg, "grid", p->box->x, y, right, y);
        ob__svg_text(svg, "end faint", p->box->x - 5, y + 4, 0,
                     ob__picture_time(ticks[i], label, sizeof label));
    }
    ob__svg_line(svg, "axis", p->box->x, bottom, right, bottom);
    ob__svg_text(svg, "faint", p->box->x, bottom + 17, 0, points[0].label);
    if (p->count > 1)
        ob__svg_text(svg, "end faint", right, bottom + 17, 0, points[p->count - 1].label);
}

void ob__draw_series(ob_svg *svg, const ob_series_point *points, size_t count, const ob_box *box)
{
    plane p = {.box = box, .count = count};
    char title[256], time[48];
    find_range(points, count, &p.low, &p.high);
    if (count == 0 || !(p.high > p.low))
        return;
    draw_axes(svg, &p, points);
    for (size_t i = 0; i < count; i++) {
        const double x = x_of(&p, i);
        if (points[i].mark == NULL)
            continue;
        const double between = x - p.box->width / (double)count / 2;
        ob__svg_line(svg, points[i].step ? "line c1" : "inner", between, box->y, between,
                     box->y + box->height);
        ob__svg_text(svg, points[i].step ? "" : "faint", between - 1, box->y - 4, 0,
                     points[i].mark);
    }
    ob__svg_path_begin(svg, "line soft c0");
    char command = 'M';
    for (size_t i = 0; i < count; i++) {
        if (isnan(points[i].value))
            continue;
        ob__svg_path_to(svg, command, x_of(&p, i), y_of(&p, points[i].value));
        command = 'L';
    }
    ob__svg_path_end(svg);
    for (size_t i = 0; i < count; i++) {
        const double x = x_of(&p, i);
        if (isnan(points[i].value))
            continue;
        if (!isnan(points[i].low))
            ob__svg_line(svg, "line c0", x, y_of(&p, points[i].low), x, y_of(&p, points[i].high));
        snprintf(title, sizeof title, "%.160s: %s", points[i].label,
                 ob__picture_time(points[i].value, time, sizeof time));
        ob__svg_circle(svg, "c0", x, y_of(&p, points[i].value), 3, title);
    }
}
