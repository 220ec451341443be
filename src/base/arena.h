/* SPDX-License-Identifier: Apache-2.0
 *
 * Arena: many small allocations that die together, with an upper limit for their sum.
 */
#ifndef OB_BASE_ARENA_H
#define OB_BASE_ARENA_H

#include <stddef.h>

typedef struct ob_arena_block ob_arena_block;

typedef struct ob_arena {
    ob_arena_block *blocks; /* newest first */
    char *next;             /* free space in the newest block */
    size_t left;
    size_t used_bytes;  /* what all blocks take */
    size_t limit_bytes; /* 0 = none */
} ob_arena;

void ob__arena_init(ob_arena *arena, size_t limit_bytes);
void ob__arena_fini(ob_arena *arena);

/* Aligned for any type, not initialised; NULL when memory is out or the limit is reached. size 0
 * gives a valid pointer. */
void *ob__arena_alloc(ob_arena *arena, size_t size);
/* count * size, checked. */
void *ob__arena_alloc_array(ob_arena *arena, size_t count, size_t size);
/* A copy with a NUL behind it. */
char *ob__arena_strdup(ob_arena *arena, const char *text, size_t length);

#endif
