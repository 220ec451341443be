/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that grow: a pointer, how many items it has room for, and how many are in it, as members of whatever owns them.
 *
 *     if (!OB_RESERVE(list->items, list->capacity, list->count + 1))
 *         return out of memory;
 *     list->items[list->count++] = item;
 */
#ifndef OB_BASE_VEC_H
#define OB_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

/* Room for at least `wanted` items; false when memory is out or their bytes cannot be counted, and then nothing has
 * changed. At least doubles, so that appending one by one is linear. New items are not initialised. */
#define OB_RESERVE(items, capacity, wanted)                                                        \
    ob__reserve(&(items), &(capacity), (wanted), sizeof *(items))

/* items_address is that of a pointer to items. */
bool ob__reserve_more(void *items_address, size_t *capacity, size_t wanted, size_t item_size);

static inline bool ob__reserve(void *items_address, size_t *capacity, size_t wanted,
                               size_t item_size)
{
    return wanted <= *capacity || ob__reserve_more(items_address, capacity, wanted, item_size);
}

#endif
