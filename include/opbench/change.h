/* SPDX-License-Identifier: Apache-2.0
 *
 * When something changed: change points in a series of results, found by what the values are and not by a threshold.
 *
 * Pure functions: the same values give the same answer everywhere. docs/history.md says how it is done and how often it
 * is wrong.
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

/* Judged by the values [first, end). Of a step and of noise `index` is the first value after it; of a drift it is `first`. */
typedef struct ob_change {
    ob_change_kind kind;
    size_t first, index, end;
    double before, after; /* the level: medians; of a drift, where its line begins and ends */
    double ratio;         /* after / before; of noise, of the spreads */
    double spread_before,
        spread_after; /* of the values around the level, as a share of it: like a standard deviation */
    double p;         /* how often values that do not change look so different by chance */
} ob_change;

typedef struct ob_change_params {
    size_t size;   /* sizeof(ob_change_params) */
    double p;      /* changes that are less sure are left out; 0 = 0.001 */
    double least;  /* smaller steps are left out: 0.01 = 1 %; 0 = none are */
    size_t window; /* values that are looked at together, in addition to all of a stretch; 0 = 50 */
} ob_change_params;

typedef struct ob_changes ob_changes;

/* In the order of time. Values are positive times, oldest first; OB_ERR_INVALID for one that is not finite. params may be
 * NULL. 1,000 values take below a millisecond. */
ob_status ob_changes_find(const double *values, size_t count, const ob_change_params *params,
                          ob_changes **out, ob_err *err);
size_t ob_changes_count(const ob_changes *changes);
const ob_change *ob_changes_at(const ob_changes *changes, size_t index); /* NULL past the end */
void ob_changes_destroy(ob_changes *changes);                            /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
