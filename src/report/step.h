/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the time of a step goes: each operator and pass, weighted by how often the recorded program called it, on one or
 * several backends. Without counts in the records each case is one call.
 */
#ifndef OB_REPORT_STEP_H
#define OB_REPORT_STEP_H

#include "base/arena.h"
#include "opbench/report.h"
#include "report/reasons.h"
#include "report/text_index.h"

enum { OB_STEP_SIDES = 8 };

/* What one backend or side took. */
typedef struct ob_step_time {
    uint64_t calls;         /* that were measured */
    double ns;              /* of these: medians by their number */
    double low_ns, high_ns; /* of the ends of their intervals; NaN where a case has none */
} ob_step_time;

/* A call with its shapes. */
typedef struct ob_step_case {
    size_t row;
    uint64_t calls; /* in the step */
    ob_step_time sides[OB_STEP_SIDES];
} ob_step_case;

typedef struct ob_step_row {
    const char *op;
    bool backward;
    uint64_t calls; /* of the step */
    ob_step_time sides[OB_STEP_SIDES];
    /* As if it ran on one side wherever that has it, else on the fastest of the others. */
    ob_step_time preferred[OB_STEP_SIDES];
    size_t best; /* to prefer; OB_STEP_SIDES = none was measured */
    double lead; /* the time with the next one preferred over that; NaN = it is alone */
    bool clear;  /* the intervals of the two do not touch */
} ob_step_row;

typedef struct ob_step {
    ob_arena arena;
    const char *sides[OB_STEP_SIDES];
    size_t side_count;
    ob_step_row *rows; /* after ob__step_end: the largest share first */
    size_t count, room;
    ob_step_case *cases;
    size_t case_count, case_room;
    ob_text_index row_index, case_index;
    ob_reasons reasons; /* of cases that were not measured */
    int64_t threads;    /* of the first result; others are left out. 0 = none yet */
    bool other_threads; /* there were others */
    bool weighted;      /* a result says how often it was called */
    size_t main;        /* the side that shares are of: the first that measured the most calls */
    double main_ns;     /* and what the step takes on it */
    /* What the calls that a side has take with the best side of each operator preferred. */
    double best_ns[OB_STEP_SIDES];
    bool no_memory;
} ob_step;

void ob__step_init(ob_step *step);
void ob__step_fini(ob_step *step);
/* OB_ERR_LIMIT for more sides than a run can have. */
ob_status ob__step_add(ob_step *step, const ob_record_result *result, ob_err *err);
/* After the last result: best, lead and the order of the rows. */
void ob__step_end(ob_step *step);

/* Sums over the rows of one pass, or of both. *calls: of the step. */
typedef enum ob_step_pass { OB_STEP_BOTH, OB_STEP_FORWARD, OB_STEP_BACKWARD } ob_step_pass;
ob_step_time ob__step_sum(const ob_step *step, size_t side, ob_step_pass pass, uint64_t *calls);
double ob__step_share(const ob_step *step, const ob_step_row *row); /* NaN = not known */
/* "native: 20.1 ms; the best backend of each operator takes 14.2 ms, 29.4 % less" */
bool ob__step_append_side(const ob_step *step, size_t side, ob_text *out);
/* Ends the step. With sums and the lines below for people. NULL when memory is out. */
ob_table *ob__step_table(ob_step *step, bool for_people);

#endif
