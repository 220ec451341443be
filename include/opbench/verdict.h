/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts: is one side of a comparison faster or slower than the other, the same, or not decided yet? Pure functions
 * on samples; docs/verdict.md has the statistics, with formulas and references.
 *
 * What is compared is the undisturbed time. Of each process the samples during which the kernel took the thread off
 * its processor are set aside, and of the others a low quantile is taken; processes are the unit, because
 * placement differs between them.
 */
#ifndef OPBENCH_VERDICT_H
#define OPBENCH_VERDICT_H

#include "opbench/status.h"

#include <stdbool.h>

struct ob_sides_progress; /* opbench/run.h */

#ifdef __cplusplus
extern "C" {
#endif

/* enum name, word. */
#define OB_VERDICT_MAP(X)                                                                          \
    X(UNDECIDED, "undecided") /* the interval allows more than one of the others */                \
    X(SAME, "same")           /* the difference is within the threshold */                         \
    X(FASTER, "faster")       /* takes less time than the baseline */                              \
    X(SLOWER, "slower")       /* takes more time than the baseline */

typedef enum ob_verdict_kind {
#define OB_VERDICT_ENUM(id, word) OB_VERDICT_##id,
    OB_VERDICT_MAP(OB_VERDICT_ENUM)
#undef OB_VERDICT_ENUM
        OB_VERDICT_KIND_COUNT
} ob_verdict_kind;
const char *ob_verdict_word(ob_verdict_kind kind); /* static; NULL if it is not a kind */

/* ------------------------------------------------------------------ one side */

enum { OB_VERDICT_BATCHES = 10 };

/* What one process, or one stretch of one, says of a side. */
typedef struct ob_verdict_unit {
    double low; /* the low quantile of its undisturbed samples */
    /* How far the lowest of them lie apart, as a logarithm: what low may be off by; NaN: not known. */
    double scatter;
    double tick;        /* the usual step between its samples beside low: how fine its clock is */
    double median;      /* of all its samples */
    double tail;        /* their 90 % quantile */
    uint64_t samples;   /* all of them */
    uint64_t set_aside; /* of these, disturbed */
} ob_verdict_unit;

/* Samples in the order of time. Zeros mean nothing is known. */
typedef struct ob_verdict_samples {
    size_t size;          /* sizeof(ob_verdict_samples) */
    const double *values; /* positive, in any unit */
    size_t count;
    /* Numbers of the samples, ascending, that the kernel disturbed; NULL = none. Written as in records: doubles. */
    const double *disturbed;
    size_t disturbed_count;
    size_t first; /* the number that the first of the values has in that list */
    /* The step of the clock that took them, in the unit of the values; 0 = not known. It counts where samples are equal, and so do not
     * show it themselves. */
    double resolution;
} ob_verdict_samples;

/* Of the samples of one process. OB_ERR_INVALID without samples, or for one that is not a positive number. */
ob_status ob_verdict_unit_of(const ob_verdict_samples *samples, ob_verdict_unit *out, ob_err *err);
/* The same for stretches of one process, at most `room` of them (OB_VERDICT_BATCHES is a good number): how far they differ is all
 * that one process can say of its own certainty. *count: how many. */
ob_status ob_verdict_batches_of(const ob_verdict_samples *samples, ob_verdict_unit *out,
                                size_t room, size_t *count, ob_err *err);

/* ------------------------------------------------------------------ two sides */

#define OB_VERDICT_FLOOR 0.0015 /* what placement of code and data alone can make of a build */
/* About a cycle, which a loop takes with nothing in it: of code that takes less, in nanoseconds, nothing can be told. */
#define OB_VERDICT_MIN_NS 0.4
#define OB_VERDICT_THRESHOLD 0.01  /* what "same" means */
#define OB_VERDICT_ERROR_RATE 0.01 /* of runs without any change that call something changed */
#define OB_VERDICT_CONFIDENCE 0.95

/* Zeros are the defaults; a floor of nothing is any number below 1e-9. */
typedef struct ob_verdict_params {
    size_t size;       /* sizeof(ob_verdict_params) */
    double floor;      /* relative; faster and slower need an interval beyond it */
    double threshold;  /* relative; same needs an interval within it */
    double error_rate; /* of faster and slower over all cases together, if nothing changed */
    uint64_t cases;    /* how many comparisons share the error rate; 0 = 1 */
    /* Sequential measuring: the share of the error rate that this look may use; 0 = all of it. See ob_verdict_look_share. */
    double look_share;
    bool paired; /* unit i of both sides ran at the same time, in turns */
    /* A side's units are stretches of one process: how processes differ is not known, so that nothing below the threshold is called
     * a difference. */
    bool one_process;
} ob_verdict_params;

typedef struct ob_verdict {
    size_t size; /* sizeof(ob_verdict) */
    ob_verdict_kind kind;
    double baseline, subject; /* undisturbed times, as they were weighed: centres over the units */
    double ratio, low, high;  /* subject over baseline, and its 95 % interval; NaN: none */
    double sure_low, sure_high;      /* the interval that faster and slower are decided by */
    double median_ratio, tail_ratio; /* the same of medians and of the slowest tenths */
    uint64_t baseline_units, subject_units;
    double set_aside; /* share of all samples */
    double more;      /* how many times the present effort would probably decide; NaN: not known */
    char why[192];    /* in words: what is missing, or what else differs; "" = nothing to say */
    double floor;     /* what the sure interval had to lie beyond, as a logarithm */
} ob_verdict;

/* OB_ERR_INVALID for no units or parameters that make no sense. */
ob_status ob_verdict_decide(const ob_verdict_unit *baseline, size_t baseline_count,
                            const ob_verdict_unit *subject, size_t subject_count,
                            const ob_verdict_params *params, ob_verdict *out, ob_err *err);
/* The same of two processes' samples. */
ob_status ob_verdict_of_samples(const ob_verdict_samples *baseline,
                                const ob_verdict_samples *subject, const ob_verdict_params *params,
                                ob_verdict *out, ob_err *err);

/* ------------------------------------------------------------------ looking while measuring */

/* The number of processes a side after which the next look is taken, if there may be `most` of them; 0 = never again. */
uint64_t ob_verdict_next_look(uint64_t processes, uint64_t most);
/* What a look may use of the error rate: all have equal shares, which add up to 1. */
double ob_verdict_look_share(uint64_t processes, uint64_t most);
/* Whether more processes could tell more: not once it is faster or slower, or so narrow that the floor decides. */
bool ob_verdict_is_final(const ob_verdict *verdict, const ob_verdict_params *params);

/* What is looked at while sides are measured. */
typedef struct ob_verdict_looks {
    size_t size;   /* sizeof(ob_verdict_looks) */
    uint64_t most; /* processes a side */
    /* Of measuring, for all sides of a case: apart from the first five, no process is begun that would probably exceed it; 0 = no limit. */
    double budget_s;
    bool to_the_end; /* nothing is final before the budget is spent: for trying out what is found */
    /* Filled in by the looks, of all that was looked at. Differences are logarithms. */
    bool has_looked;
    bool has_called;    /* faster or slower */
    double least_found; /* the least true difference that a look would have called slower */
    double beyond;      /* how far a sure interval lay from no difference at all */
    /* With as many cases as there will be; paired and look_share are set here. */
    ob_verdict_params params;
} ob_verdict_looks;

/* For ob_job_configs.enough, with an ob_verdict_looks as context: not 0 when the verdicts on all sides and passes of the case are
 * final. */
int ob_verdict_is_enough(void *looks, const struct ob_sides_progress *progress);

/* ------------------------------------------------------------------ how often it errs */

typedef struct ob_verdict_range {
    double low, high;
} ob_verdict_range;

/* Exact 95 % intervals (Clopper and Pearson) of the share that `found` of `trials` are; trials > 0. */
ob_verdict_range ob_verdict_share_interval(uint64_t found, uint64_t trials);
/* The same of a quantile; infinite at an end where there are too few values. They are sorted by it. */
ob_verdict_range ob_verdict_quantile_interval(double *values, size_t count, double quantile);

#ifdef __cplusplus
}
#endif
#endif
