/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph computed call by call in balls.
 */
#ifndef NATIVE_REFERENCE_GRAPH_H
#define NATIVE_REFERENCE_GRAPH_H

#include "reference_call.h"

/* One pass: its graph and the value of every edge. */
typedef struct ref_pass {
    const ob_graph *graph;
    ob_graph *own; /* what taking apart made; NULL = the graph is the caller's */
    ref_value *values;
} ref_pass;

typedef struct ref_state {
    const ob_host *host;
    const ob_reference_args *args;
    ref_pass passes[2]; /* by ob_pass */
    ob_edge_id *map;    /* where the forward's edges went when it was taken apart */
    bool deep;
    bool overwrites; /* some call changes a tensor that was there before */
    double cost;     /* of calls whose elements are all needed */
} ref_state;

/* Whether the reference has a row for the operator, or it is a view. */
bool ref_knows(const ob_op *op);
/* Inputs, then all calls of both passes. OB_ERR_LIMIT when it would take too long. */
ob_status ref_graph_run(ref_state *s, ob_err *err);
void ref_graph_free(ref_state *s);

#endif
