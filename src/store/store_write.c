/* SPDX-License-Identifier: Apache-2.0
 *
 * Adding records, in one transaction. A row that is there already stays as it is, and is counted as known, also if a file
 * that `merge` made brings it under another run than its shard did.
 */
#include "store/store_int.h"

#include "opbench/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SETTINGS = 512 };

static const char INSERT_RUN[] =
    "INSERT INTO ob_run (id, machine, time, host, git_commit, branch, dirty, tags, kernel, "
    "microcode, libraries, source, version, results, failed) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0) ON CONFLICT DO NOTHING";
static const char INSERT_SERIES[] =
    "INSERT INTO ob_series (id, machine, key, op, case_id, call, backend, side, pass, settings) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING";
/* $17: whether the result says when and by which process it was measured; its id then is the same in no two runs. */
static const char INSERT_RESULT[] =
    "INSERT INTO ob_result (series, run, id, status, samples, min, p25, median, p75, p90, p99, "
    "max, mean, stddev, low, high) SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), "
    "CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS BIGINT), CAST($6 AS DOUBLE PRECISION), "
    "CAST($7 AS DOUBLE PRECISION), CAST($8 AS DOUBLE PRECISION), CAST($9 AS DOUBLE PRECISION), "
    "CAST($10 AS DOUBLE PRECISION), CAST($11 AS DOUBLE PRECISION), "
    "CAST($12 AS DOUBLE PRECISION), CAST($13 AS DOUBLE PRECISION), "
    "CAST($14 AS DOUBLE PRECISION), CAST($15 AS DOUBLE PRECISION), "
    "CAST($16 AS DOUBLE PRECISION) WHERE CAST($17 AS BIGINT) = 0 OR NOT EXISTS "
    "(SELECT 1 FROM ob_result WHERE series = $1 AND id = $3) ON CONFLICT DO NOTHING";
/* COALESCE says the type: SQLite would take a cast to BYTEA for one to a number. */
static const char INSERT_SAMPLES[] =
    "INSERT INTO ob_samples (series, run, id, data) SELECT CAST($1 AS BIGINT), "
    "CAST($2 AS BIGINT), CAST($3 AS BIGINT), COALESCE($4, (SELECT data FROM ob_samples WHERE "
    "1 = 0)) WHERE EXISTS (SELECT 1 FROM ob_result WHERE series = $1 AND run = $2 AND id = $3) "
    "ON CONFLICT DO NOTHING";

struct ob_store_writer {
    ob_sql *sql;
    bool samples, is_open;
    ob_sql_statement *insert_series, *insert_result, *insert_samples;
    int64_t run, machine; /* under way; run 0 = none */
    bool is_new_run;
    /* Of the run under way: rows that were new, by whether they had failed; and all that were given. */
    uint64_t fine, failed, given;
    int64_t *seen; /* ids of series that are written, by their hash; 0 = free */
    size_t seen_count, seen_capacity;
    ob_store_added added;
};

/* ---- series that this writer has written ---- */

static bool grow_seen(ob_store_writer *w)
{
    const size_t capacity = w->seen_capacity > 0 ? w->seen_capacity * 2 : 1024;
    int64_t *seen = calloc(capacity, sizeof *seen);
    if (seen == NULL)
        return false;
    for (size_t i = 0; i < w->seen_capacity; i++)
        if (w->seen[i] != 0) {
            size_t at = (size_t)w->seen[i] & (capacity - 1);
            while (seen[at] != 0)
                at = (at + 1) & (capacity - 1);
            seen[at] = w->seen[i];
        }
    free(w->seen);
    w->seen = seen;
    w->seen_capacity = capacity;
    return true;
}

static ob_status note_series(ob_store_writer *w, int64_t id, bool *is_new, ob_err *err)
{
    if (w->seen_count * 2 >= w->seen_capacity && !grow_seen(w))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the list of series");
    size_t at = (size_t)id & (w->seen_capacity - 1);
    while (w->seen[at] != 0 && w->seen[at] != id)
        at = (at + 1) & (w->seen_capacity - 1);
    *is_new = w->seen[at] == 0;
    if (*is_new) {
        w->seen[at] = id;
        w->seen_count++;
    }
    return OB_OK;
}

/* ---- runs ---- */

/* It brought nothing: its results are there under other runs, or have no key. */
static ob_status forget_run(ob_store_writer *w, ob_err *err)
{
    const ob_sql_value values[] = {ob__sql_int(w->run)};
    w->added.runs--;
    w->added.known_runs++;
    return ob__sql_run(w->sql, "DELETE FROM ob_run WHERE id = $1", values, 1, NULL, err);
}

