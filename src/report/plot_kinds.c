/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of results that stand alone, put together from the parts that pages have too.
 */
#include "report/plot_kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12, MARGIN = 24, HEAD = 52, PANEL_HEIGHT = 210, ROW = 24 };

typedef struct canvas {
    const ob_plot *plot;
    const ob_plot_style *style;
    bool is_inline;
    ob_text *text;
    double width;
    ob_svg svg;
} canvas;

static void begin(canvas *c, double height, const char *title, const char *about)
{
    c->svg = c->is_inline ? ob__svg_begin_inline(c->text, c->width, height, title)
                          : ob__svg_begin(c->text, c->width, height, title, about);
    ob__svg_text(&c->svg, "title", MARGIN, 24, 0, title);
    ob__svg_text(&c->svg, "faint", MARGIN, 42, 0, about);
}

static ob_page_choice choice_of(const ob_plot *plot)
{
    return (ob_page_choice){.only = plot->only,
                            .most = plot->params.most > 0 ? plot->params.most : MOST};
}

static const char *name_of(const ob_page_row *row, char out[512])
{
    snprintf(out, 512, "%.200s, %s on %.64s", row->call, row->backward ? "backward" : "forward",
             row->side);
    return out;
}

/* ---- distribution ---- */

static ob_status draw_distributions(canvas *c, ob_err *err)
{
    const ob_page_choice choice = choice_of(c->plot);
    const ob_page_row **rows;
    size_t count;
    double scratch[OB_PAGE_SAMPLES + 2];
    char name[512], title[640], time[48];
    OB_TRY(ob__page_choose(c->plot->page, &choice, &rows, &count, err));
    begin(c, HEAD + PANEL_HEIGHT * (double)count + 10, "Distributions",
          "left: histogram, share of samples below each time, median with its 95 % interval; "
          "right: in time order, crosses mark disturbed samples");
    const double half = (c->width - 2 * MARGIN) / 2;
    for (size_t i = 0; i < count; i++) {
        const ob_distribution d = ob__page_distribution(c->plot->page, rows[i]);
        const double y = HEAD + PANEL_HEIGHT * (double)i + 44;
        const ob_box left = {.x = MARGIN, .y = y, .width = half - 20, .height = 120};
        const ob_box right = {.x = MARGIN + half + 64, .y = y, .width = half - 64, .height = 120};
        snprintf(title, sizeof title, "%s: %s", name_of(rows[i], name),
                 ob__picture_time(rows[i]->median_ns, time, sizeof time));
        ob__svg_text(&c->svg, "mono", MARGIN, y - 22, 0, title);
        ob__draw_histogram(&c->svg, &d, &left, scratch);
        ob__draw_time_order(&c->svg, &d, &right, scratch);
    }
    free(rows);
    return OB_OK;
}

/* ---- ratio ---- */

static ob_status draw_ratios(canvas *c, ob_err *err)
{
    enum { LABELS = 420, FIGURES = 150 };
    ob_page_choice choice = choice_of(c->plot);
    choice.most = c->plot->params.most > 0 ? c->plot->params.most : 4 * MOST;
    const ob_diff_row **rows;
    size_t count;
    char text[512];
    OB_TRY(ob__page_differences(c->plot->page, &choice, &rows, &count, err));
    ob_ratio_item *items = calloc(count, sizeof *items);
    if (items == NULL) {
        free(rows);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the picture");
    }
    for (size_t i = 0; i < count; i++)
        items[i] = ob__page_ratio_item(c->plot->page, rows[i]);
    snprintf(text, sizeof text, "time relative to %.100s: left of 1 is faster, right is slower",
             ob_diff_side(c->plot->page->diff, 0));
    const double bottom = HEAD + 24 + ROW * (double)count;
    begin(c, bottom + 14, "Ratios", text);
    const ob_log_axis axis =
        ob__ratio_axis(items, count, MARGIN + LABELS, c->width - MARGIN - FIGURES);
    ob__draw_ratio_grid(&c->svg, &axis, HEAD + 24, bottom, true);
    for (size_t i = 0; i < count; i++) {
        const double y = HEAD + 24 + ROW * ((double)i + 0.5);
        snprintf(text, sizeof text, "%.44s%s %s, %.40s", rows[i]->call,
                 strlen(rows[i]->call) > 44 ? "..." : "", rows[i]->pass, rows[i]->side);
        ob__svg_text(&c->svg, "", MARGIN, y + 4, 0, text);
        ob__draw_ratio(&c->svg, &axis, y, &items[i]);
        snprintf(text, sizeof text, "%.3g  %s", rows[i]->time.ratio,
                 ob_verdict_word(rows[i]->time.kind));
        ob__svg_text(&c->svg, "end", c->width - MARGIN, y + 4, 0, text);
    }
    free(items);
    free(rows);
    return OB_OK;
}

