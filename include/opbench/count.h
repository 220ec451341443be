/* SPDX-License-Identifier: Apache-2.0
 *
 * Instruction counts as values: what callgrind found per function, read from its files, and the
 * arithmetic on such tables, as FunctionCounts and CallgrindStats of torch.utils.benchmark have it.
 *
 * Tables and statistics never change once made; every operation makes a new one, which the caller
 * destroys. They may be read by several threads.
 */
#ifndef OPBENCH_COUNT_H
#define OPBENCH_COUNT_H

#include "opbench/json.h"
#include "opbench/measure.h"
#include "opbench/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ tables */

typedef struct ob_count {
    int64_t count;
    const char *function; /* "file:function [object]", UTF-8 */
} ob_count;

/* Rows of counts. Exclusive: what a function executed itself; inclusive: with all that it
 * called. */
typedef struct ob_counts ob_counts;

/* Copies the rows; their order and duplicates are kept. */
ob_status ob_counts_create(const ob_count *rows, size_t count, bool inclusive, ob_counts **out,
                           ob_err *err);
void ob_counts_destroy(ob_counts *counts); /* NULL is allowed */

size_t ob_counts_size(const ob_counts *counts);                /* NULL: 0 */
ob_count ob_counts_row(const ob_counts *counts, size_t index); /* past the end: {0, NULL} */
bool ob_counts_is_inclusive(const ob_counts *counts);
/* All counts together. A NULL table: 0. Beyond int64_t it stays at the limit. */
int64_t ob_counts_sum(const ob_counts *counts);
/* Whether the text form leaves out the middle of a long table: false for a slice, true for a table
 * made from one. */
bool ob_counts_is_truncated(const ob_counts *counts);

/* Adds or subtracts by name: equal names are merged, zeros dropped, rows sorted by count and then
 * name, both descending. OB_ERR_INVALID when one table is inclusive and the other is not. */
ob_status ob_counts_add(const ob_counts *left, const ob_counts *right, ob_counts **out,
                        ob_err *err);
ob_status ob_counts_subtract(const ob_counts *left, const ob_counts *right, ob_counts **out,
                             ob_err *err);
/* Multiplies each count by factor, rounding towards zero; then as above. */
ob_status ob_counts_scale(const ob_counts *counts, double factor, ob_counts **out, ob_err *err);

/* Writes the new name to `out`, which is empty at the call; false: out of memory. */
typedef bool (*ob_counts_rename_fn)(void *ctx, const char *function, ob_text *out);
/* Renames every row; then as above. */
ob_status ob_counts_rename(const ob_counts *counts, ob_counts_rename_fn rename, void *ctx,
                           ob_counts **out, ob_err *err);

typedef bool (*ob_counts_keep_fn)(void *ctx, const char *function);
/* The rows for which keep() is true, in their order, duplicates included. */
ob_status ob_counts_filter(const ob_counts *counts, ob_counts_keep_fn keep, void *ctx,
                           ob_counts **out, ob_err *err);
/* Rows first to end - 1, as far as the table has them. Its text form shows all rows. */
ob_status ob_counts_slice(const ob_counts *counts, size_t first, size_t end, ob_counts **out,
                          ob_err *err);
/* Leaves out the dictionary look-ups of CPython up to 3.10, whose number depends on hashes, and so
 * on addresses. */
ob_status ob_counts_denoise(const ob_counts *counts, ob_counts **out, ob_err *err);
/* Strips from the names what differs between machines: paths before build/../, build/aten/, Python/
 * and Objects/, and the object file at the end. */
ob_status ob_counts_standardise(const ob_counts *counts, ob_counts **out, ob_err *err);

typedef struct ob_counts_style {
    size_t size;       /* sizeof(ob_counts_style) */
    size_t line_width; /* 0 = 80; names get at least 40 columns */
    bool all_rows;     /* all rows, even of a long table */
} ob_counts_style;
/* Appends a heading, the rows and, for an exclusive table, the total; no newline at the end. style
 * may be NULL. */
ob_status ob_counts_print(const ob_counts *counts, const ob_counts_style *style, ob_text *out,
                          ob_err *err);
/* Appends what changed between two tables: a row with the old count, the new count and the
 * percentage for each function that changed, the largest change first; one line with how many did
 * not change and their instructions; for exclusive tables, both totals. OB_ERR_INVALID when one is
 * inclusive and the other is not. No newline at the end; style may be NULL. */
ob_status ob_counts_print_change(const ob_counts *before, const ob_counts *after,
                                 const ob_counts_style *style, ob_text *out, ob_err *err);
/* The difference in the form of ob_counts_to_json, with "changes": [{"function": ..., "old": 1,
 * "new": 2}, ...] and "unchanged", the number of functions that did not change. */
