/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench history log and show: what is there.
 */
#include "history/history.h"

#include <math.h>
#include <string.h>

/* ---- log ---- */

static void add_run(ob_table *table, const ob_store_run *run)
{
    char when[32], commit[32];
    ob_table_add_row(table);
    ob_table_set_text(table, 0, ob__history_commit("", run->id, commit));
    ob_table_set_text(table, 1, ob__history_time(run->time, when));
    ob_table_set_number(table, 2, (double)run->time);
    if (run->commit[0] != '\0')
        ob_table_set_text(table, 3, ob__history_commit(run->commit, run->id, commit));
    ob_table_set_text(table, 4, run->commit);
    ob_table_set_text(table, 5, run->dirty == 1 ? "changed" : "");
    ob_table_set_text(table, 6, run->branch);
    ob_table_set_text(table, 7, run->host);
    ob_table_set_text(table, 8, run->class_text);
    ob_table_set_text(table, 9, run->source);
    ob_table_set_number(table, 10, (double)run->results);
    ob_table_set_number(table, 11, (double)run->failed);
    ob_table_set_text(table, 12, strcmp(run->tags, "{}") == 0 ? "" : run->tags);
    ob_table_set_text(table, 13, run->kernel);
    ob_table_set_text(table, 14, run->microcode);
    ob_table_set_text(table, 15, run->version);
}

