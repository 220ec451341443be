/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of series, and their points.
 */
#include "store/store_int.h"

#include "base/sized.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- series ---- */

struct ob_store_list {
    ob_arena arena;
    ob_store_series *items;
    size_t count, capacity;
};

static const char SELECT_SERIES[] =
    "SELECT s.id, s.machine, m.class, s.key, s.op, s.case_id, s.call, s.backend, s.side, s.pass, "
    "s.settings, (SELECT count(*) FROM ob_result r WHERE r.series = s.id) "
    "FROM ob_series s LEFT JOIN ob_machine m ON m.id = s.machine "
    "WHERE (CAST($1 AS TEXT) = '' OR s.backend = $1) "
    "AND (CAST($2 AS BIGINT) = 0 OR s.machine = $2) "
    "ORDER BY s.op, s.case_id, s.key, s.backend, s.side, s.settings, s.pass DESC, s.id";

/* Its key, or a part of its names as people read them. */
static bool is_called(ob_sql_statement *row, const char *text, ob_text *name)
{
    if (text == NULL || strcmp(ob__row_text(row, 3), text) == 0 ||
        strstr(ob__row_text(row, 6), text) != NULL)
        return true;
    name->size = 0;
    return ob_text_printf(name, "%s|%s", ob__row_text(row, 4), ob__row_text(row, 5)) &&
           ob_text_append(name, "", 1) && strstr(name->data, text) != NULL;
}

typedef struct list_reading {
    ob_store_list *list;
    const char *text;
    ob_text name;
} list_reading;

