/* SPDX-License-Identifier: Apache-2.0
 *
 * Where every tensor of a prepared case lives. A block is a piece of memory, a place is a tensor's
 * position in one: views have the place of what they look at, so a block lives as long as its last view.
 */
#ifndef OB_NATIVE_PLACES_H
#define OB_NATIVE_PLACES_H

#include "native.h"

typedef enum native_block_kind {
    NATIVE_BLOCK_TEMPORARY, /* in the arena, used again after its last reader */
    NATIVE_BLOCK_KEPT,      /* storage of its own: outputs, saved values, gradients */
    NATIVE_BLOCK_EXTERNAL,  /* an input's storage */
} native_block_kind;

typedef struct native_block {
    native_block_kind kind;
    ob_pass pass;
    size_t size;
    uint32_t first, last; /* nodes between which it is used */
    uint32_t next_free;   /* list of blocks with the same last node */
    size_t offset;        /* in the arena */
    ob_storage *storage;  /* one reference is owned */
    bool written;         /* EXTERNAL: an operator changes it */
} native_block;

#define NATIVE_NO_BLOCK UINT32_MAX

typedef struct native_place {
    uint32_t block; /* NATIVE_NO_BLOCK for what is no tensor */
    int64_t offset; /* of the first element, in bytes from the block's start */
} native_place;

typedef struct native_places {
    const ob_backend *backend;
    native_block *blocks;
    size_t block_count, block_capacity;
    uint32_t *first[2];      /* per pass and edge: its first place; a list has one per item */
    native_place *places[2]; /* per pass */
    size_t arena_bytes;
} native_places;

/* The metas' places in one pass. External edges first (native_places_put), then the nodes. */
ob_status native_places_start(native_places *places, ob_pass pass, const ob_graph *graph,
                              ob_err *err);
void native_places_fini(native_places *places);

/* A real tensor, or fresh memory of its own for each tensor of a meta, or another pass's places. */
ob_status native_places_put_external(native_places *places, ob_pass pass, ob_edge_id edge,
                                     const ob_value *value, ob_err *err);
ob_status native_places_put_kept(native_places *places, ob_pass pass, ob_edge_id edge,
                                 const ob_value *meta, ob_err *err);
void native_places_put_saved(native_places *places, ob_edge_id edge, const ob_value *meta,
                             ob_edge_id forward_edge);

/* Places for what the nodes give; afterwards the memory of the graph's outputs is kept. */
ob_status native_places_walk(native_places *places, ob_pass pass, const ob_graph *graph,
                             ob_err *err);
/* Offsets of the temporaries of a pass in the arena. */
ob_status native_places_pack(native_places *places, ob_pass pass, size_t node_count, ob_err *err);

/* Whether the node's outputs are views or the changed argument: nothing is computed for a view. */
bool native_node_is_view(const ob_backend *backend, const ob_graph *graph,
                         const ob_graph_node *node);

#endif
