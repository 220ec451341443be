/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of a job's cases, for one of many machines. Parts are disjoint and complete, and the same on every machine, because they
 * depend on nothing but the order of the cases.
 */
#ifndef OPBENCH_SHARD_H
#define OPBENCH_SHARD_H

#include "opbench/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Part `number` of `of` parts: cases number - 1, number - 1 + of, ... of those that the job would have without it; or, by cost, a
 * part that takes about as long as the others. */
typedef struct ob_shard {
    size_t size;         /* sizeof(ob_shard) */
    uint64_t number, of; /* from 1 */
    /* What a launcher says of where this is, for the header; texts of the environment. NULL = not known. */
    const char *launcher;     /* "Slurm array", "Open MPI", ... */
    const char *job;          /* its id */
    const char *node, *nodes; /* this one, and all that the job has */
    const char *restarts;     /* how often the job was started before */
    /* Every case is looked at: rows of operators know what they compute and move. */
    bool by_cost;
    const char *costs; /* with by_cost: a file of records whose times are better; NULL = none */
} ob_shard;

/* The outcome of a division by cost. The library makes it. */
typedef struct ob_shard_division {
    const char *hash;      /* of which part has which case; equal on all machines */
    const char *positions; /* of this part's cases among all, as the header has them */
    uint64_t cases;        /* that were divided */
    uint64_t measured;     /* of these, with a time in the file of costs */
    uint64_t
        estimated; /* by the rows of their operators; the others cost what their bytes say, or one */
    double own, largest; /* shares of all costs: this part's, and the most expensive one's */
} ob_shard_division;

/* Of a text "3/8". */
ob_status ob_shard_parse(const char *text, ob_shard *out, ob_err *err);
/* Of the variables that Slurm (arrays and tasks), Open MPI, MPICH and PMIx set; an array whose tasks have several processes is
 * divided among all of them. OB_ERR_NOT_FOUND: there are none. */
ob_status ob_shard_from_environment(ob_shard *out, ob_err *err);
/* Where this is, as far as a launcher says it, without a shard. */
void ob_shard_describe_place(ob_shard *out);

/* How many of `cases` it has; without a shard (NULL) all. */
uint64_t ob_shard_count(const ob_shard *shard, uint64_t cases);
/* Of a range whose first case is the position-th of the job: what the shard has. */
ob_case_range ob_shard_of_range(const ob_shard *shard, const ob_case_range *range,
                                uint64_t position);
/* Whether it has the position-th case. */
bool ob_shard_has(const ob_shard *shard, uint64_t position);

#ifdef __cplusplus
}
#endif
#endif
