/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of joining files: what is known of them, and which results there should be.
 */
#ifndef OB_JOB_MERGE_FILES_H
#define OB_JOB_MERGE_FILES_H

#include "job/entry_sort.h"
#include "opbench/json.h"
#include "opbench/record.h"
#include "opbench/result_merge.h"
#include "result/line.h"

/* One way of measuring cases: results of another one are others. */
typedef struct ob_merge_way {
    char *name;    /* all below as they stand in a line */
    char *backend; /* "" = none */
    uint64_t threads;
    uint32_t part; /* ways with the same threads are measured together */
    /* The next case that should come. */
    size_t range;
    uint64_t done; /* cases of that range */
} ob_merge_way;

/* Cases of the undivided run. */
typedef struct ob_merge_range {
    uint64_t first, count;
    uint64_t position; /* of the first among all cases: it says which shard has it */
    char *backend;     /* whose they are, "a,b"; NULL = of all */
    uint64_t threads;  /* of how many threads; 0 = of all */
} ob_merge_range;

/* Which shard has a case of a run that was divided by cost, as far as headers say it. Zero knows nothing. */
typedef struct ob_merge_owners {
    char hash[17];  /* of the division; "" = by order */
    uint16_t *list; /* by position, the number of the shard; 0 = of one that has no file */
    size_t count, capacity;
    uint8_t *has; /* by shard, whether its header came */
} ob_merge_owners;

/* What should be there. Zero is: nothing is known. */
typedef struct ob_merge_plan {
    ob_merge_range *ranges;
    size_t count, capacity;
    uint64_t of;                       /* shards; 0 = not divided, or in several ways */
    const ob_merge_owners *owners;     /* NULL = divided by order */
    uint64_t unowned, first_unowned;   /* missing results of shards that have no file */
    uint64_t *missing, *first_missing; /* by shard; one of each if it is not divided */
    uint64_t missing_total;
} ob_merge_plan;

/* From the header's `divided`, or its number of cases. What is no list of ranges is not known. */
ob_status ob__merge_plan_read(ob_merge_plan *plan, const ob_json *divided, int64_t cases,
                              uint64_t of, ob_err *err);
void ob__merge_plan_fini(ob_merge_plan *plan);
/* A result of the case came, in ascending order for each way. */
void ob__merge_plan_came(ob_merge_plan *plan, ob_merge_way *way, uint64_t index);
/* No more come, in any of the ways that there were. */
void ob__merge_plan_end(ob_merge_plan *plan, ob_merge_way *ways, size_t count);

/* ---- while files are joined ---- */

enum { OB_MERGE_READ_BYTES = 1 << 20, OB_MERGE_MOST_OPEN = 128 };
/* What is read ahead of all files together, and of one at least and at most: results of one file follow each other mostly. */
enum {
    OB_MERGE_AHEAD_BYTES = 128 << 20,
    OB_MERGE_LEAST_AHEAD = 4 << 10,
    OB_MERGE_MOST_AHEAD = 256 << 10
};
#define OB_MERGE_MOST_LINE ((size_t)1 << 30)
/* Of results without a number: behind all others, together with those of the same name. */
#define OB_MERGE_NO_ORDER ((uint64_t)1 << 63)

/* A file that is joined. */
typedef struct ob_merge_input {
    const char *path;
    uint64_t shard, of; /* of its last header; 0 = none */
    bool has_results;
    char *ahead; /* bytes of it from an offset on; NULL = none yet */
    uint64_t ahead_at;
    size_t ahead_size, ahead_wanted,
        served; /* how many, how many next time, and how many were of use */
} ob_merge_input;

typedef struct ob_merger {
    ob_merge_params params;
    ob_merge_report report;
    ob_merge_input *inputs;
    ob_merge_way *ways;
    size_t way_count, way_capacity, last_way;
    ob_line_parser *first_parser, *parser; /* the first keeps the first header */
    ob_record first, other;
    bool has_first;
    uint64_t of; /* shards, as the headers say; 0 = they differ, or none has any */
    ob_merge_owners owners;
    bool said_other_machine;
    ob_merge_plan plan;
    ob_entry_sort *sort;
    char *folder, *written; /* of the output, and the file that becomes it */
    int out;
    ob_text buffer; /* what is to be written */
    struct {
        int descriptor; /* -1 = none */
        uint32_t file;
    } open[OB_MERGE_MOST_OPEN];
    uint64_t statuses[OB_RECORD_STATUS_COUNT];
} ob_merger;

/* Reads a file: its headers, and where its results lie. */
ob_status ob__merge_read(ob_merger *merger, uint32_t file, ob_err *err);
/* -1: what is wrong was said. */
int ob__merge_open_input(const char *path, ob_err *err);
ob_status ob__merge_cannot(const char *path, const char *what, ob_err *err);
ob_status ob__merge_no_memory(ob_err *err);

/* Where what is missing is to go. */
typedef struct ob_merge_target {
    const char *path;
    bool resumes; /* what the file, or the files of a folder, have is not measured again */
    bool shard;   /* the gap's shard alone; else all that is missing */
} ob_merge_target;

/* Appends the command that measures what is missing; nothing, if the header is not of one that can be told. False: memory is out. */
bool ob__merge_append_command(ob_text *out, const ob_record_header *header, const ob_merge_gap *gap,
                              const ob_merge_target *target);

/* ---- shards (merge_shards.c) ---- */

/* A header came: which part of which division it is. */
ob_status ob__merge_take_shard(ob_merger *merger, ob_merge_input *input,
                               const ob_record_header *header, bool is_first, ob_err *err);
/* Tells params.gap what is missing. */
ob_status ob__merge_tell_missing(ob_merger *merger, ob_err *err);
void ob__merge_notice(const ob_merger *merger, const char *format, ...) OB_PRINTF(2, 3);

#endif
