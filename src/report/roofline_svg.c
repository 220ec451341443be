/* SPDX-License-Identifier: Apache-2.0
 *
 * A roofline as SVG: diagonals are the levels of the memory, lines on top the peaks; a dot is a result, and the thin line
 * above it leads to what was attainable for it.
 */
#include "report/roofline_picture.h"
#include "report/svg.h"

#include "opbench/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 64, RIGHT = 190, TOP = 56, BOTTOM = 54, LINE = 16, TICKS = 12 };

typedef struct drawing {
    const ob_plot *plot;
    ob_roof_lines lines;
    ob_log_axis x, y;
    ob_svg svg;
    const ob_picture_point *far[OB_PICTURE_FARTHEST];
    size_t far_count;
} drawing;

static void draw_axes(drawing *d)
{
    double ticks[TICKS];
    char label[16];
    const double bottom = d->y.start, left = d->x.start;
    size_t count = ob__axis_ticks(&d->x, ticks, TICKS);
    for (size_t i = 0; i < count; i++) {
        const double x = ob__axis_place(&d->x, ticks[i]);
        ob__svg_line(&d->svg, "grid", x, bottom, x, d->y.stop);
        ob__svg_text(&d->svg, "middle", x, bottom + LINE, 0, ob__axis_label(ticks[i], label));
    }
    count = ob__axis_ticks(&d->y, ticks, TICKS);
    for (size_t i = 0; i < count; i++) {
        const double y = ob__axis_place(&d->y, ticks[i]);
        ob__svg_line(&d->svg, "grid", left, y, d->x.stop, y);
        ob__svg_text(&d->svg, "end", left - 6, y + 4, 0, ob__axis_label(ticks[i], label));
    }
    ob__svg_line(&d->svg, "axis", left, bottom, d->x.stop, bottom);
    ob__svg_line(&d->svg, "axis", left, bottom, left, d->y.stop);
    ob__svg_text(&d->svg, "middle", (left + d->x.stop) / 2, bottom + 2 * LINE + 6, 0,
                 "operations per byte moved");
    ob__svg_text(&d->svg, "middle", 16, (bottom + d->y.stop) / 2, -90, "operations per second");
}

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* From where it enters the picture up to the highest peak. */
static void draw_level(drawing *d, size_t i, double *label_bottom)
{
    const ob_picture_line *line = &d->lines.levels[i];
    const double peak = d->lines.peaks[0].value;
    const double from = clamp(d->y.low / line->value, d->x.low, d->x.high);
    const double to = clamp(peak / line->value, d->x.low, d->x.high);
    const double x1 = ob__axis_place(&d->x, from), x2 = ob__axis_place(&d->x, to);
    const double y1 = ob__axis_place(&d->y, from * line->value);
    const double y2 = ob__axis_place(&d->y, to * line->value);
    const double degrees = atan2(y2 - y1, x2 - x1) * 180 / acos(-1.0);
    ob__svg_line(&d->svg, i == 0 ? "roof" : "inner", x1, y1, x2, y2);
    /* Beside its line, unless the line before it is as near as its letters are high. */
    const double shift = *label_bottom - y1 < 14 && *label_bottom > 0 ? 150 : 8;
    const double share = x2 > x1 ? shift / (x2 - x1) : 0;
    ob__svg_text(&d->svg, "faint", x1 + shift, y1 + share * (y2 - y1) - 5, degrees, line->label);
    *label_bottom = shift > 100 ? 0 : y1;
}

static void draw_roof(drawing *d)
{
    double label_bottom = 0, last = -INFINITY;
    const double fastest = d->lines.levels[d->lines.level_count - 1].value;
    for (size_t i = 0; i < d->lines.level_count; i++)
        draw_level(d, i, &label_bottom);
    for (size_t i = 0; i < d->lines.peak_count; i++) {
        const ob_picture_line *line = &d->lines.peaks[i];
        const double from = clamp(line->value / fastest, d->x.low, d->x.high);
        const double y = ob__axis_place(&d->y, line->value);
        const double label = fmax(y + 4, last + 14); /* labels keep apart */
        ob__svg_line(&d->svg, i == 0 ? "roof" : "inner", ob__axis_place(&d->x, from), y, d->x.stop,
                     y);
        ob__svg_text(&d->svg, "faint", d->x.stop + 8, label, 0, line->label);
        last = label;
    }
}

/* ---- results ---- */

