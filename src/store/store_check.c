/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking for changes in all series of a history.
 */
#include "store/store_check.h"

#include "base/sized.h"
#include "opbench/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 16, UNSURE = 2 }; /* values; how many points a step may be away from its place */

typedef struct value_choice {
    const char *word;
    size_t offset;
} value_choice;

static const value_choice VALUES[] = {{"median", offsetof(ob_store_point, median)},
                                      {"p25", offsetof(ob_store_point, p25)},
                                      {"min", offsetof(ob_store_point, min)},
                                      {"mean", offsetof(ob_store_point, mean)}};

static ob_status find_offset(const char *word, size_t *out, ob_err *err)
{
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++)
        if (strcmp(VALUES[i].word, word != NULL ? word : "median") == 0) {
            *out = VALUES[i].offset;
            return OB_OK;
        }
    return ob_err_set(err, OB_ERR_INVALID,
                      "there is no statistic '%.60s'; give median, p25, min or mean", word);
}

/* Values of points that ran and belong to the runs; places (as many) say which point each is. malloc'ed, both. */
static ob_status take_values(const ob_store_points *points, const ob_store_runs *runs,
                             const char *value, double **values, size_t **places, size_t *count,
                             ob_err *err)
{
    size_t offset = 0;
    const size_t all = ob_store_points_count(points);
    OB_TRY(find_offset(value, &offset, err));
    *values = malloc((all + 1) * sizeof **values);
    *places = malloc((all + 1) * sizeof **places);
    *count = 0;
    if (*values == NULL || *places == NULL) {
        free(*values);
        free(*places);
        *values = NULL;
        *places = NULL;
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a series");
    }
    for (size_t i = 0; i < all; i++) {
        const ob_store_point *p = ob_store_points_at(points, i);
        const double number = *(const double *)(const void *)((const char *)p + offset);
        if (!(number > 0) || !isfinite(number) || !ob_record_status_get_info(p->status)->ran ||
            (runs != NULL && ob_store_runs_find(runs, p->run) == NULL))
            continue;
        (*values)[*count] = number;
        (*places)[(*count)++] = i;
    }
    return OB_OK;
}

ob_status ob_store_check_points(const ob_store_points *points, const ob_store_check_params *given,
                                ob_changes **out, ob_err *err)
{
    ob_store_check_params params;
    double *values;
    size_t *places, count;
    OB_TRY(OB__TAKE_OPTIONAL(ob_store_check_params, &params, given, err));
    OB_TRY(take_values(points, NULL, params.value, &values, &places, &count, err));
    const ob_status status = ob_changes_find(values, count, params.how, out, err);
    free(values);
    free(places);
    return status;
}

/* ---- one series ---- */

typedef struct looking {
    ob_store *store;
    ob_store_check *check;
    ob_store_check_params params;
    int64_t since;
    /* The series under way. */
    const ob_store_series *series;
    size_t order;
    ob_store_points *points;
    double *values;
    size_t *places, count;
} looking;

static const ob_store_run *run_of(const looking *l, size_t value)
{
    return ob_store_runs_find(l->check->runs, ob_store_points_at(l->points, l->places[value])->run);
}

/* Its place in the order of time. */
static size_t rank_of(const looking *l, size_t value)
{
    return (size_t)(run_of(l, value) - ob_store_runs_at(l->check->runs, 0));
}

