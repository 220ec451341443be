/* SPDX-License-Identifier: Apache-2.0
 *
 * A divided run on many machines: its chunks as an array of Slurm's, and how far the chunks of a folder are. A chunk is a shard that
 * is submitted, begun again and counted as one.
 *
 * The folder has the files of records, and what belongs to Slurm in slurm/: chunks.sh and merge.sh, submit.json (what was
 * submitted), a log per chunk, and tries/, a small file for each time that a chunk was begun. The joined file is merged/all.json.
 */
#ifndef OPBENCH_CLUSTER_H
#define OPBENCH_CLUSTER_H

#include "opbench/option.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- submitting ---- */

enum { OB_SLURM_MAX_CHUNKS = 100000, OB_SLURM_MIN_GRACE_S = 45 };

/* What goes to sbatch for every chunk; NULL and 0 = not said. Values that a line of a batch script cannot have are refused. */
typedef struct ob_slurm_options {
    size_t size;   /* sizeof(ob_slurm_options) */
    int64_t nodes; /* at a time */
    int64_t chunks;
    const char *partition, *account, *qos, *reservation, *constraint, *exclude;
    const char *time; /* as Slurm writes it: 90, 1:30:00, 2-12 */
    int64_t grace_s;  /* how long before the end of its time the chunk is warned */
    ob_option_list more;
} ob_slurm_options;

/* Whether all can be written in a batch script and go together. OB_ERR_INVALID names the option. */
ob_status ob_slurm_options_check(const ob_slurm_options *options, ob_err *err);
/* Seconds of a time as Slurm writes it; 0 = UNLIMITED. OB_ERR_INVALID if it is not one. */
ob_status ob_slurm_time_parse(const char *text, int64_t *seconds, ob_err *err);

typedef struct ob_slurm_plan {
    size_t size;         /* sizeof(ob_slurm_plan) */
    const char *folder;  /* absolute, of the records */
    const char *program; /* absolute, of opbench */
    const char *cwd;     /* where chunks run */
    const char *config;  /* absolute */
    const char *const *
        words; /* of `opbench run`, the config's among them, without what says where the records go; ended by NULL */
    uint64_t chunks;
    uint64_t results; /* of all chunks together; 0 = not known */
    ob_slurm_options options;
} ob_slurm_plan;

/* The batch scripts: one chunk of the array, and the joining after it. */
ob_status ob_slurm_print_chunk_script(const ob_slurm_plan *plan, ob_text *out, ob_err *err);
ob_status ob_slurm_print_merge_script(const ob_slurm_plan *plan, ob_text *out, ob_err *err);
/* Makes the folder and writes the scripts into it; one that has records or was submitted before is refused, OB_ERR_INVALID. */
ob_status ob_slurm_write_plan(const ob_slurm_plan *plan, ob_err *err);
/* Takes it away again, of which nothing was submitted; the folder too, if nothing else is in it. */
void ob_slurm_remove_plan(const char *folder);

/* Ids of what was submitted. */
typedef struct ob_slurm_jobs {
    size_t size; /* sizeof(ob_slurm_jobs) */
    char array[64], merge[64];
} ob_slurm_jobs;

/* Submits chunks ("1-64%8", "3,7") of a folder that has its scripts, and the joining after them; options: what replaces
 * that of the script, NULL = nothing. OB_ERR_NOT_FOUND: sbatch is not there; OB_ERR_IO: what it said. jobs->array is "" if nothing was submitted,
 * and jobs->merge if the joining was not. */
ob_status ob_slurm_submit(const char *folder, const char *array, const ob_slurm_options *options,
                          ob_slurm_jobs *jobs, ob_err *err);
/* The calls of sbatch that it makes, for people. */
ob_status ob_slurm_print_commands(const char *folder, const char *array,
                                  const ob_slurm_options *options, ob_text *out, ob_err *err);

/* ---- how far it is ---- */

/* enum name, word, meaning. */
#define OB_CHUNK_STATE_MAP(X)                                                                      \
    X(DONE, "done", "all of its results are there")                                                \
    X(RUNNING, "running", "it is being measured")                                                  \
    X(WAITING, "waiting", "it was not begun, or is to be begun again")                             \
    X(FAILED, "failed", "it is not done, and nothing goes on with it")

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
    uint64_t results, expected; /* that are there, of how many; expected 0 = not known */
    uint64_t files;
    const char *node; /* where it runs or ran last; "" = not known */
    const char *note; /* what a person should know; "" = nothing */
    double seconds;   /* that it was measured, over all files */
} ob_chunk;

typedef struct ob_chunk_list {
    const ob_chunk *items;
    size_t count;
    uint64_t in_state[OB_CHUNK_STATE_COUNT];
    uint64_t results, expected; /* of all; expected 0 = not known */
    double seconds_left;        /* NaN = not known */
    bool is_submitted;          /* by ob_slurm_submit */
    const char *queue;          /* why Slurm was not asked; "" = it was, or need not be */
    uint64_t other_files;       /* that are not part of this run */
} ob_chunk_list;

typedef struct ob_chunks ob_chunks;

typedef struct ob_chunks_params {
    size_t size; /* sizeof(ob_chunks_params) */
    const char *folder;
    uint64_t only;    /* this chunk alone; 0 = all */
    bool files_alone; /* Slurm is not asked */
} ob_chunks_params;

/* OB_ERR_NOT_FOUND: the folder has neither parts of a run nor a submission. */
ob_status ob_chunks_read(const ob_chunks_params *params, ob_chunks **out, ob_err *err);
const ob_chunk_list *ob_chunks_list(const ob_chunks *chunks);
void ob_chunks_destroy(ob_chunks *chunks); /* NULL is allowed */
/* "1-4,7": those that are neither done nor in the queue. False: memory is out. */
bool ob_chunks_append_failed(const ob_chunks *chunks, ob_text *out);
/* Sets the notes of their tries aside: whoever submits them again has fixed what was wrong, and no node is blamed for it any longer. */
ob_status ob_chunks_set_aside_tries(const ob_chunks *chunks, const char *folder, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
