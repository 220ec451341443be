/* SPDX-License-Identifier: Apache-2.0
 *
 * What follows from a graph and its values alone, for every backend that plans graphs itself, whatever its memory
 * looks like: tensors of an edge, which calls are views, which arguments change, decomposing, the order of phases.
 */
#ifndef OB_PLAN_GRAPHS_H
#define OB_PLAN_GRAPHS_H

#include "opbench/plugin.h"

/* ---- kernels (graphs.c) ---- */

typedef enum plan_kind {
    PLAN_COMPUTE = 0,
    /* Outputs share the memory of the first tensor argument at the place that their meta tells; no
     * setup and no run. */
    PLAN_VIEW,
    /* A view when the output has the dtype and strides of the first tensor argument (contiguous, to),
     * else computed. A `copy` argument that is true always computes. */
    PLAN_VIEW_OR_COMPUTE,
} plan_kind;

/* "aten::add.Tensor" */
const char *plan_op_name(const ob_op *op, char *out, size_t size);
/* Whether a call of a kernel of this kind computes nothing. */
bool plan_is_view(const ob_host *host, plan_kind kind, const ob_graph *graph,
                  const ob_graph_node *node);
/* The argument that return k is, when the operator changes it in place; -1 if none. */
int plan_changed_argument(const ob_schema *schema, size_t k);

/* ---- edges (graphs.c) ---- */

/* A tensor counts as a list of one. */
size_t plan_tensor_count(const ob_value *meta);
/* NULL when the item is no tensor. */
const ob_tensor *plan_tensor_at(const ob_value *meta, size_t index);
/* The first argument that is a tensor, which views look at; NULL when there is none. */
const ob_operand *plan_first_tensor(const ob_graph *graph, const ob_graph_node *node);
/* Which tensor of its edge an operand is. */
size_t plan_item_of(const ob_operand *operand);

/* ---- values (args.c) ---- */

/* `otherwise` when value is NULL or no number. Numbers of all kinds are converted. */
int64_t plan_value_int(const ob_value *value, int64_t otherwise);
double plan_value_double(const ob_value *value, double otherwise);
/* A list of ints; a single int counts as a list of one. At most `capacity` are written; returns how many
 * there are. */
size_t plan_value_ints(const ob_value *value, int64_t *out, size_t capacity);
/* "" when it is no string. */
const char *plan_value_str(const ob_value *value);
/* A dimension number from the schema, negative ones counted from the end. ndim 0 counts as 1. */
int plan_dim(int64_t dim, int ndim);

/* ---- preparing (resolve.c) ---- */

/* *own is a decomposed copy, or NULL when the graph can stay as it is. */
typedef ob_status (*plan_resolve_fn)(void *ctx, const ob_graph *graph, ob_graph **own, ob_err *err);
/* Resolves the forward with every saved edge as an output more, so that decomposing tells where each went:
 * map[edge] gets the final edge of each that the backward uses. */
ob_status plan_resolve_forward(const ob_host *host, const ob_prepare_args *args,
                               plan_resolve_fn resolve, void *ctx, const ob_graph **graph,
                               ob_graph **own, ob_edge_id *map, ob_err *err);
/* Whether a given value is the tensor that the edge was built for; other kinds are not looked at. */
ob_status plan_check_input(const ob_host *host, const ob_graph_edge *edge, const ob_value *given,
                           ob_err *err);
/* Refuses sparse tensors and those of a device that is not in `device_types`. */
ob_status plan_check_device(const ob_host *host, const char *backend, const char *device_types,
                            const ob_tensor *tensor, const char *name, ob_err *err);

/* ---- running (resolve.c) ---- */

/* What a prepared case went through. */
typedef struct plan_progress {
    bool ran, has_seed;   /* forward ran; make grad ran */
    uint64_t accumulated; /* backwards since the last zero grad */
} plan_progress;

/* OB_ERR_STATE when the phase comes too early. */
ob_status plan_check_order(const ob_host *host, const plan_progress *progress, bool has_backward,
                           ob_phase phase, ob_err *err);
/* Whether there are values of the pass, and room for all of them. */
ob_status plan_check_outputs(const ob_host *host, const plan_progress *progress, ob_pass pass,
                             size_t total, size_t capacity, ob_err *err);

#endif
