/* SPDX-License-Identifier: Apache-2.0
 *
 * From graphs to a plan: where each tensor lies, then one call after the other.
 */
#ifndef OB_ONEDNN_GRAPH_H
#define OB_ONEDNN_GRAPH_H

#include "onednn_kernel.h"

/* A graph with the views of its edges. */
typedef struct dnn_pass {
    const ob_graph *graph;
    ob_graph *own;    /* what decomposing made; NULL when nothing had to be */
    dnn_view **views; /* per edge, one per tensor; NULL for what is no tensor */
} dnn_pass;

typedef struct dnn_program {
    dnn_plan plan;
    dnn_pass passes[2]; /* by ob_pass */
    size_t grad_count;
} dnn_program;

/* Plans the forward and, if args->backward is there and asked for, the backward. Without inputs in args
 * nothing can be built: that answers `supports`. */
ob_status dnn_program_make(dnn_program *program, const ob_prepare_args *args, ob_err *err);
void dnn_program_fini(dnn_program *program);

/* places.c: the views of all edges; groups that an operator writes to are marked. */
ob_status dnn_storage_forward(dnn_program *program, const ob_prepare_args *args, ob_err *err);
ob_status dnn_storage_backward(dnn_program *program, const ob_edge_id *map, ob_err *err);
/* Whether nothing is computed for the node: its outputs are views. */
bool dnn_node_is_view(const dnn_program *program, const ob_graph *graph, const ob_graph_node *node);

#endif
