/* SPDX-License-Identifier: Apache-2.0
 *
 * A roofline in characters: what a terminal can show of it. Letters stand for results of a backend, capitals where several
 * fall together.
 */
#include "report/roofline_picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS = 8, LEAST_WIDTH = 40, LEAST_HEIGHT = 10, TICKS = 8, MOST = 400 };
enum { BLANK = ' ', DIAGONAL = '/', LEVEL = '-' };

typedef struct canvas {
    char *cells; /* rows of width */
    size_t width, height;
    ob_log_axis x, y; /* to columns and rows */
} canvas;

static char *cell_at(canvas *c, double column, double row)
{
    const long i = lround(column), k = lround(row);
    return i >= 0 && k >= 0 && (size_t)i < c->width && (size_t)k < c->height
               ? &c->cells[(size_t)k * c->width + (size_t)i]
               : NULL;
}

/* Up the bandwidth, then along the peak. */
static void draw_roof(canvas *c, double bandwidth, double peak)
{
    double before = INFINITY;
    for (size_t i = 0; i < c->width; i++) {
        const double intensity = ob__axis_value(&c->x, (double)i);
        const bool flat = intensity * bandwidth >= peak;
        const double row = ob__axis_place(&c->y, flat ? peak : intensity * bandwidth);
        char *cell = cell_at(c, (double)i, row);
        /* A steep line has several rows in a column. */
        for (double k = row + 1; !flat && k < before - 0.5 && isfinite(before); k++) {
            char *steep = cell_at(c, (double)i, k);
            if (steep != NULL)
                *steep = DIAGONAL;
        }
        if (cell != NULL && (*cell == BLANK || !flat))
            *cell = flat ? LEVEL : DIAGONAL;
        before = row;
    }
}

static void draw_point(canvas *c, const ob_picture_point *p)
{
    char *cell = cell_at(c, ob__axis_place(&c->x, p->intensity), ob__axis_place(&c->y, p->rate));
    const char letter = (char)('a' + p->backend);
    if (cell != NULL)
        *cell = *cell == letter || *cell == (char)('A' + p->backend) ? (char)('A' + p->backend)
                                                                     : letter;
}

/* ---- to text ---- */

static bool put_cell(char cell, bool ascii, ob_text *out)
{
    if (!ascii && cell == DIAGONAL)
        return ob_text_append_str(out, "\xe2\x95\xb1");
    if (!ascii && cell == LEVEL)
        return ob_text_append_str(out, "\xe2\x94\x80");
    return ob_text_append(out, &cell, 1);
}

static bool put_row(const canvas *c, size_t row, bool ascii, ob_text *out)
{
    double ticks[TICKS];
    char label[16] = "", text[32];
    const size_t count = ob__axis_ticks(&c->y, ticks, TICKS);
    size_t used = c->width;
    for (size_t i = 0; i < count; i++)
        if (lround(ob__axis_place(&c->y, ticks[i])) == (long)row)
            ob__axis_label(ticks[i], label);
    snprintf(text, sizeof text, "%*s %s", LABELS - 2, label, label[0] != '\0' ? "+" : "|");
    while (used > 0 && c->cells[row * c->width + used - 1] == BLANK)
        used--;
    bool ok = ob_text_append_str(out, text);
    for (size_t i = 0; ok && i < used; i++)
        ok = put_cell(c->cells[row * c->width + i], ascii, out);
    return ok && ob_text_append(out, "\n", 1);
}

static bool put_x_axis(const canvas *c, ob_text *out)
{
    double ticks[TICKS];
    char line[MOST + 32], numbers[MOST + 32], label[16];
    const size_t count = ob__axis_ticks(&c->x, ticks, TICKS), length = LABELS + c->width;
    memset(line, ' ', sizeof line);
    memset(numbers, ' ', sizeof numbers);
    memset(line + LABELS, '-', c->width);
    line[LABELS - 1] = '+';
    for (size_t i = 0; i < count; i++) {
        const size_t at = LABELS + (size_t)lround(ob__axis_place(&c->x, ticks[i]));
        const size_t size = strlen(ob__axis_label(ticks[i], label));
        line[at] = '+';
        memcpy(numbers + at - (at + size > length ? at + size - length : 0), label, size);
    }
    line[length] = numbers[length] = '\0';
    return ob_text_printf(out, "%s\n%s\n%*soperations per byte moved\n", line, numbers, LABELS, "");
}