ob_status ob_counts_change_to_json(const ob_counts *before, const ob_counts *after,
                                   ob_json_doc *doc, ob_json **out, ob_err *err);
/* {"inclusive": false, "data": [[count, "function"], ...]}. A NULL table is null. */
ob_status ob_counts_to_json(const ob_counts *counts, ob_json_doc *doc, ob_json **out, ob_err *err);
/* Reads that form; null gives a NULL table. */
ob_status ob_counts_from_json(const ob_json *node, ob_counts **out, ob_err *err);

/* ------------------------------------------------------------------ one count */

typedef struct ob_count_stats ob_count_stats;

/* Everything is copied. A table that is NULL is not known. */
typedef struct ob_count_stats_params {
    size_t size;                   /* sizeof(ob_count_stats_params) */
    ob_task_spec task;             /* stmt NULL = not known: the file of another program */
    int64_t number_per_run;        /* how often the statement ran; 0 = not known */
    bool built_with_debug_symbols; /* whether libtorch was, if any of it was executed */
    const ob_counts *stmt_exclusive, *stmt_inclusive;
    const ob_counts *baseline_exclusive, *baseline_inclusive;
    const char *callgrind_out; /* callgrind's own file as text, or NULL */
    int64_t part;              /* callgrind's number of the dump; 0 = not known */
    const char *command;       /* what ran, or NULL */
    const char *key;           /* identifies the same count in other files; NULL = not known */
} ob_count_stats_params;

ob_status ob_count_stats_create(const ob_count_stats_params *params, ob_count_stats **out,
                                ob_err *err);
void ob_count_stats_destroy(ob_count_stats *stats); /* NULL is allowed */
/* What the statistics were made from; lives as long as stats. */
const ob_count_stats_params *ob_count_stats_get(const ob_count_stats *stats);

/* The sum of the exclusive table, for all number_per_run runs together. */
int64_t ob_count_stats_counts(const ob_count_stats *stats, bool denoise);
/* The statement's table minus that of `other`: positive where this one executes more. */
ob_status ob_count_stats_delta(const ob_count_stats *stats, const ob_count_stats *other,
                               bool inclusive, ob_counts **out, ob_err *err);
/* All tables standardised; callgrind's own file is left out. */
ob_status ob_count_stats_standardise(const ob_count_stats *stats, ob_count_stats **out,
                                     ob_err *err);
/* The statement's tables minus those of the baseline, which the result no longer has. */
ob_status ob_count_stats_subtract_baseline(const ob_count_stats *stats, ob_count_stats **out,
                                           ob_err *err);
/* Appends heading, task, instructions with and without noise, baseline, runs and threads; no
 * newline at the end. */
ob_status ob_count_stats_print(const ob_count_stats *stats, ob_text *out, ob_err *err);
/* The form that ob_count_file_parse reads again. */
ob_status ob_count_stats_to_json(const ob_count_stats *stats, ob_json_doc *doc, ob_json **out,
                                 ob_err *err);
ob_status ob_count_stats_from_json(const ob_json *node, ob_count_stats **out, ob_err *err);
/* Whether two counts from two files are of the same thing: by their keys or, if one has none, by
 * label, sub_label and description; the number of threads must be equal. 0 = no, 2 = yes, 1 = yes
 * except for the description, as for counts of two backends. */
int ob_count_stats_match(const ob_count_stats *a, const ob_count_stats *b);

/* ------------------------------------------------------------------ files */

typedef enum ob_count_format {
    OB_COUNT_CALLGRIND, /* callgrind.out.<n>, of any number of parts */
    OB_COUNT_ANNOTATE,  /* what callgrind_annotate --show-percs=no prints */
    OB_COUNT_JSON,      /* ours: one object per line, or records with instructions/tables */
} ob_count_format;

/* The counts of a file, one entry per part. */
typedef struct ob_count_file ob_count_file;

/* The format is found by the first bytes. `name` is for messages. Exclusive and inclusive tables
 * come from callgrind's own format; frames around the counted region, which hold its whole total
 * without executing anything themselves, are left out. A text of callgrind_annotate has one table,
 * taken as exclusive; a row that holds the whole total is left out if there are others. */
ob_status ob_count_file_parse(const char *name, const void *data, size_t size, ob_count_file **out,
                              ob_err *err);
ob_status ob_count_file_read(const char *path, ob_count_file **out, ob_err *err); /* "-": stdin */
void ob_count_file_destroy(ob_count_file *file); /* NULL is allowed */
ob_count_format ob_count_file_format(const ob_count_file *file);
size_t ob_count_file_size(const ob_count_file *file);
const ob_count_stats *ob_count_file_part(const ob_count_file *file, size_t index);

#ifdef __cplusplus
}
#endif
#endif