/* ---- scaling ---- */

static void draw_ideal(canvas *c, const ob_box *box, double most)
{
    char label[32];
    ob__svg_line(&c->svg, "inner", box->x, box->y + box->height, box->x + box->width, box->y);
    for (int power = 0; ldexp(1, power) <= most; power++) {
        const double share = power / log2(most);
        const double x = box->x + share * box->width, y = box->y + (1 - share) * box->height;
        snprintf(label, sizeof label, "%.0f", ldexp(1, power));
        ob__svg_line(&c->svg, "grid", x, box->y, x, box->y + box->height);
        ob__svg_line(&c->svg, "grid", box->x, y, box->x + box->width, y);
        ob__svg_text(&c->svg, "middle faint", x, box->y + box->height + 17, 0, label);
        ob__svg_text(&c->svg, "end faint", box->x - 6, y + 4, 0, label);
    }
    ob__svg_text(&c->svg, "middle faint", box->x + box->width / 2, box->y + box->height + 36, 0,
                 "threads; vertical: speed-up over the fewest; dashed: ideal");
}

/* Rows [0, count) are of one work; threads rise. */
static void draw_scaling_line(canvas *c, const ob_page_row **rows, size_t count, const ob_box *box,
                              double most, size_t number)
{
    char class_name[24], title[640], name[512];
    const double fewest = (double)rows[0]->threads;
    snprintf(class_name, sizeof class_name, "line c%zu", number % OB_SVG_COLOURS);
    for (size_t pass = 0; pass < 2; pass++) {
        if (pass == 0)
            ob__svg_path_begin(&c->svg, class_name);
        for (size_t i = 0; i < count; i++) {
            const double faster = rows[0]->median_ns / rows[i]->median_ns;
            const double x =
                box->x + box->width * log2((double)rows[i]->threads / fewest) / log2(most);
            const double share = fmin(fmax(log2(faster) / log2(most), -0.1), 1.05);
            const double y = box->y + box->height * (1 - share);
            if (pass == 0) {
                ob__svg_path_to(&c->svg, i == 0 ? 'M' : 'L', x, y);
                continue;
            }
            snprintf(title, sizeof title, "%s: %.2f times faster with %lld threads",
                     name_of(rows[i], name), faster, (long long)rows[i]->threads);
            ob__svg_circle(&c->svg, class_name + 5, x, y, 3, title);
        }
        if (pass == 0)
            ob__svg_path_end(&c->svg);
    }
    const double legend = box->y + box->height + 58 + 20 * (double)number;
    ob__svg_circle(&c->svg, class_name + 5, box->x + 4, legend - 4, 4, "");
    ob__svg_text(&c->svg, "", box->x + 16, legend, 0, name_of(rows[0], name));
}

/* Works that have several numbers of threads: their rows come first. Returns how many rows; *works how many works. */
static size_t keep_scaling(const ob_page_row **rows, size_t count, size_t most, size_t *works)
{
    size_t kept = 0;
    *works = 0;
    for (size_t from = 0, end; from < count; from = end) {
        for (end = from + 1; end < count && ob__page_same_work(rows[from], rows[end]); end++)
            continue;
        if (rows[from]->threads < 1 || rows[from]->threads == rows[end - 1]->threads ||
            *works == most)
            continue;
        memmove(rows + kept, rows + from, (end - from) * sizeof *rows);
        kept += end - from;
        ++*works;
    }
    return kept;
}

