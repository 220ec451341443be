/* SPDX-License-Identifier: Apache-2.0
 *
 * What one count says: the tables of a statement and, for Python, of an empty one, with the task that they
 * belong to. The baseline is only stored, as in the original; subtracting it is an operation of its own.
 */
#include "base/arena.h"
#include "base/sized.h"
#include "count/counts_int.h"

#include <stdlib.h>
#include <string.h>

struct ob_count_stats {
    ob_arena arena;
    ob_count_stats_params is;
};

void ob_count_stats_destroy(ob_count_stats *stats)
{
    if (stats == NULL)
        return;
    ob_counts_destroy((ob_counts *)stats->is.stmt_exclusive);
    ob_counts_destroy((ob_counts *)stats->is.stmt_inclusive);
    ob_counts_destroy((ob_counts *)stats->is.baseline_exclusive);
    ob_counts_destroy((ob_counts *)stats->is.baseline_inclusive);
    ob__arena_fini(&stats->arena);
    free(stats);
}

const ob_count_stats_params *ob_count_stats_get(const ob_count_stats *stats)
{
    return &stats->is;
}

/* ---- copying ---- */

static const size_t TEXTS[] = {
    offsetof(ob_count_stats_params, task.stmt),
    offsetof(ob_count_stats_params, task.setup),
    offsetof(ob_count_stats_params, task.global_setup),
    offsetof(ob_count_stats_params, task.label),
    offsetof(ob_count_stats_params, task.sub_label),
    offsetof(ob_count_stats_params, task.description),
    offsetof(ob_count_stats_params, task.env),
    offsetof(ob_count_stats_params, callgrind_out),
    offsetof(ob_count_stats_params, command),
    offsetof(ob_count_stats_params, key),
};

static const size_t TABLES[] = {
    offsetof(ob_count_stats_params, stmt_exclusive),
    offsetof(ob_count_stats_params, stmt_inclusive),
    offsetof(ob_count_stats_params, baseline_exclusive),
    offsetof(ob_count_stats_params, baseline_inclusive),
};

enum {
    TEXT_COUNT = sizeof TEXTS / sizeof TEXTS[0],
    TABLE_COUNT = sizeof TABLES / sizeof TABLES[0]
};

static const char **text_at(ob_count_stats_params *params, size_t i)
{
    return (const char **)(void *)((char *)params + TEXTS[i]);
}

static const ob_counts **table_at(ob_count_stats_params *params, size_t i)
{
    return (const ob_counts **)(void *)((char *)params + TABLES[i]);
}

typedef ob_status (*table_fn)(const ob_counts *counts, ob_counts **out, ob_err *err);

/* Copies params with `make` applied to each table that is known. */
static ob_status create_with(const ob_count_stats_params *params, table_fn make,
                             ob_count_stats **out, ob_err *err)
{
    ob_count_stats *stats = calloc(1, sizeof *stats);
    *out = NULL;
    if (stats == NULL)
        return ob__counts_no_memory(err);
    ob__arena_init(&stats->arena, 0);
    stats->is = *params;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        *table_at(&stats->is, i) = NULL;
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < TEXT_COUNT; i++) {
        const char **text = text_at(&stats->is, i);
        if (*text != NULL &&
            (*text = ob__arena_strdup(&stats->arena, *text, strlen(*text))) == NULL)
            status = ob__counts_no_memory(err);
    }
    ob_count_stats_params from = *params;
    for (size_t i = 0; status == OB_OK && i < TABLE_COUNT; i++) {
        ob_counts *made = NULL;
        if (*table_at(&from, i) != NULL)
            status = make(*table_at(&from, i), &made, err);
        *table_at(&stats->is, i) = made;
    }
    if (status != OB_OK) {
        ob_count_stats_destroy(stats);
        return status;
    }
    *out = stats;
    return OB_OK;
}

ob_status ob_count_stats_create(const ob_count_stats_params *params, ob_count_stats **out,
                                ob_err *err)
{
    ob_count_stats_params own;
    OB_TRY(OB__TAKE(ob_count_stats_params, &own, params, err));
    params = &own;
    return create_with(params, ob__counts_copy, out, err);
}

ob_status ob_count_stats_standardise(const ob_count_stats *stats, ob_count_stats **out, ob_err *err)
{
    ob_count_stats_params params = stats->is;
    params.callgrind_out = NULL;
    return create_with(&params, ob_counts_standardise, out, err);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

int ob_count_stats_match(const ob_count_stats *a, const ob_count_stats *b)
{
    const ob_task_spec *x = &a->is.task, *y = &b->is.task;
    const bool by_key = a->is.key != NULL && b->is.key != NULL;
    const bool same = by_key ? is_same(a->is.key, b->is.key)
                             : is_same(x->label, y->label) && is_same(x->sub_label, y->sub_label);
    const bool beside = is_same(x->description, y->description);
    if (!same || x->num_threads != y->num_threads)
        return 0;
    return beside ? 2 : by_key;
}

/* ---- figures ---- */

int64_t ob_count_stats_counts(const ob_count_stats *stats, bool denoise)
{
    const ob_counts *counts = stats->is.stmt_exclusive;
    ob_counts *quiet;
    if (!denoise || counts == NULL || ob_counts_denoise(counts, &quiet, NULL) != OB_OK)
        return ob_counts_sum(counts);
    const int64_t sum = ob_counts_sum(quiet);
    ob_counts_destroy(quiet);
    return sum;
}

ob_status ob_count_stats_delta(const ob_count_stats *stats, const ob_count_stats *other,
                               bool inclusive, ob_counts **out, ob_err *err)
{
    const ob_counts *left = inclusive ? stats->is.stmt_inclusive : stats->is.stmt_exclusive;
    const ob_counts *right = inclusive ? other->is.stmt_inclusive : other->is.stmt_exclusive;
    *out = NULL;
    if (left == NULL || right == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "there are no %s counts to compare",
                          inclusive ? "inclusive" : "exclusive");
    return ob_counts_subtract(left, right, out, err);
}

static ob_status less(const ob_counts *counts, const ob_counts *baseline, ob_counts **out,
                      ob_err *err)
{
    return counts == NULL || baseline == NULL ? ob__counts_copy(counts, out, err)
                                              : ob_counts_subtract(counts, baseline, out, err);
}

ob_status ob_count_stats_subtract_baseline(const ob_count_stats *stats, ob_count_stats **out,
                                           ob_err *err)
{
    ob_counts *exclusive = NULL, *inclusive = NULL;
    *out = NULL;
    ob_status status =
        less(stats->is.stmt_exclusive, stats->is.baseline_exclusive, &exclusive, err);
    if (status == OB_OK)
        status = less(stats->is.stmt_inclusive, stats->is.baseline_inclusive, &inclusive, err);
    if (status == OB_OK) {
        ob_count_stats_params params = stats->is;
        params.stmt_exclusive = exclusive;
        params.stmt_inclusive = inclusive;
        params.baseline_exclusive = params.baseline_inclusive = NULL;
        params.callgrind_out = NULL;
        status = ob_count_stats_create(&params, out, err);
    }
    ob_counts_destroy(exclusive);
    ob_counts_destroy(inclusive);
    return status;
}