static ob_status take_change(looking *l, const ob_change *change, ob_err *err)
{
    ob_store_check *check = l->check;
    const bool drift = change->kind == OB_CHANGE_DRIFT;
    const size_t last_before = drift ? change->first : change->index - 1;
    const size_t first_after = drift ? change->end - 1 : change->index;
    const ob_store_run *before = run_of(l, last_before), *after = run_of(l, first_after);
    if (after->time < l->since)
        return OB_OK;
    const size_t low =
        drift || change->index - change->first <= UNSURE ? change->first : change->index - UNSURE;
    const size_t high =
        drift || change->index + UNSURE >= change->end ? change->end - 1 : change->index + UNSURE;
    ob_found_change found = {.change = {.series = l->series,
                                        .change = *change,
                                        .run_before = before->id,
                                        .run_after = after->id,
                                        .time = after->time,
                                        .commit_before = before->commit,
                                        .commit_after = after->commit,
                                        .marks = ob__check_marks(before, after, &check->arena),
                                        .reason = ""},
                             .earliest = rank_of(l, low),
                             .latest = rank_of(l, high),
                             .order = l->order};
    if (found.change.marks == NULL ||
        !OB_RESERVE(check->changes, check->capacity, check->count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the changes");
    OB_TRY(ob__check_accepted(l->store, l->points, l->places, l->count, check->runs, &found,
                              &check->arena, err));
    check->changes[check->count++] = found;
    return OB_OK;
}

static ob_status look_at_values(looking *l, ob_err *err)
{
    ob_changes *changes = NULL;
    l->check->too_short += l->count < SHORTEST;
    OB_TRY(ob_changes_find(l->values, l->count, l->params.how, &changes, err));
    ob_status status = OB_OK;
    for (size_t i = 0; i < ob_changes_count(changes) && status == OB_OK; i++)
        status = take_change(l, ob_changes_at(changes, i), err);
    ob_changes_destroy(changes);
    return status;
}

static ob_status look_at_series(looking *l, ob_err *err)
{
    OB_TRY(ob_store_read_points(l->store, l->series->id, &l->points, err));
    ob_status status = take_values(l->points, l->check->runs, l->params.value, &l->values,
                                   &l->places, &l->count, err);
    if (status == OB_OK) {
        l->check->series += l->count > 0;
        if (l->count > 0)
            status = look_at_values(l, err);
        free(l->values);
        free(l->places);
    }
    ob_store_points_destroy(l->points);
    return status;
}

/* ---- all of them ---- */

static ob_status look(looking *l, ob_err *err)
{
    ob_store_filter filter;
    ob_store_check *check = l->check;
    OB_TRY(OB__TAKE_OPTIONAL(ob_store_filter, &filter, l->params.filter, err));
    l->since = filter.since;
    filter.since = 0; /* what came before is needed to judge what came after */
    OB_TRY(ob_store_read_runs(l->store, &filter, &check->runs, err));
    OB_TRY(ob_store_read_list(l->store, &filter, &check->list, err));
    for (l->order = 0; l->order < ob_store_list_count(check->list); l->order++) {
        l->series = ob_store_list_at(check->list, l->order);
        OB_TRY(look_at_series(l, err));
    }
    return ob__check_group(check, err);
}

ob_status ob_store_check_run(ob_store *store, const ob_store_check_params *given,
                             ob_store_check **out, ob_err *err)
{
    looking l = {.store = store};
    OB_TRY(OB__TAKE_OPTIONAL(ob_store_check_params, &l.params, given, err));
    l.check = calloc(1, sizeof *l.check);
    if (l.check == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a check");
    ob__arena_init(&l.check->arena, 0);
    const ob_status status = look(&l, err);
    if (status == OB_OK)
        *out = l.check;
    else
        ob_store_check_destroy(l.check);
    return status;
}

size_t ob_store_check_count(const ob_store_check *check)
{
    return check->count;
}

const ob_store_change *ob_store_check_at(const ob_store_check *check, size_t index)
{
    return index < check->count ? &check->changes[index].change : NULL;
}

size_t ob_store_check_groups(const ob_store_check *check)
{
    return check->group_count;
}

const ob_store_group *ob_store_check_group(const ob_store_check *check, size_t index)
{
    return index < check->group_count ? &check->groups[index] : NULL;
}

uint64_t ob_store_check_series(const ob_store_check *check)
{
    return check->series;
}

uint64_t ob_store_check_short(const ob_store_check *check)
{
    return check->too_short;
}

void ob_store_check_destroy(ob_store_check *check)
{
    if (check == NULL)
        return;
    ob__arena_fini(&check->arena);
    ob_store_runs_destroy(check->runs);
    ob_store_list_destroy(check->list);
    free(check->changes);
    free(check->groups);
    free(check);
}
