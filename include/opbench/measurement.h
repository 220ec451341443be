/* SPDX-License-Identifier: Apache-2.0
 *
 * The Measurement of torch.utils.benchmark: samples of one task and what follows from them.
 * Figures, warnings, units and texts are the original's; docs/compare.md says where they differ on
 * purpose.
 *
 * Times are in seconds. A measurement is a value that borrows what it points to; ob_measurements is
 * a list that owns it. One thread at a time per object.
 */
#ifndef OPBENCH_MEASUREMENT_H
#define OPBENCH_MEASUREMENT_H

#include "opbench/json.h"
#include "opbench/measure.h"
#include "opbench/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ helpers */

/* enum name, symbol, English, seconds. */
#define OB_TIME_UNIT_MAP(X)                                                                        \
    X(NS, "ns", "nanosecond", 1e-9)                                                                \
    X(US, "us", "microsecond", 1e-6)                                                               \
    X(MS, "ms", "millisecond", 1e-3)                                                               \
    X(S, "s", "second", 1.0)

typedef struct ob_time_unit {
    const char *symbol;  /* "us" */
    const char *english; /* "microsecond" */
    double scale;        /* 1e-6 */
} ob_time_unit;

/* The unit in which a time is shown: ns below 1 us (below 1 ns too), s from 1 s on. NULL unless
 * seconds is finite and above 0. The rows are static. */
const ob_time_unit *ob_time_unit_select(double seconds);
const ob_time_unit *ob_time_unit_find(const char *symbol); /* NULL if there is none */

/* value rounded to `figures` >= 1 significant figures, in single precision as the original does it
 * (3.14159 to two figures is 3.1000001430511475); halves go to the even side. 0 stays 0. */
double ob_trim_figures(double value, int figures);

/* ------------------------------------------------------------------ the task */

/* Equal in all eight fields. A stmt, setup or global_setup that is NULL is ""; the other texts are
 * none when NULL, which is not the same as "". */
bool ob_task_spec_equal(const ob_task_spec *a, const ob_task_spec *b);
/* sub_label or stmt, the first that is not empty, or "[Unknown]". */
const char *ob_task_spec_row_name(const ob_task_spec *task);
/* Append to text. The title is made of label and sub_label, or of stmt without a label; the summary
 * adds description and setup. */
ob_status ob_task_spec_print_title(const ob_task_spec *task, ob_text *text, ob_err *err);
ob_status ob_task_spec_print_summary(const ob_task_spec *task, ob_text *text, ob_err *err);

/* ------------------------------------------------------------------ the measurement */

typedef struct ob_measurement {
    int64_t number_per_run;  /* runs per block, above 0 */
    const double *raw_times; /* seconds per block, in the order they were taken */
    size_t count;            /* blocks, above 0 */
    ob_task_spec task;
    const ob_json *metadata; /* anything; NULL = none */
} ob_measurement;

/* How wide the interquartile range is against the median: enum name, bound from which on it holds,
 * what it means. */
#define OB_SPREAD_MAP(X)                                                                           \
    X(NARROW, 0.0, NULL)                                                                           \
    X(WIDE, 0.1, "This could indicate system fluctuation.")                                        \
    X(GROSS, 0.25, "This suggests significant environmental influence.")

typedef enum ob_spread {
#define OB_SPREAD_ENUM(id, bound, meaning) OB_SPREAD_##id,
    OB_SPREAD_MAP(OB_SPREAD_ENUM)
#undef OB_SPREAD_ENUM
        OB_SPREAD_COUNT
} ob_spread;

/* Statistics of the times per run: raw_times / number_per_run. */
typedef struct ob_measurement_stats {
    size_t count;
    double mean, median, p25, p75, iqr;
    int significant_figures; /* 1 to 4 */
    ob_spread spread;        /* not OB_SPREAD_NARROW: there is a warning */
} ob_measurement_stats;

/* OB_ERR_INVALID, with what is wrong: no samples, one that is negative or not finite, a median of
 * zero, number_per_run below 1. Takes memory for a copy of the samples. */
ob_status ob_measurement_compute(const ob_measurement *m, ob_measurement_stats *out, ob_err *err);
/* Whether iqr / median is below the threshold; the original's default is 0.1. */
bool ob_measurement_meets_confidence(const ob_measurement_stats *stats, double threshold);
/* Appends the warning, two lines without a newline at the end; nothing if there is none. */
ob_status ob_measurement_print_warning(const ob_measurement_stats *stats, ob_text *text,
                                       ob_err *err);
/* Appends the text form, without a newline at its end. The first line is ours, all below it the
 * original's. stats NULL = computed here. */
ob_status ob_measurement_print(const ob_measurement *m, const ob_measurement_stats *stats,
                               ob_text *text, ob_err *err);
/* Appends one JSON object in one line, with a newline: times, mean, median, p25, p75, iqr,
 * significant_figures, has_warnings, warnings, unit, title, as_row_name. */
ob_status ob_measurement_print_json(const ob_measurement *m, const ob_measurement_stats *stats,
                                    ob_text *text, ob_err *err);

/* The measurement as a record of one result: its own fields, status ok, and the statistics. The
 * record borrows from m; the caller adds what else is known (op_name, backend, ...) and writes it.
 * It must have been initialised (ob_record_init). */
ob_status ob_measurement_to_record(const ob_measurement *m, struct ob_record *record, ob_err *err);

/* ------------------------------------------------------------------ lists */

/* Copies samples, texts and metadata. */
ob_status ob_measurements_add(ob_measurements *list, const ob_measurement *m, ob_err *err);
size_t ob_measurements_count(const ob_measurements *list);
const ob_measurement *ob_measurements_at(const ob_measurements *list, size_t index);
/* One measurement for each distinct task, in order of first appearance: number_per_run 1, the times
 * per run of all its measurements in order, no metadata. */
ob_status ob_measurements_merge(const ob_measurements *list, ob_measurements **out, ob_err *err);

/* ------------------------------------------------------------------ reading */

/* Reads record lines, and plain objects {number_per_run, raw_times, task_spec, metadata}: alone,
 * one after the other, or in lists. One measurement is in memory at a time, its text never. */
typedef struct ob_measurement_reader ob_measurement_reader;

/* "-" reads standard input. */
ob_status ob_measurement_reader_open(const char *path, ob_measurement_reader **out, ob_err *err);
/* A text in memory, which is borrowed; name is for messages. */
ob_status ob_measurement_reader_open_memory(const char *name, const void *data, size_t size,
                                            ob_measurement_reader **out, ob_err *err);
void ob_measurement_reader_close(ob_measurement_reader *reader); /* NULL is allowed */
/* The next measurement, valid until the next call; OB_END after the last. Lines of a run that are
 * not results are skipped; so are results that were not measured, and counted. Errors are
 * OB_ERR_SYNTAX with file, line and column: a missing member, no samples, a sample that is negative
 * or not a number. Reading cannot go on after an error. */
ob_status ob_measurement_reader_next(ob_measurement_reader *reader, const ob_measurement **out,
                                     ob_err *err);
/* The place where the measurement given last begins. */
void ob_measurement_reader_place(const ob_measurement_reader *reader, uint32_t *line,
                                 uint32_t *column);
/* Results without samples so far: failed, skipped, interrupted. */
size_t ob_measurement_reader_skipped(const ob_measurement_reader *reader);
/* After OB_END: the last line was cut off and left out, as a run that is killed leaves it. */
bool ob_measurement_reader_is_torn(const ob_measurement_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
