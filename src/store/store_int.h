/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the store share.
 */
#ifndef OB_STORE_STORE_INT_H
#define OB_STORE_STORE_INT_H

#include "opbench/store.h"

#include "base/arena.h"
#include "store/sql.h"

struct ob_store {
    ob_sql *sql;
};

/* ---- ids: 63 bits of a hash of what they stand for (store_ids.c) ---- */

int64_t ob__machine_id(const char *hardware_class);
int64_t ob__run_id(const ob_record_header *header);
/* How it was measured; members that are unknown are left out. */
void ob__settings_text(const ob_record_result *result, char *out, size_t size);
/* Of the members but for its own id, its names and the number of points. */
int64_t ob__series_id(const ob_store_series *series);
int64_t ob__result_id(const ob_record_result *result, const ob_record_pass *pass);

/* ---- samples as bytes (store_samples.c) ---- */

/* Times in ms, each exactly as it was. malloc'ed; NULL = memory is out. */
unsigned char *ob__samples_pack(const double *times_ms, size_t count, size_t *size);
/* malloc'ed. OB_ERR_SYNTAX: these bytes are no samples. */
ob_status ob__samples_unpack(const void *data, size_t size, double **times_ms, size_t *count,
                             ob_err *err);

/* ---- which file system a file is on (store_files.c) ---- */

typedef enum ob_file_place {
    OB_PLACE_LOCAL,
    OB_PLACE_NETWORK,  /* shared memory does not work between its machines */
    OB_PLACE_NO_LOCKS, /* and locks do not either */
} ob_file_place;
/* *name is that of a network file system, static; "" for others. */
ob_file_place ob__file_place(const ob_store_params *params, const char *path, const char **name);

/* ---- texts of rows ---- */

/* A copy of the column in the arena; NULL = memory is out. */
const char *ob__row_keep(ob_sql_statement *row, int column, ob_arena *arena);

#endif
