/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of divided runs on clusters.
 */
#ifndef OB_CLUSTER_CLUSTER_INT_H
#define OB_CLUSTER_CLUSTER_INT_H

#include "opbench/cluster.h"

/* What lies in the folder of the records. */
#define OB_SLURM_FOLDER "slurm"
#define OB_SLURM_CHUNKS "chunks.sh"
#define OB_SLURM_MERGE "merge.sh"
#define OB_SLURM_SUBMISSION "submit.json"
#define OB_SLURM_TRIES "tries"

/* As often a chunk fails on a node before it is run elsewhere, and on so many nodes before it is given up. */
enum { OB_CHUNK_MOST_FAILURES = 2, OB_CHUNK_MOST_NODES = 3 };

ob_status ob__cluster_no_memory(ob_err *err);

/* One line of a program's output. */
typedef void (*ob_cluster_line_fn)(void *ctx, const char *line, size_t length);
/* Runs a program of Slurm's, found in PATH, in `dir` (NULL = here), to its end. OB_ERR_NOT_FOUND: it is not there; OB_ERR_IO: it
 * failed, and what it said. */
ob_status ob__slurm_call(const char *const *words, const char *dir, ob_cluster_line_fn on_line,
                         void *ctx, ob_err *err);

/* ---- what Slurm says of chunks (slurm_queue.c) ---- */

/* The job of a chunk. */
typedef struct ob_slurm_task {
    uint64_t chunk;
    bool is_running; /* else it waits, or ended */
    char state[24];  /* "RUNNING", "TIMEOUT" */
    char node[64];   /* "" = none */
    char reason[48]; /* why it waits; "" = not said */
    char job[32];    /* of the array */
} ob_slurm_task;

typedef struct ob_slurm_tasks {
    ob_slurm_task *items;
    size_t count, capacity;
} ob_slurm_tasks;

/* What is in the queue of the folder's jobs; `owner` submitted them. */
ob_status ob__slurm_ask_queue(const char *slurm_folder, unsigned owner, ob_slurm_tasks *out,
                              ob_err *err);
/* How those ended that are not in it any more, in the order of their ends; `since`: seconds since 1970. */
ob_status ob__slurm_ask_accounting(const char *slurm_folder, unsigned owner, int64_t since,
                                   ob_slurm_tasks *out, ob_err *err);
/* Takes a line "ARRAY|TASK|STATE|NODES|REASON|FOLDER" of squeue, or one of sacct; what is of another folder or no chunk is passed
 * over. False: memory is out. */
bool ob__slurm_take_queued(ob_slurm_tasks *out, const char *slurm_folder, const char *line,
                           size_t length);
bool ob__slurm_take_ended(ob_slurm_tasks *out, const char *slurm_folder, const char *line,
                          size_t length);

/* ---- what files say of them (chunk_files.c) ---- */

/* Of one chunk. */
typedef struct ob_chunk_files {
    uint64_t files, results, expected;
    bool is_done;
    bool is_open; /* the last one has no end */
    double seconds;
    int64_t
        written;   /* when the last one was written to, in seconds since 1970; 0 = there is none */
    char node[64]; /* of the last one */
    uint64_t tries, failures; /* as the folder of tries says */
    char bad_nodes[192];      /* where it failed twice, "n1, n2" */
    char last_failure[112];   /* "ended with 139 on n1" */
    char last_begun[64];      /* where the last try was begun that has no end; "" = none */
} ob_chunk_files;

typedef struct ob_chunk_survey {
    ob_chunk_files *chunks; /* so many: */
    uint64_t count;
    uint64_t other_files;
    uint64_t total; /* results of all, as the headers say; 0 = not known */
} ob_chunk_survey;

/* chunks: how many there are, 0 = the files say it; only: this one alone, 0 = all. */
ob_status ob__chunk_survey_read(ob_chunk_survey *out, const char *folder, uint64_t chunks,
                                uint64_t only, ob_err *err);
void ob__chunk_survey_fini(ob_chunk_survey *survey);

#endif
