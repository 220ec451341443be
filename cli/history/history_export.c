/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench history export: every result with its run, for other programs. A table would have to be held in memory: lines of
 * JSON are printed series by series, and CSV as well.
 */
#include "history/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct exporting {
    ob_history *h;
    const ob_store_series *series;
    const ob_store_run *run;
    const ob_store_point *point;
} exporting;

static const ob_column COLUMNS[] = {
    {.title = "key", .name = "key"},
    {.title = "operator", .name = "operator"},
    {.title = "id", .name = "id"},
    {.title = "call", .name = "call"},
    {.title = "backend", .name = "backend"},
    {.title = "side", .name = "side"},
    {.title = "pass", .name = "pass"},
    {.title = "settings", .name = "settings"},
    {.title = "hardware", .name = "hardware"},
    {.title = "time", .name = "time", .hint = OB_HINT_COUNT},
    {.title = "host", .name = "host"},
    {.title = "commit", .name = "commit"},
    {.title = "branch", .name = "branch"},
    {.title = "tags", .name = "tags"},
    {.title = "status", .name = "status"},
    {.title = "samples", .name = "samples", .hint = OB_HINT_COUNT},
    {.title = "min", .name = "min", .hint = OB_HINT_TIME},
    {.title = "p25", .name = "p25", .hint = OB_HINT_TIME},
    {.title = "median", .name = "median", .hint = OB_HINT_TIME},
    {.title = "p75", .name = "p75", .hint = OB_HINT_TIME},
    {.title = "p90", .name = "p90", .hint = OB_HINT_TIME},
    {.title = "p99", .name = "p99", .hint = OB_HINT_TIME},
    {.title = "max", .name = "max", .hint = OB_HINT_TIME},
    {.title = "mean", .name = "mean", .hint = OB_HINT_TIME},
    {.title = "stddev", .name = "stddev", .hint = OB_HINT_TIME},
    {.title = "low", .name = "low", .hint = OB_HINT_TIME},
    {.title = "high", .name = "high", .hint = OB_HINT_TIME},
    {.title = "all samples", .name = "all_samples"},
};

/* "1000 1003 998": ns with blanks between. */
static ob_status set_samples(const exporting *e, ob_table *table, size_t column, ob_err *err)
{
    double *times = NULL;
    size_t count = 0;
    ob_text text = {.data = NULL};
    bool ok = true;
    if (!e->h->options->samples)
        return OB_OK;
    OB_TRY(ob_store_read_samples(e->h->store, e->series->id, e->point, &times, &count, err));
    for (size_t i = 0; i < count && ok; i++)
        ok = ob_text_printf(&text, "%s%.10g", i > 0 ? " " : "", times[i]);
    if (count > 0 && ok && ob_text_append(&text, "", 1))
        ob_table_set_text(table, column, text.data);
    free(times);
    ob_text_fini(&text);
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for samples");
}

static ob_status add_row(const exporting *e, ob_table *table, ob_err *err)
{
    const ob_store_series *s = e->series;
    const ob_store_run *r = e->run;
    const ob_store_point *p = e->point;
    const char *const texts[] = {s->key,  s->op,   s->id_text,  s->call,      s->backend,
                                 s->side, s->pass, s->settings, s->class_text};
    const char *const of_run[] = {r->host, r->commit, r->branch, r->tags,
                                  ob_record_status_get_info(p->status)->word};
    const double numbers[] = {
        (double)p->samples, p->min, p->p25, p->median, p->p75, p->p90, p->p99, p->max, p->mean,
        p->stddev,          p->low, p->high};
    size_t column = 0;
    ob_table_add_row(table);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ob_table_set_text(table, column++, texts[i]);
    ob_table_set_number(table, column++, (double)r->time);
    for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++)
        ob_table_set_text(table, column++, of_run[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ob_table_set_number(table, column++, numbers[i]);
    return set_samples(e, table, column, err);
}

static ob_status fill(exporting *e, const ob_store_runs *runs, ob_table *table, ob_err *err)
{
    ob_store_points *points = NULL;
    OB_TRY(ob_store_read_points(e->h->store, e->series->id, &points, err));
    ob_status status = OB_OK;
    for (size_t i = 0; i < ob_store_points_count(points) && status == OB_OK; i++) {
        e->point = ob_store_points_at(points, i);
        e->run = ob_store_runs_find(runs, e->point->run);
        if (e->run != NULL)
            status = add_row(e, table, err);
    }
    ob_store_points_destroy(points);
    return status;
}

static ob_status export_all(ob_history *h, const ob_store_runs *runs, const ob_store_list *list,
                            ob_err *err)
{
    exporting e = {.h = h};
    ob_table *table = ob__history_table(COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
    ob_status status = OB_OK;
    for (size_t i = 0; table != NULL && i < ob_store_list_count(list) && status == OB_OK; i++) {
        e.series = ob_store_list_at(list, i);
        status = fill(&e, runs, table, err);
        /* Lines of JSON need no heading, so that a series can be printed and forgotten. */
        if (status == OB_OK && strcmp(h->options->format, "json") == 0) {
            status = ob__history_print(h, table, err);
            table = status == OB_OK ? ob__history_table(COLUMNS, sizeof COLUMNS / sizeof *COLUMNS)
                                    : NULL;
        }
    }
    if (status == OB_OK && strcmp(h->options->format, "json") != 0)
        return ob__history_print(h, table, err);
    ob_table_destroy(table);
    return status;
}

ob_status ob__history_export(ob_history *h, int *code, ob_err *err)
{
    ob_store_runs *runs = NULL;
    ob_store_list *list = NULL;
    (void)code;
    h->filter.text = h->word_count > 0 ? h->words[0] : NULL;
    ob_status status = ob_store_read_runs(h->store, &h->filter, &runs, err);
    if (status == OB_OK)
        status = ob_store_read_list(h->store, &h->filter, &list, err);
    if (status == OB_OK)
        status = export_all(h, runs, list, err);
    ob_store_runs_destroy(runs);
    ob_store_list_destroy(list);
    return status;
}
