/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparing sides: records of the same cases, measured on a baseline and one or more other sides,
 * become rows with a verdict each. A side is a file, or one of the sides (backends) in a file. Only
 * what is needed of a record is copied, so files may be of any length. docs/verdict.md explains
 * what is compared.
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

/* Bits: what does not count as worse. */
enum {
    OB_DIFF_TOLERATE_SLOWER = 1,
    OB_DIFF_TOLERATE_MEMORY = 2,
    OB_DIFF_TOLERATE_FAILURES = 4,     /* and missing cases */
    OB_DIFF_TOLERATE_OTHER_MEMORY = 8, /* more memory, if the backend is not the baseline's */
};

typedef struct ob_diff_params {
    size_t size;                         /* sizeof(ob_diff_params) */
    double floor, threshold, error_rate; /* as in ob_verdict_params */
    uint32_t tolerate;
    /* If the records were measured until the verdict was certain: the largest number of processes
     * that was allowed. 0 = they were not, unless their header says so. */
    uint64_t most_processes;
    double clock_resolution_ns; /* of the samples' clock, if no header has it; 0 = not known */
} ob_diff_params;

/* Memory peaks that differ by less show how an allocator rounds, not what the operator needs: four
 * pages. */
#define OB_DIFF_MIN_BYTES 16384

/* What there is to compare: enum name, word, whether it counts as worse, meaning. */
#define OB_DIFF_STATE_MAP(X)                                                                       \
    X(FAILS, "fails", 1, "it failed on this side alone")                                           \
    X(DIFFERS, "differs", 1, "its results were wrong on this side alone")                          \
    X(MISSING, "missing", 1, "the baseline has it, this side does not")                            \
    X(BOTH_FAIL, "fails on both", 0, "it failed on both sides")                                    \
    X(FIXED, "fixed", 0, "it failed on the baseline, but not here")                                \
    X(NEW, "new", 0, "the baseline does not have it")                                              \
    X(COMPARED, "compared", 0, "both have times")

typedef enum ob_diff_state {
#define OB_DIFF_STATE_ENUM(id, word, worse, help) OB_DIFF_##id,
    OB_DIFF_STATE_MAP(OB_DIFF_STATE_ENUM)
#undef OB_DIFF_STATE_ENUM
        OB_DIFF_STATE_COUNT
} ob_diff_state;
const char *ob_diff_state_word(ob_diff_state state);

/* One pass of one case on one side, compared with the baseline. Texts live as long as the
 * ob_diff. */
typedef struct ob_diff_row {
    size_t size;              /* sizeof(ob_diff_row): set by the library */
    const char *op_name, *id; /* "" = the record has none */
    const char *key;          /* may be NULL */
    const char *pass;         /* "forward", "backward"; "" = the case failed */
    const char *side;         /* name of the side that is compared with the baseline */
    const char *backend;      /* of that side; may be NULL */
    int64_t threads;          /* of that side; OB_NO_INT = not known */
    ob_diff_state state;
    const char *reason;                   /* why it failed; else NULL */
    double baseline_bytes, subject_bytes; /* allocator's peaks; NaN: not known */
    /* The verdict on memory, which is exact: FASTER = less and SLOWER = more, by more than the
     * threshold and OB_DIFF_MIN_BYTES; UNDECIDED = not known. */
    ob_verdict_kind memory;
    double baseline_instructions, instructions; /* per iteration; NaN: not counted */
    bool slower_beyond;                         /* slower, and by more than the threshold */
    bool memory_beyond;                         /* memory is OB_VERDICT_SLOWER */
    bool worse; /* one of these, failed or missing, unless tolerated; also set if allowed */
    const char *allowed;  /* the reason why it is accepted; NULL = it is not */
    const char *repro;    /* how to measure it alone; may be NULL */
    double seconds;       /* time for measuring both sides, without starting processes */
    double start_seconds; /* time for starting processes on both sides; NaN: not known */
    /* "kernel.c:add +1200, copy -30": the functions whose instructions per iteration changed most;
     * NULL = not counted, or none changed. */
    const char *functions;
    const char *call;     /* "softmax(f32[8,50257], -1)"; "OPERATOR|ID" if records have none */
    const char *baseline; /* name of the baseline */
    const char *baseline_reason; /* why the baseline failed; else NULL */
    const char *allowed_until;   /* the last day on which it is accepted; NULL = it is not */
    const char *not_allowed;     /* why an entry for this case does not accept it; else NULL */
    ob_verdict time;             /* times in ms; zeros unless compared */
} ob_diff_row;

