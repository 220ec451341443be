/* SPDX-License-Identifier: Apache-2.0
 *
 * What a history says of its series: points with their labels, and where something changed. Pages and pictures show it.
 */
#include "report/site_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the history");
}

static const char *label_of(ob_site *site, const ob_store_run *run, int64_t time)
{
    char text[96], date[32];
    ob_record_format_time(time, date);
    const bool commit = run != NULL && run->commit[0] != '\0';
    snprintf(text, sizeof text, "%.10s%s%.12s", date, commit ? " " : "", commit ? run->commit : "");
    return ob__arena_strdup(&site->arena, text, strlen(text));
}

/* What else is different between two runs; NULL = nothing that is known. */
static const char *mark_of(const ob_store_run *before, const ob_store_run *after)
{
    if (before == NULL || after == NULL)
        return NULL;
    return strcmp(before->kernel, after->kernel) != 0         ? "kernel"
           : strcmp(before->microcode, after->microcode) != 0 ? "microcode"
           : strcmp(before->libraries, after->libraries) != 0 ? "libraries"
           : strcmp(before->version, after->version) != 0     ? "opbench"
                                                              : NULL;
}

static void fill_points(ob_site *site, const ob_store_points *points, ob_site_series *to)
{
    const ob_store_run *before = NULL;
    for (size_t i = 0; i < ob_store_points_count(points); i++) {
        const ob_store_point *p = ob_store_points_at(points, i);
        const ob_store_run *run = ob_store_runs_find(site->runs, p->run);
        if (run == NULL || !(p->median > 0) || !isfinite(p->median) ||
            !ob_record_status_get_info(p->status)->ran)
            continue; /* the filter left the run out, or it has no time */
        to->points[to->count++] = (ob_series_point){.value = p->median,
                                                    .low = p->low,
                                                    .high = p->high,
                                                    .label = label_of(site, run, p->time),
                                                    .mark = mark_of(before, run)};
        before = run;
    }
    if (to->count > 0)
        to->last_ns = to->points[to->count - 1].value;
}

static ob_status read_points(ob_site *site, ob_site_series *to, ob_err *err)
{
    ob_store_points *points;
    OB_TRY(ob_store_read_points(site->store, to->series->id, &points, err));
    to->points = calloc(ob_store_points_count(points) + 1, sizeof *to->points);
    if (to->points != NULL)
        fill_points(site, points, to);
    ob_store_points_destroy(points);
    for (size_t i = 0; to->points != NULL && i < to->count; i++)
        if (to->points[i].label == NULL)
            return no_memory(err);
    return to->points != NULL ? OB_OK : no_memory(err);
}

static int by_series(const void *left, const void *right)
{
    const ob_store_change *a = *(const ob_store_change *const *)left;
    const ob_store_change *b = *(const ob_store_change *const *)right;
    return (a->series->id > b->series->id) - (a->series->id < b->series->id);
}

/* The first of the changes, which are ordered, of this series or one behind it. */
static size_t first_of(const ob_store_change **changes, size_t count, int64_t series)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (changes[middle]->series->id < series)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Marks the points at which steps are. */
static ob_status mark_changes(ob_site *site, ob_err *err)
{
    const size_t count = ob_store_check_count(site->check);
    const ob_store_change **changes = calloc(count + 1, sizeof(ob_store_change *));
    char text[64];
    if (changes == NULL)
        return no_memory(err);
    for (size_t i = 0; i < count; i++)
        changes[i] = ob_store_check_at(site->check, i);
    qsort(changes, count, sizeof *changes, by_series);
    for (size_t s = 0; s < site->count; s++) {
        ob_site_series *to = &site->series[s];
        const int64_t id = to->series->id;
        size_t latest = 0;
        for (size_t i = first_of(changes, count, id); i < count && changes[i]->series->id == id;
             i++) {
            const ob_change *c = &changes[i]->change;
            if (c->kind != OB_CHANGE_STEP || c->index >= to->count)
                continue;
            snprintf(text, sizeof text, "%+.1f %%", 100 * (c->ratio - 1));
            to->points[c->index].mark = ob__arena_strdup(&site->arena, text, strlen(text));
            to->points[c->index].step = true;
            to->changes++;
            if (c->index >= latest) {
                latest = c->index;
                to->last_step = c->ratio;
            }
        }
    }
    free(changes);
    return OB_OK;
}

ob_status ob__site_read(ob_site *site, ob_err *err)
{
    const ob_store_check_params check = {.size = sizeof check, .filter = site->params.filter};
    ob__arena_init(&site->arena, 0);
    OB_TRY(ob_store_read_runs(site->store, site->params.filter, &site->runs, err));
    OB_TRY(ob_store_read_list(site->store, site->params.filter, &site->list, err));
    const size_t count = ob_store_list_count(site->list);
    if (count == 0 && site->params.filter != NULL && site->params.filter->text != NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "%s has no case %.200s; `opbench history show` lists them",
                          ob_store_name(site->store), site->params.filter->text);
    if (count > 0 && ob_store_runs_count(site->runs) == 0)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "no run of %s has this branch or tag; `opbench history log` lists them",
                          ob_store_name(site->store));
    if (count == 0)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "%s has no results to show; add some with `opbench history add FILE`",
                          ob_store_name(site->store));
    OB_TRY(ob_store_check_run(site->store, &check, &site->check, err));
    site->series = calloc(count, sizeof *site->series);
    if (site->series == NULL)
        return no_memory(err);
    for (site->count = 0; site->count < count; site->count++) {
        const ob_store_series *series = ob_store_list_at(site->list, site->count);
        ob_site_series *to = &site->series[site->count];
        if (series == NULL)
            break;
        *to = (ob_site_series){.series = series, .last_ns = NAN, .last_step = NAN};
        OB_TRY(read_points(site, to, err));
    }
    return mark_changes(site, err);
}

void ob__site_fini(ob_site *site)
{
    for (size_t i = 0; site->series != NULL && i < ob_store_list_count(site->list); i++)
        free(site->series[i].points);
    free(site->series);
    ob_store_check_destroy(site->check);
    ob_store_list_destroy(site->list);
    ob_store_runs_destroy(site->runs);
    ob__arena_fini(&site->arena);
    ob_text_fini(&site->html.text);
    ob_text_fini(&site->page);
}
