/* SPDX-License-Identifier: Apache-2.0
 *
 * Arena of doubling blocks (4 KiB to 1 MiB), so that small documents stay small and large ones cost
 * few calls of malloc. A request larger than a quarter block gets a block of its own, which keeps
 * the current block's free space.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = _Alignof(max_align_t), FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct ob_arena_block {
    ob_arena_block *older;
    _Alignas(max_align_t) char data[];
};

void ob__arena_init(ob_arena *arena, size_t limit_bytes)
{
    *arena = (ob_arena){.limit_bytes = limit_bytes};
}

void ob__arena_fini(ob_arena *arena)
{
    for (ob_arena_block *block = arena->blocks; block != NULL;) {
        ob_arena_block *older = block->older;
        free(block);
        block = older;
    }
    *arena = (ob_arena){.limit_bytes = arena->limit_bytes};
}

static ob_arena_block *new_block(ob_arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(ob_arena_block))
        return NULL;
    const size_t total = size + sizeof(ob_arena_block);
    if (arena->limit_bytes != 0 && (total > arena->limit_bytes - arena->used_bytes))
        return NULL;
    ob_arena_block *block = malloc(total);
    if (block != NULL)
        arena->used_bytes += total;
    return block;
}

void *ob__arena_alloc(ob_arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT)
        return NULL;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size <= arena->left && arena->next != NULL) {
        void *memory = arena->next;
        arena->next += size;
        arena->left -= size;
        return memory;
    }
    size_t block_size = arena->used_bytes < FIRST_BLOCK ? FIRST_BLOCK : arena->used_bytes;
    block_size = block_size > LARGEST_BLOCK ? LARGEST_BLOCK : block_size;
    const int own_block = size > block_size / 4;
    ob_arena_block *block = new_block(arena, own_block ? size : block_size);
    if (block == NULL)
        return NULL;
    if (own_block && arena->blocks != NULL) {
        block->older = arena->blocks->older;
        arena->blocks->older = block;
        return block->data;
    }
    block->older = arena->blocks;
    arena->blocks = block;
    arena->next = block->data + size;
    arena->left = (own_block ? size : block_size) - size;
    return block->data;
}

void *ob__arena_alloc_array(ob_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : ob__arena_alloc(arena, bytes);
}

char *ob__arena_strdup(ob_arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? ob__arena_alloc(arena, length + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}
