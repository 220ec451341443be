/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes that belong together: of one class of hardware, with a moment at which all of them may have happened. One update
 * of a library is one group, however many cases it touches.
 */
#include "store/store_check.h"

#include "opbench/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ob__check_marks(const ob_store_run *before, const ob_store_run *after, ob_arena *arena)
{
    const bool differ[] = {strcmp(before->kernel, after->kernel) != 0,
                           strcmp(before->microcode, after->microcode) != 0,
                           strcmp(before->libraries, after->libraries) != 0,
                           strcmp(before->version, after->version) != 0,
                           strcmp(before->host, after->host) != 0};
    static const char *const WORDS[] = {
#define OB_STORE_MARK_WORD(id, word) word,
        OB_STORE_MARK_MAP(OB_STORE_MARK_WORD)
#undef OB_STORE_MARK_WORD
    };
    char text[128] = "";
    _Static_assert(sizeof differ == sizeof WORDS / sizeof *WORDS, "a word for each");
    for (size_t i = 0; i < sizeof differ; i++)
        if (differ[i]) {
            if (text[0] != '\0')
                strcat(text, ", ");
            strcat(text, WORDS[i]);
        }
    return ob__arena_strdup(arena, text, strlen(text));
}

/* ---- order ---- */

static bool is_drift(const ob_found_change *f)
{
    return f->change.change.kind == OB_CHANGE_DRIFT;
}

/* What can be one group stands together, by the earliest run. */
static int compare_places(const void *a, const void *b)
{
    const ob_found_change *x = a, *y = b;
    if (x->change.series->machine != y->change.series->machine)
        return x->change.series->machine < y->change.series->machine ? -1 : 1;
    if (is_drift(x) != is_drift(y))
        return is_drift(x) - is_drift(y);
    if (x->earliest != y->earliest)
        return x->earliest < y->earliest ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int compare_times(const void *a, const void *b)
{
    const ob_found_change *x = a, *y = b;
    if (x->change.time != y->change.time)
        return x->change.time > y->change.time ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->change.change.index < y->change.change.index) -
           (x->change.change.index > y->change.change.index);
}

/* ---- groups ---- */

static int compare_runs(const void *a, const void *b)
{
    const ob_found_change *x = *(const ob_found_change *const *)a;
    const ob_found_change *y = *(const ob_found_change *const *)b;
    if (x->change.run_after != y->change.run_after)
        return x->change.run_after < y->change.run_after ? -1 : 1;
    return (x > y) - (x < y);
}

/* The first change of the run that most of them have; NULL: memory is out. A group may have every series of a history. */
static const ob_store_change *most_common(const ob_found_change *items, size_t count)
{
    const ob_found_change **order = malloc(count * sizeof(ob_found_change *)), *best = NULL;
    size_t most = 0;
    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        order[i] = &items[i];
    qsort(order, count, sizeof *order, compare_runs);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1;
             end < count && order[end]->change.run_after == order[first]->change.run_after; end++)
            continue;
        if (end - first > most || (end - first == most && order[first] < best)) {
            most = end - first;
            best = order[first];
        }
    }
    free(order);
    return &best->change;
}

static void count_change(ob_store_group *group, const ob_store_change *c, double *logs,
                         size_t *steps)
{
    switch (c->change.kind) {
    case OB_CHANGE_STEP:
        *logs += log(c->change.ratio);
        ++*steps;
        *(c->change.ratio > 1 ? &group->slower : &group->faster) += 1;
        break;
    case OB_CHANGE_NOISE:
        *(c->change.ratio > 1 ? &group->noisier : &group->quieter) += 1;
        break;
    default:
        group->drifting++;
    }
    group->accepted += c->reason[0] != '\0';
}

static ob_status add_group(ob_store_check *check, ob_found_change *items, size_t count, ob_err *err)
{
    const ob_store_change *common = most_common(items, count);
    if (common == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the groups of changes");
    ob_store_group group = {.machine = common->series->machine,
                            .run_before = common->run_before,
                            .run_after = common->run_after,
                            .time = common->time,
                            .commit_before = common->commit_before,
                            .commit_after = common->commit_after,
                            .marks = common->marks};
    double logs = 0;
    size_t steps = 0;
    if (!OB_RESERVE(check->groups, check->group_capacity, check->group_count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the groups of changes");
    for (size_t i = 0; i < count; i++) {
        count_change(&group, &items[i].change, &logs, &steps);
        items[i].change.group = check->group_count;
    }
    group.ratio = steps > 0 ? exp(logs / (double)steps) : NAN;
    check->groups[check->group_count++] = group;
    return OB_OK;
}

static int compare_groups(const void *a, const void *b, void *groups)
{
    const ob_store_group *x = (const ob_store_group *)groups + *(const size_t *)a;
    const ob_store_group *y = (const ob_store_group *)groups + *(const size_t *)b;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return (*(const size_t *)a > *(const size_t *)b) - (*(const size_t *)a < *(const size_t *)b);
}

/* The latest first; changes are told the new numbers. */
static ob_status sort_groups(ob_store_check *check, ob_err *err)
{
    const size_t count = check->group_count;
    size_t *order = malloc((count + 1) * sizeof *order);
    size_t *number = malloc((count + 1) * sizeof *number);
    ob_store_group *sorted = malloc((count + 1) * sizeof *sorted);
    if (order == NULL || number == NULL || sorted == NULL) {
        free(order);
        free(number);
        free(sorted);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the groups of changes");
    }
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    if (count > 0)
        qsort_r(order, count, sizeof *order, compare_groups, check->groups);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = check->groups[order[i]];
        number[order[i]] = i;
    }
    for (size_t i = 0; i < check->count; i++)
        check->changes[i].change.group = number[check->changes[i].change.group];
    free(check->groups);
    check->groups = sorted;
    free(order);
    free(number);
    return OB_OK;
}

ob_status ob__check_group(ob_store_check *check, ob_err *err)
{
    if (check->count > 0)
        qsort(check->changes, check->count, sizeof *check->changes, compare_places);
    for (size_t first = 0, end; first < check->count; first = end) {
        const ob_found_change *head = &check->changes[first];
        size_t latest = head->latest; /* at which all so far may have happened */
        for (end = first + 1; end < check->count; end++) {
            const ob_found_change *next = &check->changes[end];
            if (next->change.series->machine != head->change.series->machine ||
                is_drift(next) != is_drift(head) || next->earliest > latest)
                break;
            if (next->latest < latest)
                latest = next->latest;
        }
        OB_TRY(add_group(check, &check->changes[first], end - first, err));
    }
    OB_TRY(sort_groups(check, err));
    if (check->count > 0)
        qsort(check->changes, check->count, sizeof *check->changes, compare_times);
    return OB_OK;
}
