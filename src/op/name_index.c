/* SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing with linear probing, at most half full. Names are never removed.
 */
#include "op/name_index.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static ob__index_slot *find_slot(const ob__name_index *index, const char *key, size_t length)
{
    const size_t mask = index->slot_count - 1;
    size_t at = (size_t)XXH3_64bits(key, length) & mask;
    while (index->slots[at].key != NULL &&
           (index->slots[at].length != length || memcmp(index->slots[at].key, key, length) != 0))
        at = (at + 1) & mask;
    return &index->slots[at];
}

bool ob__index_reserve(ob__name_index *index, size_t more)
{
    if (more > UINT32_MAX || index->used > UINT32_MAX)
        return false;
    size_t slot_count = index->slot_count > 0 ? index->slot_count : 16;
    while (slot_count < 2 * (index->used + more))
        slot_count *= 2;
    if (slot_count == index->slot_count)
        return true;
    ob__name_index larger = {.slots = calloc(slot_count, sizeof *larger.slots),
                             .slot_count = slot_count,
                             .used = index->used};
    if (larger.slots == NULL)
        return false;
    for (size_t i = 0; i < index->slot_count; i++)
        if (index->slots[i].key != NULL)
            *find_slot(&larger, index->slots[i].key, index->slots[i].length) = index->slots[i];
    free(index->slots);
    *index = larger;
    return true;
}

void ob__index_put(ob__name_index *index, const char *key, size_t length, uint32_t value)
{
    *find_slot(index, key, length) =
        (ob__index_slot){.key = key, .length = (uint32_t)length, .value = value};
    index->used++;
}

uint32_t ob__index_find(const ob__name_index *index, const char *key, size_t length)
{
    if (index->slot_count == 0 || length > UINT32_MAX)
        return OB__INDEX_NONE;
    const ob__index_slot *slot = find_slot(index, key, length);
    return slot->key != NULL ? slot->value : OB__INDEX_NONE;
}

void ob__index_fini(ob__name_index *index)
{
    free(index->slots);
    *index = (ob__name_index){.slots = NULL};
}