static ob_status draw_scaling(canvas *c, ob_err *err)
{
    const ob_page_choice all = {.only = c->plot->only};
    const ob_page_row **rows;
    size_t count, works, number = 0;
    double most = 1;
    OB_TRY(ob__page_choose(c->plot->page, &all, &rows, &count, err));
    ob__page_gather(false, rows, count);
    count = keep_scaling(rows, count, OB_SVG_COLOURS, &works);
    if (count == 0) {
        free(rows);
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "no case was measured with several thread counts; use `opbench run "
                          "--num-threads 1,2,4`");
    }
    const double height = c->style->height > 0 ? (double)c->style->height : 420;
    const ob_box box = {
        .x = MARGIN + 40, .y = HEAD + 10, .width = c->width - 2 * MARGIN - 40, .height = height};
    for (size_t i = 0; i < count; i++) /* of the largest work */
        for (size_t k = i; k < count && ob__page_same_work(rows[i], rows[k]); k++)
            most = fmax(most, (double)rows[k]->threads / (double)rows[i]->threads);
    begin(c, HEAD + height + 70 + 20 * (double)works, "Scaling", "speed-up with more threads");
    draw_ideal(c, &box, most);
    for (size_t from = 0, end; from < count; from = end) {
        for (end = from + 1; end < count && ob__page_same_work(rows[from], rows[end]); end++)
            continue;
        draw_scaling_line(c, rows + from, end - from, &box, most, number++);
    }
    free(rows);
    return OB_OK;
}

/* ---- history ---- */

enum { HISTORY_HEIGHT = 190, HISTORY_POINTS = 1000 };

static void draw_history_of(canvas *c, const ob_plot_line *line, double y)
{
    const ob_box box = {
        .x = MARGIN + 64, .y = y + 20, .width = c->width - 2 * MARGIN - 64, .height = 120};
    const size_t drawn = line->count < HISTORY_POINTS ? line->count : HISTORY_POINTS;
    char text[768];
    snprintf(text, sizeof text, "%.200s, %.32s on %.64s", line->call, line->pass, line->side);
    if (line->settings != NULL) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " (%.120s; %.200s)", line->settings,
                 line->machine);
    }
    ob__svg_text(&c->svg, "mono", MARGIN, y, 0, text);
    ob__draw_series(&c->svg, line->points + line->count - drawn, drawn, &box);
}

static ob_status draw_history(canvas *c, ob_err *err)
{
    const size_t most = c->plot->params.most > 0 ? c->plot->params.most : MOST;
    ob_plot_lines lines;
    OB_TRY(ob__plot_lines(c->plot, true, most, &lines, err));
    begin(c, HEAD + HISTORY_HEIGHT * (double)lines.count + 10, "History",
          c->plot->history != NULL
              ? "medians with their 95 % intervals, by run; coloured lines are steps, dashed ones "
                "changes of kernel, libraries or opbench"
              : "medians with their 95 % intervals, by run");
    for (size_t i = 0; i < lines.count; i++)
        draw_history_of(c, &lines.items[i], HEAD + 24 + HISTORY_HEIGHT * (double)i);
    ob__plot_lines_fini(&lines);
    return OB_OK;
}

static ob_status draw_step(canvas *c, ob_err *err)
{
    const ob_step *step = &c->plot->page->step;
    const double inner = c->width - 2 * MARGIN;
    if (!(step->main_ns > 0))
        return ob_err_set(err, OB_ERR_NOT_FOUND, "nothing of the step was measured");
    begin(c, HEAD + ob__step_picture_height(step, inner) + 10, "Where the step's time goes",
          step->weighted ? "medians times how often the program makes each call"
                         : "each case once: the config does not say how often calls are made");
    ob__draw_step(&c->svg, step, &(ob_box){.x = MARGIN, .y = HEAD, .width = inner});
    return OB_OK;
}

ob_status ob__plot_kind_svg(const ob_plot *plot, bool is_inline, const ob_plot_style *style,
                            ob_text *text, ob_err *err)
{
    static ob_status (*const DRAW[OB_PLOT_KIND_COUNT])(canvas *, ob_err *) = {
        [OB_PLOT_DISTRIBUTION] = draw_distributions,
        [OB_PLOT_RATIO] = draw_ratios,
        [OB_PLOT_SCALING] = draw_scaling,
        [OB_PLOT_STEP] = draw_step,
        [OB_PLOT_HISTORY] = draw_history,
    };
    const size_t start = text->size;
    canvas c = {.plot = plot,
                .style = style,
                .is_inline = is_inline,
                .text = text,
                .width = style->width > 0 ? fmax((double)style->width, 480) : 960};
    if (plot->history == NULL)
        OB_TRY(ob__page_end(plot->page, err));
    OB_TRY(DRAW[plot->params.kind](&c, err));
    ob__svg_end(&c.svg);
    if (!c.svg.failed)
        return OB_OK;
    text->size = start;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the picture");
}
