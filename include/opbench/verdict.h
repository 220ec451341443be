/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts: is one side of a comparison faster or slower than the other, the same, or not decided
 * yet? Pure functions on samples; docs/verdict.md has the statistics, with formulas and references.
 *
 * What is compared is the undisturbed time. Of each process the samples during which the kernel
 * took the thread off its processor are set aside, and of the others a low quantile is taken;
 * processes are the unit, because placement differs between them.
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

/* What one process, or one stretch of a process, says about a side. */
typedef struct ob_verdict_unit {
    double low; /* the low quantile of its undisturbed samples */
    /* How far the lowest samples are apart, as a logarithm: how far `low` may be off. NaN: not
     * known. */
    double scatter;
    double tick;        /* the usual step between its samples near low: how fine its clock is */
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
    /* Ascending numbers of the samples that the kernel disturbed, as doubles, as in records; NULL =
     * none. */
    const double *disturbed;
    size_t disturbed_count;
    size_t first; /* the number that the first of the values has in that list */
    /* The step of the clock that took them, in the unit of the values; 0 = not known. It matters if
     * samples are equal and so do not show it themselves. */
    double resolution;
} ob_verdict_samples;

/* Makes a unit of the samples of one process. OB_ERR_INVALID without samples, or for one that is
 * not a positive number. */
ob_status ob_verdict_unit_of(const ob_verdict_samples *samples, ob_verdict_unit *out, ob_err *err);
/* The same for stretches of one process, at most `room` of them (OB_VERDICT_BATCHES is a good
 * number): how much they differ is all that one process can say about its own certainty. *count
 * gets their number. */
ob_status ob_verdict_batches_of(const ob_verdict_samples *samples, ob_verdict_unit *out,
                                size_t room, size_t *count, ob_err *err);

/* ------------------------------------------------------------------ two sides */

#define OB_VERDICT_FLOOR 0.0015 /* difference that the placement of code and data can make */
/* In nanoseconds, about one cycle, which even an empty loop takes: nothing can be said about code
 * that takes less. */
#define OB_VERDICT_MIN_NS 0.4
#define OB_VERDICT_THRESHOLD 0.01  /* largest difference that is "same" */
#define OB_VERDICT_ERROR_RATE 0.01 /* fraction of runs without any change that report one */
#define OB_VERDICT_CONFIDENCE 0.95

/* Zeros are the defaults; for no floor, give any number below 1e-9. */
typedef struct ob_verdict_params {
    size_t size;       /* sizeof(ob_verdict_params) */
    double floor;      /* relative; faster and slower need an interval beyond it */
    double threshold;  /* relative; same needs an interval within it */
    double error_rate; /* of any faster or slower in all cases together, if nothing changed */
    uint64_t cases;    /* how many comparisons share the error rate; 0 = 1 */
    /* Sequential measuring: the share of the error rate that this look may use; 0 = all of it. See
     * ob_verdict_look_share. */
    double look_share;
    bool paired; /* unit i of both sides ran at the same time, in turns */
    /* A side's units are stretches of one process: how processes differ is not known, so that the
     * intervals are wider by the floor at each end, and nothing below the threshold is called a
     * difference. */
    bool one_process;
} ob_verdict_params;

typedef struct ob_verdict {
    size_t size; /* sizeof(ob_verdict) */
    ob_verdict_kind kind;
    double baseline, subject;        /* undisturbed times: centres over the units */
    double ratio, low, high;         /* subject over baseline, and its 95 % interval; NaN: none */
    double sure_low, sure_high;      /* the interval that faster and slower are decided by */
    double median_ratio, tail_ratio; /* the same of medians and of the slowest tenths */
    uint64_t baseline_units, subject_units;
    double set_aside; /* fraction of all samples */
    double more;      /* how many times the present effort would probably decide; NaN: not known */
    char why[192];    /* in words: what is missing, or what else differs; "" = nothing to say */
    double floor;     /* what the sure interval had to lie beyond, as a logarithm */
} ob_verdict;

/* OB_ERR_INVALID for no units or parameters that make no sense. */
ob_status ob_verdict_decide(const ob_verdict_unit *baseline, size_t baseline_count,
                            const ob_verdict_unit *subject, size_t subject_count,
                            const ob_verdict_params *params, ob_verdict *out, ob_err *err);
/* The same for the samples of two processes. */
ob_status ob_verdict_of_samples(const ob_verdict_samples *baseline,
                                const ob_verdict_samples *subject, const ob_verdict_params *params,
                                ob_verdict *out, ob_err *err);

/* ------------------------------------------------------------------ looking while measuring */

/* The number of processes per side after which the next look is taken, if there may be `most` of
 * them; 0 = never again. */
uint64_t ob_verdict_next_look(uint64_t processes, uint64_t most);
/* What a look may use of the error rate. The shares of the planned looks grow with the number of
 * processes and add up to 1. If measuring ends between two of them because its time is up, the last
 * look gets the shares of all that are left out. */
double ob_verdict_look_share(uint64_t processes, uint64_t most);
/* Whether more processes could tell more: not once it is faster or slower, or so narrow that the
 * floor decides. */
bool ob_verdict_is_final(const ob_verdict *verdict, const ob_verdict_params *params);

/* What is looked at while sides are measured. */
typedef struct ob_verdict_looks {
    size_t size;   /* sizeof(ob_verdict_looks) */
    uint64_t most; /* processes a side */
    /* Time for measuring all sides of a case: after the first five, no process is started that
     * would probably exceed it; 0 = no limit. */
    double budget_s;
    bool to_the_end; /* do not stop before the budget is spent: for self-tests */
    /* Of the samples' clock; 0 = it is measured at the first look. */
    double clock_resolution_ns;
    /* Filled in by the looks. Differences are logarithms. */
    bool has_looked;
    bool has_called;    /* faster or slower */
    double least_found; /* the smallest true difference that a look would have called slower */
    double beyond;      /* how far a sure interval lay from no difference at all */
    /* `cases` must be the number of cases; paired and look_share are set by the looks. */
    ob_verdict_params params;
} ob_verdict_looks;

/* For ob_job_configs.enough, with an ob_verdict_looks as context: not 0 when the verdicts on all
 * sides and passes of the case are final. */
int ob_verdict_is_enough(void *looks, const struct ob_sides_progress *progress);

/* ------------------------------------------------------------------ error rates */

typedef struct ob_verdict_range {
    double low, high;
} ob_verdict_range;

/* The exact 95 % interval (Clopper and Pearson) of the true share, if `found` of `trials` were
 * found; trials > 0. */
ob_verdict_range ob_verdict_share_interval(uint64_t found, uint64_t trials);
/* The same for a quantile; infinite at an end where there are too few values. Sorts the values. */
ob_verdict_range ob_verdict_quantile_interval(double *values, size_t count, double quantile);

#ifdef __cplusplus
}
#endif
#endif
