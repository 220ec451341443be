/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes that people agreed to. What is kept is the series and the commit: the place of a step may still move by a point
 * or two as more results come, so an accepted commit near it will do.
 */
#include "store/store_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NEAR = 3 }; /* points */

/* What a run is called where one is accepted: its commit, or its id if it has none. out holds 80 bytes. */
static const char *name_of_run(const ob_store_run *run, char *out, size_t size)
{
    if (run->commit[0] != '\0')
        return run->commit;
    snprintf(out, size, "%016" PRIx64, (uint64_t)run->id);
    return out;
}

/* ---- asking ---- */

typedef struct asking {
    const ob_store_points *points;
    const size_t *places;
    size_t first, end; /* values near the change */
    const ob_store_runs *runs;
    const char *reason;
    ob_arena *arena;
} asking;

static ob_status take_reason(void *ctx, ob_sql_statement *row, ob_err *err)
{
    asking *a = ctx;
    char name[80];
    for (size_t i = a->first; i < a->end && a->reason == NULL; i++) {
        const ob_store_run *run =
            ob_store_runs_find(a->runs, ob_store_points_at(a->points, a->places[i])->run);
        if (run == NULL || strcmp(name_of_run(run, name, sizeof name), ob__row_text(row, 0)) != 0)
            continue;
        a->reason = ob__row_keep(row, 1, a->arena);
        if (a->reason == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a reason");
    }
    return OB_OK;
}

ob_status ob__check_accepted(ob_store *store, const ob_store_points *points, const size_t *places,
                             size_t count, const ob_store_runs *runs, ob_found_change *found,
                             ob_arena *arena, ob_err *err)
{
    const ob_change *c = &found->change.change;
    const bool drift = c->kind == OB_CHANGE_DRIFT;
    const size_t end = drift ? c->end : c->index + NEAR + 1;
    asking a = {.points = points,
                .places = places,
                .first = drift             ? c->first
                         : c->index > NEAR ? c->index - NEAR
                                           : 0,
                .end = end < count ? end : count,
                .runs = runs,
                .arena = arena};
    const ob_sql_value values[] = {ob__sql_int(found->change.series->id)};
    OB_TRY(ob__sql_each(store->sql,
                        "SELECT git_commit, reason FROM ob_ack WHERE series = $1 "
                        "ORDER BY time DESC, git_commit",
                        values, 1, take_reason, &a, err));
    if (a.reason != NULL)
        found->change.reason = a.reason;
    return OB_OK;
}

/* ---- accepting ---- */

static bool is_named(const ob_store_series *s, const char *text)
{
    char name[1024];
    snprintf(name, sizeof name, "%s|%s", s->op, s->id_text);
    return strcmp(s->key, text) == 0 || strcmp(s->call, text) == 0 || strcmp(name, text) == 0;
}

/* The one commit that begins so. */
static ob_status find_commit(const ob_store_runs *runs, const char *commit, char *out, size_t size,
                             ob_err *err)
{
    char room[80];
    out[0] = '\0';
    for (size_t i = 0; i < ob_store_runs_count(runs); i++) {
        const char *name = name_of_run(ob_store_runs_at(runs, i), room, sizeof room);
        if (strncmp(name, commit, strlen(commit)) != 0 || strcmp(name, out) == 0)
            continue;
        if (out[0] != '\0')
            return ob_err_set(err, OB_ERR_INVALID,
                              "%.64s and %.64s both begin with %.64s; give more of it", out, name,
                              commit);
        snprintf(out, size, "%s", name);
    }
    if (out[0] == '\0')
        return ob_err_set(
            err, OB_ERR_NOT_FOUND,
            "the history has no run of commit %.64s; `opbench history log` lists them", commit);
    return OB_OK;
}

static ob_status insert(ob_store *store, int64_t series, const char *commit, const char *reason,
                        ob_err *err)
{
    const ob_sql_value values[] = {ob__sql_int(series), ob__sql_text(commit), ob__sql_text(reason),
                                   ob__sql_int((int64_t)time(NULL))};
    return ob__sql_run(store->sql,
                       "INSERT INTO ob_ack (series, git_commit, reason, time) VALUES ($1, $2, $3, "
                       "$4) ON CONFLICT (series, git_commit) DO UPDATE SET reason = "
                       "excluded.reason, time = excluded.time",
                       values, 4, NULL, err);
}

static ob_status accept_all(ob_store *store, const ob_store_list *list, const char *text,
                            const char *commit, const char *reason, ob_err *err)
{
    size_t found = 0;
    OB_TRY(ob__sql_begin(store->sql, err));
    ob_status status = OB_OK;
    for (size_t i = 0; i < ob_store_list_count(list) && status == OB_OK; i++) {
        const ob_store_series *series = ob_store_list_at(list, i);
        if (!is_named(series, text))
            continue;
        found++;
        status = insert(store, series->id, commit, reason, err);
    }
    if (status == OB_OK && found == 0)
        status = ob_err_set(err, OB_ERR_NOT_FOUND,
                            "the history has no case %.200s; give its key, OPERATOR|ID or its call "
                            "as `opbench history check` shows it",
                            text);
    if (status == OB_OK)
        status = ob__sql_commit(store->sql, err);
    if (status != OB_OK)
        ob__sql_rollback(store->sql);
    return status;
}

ob_status ob_store_accept(ob_store *store, const char *text, const char *commit, const char *reason,
                          ob_err *err)
{
    ob_store_runs *runs = NULL;
    ob_store_list *list = NULL;
    char name[160];
    if (reason[0] == '\0' || commit[0] == '\0')
        return ob_err_set(err, OB_ERR_INVALID, "accepting a change needs its commit and a reason");
    ob_status status = ob_store_read_runs(store, NULL, &runs, err);
    if (status == OB_OK)
        status = find_commit(runs, commit, name, sizeof name, err);
    if (status == OB_OK)
        status = ob_store_read_list(store, NULL, &list, err);
    if (status == OB_OK)
        status = accept_all(store, list, text, name, reason, err);
    ob_store_runs_destroy(runs);
    ob_store_list_destroy(list);
    return status;
}