static void draw_point(drawing *d, const ob_picture_point *p)
{
    char class_name[24], title[768], seconds[32], share[64] = "";
    const double x = ob__axis_place(&d->x, p->intensity), y = ob__axis_place(&d->y, p->rate);
    if (ob__point_share(p) <= 1)
        ob__svg_line(&d->svg, "gap", x, y, x, ob__axis_place(&d->y, fmin(p->roof, d->y.high)));
    if (!isnan(p->roof))
        snprintf(share, sizeof share, ", %.0f %% of what is attainable", 100 * ob__point_share(p));
    snprintf(title, sizeof title, "%s: %s%s%s%s", p->name,
             ob_time_format(p->seconds * 1e9, seconds, sizeof seconds), share,
             p->bound_by != NULL ? ", bound by " : "", p->bound_by != NULL ? p->bound_by : "");
    snprintf(class_name, sizeof class_name, "c%zu%s", p->backend, p->backward ? " hollow" : "");
    ob__svg_circle(&d->svg, class_name, x, y, 4, title);
}

static void draw_points(drawing *d)
{
    const size_t count = d->far_count;
    char text[640];
    for (size_t i = 0; i < d->plot->count; i++)
        draw_point(d, &d->plot->points[i]);
    double y = d->y.start + BOTTOM + LINE;
    if (count > 0)
        ob__svg_text(&d->svg, "faint", d->x.start, y, 0,
                     "Farthest below what is attainable for them:");
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%zu", i + 1);
        ob__svg_text(&d->svg, "", ob__axis_place(&d->x, d->far[i]->intensity) + 6,
                     ob__axis_place(&d->y, d->far[i]->rate) + 4, 0, text);
        snprintf(text, sizeof text, "%zu  %s, %.1f %%", i + 1, d->far[i]->name,
                 100 * ob__point_share(d->far[i]));
        ob__svg_text(&d->svg, "", d->x.start, y += LINE, 0, text);
    }
}

static void draw_legend(drawing *d)
{
    double y = d->y.start - LINE * (double)d->plot->backend_count;
    for (size_t i = 0; i < d->plot->backend_count; i++, y += LINE) {
        char class_name[24];
        snprintf(class_name, sizeof class_name, "c%zu", i);
        ob__svg_circle(&d->svg, class_name, d->x.stop + 14, y - 4, 4, d->plot->backends[i]);
        ob__svg_text(&d->svg, "", d->x.stop + 24, y, 0, d->plot->backends[i]);
    }
}

static bool draw_notes(drawing *d, double y)
{
    ob_text notes = {.data = NULL};
    bool ok = ob__roof_notes(d->plot, &notes) && ob_text_append(&notes, "", 1);
    char *rest = NULL;
    for (char *line = ok ? strtok_r(notes.data, "\n", &rest) : NULL; line != NULL;
         line = strtok_r(NULL, "\n", &rest), y += LINE)
        ob__svg_text(&d->svg, "faint", d->x.start, y, 0, line);
    ob_text_fini(&notes);
    return ok;
}

ob_status ob__roofline_svg(const ob_plot *plot, bool is_inline, const ob_plot_style *style,
                           ob_text *text, ob_err *err)
{
    const double width = style->width > 0 ? fmax((double)style->width, 480) : 900;
    const double height = style->height > 0 ? fmax((double)style->height, 320) : 600;
    const size_t start = text->size;
    const bool named = plot->cpu != NULL && plot->cpu[0] != '\0';
    char about[256];
    drawing d = {.plot = plot,
                 .x = {.start = LEFT, .stop = width - RIGHT},
                 .y = {.start = height - BOTTOM, .stop = TOP}};
    OB_TRY(ob__roof_lines(plot, &d.lines, err));
    ob__roof_axes(plot, &d.lines, &d.x, &d.y);
    const size_t listed = d.far_count = ob__farthest(plot, d.far);
    snprintf(
        about, sizeof about, "%s%sceilings for %lld thread%s as measured%s", named ? plot->cpu : "",
        named ? ", " : "", (long long)d.lines.threads, d.lines.threads == 1 ? "" : "s",
        plot->count > 0 ? "; each dot is a result, and the line above it ends at what is attainable"
                        : "");
    const double below = (listed > 0 ? LINE * (double)(listed + 2) : 0) +
                         LINE * (double)((plot->not_shown > 0) + plot->other_cpu);
    d.svg = is_inline ? ob__svg_begin_inline(text, width, height + below, "Roofline")
                      : ob__svg_begin(text, width, height + below, "Roofline", about);
    if (!is_inline)
        ob__svg_text(&d.svg, "title", LEFT, 22, 0, "Roofline");
    ob__svg_text(&d.svg, "faint", LEFT, 40, 0, about);
    draw_axes(&d);
    draw_roof(&d);
    draw_points(&d);
    draw_legend(&d);
    const bool noted = draw_notes(&d, height + LINE * (double)(listed > 0 ? listed + 2 : 1));
    ob__svg_end(&d.svg);
    if (noted && !d.svg.failed)
        return OB_OK;
    text->size = start;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the picture");
}