typedef struct ob_diff_summary {
    size_t size; /* sizeof(ob_diff_summary) */
    uint64_t rows;
    uint64_t states[OB_DIFF_STATE_COUNT];
    uint64_t verdicts[OB_VERDICT_KIND_COUNT]; /* of those compared */
    uint64_t more_memory, less_memory;
    uint64_t worse, allowed;  /* worse and not allowed; worse and allowed */
    double geometric_mean;    /* of the ratios; NaN without any, or for several sides together */
    const ob_diff_row *worst; /* the slowest by its ratio; NULL = nothing is slower */
    double seconds, start_seconds; /* for all cases on all sides; NaN: not known */
    double floor, threshold;       /* the values that were used */
    bool in_pairs; /* the sides took turns in pairs of processes, and these are compared */
} ob_diff_summary;

ob_status ob_diff_create(const ob_diff_params *params, ob_diff **out, ob_err *err);
void ob_diff_destroy(ob_diff *diff); /* NULL is allowed */
/* Adds a side; the first is the baseline. OB_ERR_DUPLICATE if the name is taken. */
ob_status ob_diff_add_side(ob_diff *diff, const char *name, ob_err *err);
/* Adds a record to the side that was added last; if no side was added, to the side that the record
 * itself names, measured in turns with the others. Several records of the same case count as
 * several processes. */
ob_status ob_diff_add(ob_diff *diff, const ob_record *record, ob_err *err);
/* Marks a side whose code the compiler removed (ob_snippet_is_removed): comparisons with it are
 * undecided. Call it after adding the records. OB_ERR_NOT_FOUND: there is no such side. */
ob_status ob_diff_set_removed(ob_diff *diff, const char *side, ob_err *err);
/* Accepts that the cases which a file lists are slower or need more memory: [{"key": KEY or
 * "OPERATOR|ID", "reason": TEXT, "until": "2026-12-31", "at_most": 0.05}, ...]. With at_most, which
 * is optional, a ratio above 1 + at_most is not accepted. Failures, wrong results and missing cases
 * never are. today is a date such as "2026-11-17"; entries that have expired by then accept
 * nothing, and a note says so. */
ob_status ob_diff_allow_file(ob_diff *diff, const char *path, const char *today, ob_err *err);
/* Decides all verdicts. Call it once, after the last record; OB_ERR_INVALID with fewer than two
 * sides. */
ob_status ob_diff_judge(ob_diff *diff, ob_err *err);

/* The rows, after ob_diff_judge: failures first, then slower cases, the worst first, and so on. */
size_t ob_diff_count(const ob_diff *diff);
const ob_diff_row *ob_diff_at(const ob_diff *diff, size_t index);
ob_status ob_diff_summarise(const ob_diff *diff, ob_diff_summary *out, ob_err *err);
/* The summary of the rows of one side; its seconds are for this side and the baseline.
 * OB_ERR_INVALID: there is no such side, or it is the baseline. */
ob_status ob_diff_summarise_side(const ob_diff *diff, size_t side, ob_diff_summary *out,
                                 ob_err *err);
const char *ob_diff_side(const ob_diff *diff, size_t index); /* 0 = the baseline; NULL = no more */
/* Notes for the reader: different machines, different libraries, when accepted changes expire. NULL
 * = no more. */
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
/* False for a word that is not a form; *out is then unchanged. opbench/report.h prints diffs. */
bool ob_diff_form_from_word(const char *word, ob_diff_form *out);

#ifdef __cplusplus
}
#endif
#endif
