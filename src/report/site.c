/* SPDX-License-Identifier: Apache-2.0
 *
 * A site: the history is read once, then its pages are written one by one.
 */
#include "report/site_model.h"

#include "base/sized.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the site");
}

/* ---- names of pages ---- */

static uint32_t hash(const char *text)
{
    uint32_t h = 2166136261U;
    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * 16777619U;
    return h;
}

/* What is not safe in a file name becomes '_'; the hash tells names apart that are equal then. */
static const char *page_name(const char *kind, const char *text, char out[OB_SITE_NAME])
{
    char safe[48];
    size_t n = 0;
    for (; text[n] != '\0' && n + 1 < sizeof safe; n++)
        safe[n] = isalnum((unsigned char)text[n]) || (text[n] == '.' && n > 0) ? text[n] : '_';
    safe[n] = '\0';
    snprintf(out, OB_SITE_NAME, "%s-%s-%08x.html", kind, safe, hash(text));
    return out;
}

const char *ob__site_operator_page(const char *op, char out[OB_SITE_NAME])
{
    return page_name("op", op, out);
}

const char *ob__site_case_page(const char *key, char out[OB_SITE_NAME])
{
    return page_name("case", key, out);
}

/* ---- pages ---- */

static bool keep(void *ctx, const char *bytes, size_t count)
{
    return ob_text_append(ctx, bytes, count);
}

void ob__site_begin(ob_site *site, const char *here, const char *below)
{
    ob_html *html = &site->html;
    site->page.size = 0;
    *html = (ob_html){.text = html->text, .write = keep, .ctx = &site->page};
    html->text.size = 0;
    ob__page_begin_document(html, false);
    ob__html_text(html, here, OB_PAGE_NAME);
    ob__html_raw(html, " \302\267 opbench</title>\n");
    ob__page_begin_body(html);
    ob__html_raw(html, "<header>\n<p class=\"brand\">opbench history</p>\n<h1>");
    ob__html_text(html, here, OB_PAGE_NAME);
    ob__html_raw(html, "</h1>\n<p class=\"lead\">");
    ob__html_text(html, below, OB_PAGE_NAME);
    ob__html_raw(html, "</p>\n<nav aria-label=\"Pages\"><a href=\"index.html\">Overview</a><a "
                       "href=\"machines.html\">Machines</a></nav>\n</header>\n<main>\n");
}

ob_status ob__site_end(ob_site *site, const char *name, ob_err *err)
{
    ob_html *html = &site->html;
    ob__html_raw(html, "</main>\n<footer>Made by opbench. Points are medians with their 95 % "
                       "intervals.</footer>\n</body>\n</html>\n");
    ob__html_flush(html);
    if (html->no_memory || html->refused)
        return no_memory(err);
    return site->params.write(site->params.ctx, name, site->page.data, site->page.size, err);
}

/* ---- reading ---- */

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
        if (run == NULL || !(p->median > 0) || !ob_record_status_get_info(p->status)->ran)
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

static ob_status read_all(ob_site *site, ob_err *err)
{
    const ob_store_check_params check = {.size = sizeof check, .filter = site->params.filter};
    OB_TRY(ob_store_read_runs(site->store, site->params.filter, &site->runs, err));
    OB_TRY(ob_store_read_list(site->store, site->params.filter, &site->list, err));
    const size_t count = ob_store_list_count(site->list);
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

/* Pages of operators, and of the cases of each. */
static ob_status write_operators(ob_site *site, ob_err *err)
{
    for (size_t first = 0, end; first < site->count; first = end) {
        const char *op = site->series[first].series->op;
        for (end = first; end < site->count && strcmp(site->series[end].series->op, op) == 0; end++)
            continue;
        OB_TRY(ob__site_write_operator(site, first, end, err));
        for (size_t from = first, to; from < end; from = to) {
            const char *key = site->series[from].series->key;
            for (to = from; to < end && strcmp(site->series[to].series->key, key) == 0; to++)
                continue;
            OB_TRY(ob__site_write_case(site, from, to, err));
        }
    }
    return OB_OK;
}

ob_status ob_site_write(ob_store *store, const ob_site_params *params, ob_err *err)
{
    ob_site site = {.store = store};
    OB_TRY(OB__TAKE(ob_site_params, &site.params, params, err));
    ob__arena_init(&site.arena, 0);
    ob_status status = read_all(&site, err);
    if (status == OB_OK)
        status = write_operators(&site, err);
    if (status == OB_OK)
        status = ob__site_write_machines(&site, err);
    if (status == OB_OK)
        status = ob__site_write_index(&site, err);
    for (size_t i = 0; i < site.count; i++)
        free(site.series[i].points);
    free(site.series);
    ob_store_check_destroy(site.check);
    ob_store_list_destroy(site.list);
    ob_store_runs_destroy(site.runs);
    ob__arena_fini(&site.arena);
    ob_text_fini(&site.html.text);
    ob_text_fini(&site.page);
    return status;
}
