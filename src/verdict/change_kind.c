/* SPDX-License-Identifier: Apache-2.0
 *
 * What kind of change a split is: of the level, of the spread, or none, because the values move little by little.
 */
#include "verdict/change_int.h"

#include "opbench/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FEWER_OUTLIERS = 3; /* spreads from the level that a value may be away */
/* What each number that is chosen more is worth, in logarithms of how many values there are: Bayes' criterion has 1. A
 * step on a slope needs more: its place was chosen as well. */
static const double LEVEL_MARGIN = 2.5, SLOPE_MARGIN = 3.5;

double ob__median_of(const double *values, size_t count, double *scratch)
{
    memcpy(scratch, values, count * sizeof *scratch);
    ob_stats_sort(scratch, count);
    return ob_stats_quantile(scratch, count, 0.5);
}

double ob__spread_of(const double *values, size_t count, double *scratch)
{
    const double median = ob__median_of(values, count, scratch);
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(values[i] - median);
    ob_stats_sort(scratch, count);
    return 1.4826 * ob_stats_quantile(scratch, count, 0.5);
}

/* ---- Brunner and Munzel ---- */

/* Mid-ranks of the values of `sorted` whose place is in [first, end), among these; added to rank[place] times sign. */
static void add_ranks(const ob_placed *sorted, size_t count, size_t first, size_t end, double sign,
                      double *rank)
{
    size_t before = 0;
    for (size_t i = 0, next; i < count; i = next) {
        size_t among = 0;
        for (next = i; next < count && sorted[next].value <= sorted[i].value; next++)
            among += sorted[next].place >= first && sorted[next].place < end;
        const double middle = (double)before + ((double)among + 1) / 2;
        for (size_t k = i; k < next; k++)
            if (sorted[k].place >= first && sorted[k].place < end)
                rank[sorted[k].place] += sign * middle;
        before += among;
    }
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

static double variance_of(const double *values, size_t count)
{
    const double mean = mean_of(values, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum / (double)(count - 1);
}

/* The values are in room->sorted, a's places before b's. */
static bool is_apart(size_t a_count, size_t b_count, double p, ob_change_room *room)
{
    const size_t count = a_count + b_count;
    const double a = (double)a_count, b = (double)b_count;
    double *placement = room->rank;
    ob__sort_placed(room, count);
    memset(placement, 0, count * sizeof *placement);
    add_ranks(room->sorted, count, 0, count, 1, placement);
    add_ranks(room->sorted, count, 0, a_count, -1, placement);
    add_ranks(room->sorted, count, a_count, count, -1, placement);
    /* Now how many of the others are below each. */
    const double share = mean_of(placement + a_count, b_count) / a; /* 0.5: neither is larger */
    const double a_part = variance_of(placement, a_count) / a / (b * b);
    const double b_part = variance_of(placement + a_count, b_count) / b / (a * a);
    const double distance = fabs(share - 0.5);
    if (!(a_part + b_part > 0))
        return distance > 0; /* no value of one is among those of the other */
    const double degrees = (a_part + b_part) * (a_part + b_part) /
                           (a_part * a_part / (a - 1) + b_part * b_part / (b - 1));
    return distance / sqrt(a_part + b_part) >= ob_student_t_quantile(1 - p / 2, degrees);
}

bool ob__levels_differ(const double *a, size_t a_count, const double *b, size_t b_count, double p,
                       ob_change_room *room)
{
    for (size_t i = 0; i < a_count; i++)
        room->sorted[i] = (ob_placed){.value = a[i], .place = i};
    for (size_t i = 0; i < b_count; i++)
        room->sorted[a_count + i] = (ob_placed){.value = b[i], .place = a_count + i};
    return is_apart(a_count, b_count, p, room);
}

bool ob__spreads_differ(const double *a, size_t a_count, const double *b, size_t b_count, double p,
                        ob_change_room *room)
{
    const double a_median = ob__median_of(a, a_count, room->one);
    const double b_median = ob__median_of(b, b_count, room->one);
    for (size_t i = 0; i < a_count; i++)
        room->sorted[i] = (ob_placed){.value = fabs(a[i] - a_median), .place = i};
    for (size_t i = 0; i < b_count; i++)
        room->sorted[a_count + i] =
            (ob_placed){.value = fabs(b[i] - b_median), .place = a_count + i};
    return is_apart(a_count, b_count, p, room);
}

/* ---- steps and lines ---- */

/* Copies values; outliers come near. */
static void tame(const double *values, size_t count, double *out, double *scratch)
{
    const double median = ob__median_of(values, count, scratch);
    const double reach = FEWER_OUTLIERS * ob__spread_of(values, count, scratch);
    for (size_t i = 0; i < count; i++)
        out[i] = fmin(fmax(values[i], median - reach), median + reach);
}

/* Sums of squares and products around the means, of values and their indices. */
typedef struct moments {
    double values, places, both;
} moments;

static moments moments_of(const double *values, size_t count)
{
    const double mean = mean_of(values, count), middle = (double)(count - 1) / 2;
    moments m = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const double v = values[i] - mean, t = (double)i - middle;
        m.values += v * v;
        m.places += t * t;
        m.both += v * t;
    }
    return m;
}

static double left_over(moments m)
{
    return m.places > 0 ? m.values - m.both * m.both / m.places : m.values;
}

double ob__steps_beat_line(const double *values, const size_t *points, size_t count,
                           ob_change_room *room)
{
    const size_t first = points[0], size = points[count - 1] - first;
    const double n = (double)size, steps = (double)(count - 2);
    double *tamed = room->two;
    moments sides = {0, 0, 0};
    for (size_t i = 0; i + 1 < count; i++) {
        double *side = tamed + (points[i] - first);
        const size_t length = points[i + 1] - points[i];
        tame(values + points[i], length, side, room->one);
        const moments m = moments_of(side, length);
        sides = (moments){sides.values + m.values, sides.places + m.places, sides.both + m.both};
    }
    const double line = left_over(moments_of(tamed, size));
    const double levels = sides.values, slopes = left_over(sides);
    if (!(line > 0))
        return -1;
    if (!(slopes > 0) || !(levels > 0))
        return n;
    const double flat = n * log(line / levels) - LEVEL_MARGIN * (2 * steps - 1) * log(n);
    if (count > 3)
        return flat;
    return fmax(flat, n * log(line / slopes) - SLOPE_MARGIN * log(n));
}

/* What the line through tamed values leaves, in their place. */
static void take_line_off(double *tamed, size_t count)
{
    const moments m = moments_of(tamed, count);
    const double mean = mean_of(tamed, count), middle = (double)(count - 1) / 2;
    const double slope = m.places > 0 ? m.both / m.places : 0;
    for (size_t i = 0; i < count; i++)
        tamed[i] -= mean + slope * ((double)i - middle);
}

double ob__dependence(const double *values, const size_t *points, size_t count,
                      ob_change_room *room)
{
    enum { SHORTEST = 8 };
    static const double SURE = 2; /* standard deviations of what chance does */
    double sum = 0, used = 0, stretches = 0;
    for (size_t k = 0; k + 1 < count; k++) {
        const size_t length = points[k + 1] - points[k];
        double *rest = room->two;
        if (length < SHORTEST)
            continue;
        tame(values + points[k], length, rest, room->one);
        take_line_off(rest, length);
        /* Each stretch counts by its length, not by how widely it scatters. */
        double product = 0, square = 0;
        for (size_t i = 0; i < length; i++) {
            product += i > 0 ? rest[i] * rest[i - 1] : 0;
            square += rest[i] * rest[i];
        }
        if (!(square > 0))
            continue;
        sum += product / square * (double)length;
        used += (double)length;
        stretches += 1;
    }
    if (!(used > 0))
        return 0;
    const double found = sum / used;
    /* The line that was taken off took some of it along. */
    const double whole = found + stretches * (2 + 4 * found) / used;
    return whole > SURE / sqrt(used) ? fmin(whole, 0.95) : 0;
}

void ob__fit_line(const double *values, size_t count, ob_change_room *room, double *begin,
                  double *end)
{
    double *tamed = room->two;
    tame(values, count, tamed, room->one);
    const moments m = moments_of(tamed, count);
    const double mean = mean_of(tamed, count), half = (double)(count - 1) / 2;
    const double slope = m.places > 0 ? m.both / m.places : 0;
    *begin = mean - slope * half;
    *end = mean + slope * half;
}
