/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that grow: a pointer, how many items it has room for, and how many are in it, as members
 * of whatever owns them. All of it is in this header, so that plug-ins, which link nothing of the
 * library, can use it too.
 *
 *     if (!OB_RESERVE(list->items, list->capacity, list->count + 1))
 *         return OB_ERR_NOMEM;
 *     list->items[list->count++] = item;
 *
 * Zeros are an empty array; free() ends it.
 */
#ifndef OPBENCH_VEC_H
#define OPBENCH_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes room for at least `wanted` items; false if out of memory or their size overflows, and then
 * nothing has changed. `items` is a pointer and `capacity` a size_t, both lvalues. The room at
 * least doubles, so that appending one by one is linear. New items are not initialised. */
#define OB_RESERVE(items, capacity, wanted)                                                        \
    ob_vec_reserve(&(items), &(capacity), (wanted), sizeof *(items))

/* The pointer at items_address is read and written as bytes: its type is not known here. */
static inline bool ob_vec_grow(void *items_address, size_t *capacity, size_t wanted,
                               size_t item_size)
{
    const size_t fewest = 16, most = (size_t)PTRDIFF_MAX / item_size; /* no array has more bytes */
    size_t larger = *capacity <= most / 2 ? *capacity * 2 : most;
    void *items, *grown;
    larger = larger < fewest && fewest <= most ? fewest : larger;
    larger = larger < wanted ? wanted : larger;
    if (larger > most)
        return false;
    memcpy(&items, items_address, sizeof items);
    grown = realloc(items, larger * item_size);
    if (grown == NULL)
        return false;
    memcpy(items_address, &grown, sizeof grown);
    *capacity = larger;
    /* Kept by the caller's pointer. */
    /* cppcheck-suppress memleak */
    return true;
}

static inline bool ob_vec_reserve(void *items_address, size_t *capacity, size_t wanted,
                                  size_t item_size)
{
    return wanted <= *capacity || ob_vec_grow(items_address, capacity, wanted, item_size);
}

#ifdef __cplusplus
}
#endif
#endif
