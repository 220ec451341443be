/* SPDX-License-Identifier: Apache-2.0
 *
 * From a path ("metric/forward/measure.time") to the rows that have it, by hashing: a file of a million
 * lines has some hundred keys in each.
 */
#ifndef OB_RESULT_PATH_INDEX_H
#define OB_RESULT_PATH_INDEX_H

#include "opbench/record.h"

enum { OB_PATH_SLOTS = 1024, OB_MAX_FIELDS = 512 };

typedef struct ob_path_entry {
    const char *path; /* its first `length` bytes; NULL = free */
    size_t length;
    const ob_field *field; /* the first row with this path; NULL if it is an object only */
    bool is_group;         /* other rows have their place below it */
} ob_path_entry;

typedef struct ob_path_index {
    ob_path_entry slots[OB_PATH_SLOTS];
    const ob_field *fields;
    uint16_t next[OB_MAX_FIELDS]; /* number of the next row with the same path, plus one */
} ob_path_index;

void ob__path_index_init(ob_path_index *index);
/* NULL if no row has it. */
const ob_path_entry *ob__path_index_find(const ob_path_index *index, const char *path,
                                         size_t length);
/* The next row with the same path; NULL after the last. */
const ob_field *ob__path_index_next(const ob_path_index *index, const ob_field *field);

#endif