/* What was counted belongs to the run under way. */
static ob_status end_run(ob_store_writer *w, ob_err *err)
{
    OB_TRY(w->sql->driver->flush(w->sql, err));
    w->added.results += w->fine + w->failed;
    w->added.known_results += w->given - w->fine - w->failed;
    if (w->is_new_run && w->fine + w->failed == 0)
        OB_TRY(forget_run(w, err));
    if (w->fine + w->failed > 0) {
        const ob_sql_value values[] = {ob__sql_int((int64_t)(w->fine + w->failed)),
                                       ob__sql_int((int64_t)w->failed), ob__sql_int(w->run)};
        OB_TRY(ob__sql_run(
            w->sql, "UPDATE ob_run SET results = results + $1, failed = failed + $2 WHERE id = $3",
            values, 3, NULL, err));
    }
    w->fine = w->failed = w->given = 0;
    return OB_OK;
}

/* Files from before it was written have local time alone. */
static int64_t time_of(const ob_record_header *h)
{
    struct tm parts = {.tm_isdst = -1};
    if (h->start_unix != OB_NO_INT)
        return h->start_unix;
    if (h->start_time == NULL || strptime(h->start_time, "%Y-%m-%dT%H:%M:%S", &parts) == NULL)
        return 0;
    return (int64_t)mktime(&parts);
}

/* NULL: memory is out. free() it. */
static char *print_json(const ob_json *value)
{
    char *text;
    size_t length;
    if (value == NULL)
        return strdup("{}");
    return ob_json_print(value, &text, &length, NULL) == OB_OK ? text : NULL;
}

static ob_status insert_run(ob_store_writer *w, const ob_record_header *h, const char *tags,
                            const char *libraries, ob_err *err)
{
    uint64_t fresh = 0;
    const ob_sql_value values[] = {ob__sql_int(w->run),
                                   ob__sql_int(w->machine),
                                   ob__sql_int(time_of(h)),
                                   ob__sql_text(h->system.hostname),
                                   ob__sql_text(h->commit),
                                   ob__sql_text(h->branch),
                                   ob__sql_int(h->dirty),
                                   ob__sql_text(tags),
                                   ob__sql_text(h->system.kernel),
                                   ob__sql_text(h->microcode),
                                   ob__sql_text(libraries),
                                   ob__sql_text(h->source != NULL ? h->source : h->config),
                                   ob__sql_text(h->opbench_version)};
    OB_TRY(ob__sql_run(w->sql, INSERT_RUN, values, sizeof values / sizeof *values, &fresh, err));
    w->is_new_run = fresh > 0;
    if (fresh > 0)
        w->added.runs++;
    else
        w->added.known_runs++;
    return OB_OK;
}

