/* SPDX-License-Identifier: Apache-2.0
 *
 * The pointer is read and written as bytes: its type is not known here.
 */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 16 };

bool ob__reserve_more(void *items_address, size_t *capacity, size_t wanted, size_t item_size)
{
    void *items;
    const size_t most = (size_t)PTRDIFF_MAX / item_size; /* no array has more bytes */
    size_t larger = *capacity <= most / 2 ? *capacity * 2 : most;
    larger = larger < FEWEST && FEWEST <= most ? FEWEST : larger;
    larger = larger < wanted ? wanted : larger;
    if (larger > most)
        return false;
    memcpy(&items, items_address, sizeof items);
    void *grown = realloc(items, larger * item_size);
    if (grown == NULL)
        return false;
    memcpy(items_address, &grown, sizeof grown);
    *capacity = larger;
    /* Kept by the caller's pointer. */
    /* cppcheck-suppress memleak */
    return true;
}
