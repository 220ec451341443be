/* SPDX-License-Identifier: Apache-2.0
 *
 * One call of a graph, for the walk over all of them.
 */
#ifndef NATIVE_REFERENCE_NODE_H
#define NATIVE_REFERENCE_NODE_H

#include "reference_graph.h"

typedef struct ref_node {
    ref_state *s;
    ref_pass *pass;
    const ob_graph_node *node;
    double steps;    /* for one output, where not all elements are needed */
    bool may_sample; /* which they are not */
    bool dry;        /* only the cost is wanted */
    uint64_t seed;
    /* The node's own: */
    const ref_row *row;
    ref_value *args;
    ob_value *values;
    size_t arg_count;
    ref_out *outs;
    size_t out_count;
} ref_node;

ob_kit_kind ref_kind(const ob_op *op);
/* Computes the call and puts its results into the values of the pass. */
ob_status ref_node_run(ref_node *n, ob_err *err);

#endif
