/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases over runs, or over numbers of threads, as lines of points: of records, or of the series of a database.
 */
#include "report/plot_kinds.h"

#include "base/sized.h"
#include "report/site_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the picture");
}

/* ---- a database ---- */

ob_status ob_plot_add_store(ob_plot *plot, ob_store *store, const ob_store_filter *given,
                            ob_err *err)
{
    ob_store_filter filter;
    OB_TRY(OB__TAKE_OPTIONAL(ob_store_filter, &filter, given, err));
    if (plot->params.kind != OB_PLOT_HISTORY || plot->history != NULL)
        return ob_err_set(err, OB_ERR_INVALID, "a database can only be drawn as a history");
    if (plot->only != NULL)
        filter.text = plot->only;
    plot->history = calloc(1, sizeof *plot->history);
    if (plot->history == NULL)
        return no_memory(err);
    plot->history->store = store;
    plot->history->params = (ob_site_params){.size = sizeof(ob_site_params), .filter = &filter};
    const ob_status status = ob__site_read(plot->history, err);
    plot->history->store = NULL; /* the caller's, as the filter is */
    plot->history->params.filter = NULL;
    return status;
}

void ob__plot_forget_store(ob_plot *plot)
{
    if (plot->history != NULL)
        ob__site_fini(plot->history);
    free(plot->history);
}

static ob_status take_series(const ob_site *site, ob_plot_lines *out, ob_err *err)
{
    out->items = calloc(site->count, sizeof *out->items);
    if (out->items == NULL)
        return no_memory(err);
    for (size_t i = 0; i < site->count; i++) {
        const ob_site_series *s = &site->series[i];
        const ob_store_series *of = s->series;
        if (s->count == 0) /* nothing of it ran */
            continue;
        out->items[out->count++] =
            (ob_plot_line){.call = of->call[0] != '\0' ? of->call : of->op,
                           .side = of->side[0] != '\0' ? of->side : of->backend,
                           .pass = of->pass,
                           .settings = of->settings,
                           .machine = of->class_text,
                           .points = s->points,
                           .count = s->count,
                           .notable = s->changes > 0 ? 1 + fabs(log(s->last_step)) : 0};
    }
    return out->count > 0 ? OB_OK
                          : ob_err_set(err, OB_ERR_NOT_FOUND, "none of these results has a time");
}

/* ---- records ---- */

static ob_series_point point_of(const ob_page *page, const ob_page_row *row)
{
    const ob_page_run *run = row->run < page->run_count ? &page->runs[row->run] : NULL;
    return (ob_series_point){.value = row->median_ns,
                             .low = row->low_ns,
                             .high = row->high_ns,
                             .label = run != NULL && run->start != NULL ? run->start : ""};
}

static ob_status take_rows(const ob_plot *plot, bool over_runs, ob_plot_lines *out, ob_err *err)
{
    const ob_page_choice all = {.only = plot->only};
    const ob_page_row **rows;
    size_t count;
    OB_TRY(ob__page_choose(plot->page, &all, &rows, &count, err));
    ob__page_gather(over_runs, rows, count);
    out->items = calloc(count, sizeof *out->items);
    out->points = calloc(count, sizeof *out->points);
    for (size_t from = 0, end; out->items != NULL && out->points != NULL && from < count;
         from = end) {
        for (end = from; end < count && (end == from || ob__page_same_work(rows[from], rows[end]));
             end++)
            out->points[end] = point_of(plot->page, rows[end]);
        out->items[out->count++] = (ob_plot_line){
            .call = rows[from]->call,
            .side = rows[from]->side,
            .pass = rows[from]->backward ? "backward" : "forward",
            .points = out->points + from,
            .count = end - from,
            .notable = fabs(log(out->points[end - 1].value / out->points[from].value))};
    }
    free(rows);
    return out->count > 0 ? OB_OK : no_memory(err);
}

/* ---- */

static int by_notability(const void *left, const void *right)
{
    const ob_plot_line *a = left, *b = right;
    if (a->notable != b->notable && !isnan(a->notable) && !isnan(b->notable))
        return a->notable > b->notable ? -1 : 1;
    return (a->points > b->points) - (a->points < b->points);
}

ob_status ob__plot_lines(const ob_plot *plot, bool over_runs, size_t most, ob_plot_lines *out,
                         ob_err *err)
{
    *out = (ob_plot_lines){.count = 0};
    const ob_status status = plot->history != NULL ? take_series(plot->history, out, err)
                                                   : take_rows(plot, over_runs, out, err);
    if (status != OB_OK) {
        ob__plot_lines_fini(out);
        return status;
    }
    if (most > 0 && out->count > most) {
        qsort(out->items, out->count, sizeof *out->items, by_notability);
        out->count = most;
    }
    return OB_OK;
}

void ob__plot_lines_fini(ob_plot_lines *lines)
{
    free(lines->items);
    free(lines->points);
}
