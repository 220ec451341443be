/* SPDX-License-Identifier: Apache-2.0
 *
 * Where every tensor of a prepared case lives. A block is a piece of memory, a place is a tensor's
 * position in one: views have the place of what they look at, so a block lives as long as its last view.
 */
#ifndef OB_PLAN_PLACES_H
#define OB_PLAN_PLACES_H

#include "plan/plan.h"

typedef enum plan_block_kind {
    PLAN_BLOCK_TEMPORARY, /* in the arena, used again after its last reader */
    PLAN_BLOCK_KEPT,      /* storage of its own: outputs, saved values, gradients */
    PLAN_BLOCK_EXTERNAL,  /* an input's storage */
} plan_block_kind;

typedef struct plan_block {
    plan_block_kind kind;
    ob_pass pass;
    size_t size;
    uint32_t first, last;     /* nodes between which it is used */
    uint32_t next_free;       /* list of blocks with the same last node */
    size_t offset;            /* in the arena */
    ob_storage *storage;      /* one reference is owned */
    const ob_storage *source; /* EXTERNAL: the input's, in host memory */
    bool written;             /* EXTERNAL: an operator changes it */
} plan_block;

#define PLAN_NO_BLOCK UINT32_MAX

typedef struct plan_place {
    uint32_t block; /* PLAN_NO_BLOCK for what is no tensor */
    int64_t offset; /* of the first element, in bytes from the block's start */
} plan_place;

typedef struct plan_places {
    const plan_engine *engine;
    plan_block *blocks;
    size_t block_count, block_capacity;
    uint32_t *first[2];    /* per pass and edge: its first place; a list has one per item */
    plan_place *places[2]; /* per pass */
    size_t arena_bytes;
} plan_places;

/* The metas' places in one pass. External edges first (plan_places_put), then the nodes. */
ob_status plan_places_start(plan_places *places, ob_pass pass, const ob_graph *graph, ob_err *err);
void plan_places_fini(plan_places *places);

/* A real tensor, or fresh memory of its own for each tensor of a meta, or another pass's places. */
ob_status plan_places_put_external(plan_places *places, ob_pass pass, ob_edge_id edge,
                                   const ob_value *value, ob_err *err);
ob_status plan_places_put_kept(plan_places *places, ob_pass pass, ob_edge_id edge,
                               const ob_value *meta, ob_err *err);
void plan_places_put_saved(plan_places *places, ob_edge_id edge, const ob_value *meta,
                           ob_edge_id forward_edge);

/* Places for what the nodes give; afterwards the memory of the graph's outputs is kept. */
ob_status plan_places_walk(plan_places *places, ob_pass pass, const ob_graph *graph, ob_err *err);
/* Offsets of the temporaries of a pass in the arena. */
ob_status plan_places_pack(plan_places *places, ob_pass pass, size_t node_count, ob_err *err);

/* Whether the node's outputs are views or the changed argument: nothing is computed for a view. */
bool plan_node_is_view(const plan_engine *engine, const ob_graph *graph, const ob_graph_node *node);

#endif
