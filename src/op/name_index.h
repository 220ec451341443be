/* SPDX-License-Identifier: Apache-2.0
 *
 * Hash index from names to numbers. Keys are borrowed and need no NUL.
 */
#ifndef OB_OP_NAME_INDEX_H
#define OB_OP_NAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OB__INDEX_NONE UINT32_MAX

typedef struct ob__index_slot {
    const char *key; /* NULL = free */
    uint32_t length;
    uint32_t value;
} ob__index_slot;

/* Zero is an empty index. */
typedef struct ob__name_index {
    ob__index_slot *slots;
    size_t slot_count; /* a power of two */
    size_t used;
} ob__name_index;

/* Room for `more` further names, so that puts cannot fail. False when memory is out. */
bool ob__index_reserve(ob__name_index *index, size_t more);
/* The key must not be there yet, and room must be reserved. */
void ob__index_put(ob__name_index *index, const char *key, size_t length, uint32_t value);
/* OB__INDEX_NONE when absent. */
uint32_t ob__index_find(const ob__name_index *index, const char *key, size_t length);
void ob__index_fini(ob__name_index *index);

#endif
