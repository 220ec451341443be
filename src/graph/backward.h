/* SPDX-License-Identifier: Apache-2.0
 *
 * State of a derivation of a backward graph, shared by its files.
 */
#ifndef OB_GRAPH_BACKWARD_H
#define OB_GRAPH_BACKWARD_H

#include "graph/graph_internal.h"

typedef struct ob__deriver {
    const ob_graph *forward;
    ob_graph *graph;   /* the backward graph under way */
    ob_edge_id *saved; /* per forward edge: its SAVED edge, or OB_NO_EDGE */
    ob_operand
        *grads; /* per forward edge: its gradient so far; None = none; a list for list edges */
    ob_edge_id *roots; /* per forward edge: the edge whose memory it shares */
    uint32_t
        *writers; /* per forward edge that is a root: 1 + the last node that wrote it; 0 = none */
    const ob_graph_node *node; /* the one whose derivative is run */
    ob_err *err;
} ob__deriver;

/* Fills roots and writers. OB_ERR_UNSUPPORTED when an edge that needs a gradient is used after an
 * in-place operator changed it. */
ob_status ob__derive_aliases(ob__deriver *d);
/* The last node that wrote over the edge's memory after the edge was made; NULL = none. */
const ob_graph_node *ob__derive_overwriter(const ob__deriver *d, ob_edge_id edge);

/* Adds a gradient (taken over) to those of a forward operand. */
ob_status ob__derive_accumulate(ob__deriver *d, const ob_operand *operand, ob_operand *gradient);
/* A forward operand as seen from the backward graph. */
ob_status ob__derive_saved(ob__deriver *d, const ob_operand *operand, ob_operand *out);
/* The gradient of output k of the node; zeros where nothing flowed. */
ob_status ob__derive_output_grad(ob__deriver *d, size_t k, ob_operand *out);

/* The edge of the argument whose memory return k is, or OB_NO_EDGE. */
ob_edge_id ob__graph_aliased_argument(const ob_graph_node *node, size_t k);
/* Copies gradients that would be nobody's own; the targets stay in their order. */
ob_status ob__backward_own_gradients(const ob_graph *forward, ob_backward *backward, ob_err *err);

#endif
