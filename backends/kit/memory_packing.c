/* SPDX-License-Identifier: Apache-2.0
 *
 * Packing temporaries into one arena: node by node, results take the smallest hole that fits, and what
 * had its last reader leaves one. Holes are kept in the order of their offsets and join their neighbours.
 */
#include "kit/tensor_memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

typedef struct hole {
    size_t offset, size;
} hole;

typedef struct holes {
    hole *items;
    size_t count;
    size_t end; /* of the arena so far; all above is free */
} holes;

static void drop(holes *h, size_t at)
{
    memmove(&h->items[at], &h->items[at + 1], (h->count - at - 1) * sizeof *h->items);
    h->count--;
}

static size_t take(holes *h, size_t size)
{
    size_t best = h->count;
    for (size_t i = 0; i < h->count; i++) {
        if (h->items[i].size >= size &&
            (best == h->count || h->items[i].size < h->items[best].size))
            best = i;
    }
    if (best < h->count) {
        const size_t offset = h->items[best].offset;
        h->items[best].offset += size;
        h->items[best].size -= size;
        if (h->items[best].size == 0)
            drop(h, best);
        return offset;
    }
    /* A hole at the end grows instead of staying behind. */
    size_t offset = h->end;
    if (h->count > 0) {
        const hole *last = &h->items[h->count - 1];
        if (last->offset + last->size == h->end) {
            offset = last->offset;
            h->count--;
        }
    }
    h->end = offset + size;
    return offset;
}

/* The list has room: there are never more holes than blocks. */
static void give(holes *h, size_t offset, size_t size)
{
    size_t at = 0;
    while (at < h->count && h->items[at].offset < offset)
        at++;
    const bool joins_left = at > 0 && h->items[at - 1].offset + h->items[at - 1].size == offset;
    const bool joins_right = at < h->count && offset + size == h->items[at].offset;
    if (joins_left) {
        h->items[at - 1].size += size;
        if (joins_right) {
            h->items[at - 1].size += h->items[at].size;
            drop(h, at);
        }
    } else if (joins_right) {
        h->items[at].offset = offset;
        h->items[at].size += size;
    } else {
        memmove(&h->items[at + 1], &h->items[at], (h->count - at) * sizeof *h->items);
        h->items[at] = (hole){.offset = offset, .size = size};
        h->count++;
    }
}

static bool is_packed(const ob_kit_block *block, ob_pass pass)
{
    return block->kind == OB_KIT_BLOCK_TEMPORARY && block->pass == pass && block->size > 0;
}

static ob_status pack(ob_kit_locations *places, ob_pass pass, size_t node_count, holes *h,
                      uint32_t *ending, ob_err *err)
{
    size_t next = 0;
    for (uint32_t n = 0; n < node_count; n++)
        ending[n] = OB_KIT_NO_BLOCK;
    for (uint32_t b = 0; b < places->block_count; b++) {
        ob_kit_block *block = &places->blocks[b];
        if (is_packed(block, pass)) {
            block->next_free = ending[block->last];
            ending[block->last] = b;
        }
    }
    for (uint32_t n = 0; n < node_count; n++) {
        for (; next < places->block_count; next++) {
            ob_kit_block *block = &places->blocks[next];
            if (!is_packed(block, pass))
                continue;
            if (block->first > n)
                break;
            if (block->size > SIZE_MAX / 2 - h->end)
                return places->engine->host->err_set(
                    err, OB_ERR_OVERFLOW, "the temporaries of the case exceed 2^63 bytes");
            block->size = (block->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            block->offset = take(h, block->size);
        }
        for (uint32_t b = ending[n]; b != OB_KIT_NO_BLOCK; b = places->blocks[b].next_free)
            give(h, places->blocks[b].offset, places->blocks[b].size);
    }
    if (places->arena_bytes < h->end)
        places->arena_bytes = h->end;
    return OB_OK;
}

ob_status ob_kit_locations_pack(ob_kit_locations *places, ob_pass pass, size_t node_count,
                                ob_err *err)
{
    holes h = {.items = calloc(places->block_count + 1, sizeof *h.items)};
    uint32_t *ending = calloc(node_count + 1, sizeof *ending);
    ob_status status = OB_OK;
    if (h.items == NULL || ending == NULL)
        status = places->engine->host->err_set(err, OB_ERR_NOMEM,
                                               "out of memory for the plan of the case");
    else
        status = pack(places, pass, node_count, &h, ending, err);
    free(h.items);
    free(ending);
    return status;
}
