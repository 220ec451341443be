/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of results besides the roofline: which of them a picture has, and its two forms.
 */
#ifndef OB_REPORT_PLOT_KINDS_H
#define OB_REPORT_PLOT_KINDS_H

#include "report/page_model.h"
#include "report/roofline_picture.h"

ob_status ob__plot_kind_svg(const ob_plot *plot, bool is_inline, const ob_plot_style *style,
                            ob_text *text, ob_err *err);
ob_status ob__plot_kind_text(const ob_plot *plot, const ob_plot_style *style, ob_text *text,
                             ob_err *err);

/* A case over runs or threads. */
typedef struct ob_plot_line {
    const char *call, *side, *pass;
    const char *settings,
        *machine; /* of a database: what tells apart series of one case; else NULL */
    const ob_series_point *points;
    size_t count;
    double notable; /* the larger, the more worth a look */
} ob_plot_line;

typedef struct ob_plot_lines {
    ob_plot_line *items;
    size_t count;
    ob_series_point *points; /* of records */
} ob_plot_lines;

/* plot_lines.c: of more than `most` (0 = all) the most notable. */
ob_status ob__plot_lines(const ob_plot *plot, bool over_runs, size_t most, ob_plot_lines *out,
                         ob_err *err);
void ob__plot_lines_fini(ob_plot_lines *lines);
void ob__plot_forget_store(ob_plot *plot);

#endif
