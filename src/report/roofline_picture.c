/* SPDX-License-Identifier: Apache-2.0 */
#include "report/roofline_picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GIGA = 1e9;

/* ---- ceilings ---- */

/* As many as most of the results have, if there are ceilings of so many; else the most that were measured. */
static int64_t threads_of(const ob_plot *plot)
{
    int64_t best = 0, most = 0;
    size_t best_votes = 0;
    if (plot->params.threads > 0)
        return plot->params.threads;
    for (size_t i = 0; i < ob_roofline_count(plot->roofline); i++) {
        const int64_t threads = ob_roofline_at(plot->roofline, i)->threads;
        size_t votes = 0;
        for (size_t p = 0; p < plot->count; p++)
            votes += plot->points[p].threads == threads;
        if (votes > best_votes) {
            best = threads;
            best_votes = votes;
        }
        most = threads > most ? threads : most;
    }
    return best > 0 ? best : most;
}

/* Keeps the larger of two with the same first word. */
static void put_line(ob_picture_line *lines, size_t *count, size_t room, const ob_ceiling *c,
                     const char *unit)
{
    ob_picture_line line = {.value = c->value};
    const size_t word = strlen(c->of);
    snprintf(line.label, sizeof line.label, "%s %.4g %s%s%s", c->of, c->value / GIGA, unit,
             c->kind == OB_CEILING_PEAK && c->set[0] != '\0' ? ", " : "",
             c->kind == OB_CEILING_PEAK ? c->set : "");
    for (size_t i = 0; i < *count; i++)
        if (strncmp(lines[i].label, line.label, word + 1) == 0) {
            if (lines[i].value < line.value)
                lines[i] = line;
            return;
        }
    if (*count < room)
        lines[(*count)++] = line;
}

static int by_value(const void *a, const void *b)
{
    const ob_picture_line *l = a, *r = b;
    return (l->value > r->value) - (l->value < r->value);
}

static int by_value_down(const void *a, const void *b)
{
    return by_value(b, a);
}

/* A device was measured over a larger working set, of which less is in its caches. */
static bool is_cached(const ob_plot *plot, const ob_ceiling *ceiling)
{
    for (size_t i = 0; i < ob_roofline_count(plot->roofline); i++) {
        const ob_ceiling *c = ob_roofline_at(plot->roofline, i);
        if (c->kind == ceiling->kind && c->threads == ceiling->threads &&
            strcmp(c->of, ceiling->of) == 0 && c->bytes > ceiling->bytes)
            return true;
    }
    return false;
}

ob_status ob__roof_lines(const ob_plot *plot, ob_roof_lines *out, ob_err *err)
{
    if (plot->roofline == NULL)
        return ob_err_set(
            err, OB_ERR_NOT_FOUND,
            "no ceilings: the results were measured without them; measure them on the same machine "
            "with opbench roofline -o FILE and pass --roofline FILE, or draw something that needs "
            "none: --kind distribution, ratio, scaling, step or history");
    *out = (ob_roof_lines){.threads = threads_of(plot)};
    for (size_t i = 0; i < ob_roofline_count(plot->roofline); i++) {
        const ob_ceiling *c = ob_roofline_at(plot->roofline, i);
        const bool is_device = strchr(c->of, ':') != NULL; /* whatever threads the host has */
        if ((c->threads != out->threads && !is_device) || !ob__axis_takes(c->value))
            continue;
        if (c->kind == OB_CEILING_PEAK)
            put_line(out->peaks, &out->peak_count, OB_PICTURE_PEAKS, c, "Gop/s");
        else if (c->kind >= OB_CEILING_LOAD && c->kind <= OB_CEILING_TRIAD && !is_cached(plot, c))
            put_line(out->levels, &out->level_count, OB_PICTURE_LEVELS, c, "GB/s");
    }
    qsort(out->levels, out->level_count, sizeof *out->levels, by_value);
    qsort(out->peaks, out->peak_count, sizeof *out->peaks, by_value_down);
    if (out->level_count > 0 && out->peak_count > 0)
        return OB_OK;
    return ob_err_set(
        err, OB_ERR_NOT_FOUND,
        "no ceilings for %lld threads; opbench roofline --num-threads %lld measures them",
        (long long)out->threads, (long long)out->threads);
}

void ob__roof_axes(const ob_plot *plot, const ob_roof_lines *lines, ob_log_axis *x, ob_log_axis *y)
{
    const double fastest = lines->levels[lines->level_count - 1].value;
    const double slowest = lines->levels[0].value;
    double left = 0.1, right = 10 * lines->peaks[0].value / slowest;
    double bottom = INFINITY, top = lines->peaks[0].value;
    for (size_t i = 0; i < plot->count; i++) {
        const ob_picture_point *p = &plot->points[i];
        left = fmin(left, p->intensity);
        right = fmax(right, p->intensity);
        bottom = fmin(bottom, p->rate);
        top = fmax(top, p->rate);
    }
    bottom = fmin(bottom, slowest * left);
    *x = ob__axis_over(left, fmax(right, lines->peaks[0].value / fastest), x->start, x->stop);
    *y = ob__axis_over(bottom, top, y->start, y->stop);
}

/* ---- results ---- */

double ob__point_share(const ob_picture_point *point)
{
    return point->rate / point->roof;
}

static int by_share(const void *a, const void *b)
{
    const double l = ob__point_share(*(const ob_picture_point *const *)a);
    const double r = ob__point_share(*(const ob_picture_point *const *)b);
    return (l > r) - (l < r);
}

size_t ob__farthest(const ob_plot *plot, const ob_picture_point *out[OB_PICTURE_FARTHEST])
{
    size_t count = 0;
    for (size_t i = 0; i < plot->count; i++) {
        const ob_picture_point *p = &plot->points[i];
        if (!(ob__point_share(p) < OB_EXPLAINED_SHARE))
            continue; /* explained, or nothing is known */
        if (count < OB_PICTURE_FARTHEST)
            out[count++] = p;
        else if (ob__point_share(p) < ob__point_share(out[count - 1]))
            out[count - 1] = p;
        else
            continue;
        qsort(out, count, sizeof(const ob_picture_point *), by_share);
    }
    return count;
}

bool ob__roof_notes(const ob_plot *plot, ob_text *out)
{
    bool ok = true;
    if (plot->not_shown > 0)
        ok = ob_text_printf(out, "%zu result%s without operations or bytes %s not shown\n",
                            plot->not_shown, plot->not_shown == 1 ? "" : "s",
                            plot->not_shown == 1 ? "is" : "are");
    if (plot->other_cpu)
        ok = ok &&
             ob_text_printf(
                 out,
                 "the results are from several machines; the ceilings are those of the first\n");
    return ok;
}
