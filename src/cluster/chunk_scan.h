/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of reading the files of chunks: one file of records, and the notes of tries.
 */
#ifndef OB_CLUSTER_CHUNK_SCAN_H
#define OB_CLUSTER_CHUNK_SCAN_H

#include "cluster/cluster_int.h"
#include "opbench/record.h"
#include "opbench/shard.h"

/* A file of a shard. */
typedef struct ob_chunk_file {
    uint64_t shard, of;
    uint64_t results, expected;
    uint64_t total; /* results of all shards; 0 = not known */
    bool is_done;   /* a run came to its end */
    bool is_open;   /* the last one has no end */
    double seconds;
    int64_t start, written;
    char node[64];
} ob_chunk_file;

/* Adds what the batch script noted of tries; a folder without such notes adds nothing. */
ob_status ob__chunk_tries_read(ob_chunk_survey *survey, const char *folder, ob_err *err);

#endif
