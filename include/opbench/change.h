/* SPDX-License-Identifier: Apache-2.0
 *
 * Change points in a series of results, found by statistics instead of a fixed threshold.
 *
 * Pure functions: the same values give the same answer everywhere. docs/history.md says how it is
 * done and how often it is wrong.
 */
#ifndef OPBENCH_CHANGE_H
#define OPBENCH_CHANGE_H

#include "opbench/basic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* enum name, word, what it is. */
#define OB_CHANGE_KIND_MAP(X)                                                                      \
    X(STEP, "step", "the level changed at once and stayed")                                        \
    X(NOISE, "noise", "the values scatter more, or less; their level is the same")                 \
    X(DRIFT, "drift", "the level moves little by little; there is no step")

typedef enum ob_change_kind {
#define OB_CHANGE_KIND_ENUM(id, word, help) OB_CHANGE_##id,
    OB_CHANGE_KIND_MAP(OB_CHANGE_KIND_ENUM)
#undef OB_CHANGE_KIND_ENUM
        OB_CHANGE_KIND_COUNT
} ob_change_kind;
const char *ob_change_kind_word(ob_change_kind kind); /* static; NULL if it is not a kind */

/* A change within the values [first, end). For a step or noise, `index` is the first value after
 * the change; for a drift it is `first`. */
typedef struct ob_change {
    ob_change_kind kind;
    size_t first, index, end;
    double before, after; /* the level (median); for a drift, both ends of its line */
    double ratio;         /* after / before; for noise, the ratio of the spreads */
    /* Scatter of the values relative to the level, like a standard deviation. */
    double spread_before, spread_after;
    double p; /* probability that unchanged values differ this much by chance */
} ob_change;

typedef struct ob_change_params {
    size_t size;   /* sizeof(ob_change_params) */
    double p;      /* leave out changes with a larger p; 0 = 0.001 */
    double least;  /* leave out smaller steps: 0.01 = 1 %; 0 = keep all */
    size_t window; /* also test windows of this many values, besides whole stretches; 0 = 50 */
} ob_change_params;

typedef struct ob_changes ob_changes;

/* Finds the changes, oldest first. Values are positive times, oldest first; OB_ERR_INVALID for one
 * that is not finite. params may be NULL. 1,000 values take less than a millisecond. */
ob_status ob_changes_find(const double *values, size_t count, const ob_change_params *params,
                          ob_changes **out, ob_err *err);
size_t ob_changes_count(const ob_changes *changes);
const ob_change *ob_changes_at(const ob_changes *changes, size_t index); /* NULL past the end */
void ob_changes_destroy(ob_changes *changes);                            /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