static ob_status add_header(ob_store_writer *w, const ob_record_header *h, ob_err *err)
{
    char hardware[512];
    OB_TRY(end_run(w, err));
    ob_system_class(&h->system, hardware, sizeof hardware);
    w->machine = ob__machine_id(hardware);
    w->run = ob__run_id(h);
    const ob_sql_value machine[] = {ob__sql_int(w->machine), ob__sql_text(hardware)};
    OB_TRY(ob__sql_run(w->sql,
                       "INSERT INTO ob_machine (id, class) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                       machine, 2, NULL, err));
    char *tags = print_json(h->tags), *libraries = print_json(h->backends);
    const ob_status status =
        tags != NULL && libraries != NULL
            ? insert_run(w, h, tags, libraries, err)
            : ob_err_set(err, OB_ERR_NOMEM, "out of memory for what a run says of itself");
    free(tags);
    free(libraries);
    return status;
}

/* ---- results ---- */

static ob_status insert_series(ob_store_writer *w, const ob_store_series *s, ob_err *err)
{
    bool is_new = false;
    OB_TRY(note_series(w, s->id, &is_new, err));
    if (!is_new)
        return OB_OK;
    const ob_sql_value values[] = {ob__sql_int(s->id),       ob__sql_int(s->machine),
                                   ob__sql_text(s->key),     ob__sql_text(s->op),
                                   ob__sql_text(s->id_text), ob__sql_text(s->call),
                                   ob__sql_text(s->backend), ob__sql_text(s->side),
                                   ob__sql_text(s->pass),    ob__sql_text(s->settings)};
    return w->sql->driver->run(w->insert_series, values, sizeof values / sizeof *values, NULL, err);
}

static ob_status insert_samples(ob_store_writer *w, int64_t series, int64_t id,
                                const ob_reals *times, ob_err *err)
{
    size_t size;
    unsigned char *data = ob__samples_pack(times->items, times->count, &size);
    if (data == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for samples");
    const ob_sql_value values[] = {ob__sql_int(series), ob__sql_int(w->run), ob__sql_int(id),
                                   ob__sql_bytes(data, size)};
    const ob_status status = w->sql->driver->run(w->insert_samples, values, 4, NULL, err);
    free(data);
    return status;
}

/* Statistics are in ms; failed results have none. */
static ob_status add_pass(ob_store_writer *w, const ob_record_result *r, const ob_record_pass *pass,
                          const ob_store_series *series, ob_err *err)
{
    const ob_stats *t = &pass->time_ms;
    const ob_record_status_info *status = ob_record_status_get_info(r->status);
    const bool ran = status->ran;
    const int64_t id = ob__result_id(r, pass);
    const double ns = ran ? 1e6 : NAN;
    const ob_sql_value values[] = {ob__sql_int(series->id),
                                   ob__sql_int(w->run),
                                   ob__sql_int(id),
                                   ob__sql_text(status->word),
                                   ob__sql_int(ran ? (int64_t)pass->measure_time_ms.count : 0),
                                   ob__sql_real(t->min * ns),
                                   ob__sql_real(t->p25 * ns),
                                   ob__sql_real(t->median * ns),
                                   ob__sql_real(t->p75 * ns),
                                   ob__sql_real(t->p90 * ns),
                                   ob__sql_real(t->p99 * ns),
                                   ob__sql_real(t->max * ns),
                                   ob__sql_real(t->mean * ns),
                                   ob__sql_real(t->stddev * ns),
                                   ob__sql_real(pass->interval_ms.low * ns),
                                   ob__sql_real(pass->interval_ms.high * ns),
                                   ob__sql_int(r->start_time != NULL && r->pid != OB_NO_INT)};
    OB_TRY(insert_series(w, series, err));
    w->given++;
    OB_TRY(w->sql->driver->run(w->insert_result, values, sizeof values / sizeof *values,
                               ran ? &w->fine : &w->failed, err));
    if (w->samples && ran && pass->measure_time_ms.count > 0)
        return insert_samples(w, series->id, id, &pass->measure_time_ms, err);
    return OB_OK;
}

static ob_status add_result(ob_store_writer *w, const ob_record_result *r, ob_err *err)
{
    char settings[MOST_SETTINGS];
    if (w->run == 0)
        return ob_err_set(
            err, OB_ERR_STATE,
            "a result comes before any header; this is not a complete file written by opbench");
    const bool ran = ob_record_status_get_info(r->status)->ran;
    if (r->key == NULL || (ran && !(r->forward.time_ms.median > 0))) {
        w->added.left_out++;
        return OB_OK;
    }
    ob__settings_text(r, settings, sizeof settings);
    ob_store_series series = {.machine = w->machine,
                              .key = r->key,
                              .op = r->op_name,
                              .id_text = r->id,
                              .call = r->call != NULL ? r->call : r->task.stmt,
                              .backend = r->backend,
                              .side = r->side,
                              .pass = "forward",
                              .settings = settings};
    series.id = ob__series_id(&series);
    OB_TRY(add_pass(w, r, &r->forward, &series, err));
    if (!(r->backward.time_ms.median > 0))
        return OB_OK;
    series.pass = "backward";
    series.id = ob__series_id(&series);
    return add_pass(w, r, &r->backward, &series, err);
}

/* ---- the writer ---- */

static ob_status begin(ob_store_writer *w, ob_err *err)
{
    OB_TRY(ob__sql_begin(w->sql, err));
    w->is_open = true;
    OB_TRY(ob__sql_prepare(w->sql, INSERT_SERIES, &w->insert_series, err));
    OB_TRY(ob__sql_prepare(w->sql, INSERT_RESULT, &w->insert_result, err));
    return ob__sql_prepare(w->sql, INSERT_SAMPLES, &w->insert_samples, err);
}

ob_status ob_store_writer_open(ob_store *store, bool samples, ob_store_writer **out, ob_err *err)
{
    ob_store_writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a history");
    w->sql = store->sql;
    w->samples = samples;
    w->added.size = sizeof w->added;
    const ob_status status = begin(w, err);
    if (status == OB_OK)
        *out = w;
    else
        ob_store_writer_close(w);
    return status;
}

ob_status ob_store_writer_add(ob_store_writer *w, const ob_record *record, ob_err *err)
{
    switch (record->kind) {
    case OB_RECORD_HEADER_LINE:
        return add_header(w, &record->header, err);
    case OB_RECORD_RESULT_LINE:
        return add_result(w, &record->result, err);
    default:
        return OB_OK;
    }
}

ob_status ob_store_writer_commit(ob_store_writer *w, ob_err *err)
{
    if (!w->is_open)
        return ob_err_set(err, OB_ERR_STATE, "this writer has already committed");
    OB_TRY(end_run(w, err));
    OB_TRY(ob__sql_commit(w->sql, err));
    w->is_open = false;
    return OB_OK;
}

const ob_store_added *ob_store_writer_added(const ob_store_writer *writer)
{
    return &writer->added;
}

void ob_store_writer_close(ob_store_writer *w)
{
    if (w == NULL)
        return;
    if (w->is_open)
        ob__sql_rollback(w->sql);
    ob__sql_finalize(w->insert_series);
    ob__sql_finalize(w->insert_result);
    ob__sql_finalize(w->insert_samples);
    free(w->seen);
    free(w);
}
