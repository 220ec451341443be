/* SPDX-License-Identifier: Apache-2.0
 *
 * Merging files of records: shards, and the files of resumed, repeated or overlapping runs. Lines
 * are copied unchanged; memory use does not grow with their number.
 */
#ifndef OPBENCH_RESULT_MERGE_H
#define OPBENCH_RESULT_MERGE_H

#include "opbench/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results that no file has. The library makes it; it is valid during the call. */
typedef struct ob_merge_gap {
    uint64_t shard, of;   /* the shard they belong to; 0 of 0 = the run was not divided */
    uint64_t results;     /* how many are missing */
    uint64_t first_index; /* of the first case with a missing result */
    const char *file;     /* the latest file of this shard; NULL = there is none */
    const char *command;  /* measures only these results; "" = not known */
    /* In a run divided by cost: the number of shards without a file. The first of these counts the
     * missing results of all of them, the others 0. For any other gap: 1. */
    uint64_t together;
} ob_merge_gap;

typedef struct ob_merge_params {
    size_t size; /* sizeof(ob_merge_params) */
    const char *const *inputs;
    size_t input_count;
    const char *output;
    bool replace;  /* replace an existing file; otherwise it is refused, OB_ERR_INVALID */
    bool keep_all; /* keep every result of a case, the one that counts first */
    bool mix;      /* accept different configs and settings; otherwise OB_ERR_CONFIG */
    /* Gets messages for people: damaged lines, other machines. May be NULL. */
    void (*notice)(void *ctx, const char *text);
    /* Called once for each shard that lacks something. May be NULL. */
    void (*gap)(void *ctx, const ob_merge_gap *gap);
    void *ctx;
    size_t most_in_memory; /* results listed in memory at a time; 0 = a million, 56 MB */
} ob_merge_params;

typedef struct ob_merge_report {
    size_t size;         /* sizeof(ob_merge_report) */
    uint64_t files;      /* files that had results */
    uint64_t results;    /* results that were written */
    uint64_t duplicates; /* additional results of cases that have one */
    uint64_t missing;    /* results that no file has */
    uint64_t damaged;    /* lines that were cut off */
    bool is_proven;      /* headers say which results there should be, so `missing` is exact */
} ob_merge_report;

/* If a case has several results for the same backend, side, threads and process, the newest that is
 * ok counts, or else the newest. Results are written in the order of the undivided run. The output
 * file appears only when it is complete. */
ob_status ob_merge_files(const ob_merge_params *params, ob_merge_report *report, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