/* What it is of comes from a file. */
static bool put_label(const char *before, const ob_picture_line *line, ob_text *out)
{
    return ob_text_append_str(out, before) &&
           ob_text_append_visible(out, line->label, strlen(line->label), false);
}

static bool put_lines(const ob_roof_lines *lines, ob_text *out)
{
    bool ok = ob_text_printf(out, "\nceilings for %lld thread%s:", (long long)lines->threads,
                             lines->threads == 1 ? "" : "s");
    for (size_t i = 0; ok && i < lines->peak_count; i++)
        ok = put_label(i == 0 ? " " : "; ", &lines->peaks[i], out);
    ok = ok && ob_text_append_str(out, "\n");
    for (size_t i = 0; ok && i < lines->level_count; i++)
        ok = put_label(i == 0 ? "bandwidth: " : "; ", &lines->levels[i], out);
    return ok && ob_text_append_str(out, "\n");
}

static bool put_results(const ob_plot *plot, ob_text *out)
{
    const ob_picture_point *far[OB_PICTURE_FARTHEST];
    const size_t count = ob__farthest(plot, far);
    bool ok = true;
    for (size_t i = 0; ok && i < plot->backend_count; i++)
        ok = ob_text_printf(out, "%s%c: ", i == 0 ? "" : "   ", (char)('a' + i)) &&
             ob_text_append_visible(out, plot->backends[i], strlen(plot->backends[i]), false);
    if (plot->backend_count > 0)
        ok = ok && ob_text_append_str(out, " (capitals: several in one place)\n");
    if (count > 0)
        ok = ok && ob_text_append_str(out, "farthest below what is attainable for them:\n");
    for (size_t i = 0; ok && i < count; i++)
        ok = ob_text_printf(out, "%6.1f %%  ", 100 * ob__point_share(far[i])) &&
             ob_text_append_visible(out, far[i]->name, strlen(far[i]->name), false) &&
             ob_text_append_str(out, "\n");
    return ok && ob__roof_notes(plot, out);
}

static bool put_all(canvas *c, const ob_plot *plot, const ob_roof_lines *lines, bool ascii,
                    ob_text *out)
{
    bool ok = ob_text_append_str(out, "operations per second\n");
    for (size_t row = 0; ok && row < c->height; row++)
        ok = put_row(c, row, ascii, out);
    return ok && put_x_axis(c, out) && put_lines(lines, out) && put_results(plot, out);
}

static size_t within(size_t value, size_t otherwise, size_t least)
{
    const size_t wanted = value > 0 ? value : otherwise;
    return wanted < least ? least : wanted > MOST ? MOST : wanted;
}

ob_status ob__roofline_text(const ob_plot *plot, const ob_plot_style *style, ob_text *text,
                            ob_err *err)
{
    const size_t start = text->size;
    ob_roof_lines lines;
    canvas c = {.width = within(style->width, 80, LEAST_WIDTH) - LABELS,
                .height = within(style->height, 24, LEAST_HEIGHT)};
    c.x = (ob_log_axis){.start = 0, .stop = (double)(c.width - 1)};
    c.y = (ob_log_axis){.start = (double)(c.height - 1), .stop = 0};
    OB_TRY(ob__roof_lines(plot, &lines, err));
    ob__roof_axes(plot, &lines, &c.x, &c.y);
    c.cells = malloc(c.width * c.height);
    if (c.cells != NULL) {
        memset(c.cells, BLANK, c.width * c.height);
        for (size_t i = 0; i < lines.level_count; i++)
            draw_roof(&c, lines.levels[i].value, lines.peaks[0].value);
        for (size_t i = 1; i < lines.peak_count; i++)
            draw_roof(&c, lines.levels[lines.level_count - 1].value, lines.peaks[i].value);
        for (size_t i = 0; i < plot->count; i++)
            draw_point(&c, &plot->points[i]);
    }
    const bool ok = c.cells != NULL && put_all(&c, plot, &lines, style->ascii, text);
    free(c.cells);
    if (ok)
        return OB_OK;
    text->size = start;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the picture");
}
