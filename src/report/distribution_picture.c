/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples of one case: how they are spread, and how they came one after the other, so that drift and bursts show.
 */
#include "report/pictures.h"

#include "opbench/measure.h"
#include "opbench/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BINS = 40, LEAST_BINS = 8, TICKS = 4 };

char *ob__picture_time(double ns, char *out, size_t size)
{
    ob_time_format(ns, out, size);
    char *unit = strstr(out, " us");
    if (unit != NULL && (size_t)(unit - out) + 5 < size)
        strcpy(unit, " \302\265s"); /* the micro sign */
    return out;
}

size_t ob__nice_ticks(double low, double high, double *ticks, size_t room)
{
    size_t count = 0;
    if (!(high > low) || room == 0)
        return 0;
    const double rough = (high - low) / (double)room;
    const double power = pow(10, floor(log10(rough)));
    static const double STEPS[] = {1, 2, 5, 10};
    double step = 10 * power;
    for (size_t i = 4; i-- > 0;)
        if (STEPS[i] * power >= rough * (1 - 1e-9))
            step = STEPS[i] * power;
    for (double at = ceil(low / step - 1e-9) * step; at <= high + step * 1e-9 && count < room;
         at += step)
        ticks[count++] = at;
    return count;
}

static double time_of(const ob_distribution *d, size_t i)
{
    return fabs((double)d->samples[d->warmups + i]);
}

void ob__distribution_range(const ob_distribution *d, double *scratch, double *low, double *high)
{
    for (size_t i = 0; i < d->count; i++)
        scratch[i] = time_of(d, i);
    ob_stats_sort(scratch, d->count);
    const double q1 = ob_stats_quantile(scratch, d->count, 0.25);
    const double q3 = ob_stats_quantile(scratch, d->count, 0.75);
    const double fence = q3 + 6 * fmax(q3 - q1, q3 * 0.005);
    *low = scratch[0];
    *high = fmin(scratch[d->count - 1], fence);
    if (!(*high > *low * (1 + 1e-9))) { /* all are equal */
        *low *= 0.99;
        *high = *high > 0 ? *high * 1.01 : 1;
    }
}

static size_t bin_count(const ob_distribution *d)
{
    const double bins = 2 * cbrt((double)d->count) * 1.6;
    return (size_t)fmin(fmax(bins, LEAST_BINS), MOST_BINS);
}

static void draw_time_axis(ob_svg *svg, const ob_box *box, double low, double high)
{
    double ticks[TICKS];
    char label[48];
    const size_t count = ob__nice_ticks(low, high, ticks, TICKS);
    const double bottom = box->y + box->height;
    ob__svg_line(svg, "axis", box->x, bottom, box->x + box->width, bottom);
    for (size_t i = 0; i < count; i++) {
        const double x = box->x + box->width * (ticks[i] - low) / (high - low);
        ob__svg_line(svg, "axis", x, bottom, x, bottom + 4);
        ob__svg_text(svg, "middle faint", x, bottom + 17, 0,
                     ob__picture_time(ticks[i], label, sizeof label));
    }
}

/* Where the median and its interval are, over the whole height or width. */
static void draw_interval(ob_svg *svg, const ob_distribution *d, const ob_box *box, double low,
                          double high)
{
    const double scale = box->width / (high - low);
    const double from = fmax(d->low_ns, low), to = fmin(d->high_ns, high);
    if (!isnan(d->low_ns) && to > from)
        ob__svg_rect(svg, "band c1", box->x + (from - low) * scale, box->y, (to - from) * scale,
                     box->height, "95 % interval of the median");
    if (d->median_ns >= low && d->median_ns <= high) {
        const double x = box->x + (d->median_ns - low) * scale;
        ob__svg_line(svg, "line c1", x, box->y, x, box->y + box->height);
    }
}

