/* SPDX-License-Identifier: Apache-2.0
 *
 * Where results lie in files, in the order of their cases. There may be more of them than memory has room for: they are sorted in
 * parts, which wait in a file.
 */
#ifndef OB_JOB_ENTRY_SORT_H
#define OB_JOB_ENTRY_SORT_H

#include "opbench/status.h"

#include <stdint.h>

typedef struct ob_result_entry {
    uint32_t part;  /* of several that are measured one after the other */
    uint32_t way;   /* by which backend, side, threads, process */
    uint64_t order; /* number of the case */
    uint64_t name;  /* hash of what names it */
    uint64_t rank;  /* of several results of a case in one way the highest counts */
    uint64_t offset;
    uint32_t length, file; /* of its lines */
    uint32_t status;
    uint32_t unused;
} ob_result_entry;

/* By part, order, way, name; then the one that counts first. */
int ob__result_entry_compare(const ob_result_entry *a, const ob_result_entry *b);

typedef struct ob_entry_sort ob_entry_sort;

/* most: so many in memory at a time; 0 = a million. folder: where parts wait. */
ob_status ob__entry_sort_create(const char *folder, size_t most, ob_entry_sort **out, ob_err *err);
void ob__entry_sort_destroy(ob_entry_sort *sort); /* NULL is allowed */
ob_status ob__entry_sort_add(ob_entry_sort *sort, const ob_result_entry *entry, ob_err *err);
/* No more is added. */
ob_status ob__entry_sort_end(ob_entry_sort *sort, ob_err *err);
/* OB_END: that was all. */
ob_status ob__entry_sort_next(ob_entry_sort *sort, ob_result_entry *out, ob_err *err);

#endif
