/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a difference: what is kept of each side's records, and the rows that come of them.
 */
#ifndef OB_VERDICT_DIFF_INT_H
#define OB_VERDICT_DIFF_INT_H

#include "base/arena.h"
#include "op/name_index.h"
#include "opbench/count.h"
#include "opbench/diff.h"

enum { OB_PASS_COUNT = 2 }; /* forward, backward */

/* A pass of a case on one side. */
typedef struct ob_diff_pass {
    ob_verdict_unit *units; /* one per process */
    size_t count, room;
    ob_verdict_unit batches[OB_VERDICT_BATCHES]; /* of the only process */
    size_t batch_count;
    bool no_times; /* some samples are no positive numbers, which cannot be compared */
    double peak_bytes, instructions; /* NaN = not known */
    ob_counts *functions;            /* of count_number iterations; NULL = not known */
    int64_t count_number;
    double seconds; /* in the samples */
} ob_diff_pass;

/* A case on one side. Texts are in the arena. */
typedef struct ob_diff_case {
    const char *op_name, *id, *key, *backend, *reason, *repro, *call;
    const char *not_counted; /* why there are no instructions; NULL = there are, or nobody asked */
    const char *mode, *cache_state; /* NULL = not known */
    const char *part_of; /* key of the step that it is an operator of; NULL = it is a case */
    bool in_float32;     /* a part: its calls were made in another precision than recorded */
    int64_t threads;
    double start_seconds;    /* of its processes; NaN = not known */
    ob_record_status status; /* of the first record that did not run, else of the last */
    bool mixed;              /* of several records */
    ob_diff_pass passes[OB_PASS_COUNT];
    ob_diff_pass
        together; /* forward and backward of an iteration, where the backward is the difference of the two */
    double foreign,
        steal; /* what others, and the hypervisor, had of the processors, at worst; 0 = not known */
} ob_diff_case;

/* "native isa" and "avx2". */
typedef struct ob_diff_fact {
    const char *name, *value;
} ob_diff_fact;

typedef struct ob_diff_side_data {
    const char *name;
    ob_diff_case *cases;
    size_t count, room;
    ob__name_index index; /* by case_name with everything */
    const char *backend;  /* of the first case */
    int64_t threads;
    bool several_backends, several_threads;
    bool is_removed;                          /* see ob_diff_set_removed */
    const char *cpu_model, *kernel, *version; /* of the first header; NULL = none */
    ob_diff_fact *facts;                      /* of its libraries, as its backends say them */
    size_t fact_count, fact_room;
} ob_diff_side_data;

typedef struct ob_diff_allowed {
    const char *name, *reason, *until;
    double at_most; /* the ratio less 1; infinite = however much slower it is */
    bool used, over;
} ob_diff_allowed;

struct ob_diff {
    ob_arena arena;
    ob_verdict_params verdict;
    uint32_t tolerate;
    uint64_t most_processes; /* see ob_diff_params */
    double
        clock_ns; /* what the last header, or the caller, says of its resolution; 0 = not known */
    ob_diff_side_data *sides[OB_MAX_SIDES];
    size_t side_count;
    bool sides_by_record; /* all of one file, in turns */
    bool judged;
    const ob_diff_side_data *told_mode, *told_cache, *told_threads,
        *told_samples; /* the last with such a note */
    ob_diff_row *rows;
    size_t row_count, row_room;
    ob_diff_allowed *allowed;
    size_t allowed_count, allowed_room;
    const char **notes;
    size_t note_count, note_room;
    double foreign, steal; /* the most of any run, if its finish record says it */
};

ob_status ob__diff_no_memory(ob_err *err);
/* How the samples of a pass were taken. */
typedef struct ob_diff_taken {
    size_t
        equally; /* so many processes gave equally many, where the record does not say how many each gave */
    double resolution_ms; /* see ob_verdict_samples */
} ob_diff_taken;
/* Of a sample by the machine's clock; 0 if a device's or a virtual one took it. */
double ob__diff_resolution_ms(double clock_ns, const ob_record_result *r);
/* Adds a unit for each process that gave samples, or, of a single one, its stretches. */
ob_status ob__diff_add_pass(const ob_record_pass *from, const ob_diff_taken *how, ob_diff_pass *to,
                            ob_err *err);
/* Forward and backward of each iteration, which is never below zero: a backward pass, what an iteration with it takes more than one
 * without, may be. Without samples if it is not known which belong together. The caller frees *ms. */
ob_status ob__diff_put_together(const ob_record_pass *forward, const ob_record_pass *backward,
                                ob_record_pass *out, double **ms, ob_err *err);
/* Keeps the tables of a record's counts, if it has any. */
ob_status ob__diff_take_functions(const ob_record_instructions *from, ob_diff_case *to,
                                  ob_err *err);
/* What is said of the functions that changed; NULL = nothing is. */
ob_status ob__diff_compare_functions(ob_diff *diff, const ob_diff_pass *a, const ob_diff_pass *b,
                                     const char **out, ob_err *err);
/* A copy in the arena; NULL stays NULL. */
ob_status ob__diff_keep(ob_diff *diff, const char *text, const char **out, ob_err *err);
ob_status ob__diff_note(ob_diff *diff, ob_err *err, const char *format, ...) OB_PRINTF(3, 4);
/* Notes, once a side, that two cases were measured in ways whose times are not alike. *why gets what a row says of it; NULL =
 * they are alike. */
ob_status ob__diff_note_ways(ob_diff *diff, const ob_diff_side_data *side, const ob_diff_case *a,
                             const ob_diff_case *b, const char **why, ob_err *err);
/* What a side is judged by: its processes, or the stretches of the only one. */
typedef struct ob_diff_units {
    const ob_verdict_unit *items;
    size_t count;
} ob_diff_units;
/* Notes, once a side, that the estimates are from so different numbers of samples that it matters. */
ob_status ob__diff_note_samples(ob_diff *diff, const ob_diff_side_data *side,
                                const ob_diff_units *a, const ob_diff_units *b, ob_err *err);
/* What a case is called beside those of another side, in text (cleared first). */
bool ob__diff_case_name(const ob_diff_case *c, bool with_backend, bool with_threads, ob_text *text);
/* Keeps what a backend, or each of an object of them, says of its libraries; NULL is nothing. */
ob_status ob__diff_take_libraries(ob_diff *diff, ob_diff_side_data *side, const char *backend,
                                  const ob_json *said, ob_err *err);
/* Notes what is another than on the baseline. */
ob_status ob__diff_note_libraries(ob_diff *diff, const ob_diff_side_data *side, ob_err *err);
/* Whether an entry accepts what is worse in the row, which is judged, and if not, why. */
ob_status ob__diff_accept(ob_diff *diff, const ob_diff_case *c, ob_diff_row *row, ob_err *err);
/* Notes of entries that are over or fit nothing. */
ob_status ob__diff_note_allowed(ob_diff *diff, ob_err *err);

#endif
