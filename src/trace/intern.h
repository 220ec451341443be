/* SPDX-License-Identifier: Apache-2.0
 *
 * Byte strings that stand once. A trace says the same names, shapes and lists many thousand times;
 * stored once, they take a fraction of the text, and equal ones have equal addresses.
 */
#ifndef OB_TRACE_INTERN_H
#define OB_TRACE_INTERN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ob_intern_slot {
    const void *data; /* NULL = free */
    uint32_t size;
    uint32_t ordinal; /* how many different ones came before */
    uint64_t hash;
} ob_intern_slot;

typedef struct ob_intern {
    ob_arena *arena; /* where the bytes go; borrowed */
    ob_intern_slot *slots;
    size_t capacity; /* a power of two */
    uint32_t count;
} ob_intern;

void ob__intern_init(ob_intern *table, ob_arena *arena);
void ob__intern_fini(ob_intern *table);
/* The stored copy (aligned for any type, a NUL behind it), or NULL when memory is out. ordinal may be
 * NULL. */
const void *ob__intern(ob_intern *table, const void *data, size_t size, uint32_t *ordinal);
/* Of the table itself; the bytes are the arena's. */
size_t ob__intern_bytes(const ob_intern *table);

#endif
