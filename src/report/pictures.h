/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of pictures: each draws into a box of an SVG that others began, on a page or alone.
 */
#ifndef OB_REPORT_PICTURES_H
#define OB_REPORT_PICTURES_H

#include "opbench/fleet.h"
#include "report/log_axis.h"
#include "report/step.h"
#include "report/svg.h"

typedef struct ob_box {
    double x, y, width, height; /* of the axes; labels stand left of and below it */
} ob_box;

/* Samples of one pass, in ns and in time order, the warm-up first. One that was set aside is negative: no time is. */
typedef struct ob_distribution {
    const float *samples;
    size_t warmups, count;             /* count: the measured ones, behind the warm-up */
    double median_ns, low_ns, high_ns; /* NaN = no interval */
} ob_distribution;

/* The measured samples' histogram, and the share of them below each time as a line. scratch holds `count` doubles. */
void ob__draw_histogram(ob_svg *svg, const ob_distribution *d, const ob_box *box, double *scratch);
/* All samples in time order; crosses were set aside. */
void ob__draw_time_order(ob_svg *svg, const ob_distribution *d, const ob_box *box, double *scratch);
/* The times between which pictures show samples: few that are far beyond do not squeeze the others. */
void ob__distribution_range(const ob_distribution *d, double *scratch, double *low, double *high);

typedef struct ob_ratio_item {
    const char *name;        /* what was measured */
    double value, low, high; /* NaN = no interval */
    size_t side;             /* its colour */
} ob_ratio_item;

/* An axis that holds all ratios and 1, and is as long on both sides of it. */
ob_log_axis ob__ratio_axis(const ob_ratio_item *items, size_t count, double start, double stop);
/* Grid lines from top to bottom, and labels above them, if there are to be some. */
void ob__draw_ratio_grid(ob_svg *svg, const ob_log_axis *axis, double top, double bottom,
                         bool labels);
void ob__draw_ratio(ob_svg *svg, const ob_log_axis *axis, double y, const ob_ratio_item *item);

/* A bar per side, cut into the operators that take most; `step` is ended. The box's height is not looked at. */
void ob__draw_step(ob_svg *svg, const ob_step *step, const ob_box *box);
double ob__step_picture_height(const ob_step *step, double width);

/* What a case took in one run, in ns. */
typedef struct ob_series_point {
    double value, low, high; /* NaN = not known */
    const char *label;       /* of the run */
    const char *mark;        /* what changed before it; NULL = nothing */
    bool step;               /* the mark is that of a change of the value */
} ob_series_point;

void ob__draw_series(ob_svg *svg, const ob_series_point *points, size_t count, const ob_box *box);

enum { OB_HEAT_MOST = 2000 }; /* nodes that are drawn */
/* A map of the nodes of a judged fleet, as wide as the box. */
void ob__draw_heat(ob_svg *svg, const ob_fleet *fleet, const ob_box *box);
double ob__heat_height(const ob_fleet *fleet);

/* Round numbers between low and high, at most `room` of them. */
size_t ob__nice_ticks(double low, double high, double *ticks, size_t room);
/* "5.2 µs", as ob_time_format. */
char *ob__picture_time(double ns, char *out, size_t size);

#endif
