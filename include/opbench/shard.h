/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of a job's cases, for one of many machines. Parts are disjoint and complete, and the same
 * on every machine, because they depend only on the order of the cases.
 */
#ifndef OPBENCH_SHARD_H
#define OPBENCH_SHARD_H

#include "opbench/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Part `number` of `of` parts: cases number - 1, number - 1 + of, ... of those that the job would
 * have without it; or, by cost, a part that takes about as long as the others. */
typedef struct ob_shard {
    size_t size;         /* sizeof(ob_shard) */
    uint64_t number, of; /* from 1 */
    /* Where this runs, as the launcher says it, for the header; strings of the environment. NULL =
     * not known. */
    const char *launcher;     /* "Slurm array", "Open MPI", ... */
    const char *job;          /* its id */
    const char *node, *nodes; /* this node, and all nodes of the job */
    const char *restarts;     /* how often the job was started before */
    /* Balance the parts by cost, which looks at every case: operator rows know its work and
     * bytes. */
    bool by_cost;
    const char *costs; /* with by_cost: a file of records with measured times; NULL = none */
} ob_shard;

/* The outcome of a division by cost. The library makes it. */
typedef struct ob_shard_division {
    const char *hash;      /* says which part has which case; equal on all machines */
    const char *positions; /* of this part's cases among all, as the header has them */
    uint64_t cases;        /* cases that were divided */
    uint64_t measured;     /* of these, with a time in the file of costs */
    uint64_t estimated;    /* of these, by operator rows; others count by bytes, or as one */
    double own, largest;   /* shares of all costs: this part's, and the most expensive one's */
} ob_shard_division;

/* Parses "3/8". */
ob_status ob_shard_parse(const char *text, ob_shard *out, ob_err *err);
/* Reads the variables that Slurm (arrays and tasks), Open MPI, MPICH and PMIx set; an array whose
 * tasks have several processes is divided among all of them. OB_ERR_NOT_FOUND: there are none. */
ob_status ob_shard_from_environment(ob_shard *out, ob_err *err);
/* Fills in where this runs, as far as a launcher says it, without a shard. */
void ob_shard_describe_place(ob_shard *out);

/* How many of `cases` the shard has; all without a shard (NULL). */
uint64_t ob_shard_count(const ob_shard *shard, uint64_t cases);
/* The shard's part of a range whose first case is number `position` of the job. */
ob_case_range ob_shard_of_range(const ob_shard *shard, const ob_case_range *range,
                                uint64_t position);
/* Whether the shard has case number `position`. */
bool ob_shard_has(const ob_shard *shard, uint64_t position);

#ifdef __cplusplus
}
#endif
#endif
