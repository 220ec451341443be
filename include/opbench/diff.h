/* SPDX-License-Identifier: Apache-2.0
 *
 * A difference of sides: records of the same cases, by a baseline and one or more others, become rows with a verdict
 * each. Sides are files, or the sides (backends) of one file. What is wanted of a record is copied as it comes, so a
 * file may be of any length. docs/verdict.md explains what is compared.
 *
 * One thread at a time per object.
 */
#ifndef OPBENCH_DIFF_H
#define OPBENCH_DIFF_H

#include "opbench/record.h"
#include "opbench/verdict.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_diff ob_diff;

enum { OB_MAX_SIDES = 64 };

/* What does not count as worse: bits. */
enum {
    OB_DIFF_TOLERATE_SLOWER = 1,
    OB_DIFF_TOLERATE_MEMORY = 2,
    OB_DIFF_TOLERATE_FAILURES = 4,     /* and what is missing */
    OB_DIFF_TOLERATE_OTHER_MEMORY = 8, /* more memory of another backend than the baseline's */
};

typedef struct ob_diff_params {
    size_t size;                         /* sizeof(ob_diff_params) */
    double floor, threshold, error_rate; /* as in ob_verdict_params */
    uint32_t tolerate;
    /* The records were measured until the verdict was sure, in at most this many processes; 0 = they were not, unless their header
     * says so. */
    uint64_t most_processes;
    double
        clock_resolution_ns; /* of the clock that took the samples, where no header says it; 0 = not known */
} ob_diff_params;

/* Peaks that are less apart say how an allocator rounds, and nothing of the operator: four pages. */
#define OB_DIFF_MIN_BYTES 16384

/* What there is to compare: enum name, word, whether it counts as worse, meaning. */
#define OB_DIFF_STATE_MAP(X)                                                                       \
    X(FAILS, "fails", 1, "it failed on this side alone")                                           \
    X(DIFFERS, "differs", 1, "its results were wrong on this side alone")                          \
    X(MISSING, "missing", 1, "the baseline has it, this side does not")                            \
    X(BOTH_FAIL, "fails on both", 0, "it failed on both sides")                                    \
    X(FIXED, "fixed", 0, "it failed on the baseline and does not here")                            \
    X(NEW, "new", 0, "the baseline does not have it")                                              \
    X(COMPARED, "compared", 0, "both have times")

typedef enum ob_diff_state {
#define OB_DIFF_STATE_ENUM(id, word, worse, help) OB_DIFF_##id,
    OB_DIFF_STATE_MAP(OB_DIFF_STATE_ENUM)
#undef OB_DIFF_STATE_ENUM
        OB_DIFF_STATE_COUNT
} ob_diff_state;
const char *ob_diff_state_word(ob_diff_state state);

/* One pass of one case on one side, beside the baseline. Texts live as long as the ob_diff. */
typedef struct ob_diff_row {
    size_t size;              /* sizeof(ob_diff_row): set by the library */
    const char *op_name, *id; /* "" = the record has none */
    const char *key;          /* may be NULL */
    const char *pass;         /* "forward", "backward"; "" = the case failed */
    const char *side;         /* name of the side that stands beside the baseline */
    const char *backend;      /* of it; may be NULL */
    int64_t threads;          /* of it; OB_NO_INT = not said */
    ob_diff_state state;
    const char *reason;                   /* of a failure; else NULL */
    double baseline_bytes, subject_bytes; /* allocator's peaks; NaN: not known */
    /* Exact: faster means less, and slower more, by more than the threshold and OB_DIFF_MIN_BYTES; undecided: not known. */
    ob_verdict_kind memory;
    double baseline_instructions, instructions; /* per iteration; NaN: not counted */
    bool slower_beyond;                         /* slower, and by more than the threshold */
    bool memory_beyond;                         /* memory is "slower" */
    bool
        worse; /* any of these, or failed or missing, unless tolerated; what is allowed counts too */
    const char *allowed;  /* the reason why it is accepted; NULL = it is not */
    const char *repro;    /* how to measure it alone; may be NULL */
    double seconds;       /* what measuring took, both sides together; starts come on top: */
    double start_seconds; /* of processes, on both sides; NaN: not known */
    /* "kernel.c:add +1200, copy -30": the functions that execute most more or fewer instructions per iteration; NULL = not counted,
     * or none does. */
    const char *functions;
    const char *call;     /* "softmax(f32[8,50257], -1)"; "OPERATOR|ID" where records do not say */
    const char *baseline; /* name of the side that it stands beside */
    const char *baseline_reason; /* why that one failed; else NULL. reason is then the other's */
    ob_verdict time;             /* times in ms; zeros unless compared */
} ob_diff_row;

