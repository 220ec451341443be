/* SPDX-License-Identifier: Apache-2.0
 *
 * What a picture of a roofline shows, whatever it is drawn with: the ceilings of one number of threads, and results
 * below them. Places are in operations per byte and operations per second.
 */
#ifndef OB_REPORT_ROOFLINE_PICTURE_H
#define OB_REPORT_ROOFLINE_PICTURE_H

#include "base/arena.h"
#include "opbench/plot.h"
#include "report/log_axis.h"

#include <math.h>

enum {
    OB_PICTURE_LEVELS = 8,
    OB_PICTURE_PEAKS = 8,
    OB_PICTURE_BACKENDS = 8, /* beyond: the last of them */
    OB_PICTURE_FARTHEST = 8
};

typedef struct ob_picture_point {
    const char *name; /* "torch.add 0|1 forward on native" */
    double intensity, rate;
    double roof; /* the rate that was attainable; NaN = not known */
    double seconds;
    const char *bound_by; /* NULL = not known */
    int64_t threads;
    size_t backend;
    bool backward;
} ob_picture_point;

/* A line of the roof: bandwidth or peak. */
typedef struct ob_picture_line {
    char label[96];
    double value; /* B/s, or op/s */
} ob_picture_line;

struct ob_plot {
    ob_plot_params params;
    ob_roofline *roofline; /* NULL = none so far */
    ob_arena arena;
    ob_picture_point *points;
    size_t count, room;
    const char *backends[OB_PICTURE_BACKENDS];
    size_t backend_count;
    size_t not_shown;        /* results without operations or bytes */
    const char *cpu;         /* of the first header */
    bool other_cpu;          /* another header has another one */
    struct ob_page *page;    /* of all other kinds: what they show of records; NULL = a roofline */
    struct ob_site *history; /* of a database, in place of records; NULL = there are records */
    const char *only;
};

/* What of the ceilings is drawn, from the slowest memory on, and from the highest peak on. */
typedef struct ob_roof_lines {
    int64_t threads;
    ob_picture_line levels[OB_PICTURE_LEVELS], peaks[OB_PICTURE_PEAKS];
    size_t level_count, peak_count;
} ob_roof_lines;

/* OB_ERR_NOT_FOUND: no ceilings. */
ob_status ob__roof_lines(const ob_plot *plot, ob_roof_lines *out, ob_err *err);
/* Axes that hold all lines and points. */
void ob__roof_axes(const ob_plot *plot, const ob_roof_lines *lines, ob_log_axis *x, ob_log_axis *y);
/* Results with the least share of what was attainable, the least first. Returns how many. */
size_t ob__farthest(const ob_plot *plot, const ob_picture_point *out[OB_PICTURE_FARTHEST]);
double ob__point_share(const ob_picture_point *point); /* NaN = not known */
/* Lines of text below the picture: what is not on it. */
bool ob__roof_notes(const ob_plot *plot, ob_text *out);

ob_status ob__roofline_svg(const ob_plot *plot, bool is_inline, const ob_plot_style *style,
                           ob_text *text, ob_err *err);
ob_status ob__roofline_text(const ob_plot *plot, const ob_plot_style *style, ob_text *text,
                            ob_err *err);

#endif
