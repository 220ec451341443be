/* SPDX-License-Identifier: Apache-2.0
 *
 * A map of a fleet: a column per node in the order of their names, so that neighbours in a rack are neighbours here, and a row per group
 * of cases. Slower is orange, faster blue, in steps; what was called has a dot, so that no colour has to be seen.
 */
#include "report/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS = 110, ROW = 16, BAND = 100, GAP = 30, MOST_ROWS = 64 };
static const double WIDEST = 40;

static int by_name(const void *a, const void *b)
{
    return strverscmp((*(const ob_fleet_node *const *)a)->name,
                      (*(const ob_fleet_node *const *)b)->name);
}

static size_t rows_of(const ob_fleet *fleet)
{
    size_t count = 0;
    while (count < MOST_ROWS && ob_fleet_group(fleet, count) != NULL)
        count++;
    return count + 1; /* lost time */
}

static size_t shown_of(const ob_fleet *fleet)
{
    const size_t nodes = ob_fleet_node_count(fleet);
    return nodes < OB_HEAT_MOST ? nodes : OB_HEAT_MOST;
}

double ob__heat_height(const ob_fleet *fleet)
{
    const size_t bands = (shown_of(fleet) + BAND - 1) / BAND;
    return (double)(bands * (rows_of(fleet) * ROW + GAP));
}

/* From 0.5 % on; "s" for slower, "f" for faster, and how much. */
static void class_of(double deviation, char *out, size_t size)
{
    static const double STEPS[] = {0.005, 0.01, 0.02, 0.05, 0.1};
    int step = 0;
    while (step < 5 && fabs(deviation) >= STEPS[step])
        step++;
    if (isnan(deviation))
        snprintf(out, size, "heat none");
    else
        snprintf(out, size, "heat %c%d", deviation > 0 ? 's' : 'f', step);
}

static void draw_cell(ob_svg *svg, const ob_fleet_node *node, const char *row,
                      const ob_fleet_value *value, const ob_box *at)
{
    char class_name[24], title[320];
    class_of(value->deviation, class_name, sizeof class_name);
    if (isnan(value->deviation))
        snprintf(title, sizeof title, "%.120s, %.60s: not compared", node->name, row);
    else
        snprintf(title, sizeof title, "%.120s, %.60s: %+.1f %% (%+.1f to %+.1f)", node->name, row,
                 100 * value->deviation, 100 * value->low, 100 * value->high);
    ob__svg_rect(svg, class_name, at->x, at->y, fmax(at->width - 1, 1), at->height - 1, title);
    if (value->slow)
        ob__svg_circle(svg, "called", at->x + at->width / 2 - 0.5, at->y + at->height / 2 - 0.5,
                       fmin(3, at->width / 3), title);
}

static void draw_band(ob_svg *svg, const ob_fleet *fleet, const ob_fleet_node **nodes, size_t count,
                      const ob_box *box)
{
    const size_t rows = rows_of(fleet);
    const double width = fmin(WIDEST, (box->width - LABELS) / BAND * (count < 25 ? 4 : 1));
    for (size_t r = 0; r < rows; r++) {
        const char *name = r + 1 < rows ? ob_fleet_group(fleet, r) : "lost time";
        ob_box at = {
            .x = box->x + LABELS, .y = box->y + (double)(r * ROW), .width = width, .height = ROW};
        ob__svg_text(svg, "end faint", at.x - 8, at.y + ROW - 4, 0, name);
        for (size_t i = 0; i < count; i++, at.x += width)
            draw_cell(svg, nodes[i], name, r + 1 < rows ? &nodes[i]->groups[r] : &nodes[i]->lost,
                      &at);
    }
    char text[300];
    snprintf(text, sizeof text, count > 1 ? "%.120s to %.120s" : "%.120s", nodes[0]->name,
             nodes[count - 1]->name);
    ob__svg_text(svg, "faint", box->x + LABELS, box->y + (double)(rows * ROW) + 12, 0, text);
}

void ob__draw_heat(ob_svg *svg, const ob_fleet *fleet, const ob_box *box)
{
    const size_t count = shown_of(fleet);
    const ob_fleet_node **nodes = calloc(count + 1, sizeof *nodes);
    ob_box at = *box;
    svg->failed = svg->failed || nodes == NULL;
    if (nodes == NULL)
        return;
    for (size_t i = 0; i < count; i++) /* the sickest, if there are more */
        nodes[i] = ob_fleet_at(fleet, i);
    qsort(nodes, count, sizeof *nodes, by_name);
    for (size_t from = 0; from < count; from += BAND) {
        draw_band(svg, fleet, nodes + from, count - from < BAND ? count - from : BAND, &at);
        at.y += (double)(rows_of(fleet) * ROW + GAP);
    }
    free(nodes);
}