ob_status ob__history_log(ob_history *h, int *code, ob_err *err)
{
    static const ob_column COLUMNS[] = {
        {.title = "run", .name = "run"},
        {.title = "time"},
        {.name = "time", .hint = OB_HINT_COUNT},
        {.title = "commit", .flags = OB_COLUMN_NOT_EMPTY},
        {.name = "commit"},
        {.title = "", .name = "changed", .flags = OB_COLUMN_NOT_EMPTY},
        {.title = "branch", .name = "branch", .flags = OB_COLUMN_NOT_EMPTY},
        {.title = "host", .name = "host"},
        {.name = "hardware"},
        {.title = "from", .name = "from", .flags = OB_COLUMN_SHORTENED},
        {.title = "results", .name = "results", .hint = OB_HINT_COUNT},
        {.title = "failed", .name = "failed", .hint = OB_HINT_COUNT},
        {.title = "tags", .name = "tags", .flags = OB_COLUMN_NOT_EMPTY | OB_COLUMN_SHORTENED},
        {.name = "kernel"},
        {.name = "microcode"},
        {.name = "opbench"}};
    ob_store_runs *runs = NULL;
    (void)code;
    OB_TRY(ob_store_read_runs(h->store, &h->filter, &runs, err));
    ob_table *table = ob__history_table(COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
    for (size_t i = 0; table != NULL && i < ob_store_runs_count(runs); i++)
        add_run(table, ob_store_runs_at(runs, i));
    ob_store_runs_destroy(runs);
    return ob__history_print(h, table, err);
}

/* ---- show: which series there are ---- */

static ob_status print_list(ob_history *h, const ob_store_list *list, ob_err *err)
{
    static const ob_column COLUMNS[] = {
        {.title = "case", .name = "case", .flags = OB_COLUMN_SHORTENED},
        {.title = "backend", .name = "backend"},
        {.title = "side", .name = "side", .flags = OB_COLUMN_NOT_EMPTY},
        {.title = "settings", .name = "settings"},
        {.title = "points", .name = "points", .hint = OB_HINT_COUNT},
        {.title = "key", .name = "key"},
        {.title = "hardware", .name = "hardware", .flags = OB_COLUMN_SHORTENED}};
    char name[512];
    ob_table *table = ob__history_table(COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
    for (size_t i = 0; table != NULL && i < ob_store_list_count(list); i++) {
        const ob_store_series *s = ob_store_list_at(list, i);
        ob_table_add_row(table);
        ob_table_set_text(table, 0, ob__history_name(s, name, sizeof name));
        ob_table_set_text(table, 1, s->backend);
        ob_table_set_text(table, 2, s->side);
        ob_table_set_text(table, 3, s->settings);
        ob_table_set_number(table, 4, (double)s->points);
        ob_table_set_text(table, 5, s->key);
        ob_table_set_text(table, 6, s->class_text);
    }
    return ob__history_print(h, table, err);
}

/* ---- show: a case ---- */

static const ob_column POINT_COLUMNS[] = {
    {.name = "case"},
    {.name = "backend"},
    {.name = "settings"},
    {.name = "hardware"},
    {.title = "time"},
    {.name = "time", .hint = OB_HINT_COUNT},
    {.title = "commit"},
    {.name = "commit"},
    {.title = "status", .name = "status"},
    {.title = "median", .name = "median", .hint = OB_HINT_TIME},
    {.title = "p25", .name = "p25", .hint = OB_HINT_TIME},
    {.title = "p75", .name = "p75", .hint = OB_HINT_TIME},
    {.title = "min", .name = "min", .hint = OB_HINT_TIME},
    {.title = "samples", .name = "samples", .hint = OB_HINT_COUNT},
    {.title = "", .name = "change", .flags = OB_COLUMN_NOT_EMPTY},
};

/* "step +3.2 %", in the row of the first run after it, of a drift in that of its last. */
static const char *say_change(const ob_store_check *check, int64_t series, int64_t run, char *out,
                              size_t size)
{
    char percent[32];
    for (size_t i = 0; i < ob_store_check_count(check); i++) {
        const ob_store_change *found = ob_store_check_at(check, i);
        const ob_change *c = &found->change;
        if (found->series->id != series || found->run_after != run)
            continue;
        if (c->kind == OB_CHANGE_NOISE)
            snprintf(out, size, "noise times %.1f", c->ratio);
        else
            snprintf(out, size, "%s %s", ob_change_kind_word(c->kind),
                     ob__history_percent(c->ratio, percent));
        return out;
    }
    return NULL;
}

static void add_point(ob_table *table, const ob_store_series *s, const ob_store_run *run,
                      const ob_store_point *p, const char *change)
{
    char when[32], commit[32], name[512];
    ob_table_add_row(table);
    ob_table_set_text(table, 0, ob__history_name(s, name, sizeof name));
    ob_table_set_text(table, 1, s->backend);
    ob_table_set_text(table, 2, s->settings);
    ob_table_set_text(table, 3, s->class_text);
    ob_table_set_text(table, 4, ob__history_time(p->time, when));
    ob_table_set_number(table, 5, (double)p->time);
    ob_table_set_text(table, 6, ob__history_commit(run->commit, run->id, commit));
    ob_table_set_text(table, 7, run->commit);
    ob_table_set_text(table, 8, ob_record_status_get_info(p->status)->word);
    ob_table_set_number(table, 9, p->median);
    ob_table_set_number(table, 10, p->p25);
    ob_table_set_number(table, 11, p->p75);
    ob_table_set_number(table, 12, p->min);
    ob_table_set_number(table, 13, (double)p->samples);
    ob_table_set_text(table, 14, change);
}

static void add_points(ob_table *table, const ob_store_series *s, const ob_store_runs *runs,
                       const ob_store_points *points, const ob_store_check *check)
{
    char text[64], heading[1024], name[512];
    size_t shown = 0;
    snprintf(heading, sizeof heading, "%s, %s%s%s, %s, %s", ob__history_name(s, name, sizeof name),
             s->backend, s->side[0] != '\0' ? ", " : "", s->side, s->settings, s->class_text);
    for (size_t i = 0; i < ob_store_points_count(points); i++) {
        const ob_store_point *p = ob_store_points_at(points, i);
        const ob_store_run *run = ob_store_runs_find(runs, p->run);
        if (run == NULL)
            continue;
        add_point(table, s, run, p, say_change(check, s->id, run->id, text, sizeof text));
        if (shown++ == 0)
            ob_table_set_heading(table, heading);
    }
}

static ob_status print_points(ob_history *h, const ob_store_list *list, const ob_store_runs *runs,
                              const ob_store_check *check, ob_err *err)
{
    ob_table *table =
        ob__history_table(POINT_COLUMNS, sizeof POINT_COLUMNS / sizeof *POINT_COLUMNS);
    ob_status status = OB_OK;
    for (size_t i = 0; table != NULL && status == OB_OK && i < ob_store_list_count(list); i++) {
        const ob_store_series *s = ob_store_list_at(list, i);
        ob_store_points *points = NULL;
        status = ob_store_read_points(h->store, s->id, &points, err);
        if (status == OB_OK)
            add_points(table, s, runs, points, check);
        ob_store_points_destroy(points);
    }
    if (status == OB_OK)
        return ob__history_print(h, table, err);
    ob_table_destroy(table);
    return status;
}

/* With the changes that `check` finds by the same options. */
static ob_status show_case(ob_history *h, const ob_store_list *list, ob_err *err)
{
    const ob_change_params how = {
        .size = sizeof how, .p = h->options->p, .least = h->options->min_change};
    const ob_store_check_params params = {
        .size = sizeof params, .filter = &h->filter, .how = &how, .value = h->options->value};
    ob_store_runs *runs = NULL;
    ob_store_check *check = NULL;
    ob_status status = ob_store_read_runs(h->store, &h->filter, &runs, err);
    if (status == OB_OK)
        status = ob_store_check_run(h->store, &params, &check, err);
    if (status == OB_OK)
        status = print_points(h, list, runs, check, err);
    ob_store_check_destroy(check);
    ob_store_runs_destroy(runs);
    return status;
}

ob_status ob__history_no_case(const ob_history *h, ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOT_FOUND,
                      "the history has no case %.200s; `opbench history show` lists them",
                      h->words[0]);
}

ob_status ob__history_show(ob_history *h, int *code, ob_err *err)
{
    ob_store_list *list = NULL;
    (void)code;
    h->filter.text = h->word_count > 0 ? h->words[0] : NULL;
    ob_status status = ob_store_read_list(h->store, &h->filter, &list, err);
    if (status == OB_OK && h->word_count > 0 && ob_store_list_count(list) == 0)
        status = ob__history_no_case(h, err);
    if (status == OB_OK)
        status = h->word_count == 0 ? print_list(h, list, err) : show_case(h, list, err);
    ob_store_list_destroy(list);
    return status;
}
