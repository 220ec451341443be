/* SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing with linear probing; the hash is kept, so that growing does not read the bytes again.
 */
#include "trace/intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_CAPACITY = 1024 };

void ob__intern_init(ob_intern *table, ob_arena *arena)
{
    *table = (ob_intern){.arena = arena};
}

void ob__intern_fini(ob_intern *table)
{
    free(table->slots);
    table->slots = NULL;
    table->capacity = 0;
    table->count = 0;
}

size_t ob__intern_bytes(const ob_intern *table)
{
    return table->capacity * sizeof *table->slots;
}

static bool grow(ob_intern *table)
{
    const size_t capacity = table->capacity != 0 ? 2 * table->capacity : FIRST_CAPACITY;
    ob_intern_slot *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    for (size_t i = 0; i < table->capacity; i++) {
        const ob_intern_slot *from = &table->slots[i];
        if (from->data == NULL)
            continue;
        size_t at = from->hash & (capacity - 1);
        while (slots[at].data != NULL)
            at = (at + 1) & (capacity - 1);
        slots[at] = *from;
    }
    free(table->slots);
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

const void *ob__intern(ob_intern *table, const void *data, size_t size, uint32_t *ordinal)
{
    if (size > UINT32_MAX || table->count == UINT32_MAX)
        return NULL;
    if (4 * ((size_t)table->count + 1) > 3 * table->capacity && !grow(table))
        return NULL;
    const uint64_t hash = XXH3_64bits(data, size);
    size_t at = hash & (table->capacity - 1);
    for (; table->slots[at].data != NULL; at = (at + 1) & (table->capacity - 1)) {
        const ob_intern_slot *slot = &table->slots[at];
        if (slot->hash == hash && slot->size == size && memcmp(slot->data, data, size) == 0) {
            if (ordinal != NULL)
                *ordinal = slot->ordinal;
            return slot->data;
        }
    }
    const void *copy = ob__arena_strdup(table->arena, data, size);
    if (copy == NULL)
        return NULL;
    if (ordinal != NULL)
        *ordinal = table->count;
    table->slots[at] = (ob_intern_slot){
        .data = copy, .size = (uint32_t)size, .ordinal = table->count++, .hash = hash};
    return copy;
}
