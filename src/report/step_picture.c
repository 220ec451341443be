/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the time of a step goes: a bar per backend, all with the same scale.
 */
#include "report/pictures.h"

#include "opbench/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OPERATORS = OB_SVG_COLOURS - 1, BAR = 34, GAP = 26, LINE = 20, LEGEND_COLUMN = 250 };

static size_t named(const ob_step *step)
{
    return step->count < OPERATORS ? step->count : OPERATORS;
}

static size_t legend_rows(const ob_step *step, double width)
{
    const size_t columns = (size_t)fmax(1, width / LEGEND_COLUMN);
    const size_t items = named(step) + (step->count > OPERATORS);
    return (items + columns - 1) / columns;
}

double ob__step_picture_height(const ob_step *step, double width)
{
    return (double)(step->side_count * (BAR + GAP) + legend_rows(step, width) * LINE) + 20;
}

static void draw_part(ob_svg *svg, const ob_box *box, const char *class_name, const char *name,
                      double ns, double share)
{
    char title[512], time[48];
    snprintf(title, sizeof title, "%.300s: %s, %.1f %%", name,
             ob__picture_time(ns, time, sizeof time), 100 * share);
    ob__svg_rect(svg, class_name, box->x, box->y, box->width - 1, box->height, title);
    if (box->width < 46)
        return;
    snprintf(title, sizeof title, "%.0f %%", 100 * share);
    ob__svg_text(svg, "middle inside", box->x + box->width / 2, box->y + box->height / 2 + 4, 0,
                 title);
}

static void draw_bar(ob_svg *svg, const ob_step *step, size_t side, const ob_box *at, double scale)
{
    char class_name[32], text[160], time[48];
    ob_box box = {.x = at->x, .y = at->y, .height = BAR};
    double others = 0, all = 0;
    for (size_t i = 0; i < step->count; i++)
        all += step->rows[i].sides[side].ns;
    for (size_t i = 0; i < step->count; i++) {
        const ob_step_row *row = &step->rows[i];
        const double ns = row->sides[side].ns;
        others += i >= OPERATORS ? ns : 0;
        if (i >= OPERATORS || !(ns > 0))
            continue;
        snprintf(class_name, sizeof class_name, "bar c%zu", i);
        box.width = ns * scale;
        snprintf(text, sizeof text, "%.120s %s", row->op, row->backward ? "backward" : "forward");
        draw_part(svg, &box, class_name, text, ns, ns / all);
        box.x += box.width;
    }
    box.width = others * scale;
    if (others > 0)
        draw_part(svg, &box, "bar c7", "all other operators", others, others / all);
    snprintf(text, sizeof text, "%.80s: %s", step->sides[side],
             ob__picture_time(all, time, sizeof time));
    ob__svg_text(svg, "", at->x, at->y - 6, 0, text);
}

static void draw_legend(ob_svg *svg, const ob_step *step, const ob_box *box)
{
    const size_t rows = legend_rows(step, box->width), items = named(step);
    char class_name[32], text[64];
    for (size_t i = 0; i < items + (step->count > OPERATORS); i++) {
        const size_t column = i / rows;
        const double x = box->x + (double)column * LEGEND_COLUMN;
        const double at = box->y + (double)(i % rows) * LINE;
        snprintf(class_name, sizeof class_name, "bar c%zu", i < items ? i : OPERATORS);
        ob__svg_rect(svg, class_name, x, at, 12, 12, NULL);
        if (i < items)
            snprintf(text, sizeof text, "%.22s%s %s", step->rows[i].op,
                     strlen(step->rows[i].op) > 22 ? "..." : "",
                     step->rows[i].backward ? "backward" : "forward");
        else
            snprintf(text, sizeof text, "%zu others", step->count - items);
        ob__svg_text(svg, "", x + 18, at + 11, 0, text);
    }
}

void ob__draw_step(ob_svg *svg, const ob_step *step, const ob_box *box)
{
    double longest = 0;
    ob_box at = *box;
    for (size_t s = 0; s < step->side_count; s++) {
        double all = 0;
        for (size_t i = 0; i < step->count; i++)
            all += step->rows[i].sides[s].ns;
        longest = fmax(longest, all);
    }
    at.y += GAP - 6;
    for (size_t s = 0; s < step->side_count && longest > 0; s++, at.y += BAR + GAP)
        draw_bar(svg, step, s, &at, box->width / longest);
    at.y -= GAP - 6 - 16;
    draw_legend(svg, step, &at);
}