typedef struct ob_diff_summary {
    size_t size; /* sizeof(ob_diff_summary) */
    uint64_t rows;
    uint64_t states[OB_DIFF_STATE_COUNT];
    uint64_t verdicts[OB_VERDICT_KIND_COUNT]; /* of those compared */
    uint64_t more_memory, less_memory;
    uint64_t worse, allowed;  /* worse and not allowed; worse and allowed */
    double geometric_mean;    /* of the ratios; NaN without any, and of several sides together */
    const ob_diff_row *worst; /* the slowest by its ratio; NULL = nothing is slower */
    double seconds, start_seconds; /* of all cases on all sides; NaN: not known */
    double floor, threshold;       /* that were used */
} ob_diff_summary;

ob_status ob_diff_create(const ob_diff_params *params, ob_diff **out, ob_err *err);
void ob_diff_destroy(ob_diff *diff); /* NULL is allowed */
/* A side; the first is the baseline. OB_ERR_DUPLICATE if there is one of this name. */
ob_status ob_diff_add_side(ob_diff *diff, const char *name, ob_err *err);
/* A record of the side that was added last; without one, of the side that the record itself names, in turns with the others. Of
 * records of the same case each is taken as another process. */
ob_status ob_diff_add(ob_diff *diff, const ob_record *record, ob_err *err);
/* Says that a compiler left nothing of the code of a side (ob_snippet_is_removed): what is compared with it is undecided. After its
 * records; OB_ERR_NOT_FOUND: there is no such side. */
ob_status ob_diff_set_removed(ob_diff *diff, const char *side, ob_err *err);
/* Accepts what a file lists: [{"key": KEY or "OPERATOR|ID", "reason": TEXT, "until": "2026-12-31"}, ...]. today is "2026-11-17"; what is
 * over by then is not accepted, and a note says so. */
ob_status ob_diff_allow_file(ob_diff *diff, const char *path, const char *today, ob_err *err);
/* Decides. After the last record, once; OB_ERR_INVALID with fewer than two sides. */
ob_status ob_diff_judge(ob_diff *diff, ob_err *err);

/* After ob_diff_judge: failures first, then what is slower, the worst first, and so on. */
size_t ob_diff_count(const ob_diff *diff);
const ob_diff_row *ob_diff_at(const ob_diff *diff, size_t index);
ob_status ob_diff_summarise(const ob_diff *diff, ob_diff_summary *out, ob_err *err);
/* Of the rows of one side alone; its seconds are its own and the baseline's. OB_ERR_INVALID: there is no such side, or it is the
 * baseline. */
ob_status ob_diff_summarise_side(const ob_diff *diff, size_t side, ob_diff_summary *out,
                                 ob_err *err);
const char *ob_diff_side(const ob_diff *diff, size_t index); /* 0 = the baseline; NULL = no more */
/* What the reader should know of the sides: other machines, other libraries, accepted until when. NULL = no more. */
const char *ob_diff_note(const ob_diff *diff, size_t index);

/* enum name, word for an option, meaning. */
#define OB_DIFF_FORM_MAP(X)                                                                        \
    X(TABLE, "table", "a table for a terminal, and its summary")                                   \
    X(MARKDOWN, "markdown", "for a pull request: what changed, the rest folded")                   \
    X(JSON, "json", "one object with everything")                                                  \
    X(CSV, "csv", "a line per row")                                                                \
    X(JUNIT, "junit", "XML for CI systems: a test case per row")

typedef enum ob_diff_form {
#define OB_DIFF_FORM_ENUM(id, word, help) OB_DIFF_FORM_##id,
    OB_DIFF_FORM_MAP(OB_DIFF_FORM_ENUM)
#undef OB_DIFF_FORM_ENUM
        OB_DIFF_FORM_COUNT
} ob_diff_form;
/* False, and *out as it was, for a word that is not a form. opbench/report.h prints. */
bool ob_diff_form_from_word(const char *word, ob_diff_form *out);

#ifdef __cplusplus
}
#endif
#endif
