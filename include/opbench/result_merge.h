/* SPDX-License-Identifier: Apache-2.0
 *
 * Joining files of records: shards, and whatever resumed, repeated or overlapping runs left. Lines are moved as they are; memory does
 * not grow with their number.
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
    uint64_t shard, of;   /* whose cases they are; 0 of 0 = the run was not divided */
    uint64_t results;     /* how many are missing */
    uint64_t first_index; /* of the first case with one */
    const char *file;     /* the last of this shard; NULL = there is none */
    const char *command;  /* that measures just them; "" = not known */
    /* Of a run that was divided by cost: how many shards have no file. The first of them has the results of all, the others 0; of any
     * other gap 1. */
    uint64_t together;
} ob_merge_gap;

typedef struct ob_merge_params {
    size_t size; /* sizeof(ob_merge_params) */
    const char *const *inputs;
    size_t input_count;
    const char *output;
    bool replace;  /* a file that is there already; else it is refused, OB_ERR_INVALID */
    bool keep_all; /* every result of a case, the one that counts first; else that one alone */
    bool mix;      /* other configs and settings are taken too; else refused, OB_ERR_CONFIG */
    /* What a person should know: damaged lines, other machines. May be NULL. */
    void (*notice)(void *ctx, const char *text);
    /* Called once for each shard that lacks something. May be NULL. */
    void (*gap)(void *ctx, const ob_merge_gap *gap);
    void *ctx;
    size_t most_in_memory; /* results that are listed in memory at a time; 0 = a million, 56 MB */
} ob_merge_params;

typedef struct ob_merge_report {
    size_t size;      /* sizeof(ob_merge_report) */
    uint64_t files;   /* with results */
    uint64_t results; /* that were written */
    uint64_t doubled; /* further results of cases that have one */
    uint64_t missing; /* results that no file has */
    uint64_t damaged; /* lines that were cut off */
    bool is_proven;   /* headers say which results there are; else none is known to be missing */
} ob_merge_report;

/* Of several results of a case in one way (backend, side, threads, process) the newest that is ok counts, or the newest. They are
 * written in the order of the undivided run. The output is there when all is written, and not before. */
ob_status ob_merge_files(const ob_merge_params *params, ob_merge_report *report, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