static ob_status take_series(void *ctx, ob_sql_statement *row, ob_err *err)
{
    list_reading *r = ctx;
    ob_store_list *list = r->list;
    ob_arena *arena = &list->arena;
    if (!is_called(row, r->text, &r->name))
        return OB_OK;
    const ob_store_series series = {.id = ob__row_int(row, 0),
                                    .machine = ob__row_int(row, 1),
                                    .class_text = ob__row_keep(row, 2, arena),
                                    .key = ob__row_keep(row, 3, arena),
                                    .op = ob__row_keep(row, 4, arena),
                                    .id_text = ob__row_keep(row, 5, arena),
                                    .call = ob__row_keep(row, 6, arena),
                                    .backend = ob__row_keep(row, 7, arena),
                                    .side = ob__row_keep(row, 8, arena),
                                    .pass = ob__row_keep(row, 9, arena),
                                    .settings = ob__row_keep(row, 10, arena),
                                    .points = (uint64_t)ob__row_int(row, 11)};
    const bool kept = series.class_text != NULL && series.key != NULL && series.op != NULL &&
                      series.id_text != NULL && series.call != NULL && series.backend != NULL &&
                      series.side != NULL && series.pass != NULL && series.settings != NULL;
    if (!kept || !OB_RESERVE(list->items, list->capacity, list->count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the list of series");
    list->items[list->count++] = series;
    return OB_OK;
}

ob_status ob_store_read_list(ob_store *store, const ob_store_filter *given, ob_store_list **out,
                             ob_err *err)
{
    ob_store_filter filter;
    OB_TRY(OB__TAKE_OPTIONAL(ob_store_filter, &filter, given, err));
    ob_store_list *list = calloc(1, sizeof *list);
    if (list == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the list of series");
    ob__arena_init(&list->arena, 0);
    const ob_sql_value values[] = {ob__sql_text(filter.backend), ob__sql_int(filter.machine)};
    list_reading reading = {.list = list, .text = filter.text};
    const ob_status status =
        ob__sql_each(store->sql, SELECT_SERIES, values, 2, take_series, &reading, err);
    ob_text_fini(&reading.name);
    if (status == OB_OK)
        *out = list;
    else
        ob_store_list_destroy(list);
    return status;
}

size_t ob_store_list_count(const ob_store_list *list)
{
    return list->count;
}

const ob_store_series *ob_store_list_at(const ob_store_list *list, size_t index)
{
    return index < list->count ? &list->items[index] : NULL;
}

void ob_store_list_destroy(ob_store_list *list)
{
    if (list == NULL)
        return;
    ob__arena_fini(&list->arena);
    free(list->items);
    free(list);
}

/* ---- points ---- */

struct ob_store_points {
    ob_store_point *items; /* oldest first */
    size_t count, capacity;
};

static const char SELECT_POINTS[] =
    "SELECT p.run, r.time, p.id, p.status, p.samples, p.min, p.p25, p.median, p.p75, p.p90, p.p99, "
    "p.max, p.mean, p.stddev, p.low, p.high FROM ob_result p JOIN ob_run r ON r.id = p.run "
    "WHERE p.series = $1 ORDER BY r.time, p.run, p.id";

static ob_status take_point(void *ctx, ob_sql_statement *row, ob_err *err)
{
    ob_store_points *points = ctx;
    ob_store_point p = {.run = ob__row_int(row, 0),
                        .time = ob__row_int(row, 1),
                        .id = ob__row_int(row, 2),
                        .samples = (uint64_t)ob__row_int(row, 4),
                        .min = ob__row_real(row, 5),
                        .p25 = ob__row_real(row, 6),
                        .median = ob__row_real(row, 7),
                        .p75 = ob__row_real(row, 8),
                        .p90 = ob__row_real(row, 9),
                        .p99 = ob__row_real(row, 10),
                        .max = ob__row_real(row, 11),
                        .mean = ob__row_real(row, 12),
                        .stddev = ob__row_real(row, 13),
                        .low = ob__row_real(row, 14),
                        .high = ob__row_real(row, 15)};
    if (!ob_record_status_from_word(ob__row_text(row, 3), &p.status))
        p.status = OB_RECORD_NO_STATUS;
    if (!OB_RESERVE(points->items, points->capacity, points->count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a series");
    points->items[points->count++] = p;
    return OB_OK;
}

ob_status ob_store_read_points(ob_store *store, int64_t series, ob_store_points **out, ob_err *err)
{
    ob_store_points *points = calloc(1, sizeof *points);
    if (points == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a series");
    const ob_sql_value values[] = {ob__sql_int(series)};
    const ob_status status =
        ob__sql_each(store->sql, SELECT_POINTS, values, 1, take_point, points, err);
    if (status == OB_OK)
        *out = points;
    else
        ob_store_points_destroy(points);
    return status;
}

size_t ob_store_points_count(const ob_store_points *points)
{
    return points->count;
}

const ob_store_point *ob_store_points_at(const ob_store_points *points, size_t index)
{
    return index < points->count ? &points->items[index] : NULL;
}

void ob_store_points_destroy(ob_store_points *points)
{
    if (points == NULL)
        return;
    free(points->items);
    free(points);
}

/* ---- samples ---- */

typedef struct unpacking {
    double *times;
    size_t count;
} unpacking;

static ob_status take_samples(void *ctx, ob_sql_statement *row, ob_err *err)
{
    unpacking *u = ctx;
    size_t size;
    const void *data = row->sql->driver->column_bytes(row, 0, &size);
    free(u->times);
    u->times = NULL;
    return ob__samples_unpack(data, size, &u->times, &u->count, err);
}

ob_status ob_store_read_samples(ob_store *store, int64_t series, const ob_store_point *point,
                                double **times, size_t *count, ob_err *err)
{
    const ob_sql_value values[] = {ob__sql_int(series), ob__sql_int(point->run),
                                   ob__sql_int(point->id)};
    unpacking u = {.times = NULL};
    const ob_status status = ob__sql_each(
        store->sql, "SELECT data FROM ob_samples WHERE series = $1 AND run = $2 AND id = $3",
        values, 3, take_samples, &u, err);
    for (size_t i = 0; i < u.count && status == OB_OK; i++)
        u.times[i] *= 1e6;
    *times = status == OB_OK ? u.times : NULL;
    *count = status == OB_OK ? u.count : 0;
    if (status != OB_OK)
        free(u.times);
    return status;
}
