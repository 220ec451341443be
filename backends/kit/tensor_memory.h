/* SPDX-License-Identifier: Apache-2.0
 *
 * Where every tensor of a prepared case lives. A block is a piece of memory, a place is a tensor's
 * position in one: views have the place of what they look at, so a block lives as long as its last view.
 */
#ifndef OB_KIT_PLACES_H
#define OB_KIT_PLACES_H

#include "kit/prepared_case.h"

typedef enum ob_kit_block_kind {
    OB_KIT_BLOCK_TEMPORARY, /* in the arena, used again after its last reader */
    OB_KIT_BLOCK_KEPT,      /* storage of its own: outputs, saved values, gradients */
    OB_KIT_BLOCK_EXTERNAL,  /* an input's storage */
} ob_kit_block_kind;

typedef struct ob_kit_block {
    ob_kit_block_kind kind;
    ob_pass pass;
    size_t size;
    uint32_t first, last;     /* nodes between which it is used */
    uint32_t next_free;       /* list of blocks with the same last node */
    size_t offset;            /* in the arena */
    ob_storage *storage;      /* one reference is owned */
    const ob_storage *source; /* EXTERNAL: the input's, in host memory */
    bool written;             /* EXTERNAL: an operator changes it */
} ob_kit_block;

#define OB_KIT_NO_BLOCK UINT32_MAX

typedef struct ob_kit_location {
    uint32_t block; /* OB_KIT_NO_BLOCK for what is no tensor */
    int64_t offset; /* of the first element, in bytes from the block's start */
} ob_kit_location;

typedef struct ob_kit_locations {
    const ob_kit_engine *engine;
    ob_kit_block *blocks;
    size_t block_count, block_capacity;
    uint32_t *first[2];         /* per pass and edge: its first place; a list has one per item */
    ob_kit_location *places[2]; /* per pass */
    size_t arena_bytes;
} ob_kit_locations;

/* The metas' places in one pass. External edges first (ob_kit_locations_put), then the nodes. */
ob_status ob_kit_locations_start(ob_kit_locations *places, ob_pass pass, const ob_graph *graph,
                                 ob_err *err);
void ob_kit_locations_fini(ob_kit_locations *places);

/* A real tensor, or fresh memory of its own for each tensor of a meta, or another pass's places. */
ob_status ob_kit_locations_put_external(ob_kit_locations *places, ob_pass pass, ob_edge_id edge,
                                        const ob_value *value, ob_err *err);
ob_status ob_kit_locations_put_kept(ob_kit_locations *places, ob_pass pass, ob_edge_id edge,
                                    const ob_value *meta, ob_err *err);
void ob_kit_locations_put_saved(ob_kit_locations *places, ob_edge_id edge, const ob_value *meta,
                                ob_edge_id forward_edge);

/* Places for what the nodes give; afterwards the memory of the graph's outputs is kept. */
ob_status ob_kit_locations_walk(ob_kit_locations *places, ob_pass pass, const ob_graph *graph,
                                ob_err *err);
/* Offsets of the temporaries of a pass in the arena. */
ob_status ob_kit_locations_pack(ob_kit_locations *places, ob_pass pass, size_t node_count,
                                ob_err *err);

/* Whether the node's outputs are views or the changed argument: nothing is computed for a view. */
bool ob_kit_node_is_view(const ob_kit_engine *engine, const ob_graph *graph,
                         const ob_graph_node *node);

#endif
