/* SPDX-License-Identifier: Apache-2.0
 *
 * A divided run on many machines: submitting its chunks as a Slurm array, and the progress of the
 * chunks in a folder. A chunk is a shard that is submitted, restarted and counted as a unit.
 *
 * The folder has the files of records and, in slurm/, everything for Slurm: chunks.sh and merge.sh,
 * submit.json (what was submitted), a log per chunk, and tries/ with a small file for each time a
 * chunk was started. The merged file is merged/all.json.
 */
#ifndef OPBENCH_CLUSTER_H
#define OPBENCH_CLUSTER_H

#include "opbench/option.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- submitting ---- */

enum { OB_SLURM_MAX_CHUNKS = 100000, OB_SLURM_MIN_GRACE_S = 45 };

/* Options for sbatch, the same for every chunk; NULL and 0 = not given. Values that cannot stand in
 * a batch script are refused. */
typedef struct ob_slurm_options {
    size_t size;   /* sizeof(ob_slurm_options) */
    int64_t nodes; /* chunks that run at a time, each on its own node */
    int64_t chunks;
    const char *partition, *account, *qos, *reservation, *constraint, *exclude;
    const char *time; /* in Slurm's notation: 90, 1:30:00, 2-12 */
    int64_t grace_s;  /* the chunk is warned this long before its time limit */
    ob_option_list more;
} ob_slurm_options;

/* Checks that all options can be written into a batch script and do not conflict. OB_ERR_INVALID
 * names the option. */
ob_status ob_slurm_options_check(const ob_slurm_options *options, ob_err *err);
/* Parses a time in Slurm's notation into seconds; 0 = UNLIMITED. OB_ERR_INVALID if it is not a
 * time. */
ob_status ob_slurm_time_parse(const char *text, int64_t *seconds, ob_err *err);

typedef struct ob_slurm_plan {
    size_t size;         /* sizeof(ob_slurm_plan) */
    const char *folder;  /* absolute path of the folder for the records */
    const char *program; /* absolute path of opbench */
    const char *cwd;     /* working directory of the chunks */
    const char *config;  /* absolute path */
    /* Words of `opbench run`, without options for output files; ended by NULL. */
    const char *const *words;
    uint64_t chunks;
    uint64_t results; /* results of all chunks together; 0 = not known */
    ob_slurm_options options;
} ob_slurm_plan;

/* Appends the batch script for one chunk of the array, or for the merge job after it. */
ob_status ob_slurm_print_chunk_script(const ob_slurm_plan *plan, ob_text *out, ob_err *err);
ob_status ob_slurm_print_merge_script(const ob_slurm_plan *plan, ob_text *out, ob_err *err);
/* Makes the folder and writes the scripts into it. OB_ERR_INVALID: the folder has records or was
 * submitted before. */
ob_status ob_slurm_write_plan(const ob_slurm_plan *plan, ob_err *err);
/* Undoes ob_slurm_write_plan, if nothing was submitted; removes the folder too, if nothing else is
 * in it. */
void ob_slurm_remove_plan(const char *folder);

/* Ids of the submitted jobs. */
typedef struct ob_slurm_jobs {
    size_t size; /* sizeof(ob_slurm_jobs) */
    char array[64], merge[64];
} ob_slurm_jobs;

/* Submits chunks ("1-64%8", "3,7") of a folder that has its scripts, and the merge job after them.
 * options replace those in the script; NULL = none. OB_ERR_NOT_FOUND: there is no sbatch;
 * OB_ERR_IO: sbatch failed, with its message. jobs->array is "" if nothing was submitted, and
 * jobs->merge is "" if the merge job was not. */
ob_status ob_slurm_submit(const char *folder, const char *array, const ob_slurm_options *options,
                          ob_slurm_jobs *jobs, ob_err *err);
/* Appends the sbatch commands that ob_slurm_submit would run, for people to read. */
ob_status ob_slurm_print_commands(const char *folder, const char *array,
                                  const ob_slurm_options *options, ob_text *out, ob_err *err);

/* ---- progress ---- */

/* enum name, word, meaning. */
#define OB_CHUNK_STATE_MAP(X)                                                                      \
    X(DONE, "done", "all of its results are there")                                                \
    X(RUNNING, "running", "it is being measured")                                                  \
    X(WAITING, "waiting", "it was not started, or will be started again")                          \
    X(FAILED, "failed", "it is not done, and nothing continues it")

typedef enum ob_chunk_state {
#define OB_CHUNK_STATE_ENUM(id, word, help) OB_CHUNK_##id,
    OB_CHUNK_STATE_MAP(OB_CHUNK_STATE_ENUM)
#undef OB_CHUNK_STATE_ENUM
        OB_CHUNK_STATE_COUNT
} ob_chunk_state;
const char *ob_chunk_state_word(ob_chunk_state state); /* static */

/* Texts live as long as the list. */
typedef struct ob_chunk {
    uint64_t number; /* from 1 */
    ob_chunk_state state;
    uint64_t results, expected; /* results so far, and in the end; expected 0 = not known */
    uint64_t files;
    const char *node; /* where it runs or ran last; "" = not known */
    const char *note; /* what a person should know; "" = nothing */
    double seconds;   /* time spent measuring, over all files */
} ob_chunk;

typedef struct ob_chunk_list {
    const ob_chunk *items;
    size_t count;
    uint64_t in_state[OB_CHUNK_STATE_COUNT];
    uint64_t results, expected; /* of all chunks; expected 0 = not known */
    double seconds_left;        /* NaN = not known */
    bool is_submitted;          /* by ob_slurm_submit */
    const char *queue;          /* why Slurm was not asked; "" = it was, or there was no need */
    uint64_t other_files;       /* files that are not part of this run */
} ob_chunk_list;

typedef struct ob_chunks ob_chunks;

typedef struct ob_chunks_params {
    size_t size; /* sizeof(ob_chunks_params) */
    const char *folder;
    uint64_t only;    /* this chunk alone; 0 = all */
    bool files_alone; /* do not ask Slurm */
} ob_chunks_params;

/* OB_ERR_NOT_FOUND: the folder has neither parts of a run nor a submission. */
ob_status ob_chunks_read(const ob_chunks_params *params, ob_chunks **out, ob_err *err);
const ob_chunk_list *ob_chunks_list(const ob_chunks *chunks);
void ob_chunks_destroy(ob_chunks *chunks); /* NULL is allowed */
/* Appends the chunks that are neither done nor in the queue: "1-4,7". False: out of memory. */
bool ob_chunks_append_failed(const ob_chunks *chunks, ob_text *out);
/* Sets aside the notes about failed tries of these chunks, so that no node is blamed for them any
 * longer: for callers that submit them again after fixing the cause. */
ob_status ob_chunks_set_aside_tries(const ob_chunks *chunks, const char *folder, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
