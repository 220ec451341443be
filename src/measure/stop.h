/* SPDX-License-Identifier: Apache-2.0
 *
 * When to stop measuring: after so many blocks, after so much time, or once the confidence interval is narrow enough.
 */
#ifndef OB_MEASURE_STOP_H
#define OB_MEASURE_STOP_H

#include "opbench/measure.h"

/* enum name, word for records. One row and one function of the same name. */
#define OB_STOP_RULE_MAP(X)                                                                        \
    X(COUNT, count)         /* a fixed number of blocks */                                         \
    X(MIN_TIME, min_time)   /* until the blocks took a given time in all */                        \
    X(PRECISION, precision) /* until the confidence interval is narrow enough */

typedef enum ob_stop_rule_kind {
#define OB_STOP_RULE_ENUM(id, name) OB_STOP_##id,
    OB_STOP_RULE_MAP(OB_STOP_RULE_ENUM)
#undef OB_STOP_RULE_ENUM
        OB_STOP_RULE_COUNT
} ob_stop_rule_kind;

/* Zero means the default or "no limit", as noted. */
typedef struct ob_stop_params {
    ob_stop_rule_kind kind;
    uint64_t count;       /* COUNT: blocks; 0 = none at all */
    uint64_t min_time_ns; /* MIN_TIME, required; PRECISION too, if not 0 */
    double precision;     /* PRECISION: bound of relative_half_width, inside (0, 1) */
    double confidence;    /* PRECISION: of the interval; 0 = OB_DEFAULT_CONFIDENCE */
    uint64_t min_blocks;  /* MIN_TIME: 0 = 1; PRECISION: 0 = OB_MIN_PRECISE_SAMPLES; never fewer */
    uint64_t max_blocks;  /* all but COUNT: 0 = no limit */
    uint64_t max_time_ns; /* all but COUNT: 0 = no limit for MIN_TIME, 60 s for PRECISION */
} ob_stop_params;

/* A rule under way. Fill it with ob__stop_rule_init; the fields are its own. */
typedef struct ob_stop_rule {
    ob_stop_params params;
    uint64_t next_look; /* PRECISION looks at growing distances: it costs time and each look errs */
    uint64_t narrow_looks; /* PRECISION: how many in a row found the interval narrow enough */
    ob_interval interval;  /* PRECISION: the last one computed */
} ob_stop_rule;

/* What was measured so far; samples has one number per block. */
typedef struct ob_stop_progress {
    const double *samples;
    uint64_t blocks;
    uint64_t elapsed_ns; /* time inside the blocks */
    uint64_t wall_ns;    /* since the first block began; for max_time_ns. 0 = elapsed_ns */
} ob_stop_progress;

typedef enum ob_stop_verdict {
    OB_STOP_GO_ON,
    OB_STOP_DONE,    /* the rule is satisfied */
    OB_STOP_GAVE_UP, /* max_time_ns or max_blocks came first: say so in the record */
} ob_stop_verdict;

ob_status ob__stop_rule_init(ob_stop_rule *rule, const ob_stop_params *params, ob_err *err);
/* Ask before the first block and after each. */
ob_status ob__stop_rule_check(ob_stop_rule *rule, const ob_stop_progress *progress,
                              ob_stop_verdict *verdict, ob_err *err);
const char *ob__stop_rule_name(ob_stop_rule_kind kind); /* "precision" */

#endif