void ob__draw_histogram(ob_svg *svg, const ob_distribution *d, const ob_box *box, double *scratch)
{
    double low, high;
    size_t bins[MOST_BINS + 1] = {0}, most = 1;
    const size_t count = bin_count(d);
    const double bottom = box->y + box->height, width = box->width / (double)count;
    char label[96], at[48];
    ob__distribution_range(d, scratch, &low, &high); /* scratch is sorted then */
    for (size_t i = 0; i < d->count; i++) {
        const double place = (scratch[i] - low) / (high - low) * (double)count;
        const size_t bin = scratch[i] > high ? MOST_BINS : (size_t)fmin(place, (double)count - 1);
        bins[bin]++;
        most = bin < MOST_BINS && bins[bin] > most ? bins[bin] : most;
    }
    draw_interval(svg, d, box, low, high);
    ob__svg_path_begin(svg, "bar soft c0");
    for (size_t i = 0; i < count; i++) {
        const double height = box->height * (double)bins[i] / (double)most;
        const double x = box->x + width * (double)i;
        if (bins[i] == 0)
            continue;
        ob__svg_path_to(svg, 'M', x + 0.5, bottom);
        ob__svg_path_to(svg, 'V', 0, bottom - height);
        ob__svg_path_to(svg, 'H', x + width - 0.5, 0);
        ob__svg_path_to(svg, 'V', 0, bottom);
    }
    ob__svg_path_end(svg);
    /* At most 200 steps are told apart. */
    const size_t every = 1 + d->count / 200;
    ob__svg_path_begin(svg, "line c2");
    ob__svg_path_to(svg, 'M', box->x, bottom);
    for (size_t i = 0; i < d->count && scratch[i] <= high; i += every) {
        ob__svg_path_to(svg, 'H', box->x + box->width * (scratch[i] - low) / (high - low), 0);
        ob__svg_path_to(svg, 'V', 0,
                        bottom -
                            box->height * (double)(i + every) / (double)(d->count + every - 1));
    }
    ob__svg_path_to(svg, 'H', box->x + box->width, 0);
    ob__svg_path_end(svg);
    draw_time_axis(svg, box, low, high);
    if (bins[MOST_BINS] > 0) {
        snprintf(label, sizeof label, "%zu beyond, up to %s", bins[MOST_BINS],
                 ob__picture_time(scratch[d->count - 1], at, sizeof at));
        ob__svg_text(svg, "end faint", box->x + box->width, box->y - 4, 0, label);
    }
}

/* ---- time order ---- */

typedef struct plane {
    const ob_box *box;
    double low, high;
    size_t all;
} plane;

static double x_of(const plane *p, size_t i)
{
    return p->box->x + p->box->width * ((double)i + 0.5) / (double)p->all;
}

static double y_of(const plane *p, double ns)
{
    const double share = fmin(fmax((ns - p->low) / (p->high - p->low), 0), 1);
    return p->box->y + p->box->height * (1 - share);
}

static void draw_crosses(ob_svg *svg, const ob_distribution *d, const plane *p)
{
    ob__svg_path_begin(svg, "crosses");
    for (size_t i = d->warmups; i < p->all; i++) {
        const double x = x_of(p, i), y = y_of(p, fabs((double)d->samples[i]));
        if (!signbit(d->samples[i]))
            continue;
        ob__svg_path_to(svg, 'M', x - 3.5, y - 3.5);
        ob__svg_path_to(svg, 'L', x + 3.5, y + 3.5);
        ob__svg_path_to(svg, 'M', x - 3.5, y + 3.5);
        ob__svg_path_to(svg, 'L', x + 3.5, y - 3.5);
    }
    ob__svg_path_end(svg);
}

static void draw_dots(ob_svg *svg, const ob_distribution *d, const plane *p)
{
    ob__svg_path_begin(svg, "dots warm");
    for (size_t i = 0; i < d->warmups; i++)
        ob__svg_path_to(svg, '.', x_of(p, i), y_of(p, (double)d->samples[i]));
    ob__svg_path_end(svg);
    ob__svg_path_begin(svg, "dots c0");
    for (size_t i = d->warmups; i < p->all; i++)
        if (!signbit(d->samples[i]))
            ob__svg_path_to(svg, '.', x_of(p, i), y_of(p, (double)d->samples[i]));
    ob__svg_path_end(svg);
    draw_crosses(svg, d, p);
}

void ob__draw_time_order(ob_svg *svg, const ob_distribution *d, const ob_box *box, double *scratch)
{
    plane p = {.box = box, .all = d->warmups + d->count};
    double ticks[TICKS];
    char label[48];
    ob__distribution_range(d, scratch, &p.low, &p.high);
    const double margin = (p.high - p.low) * 0.06;
    p.low -= margin;
    p.high += margin;
    const size_t count = ob__nice_ticks(p.low, p.high, ticks, TICKS);
    const double right = box->x + box->width, bottom = box->y + box->height;
    if (d->warmups > 0) {
        const double width = box->width * (double)d->warmups / (double)p.all;
        ob__svg_rect(svg, "zone", box->x, box->y, width, box->height, "warm-up");
        ob__svg_text(svg, "faint", box->x, bottom + 17, 0, "warm-up");
    }
    for (size_t i = 0; i < count; i++) {
        const double y = y_of(&p, ticks[i]);
        ob__svg_line(svg, "grid", box->x, y, right, y);
        ob__svg_text(svg, "end faint", box->x - 5, y + 4, 0,
                     ob__picture_time(ticks[i], label, sizeof label));
    }
    if (d->median_ns >= p.low && d->median_ns <= p.high)
        ob__svg_line(svg, "line c1", box->x, y_of(&p, d->median_ns), right, y_of(&p, d->median_ns));
    ob__svg_line(svg, "axis", box->x, bottom, right, bottom);
    draw_dots(svg, d, &p);
    ob__svg_text(svg, "end faint", right, bottom + 17, 0, "in time order");
}
