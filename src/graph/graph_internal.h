/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the graph layer share about graphs.
 */
#ifndef OB_GRAPH_INTERNAL_H
#define OB_GRAPH_INTERNAL_H

#include "base/arena.h"
#include "graph/operand.h"

enum {
    OB__GRAPH_MAX_EDGES = 1 << 20,
    OB__GRAPH_MAX_NODES = 1 << 20,
    OB__GRAPH_MAX_DEPTH = 32, /* decompositions inside decompositions, functions inside functions */
    OB__GRAPH_MAX_RETURNS = 64,
};

typedef struct ob__graph_owner {
    ob_arena arena; /* names and the arrays of nodes */
    size_t edge_capacity, node_capacity;
    ob_edge_id *slots;          /* hash set of edges by name; OB_NO_EDGE = free */
    size_t slot_count;          /* a power of two, or 0 */
    int depth;                  /* of expansions under way */
    ob_dtype parameter_dtype;   /* of modules that are not told another */
    ob_device parameter_device; /* likewise; type "" = the run's */
    /* While set, calls that it does not keep are replaced by their decomposition. */
    ob_op_filter keep;
    void *keep_ctx;
} ob__graph_owner;

static inline ob__graph_owner *ob__graph_get_owner(const ob_graph *graph)
{
    return graph->owner;
}

/* OB_NO_EDGE when there is none. */
ob_edge_id ob__graph_find_edge(const ob_graph *graph, const char *name);

/* Makes the hash set anew after edges have moved. */
void ob__graph_rehash(ob_graph *graph);

/* Adds an edge; `like` gives everything but the name (its meta is copied). The name is made unique
 * with a number when `exact` is false, and is an error when it is taken otherwise. */
ob_status ob__graph_add_edge(ob_graph *graph, const char *name, bool exact,
                             const ob_graph_edge *like, ob_edge_id *edge, ob_err *err);

/* Enters an expansion; OB_ERR_LIMIT when they are nested too deeply. what is named in the
 * message. */
ob_status ob__graph_enter(ob_graph *graph, const char *what, ob_err *err);
void ob__graph_leave(ob_graph *graph);

/* Copies a value; its tensors become meta tensors. */
ob_status ob__value_to_meta(ob_value *out, const ob_value *in, ob_err *err);
bool ob__value_has_tensor(const ob_value *value);
/* True if a tensor in it is floating and (when `flagged`) has requires_grad set. */
bool ob__value_is_differentiable(const ob_value *value, bool flagged);

/* Names that the results of a call should get; NULL items and missing ones mean "by the
 * operator". */
typedef struct ob__hints {
    const char *const *names;
    size_t count;
} ob__hints;

/* A call by name. result: an edge; None for no returns; a list of edges for several. */
ob_status ob__graph_call(ob_graph *graph, const char *name, const ob__operand_call *call,
                         const ob__hints *hints, ob_operand *result, ob_err *err);
/* The same for an operator and bound operands, which are taken over (also on failure). */
ob_status ob__graph_call_op(ob_graph *graph, const ob_op *op, ob_operand *args,
                            const ob__hints *hints, ob_operand *result, ob_err *err);
/* Short forms for calls that the layer makes itself. */
ob_status ob__graph_call1(ob_graph *graph, const char *name, const ob_operand *a,
                          ob_operand *result, ob_err *err);
ob_status ob__graph_call2(ob_graph *graph, const char *name, const ob_operand *a,
                          const ob_operand *b, ob_operand *result, ob_err *err);

/* Runs the row's decomposition in graph; results has room for schema->return_count operands, all
 * owned by the caller afterwards. */
ob_status ob__graph_expand(ob_graph *graph, const ob_op *op, const ob_operand *args,
                           const ob__hints *hints, ob_operand *results, ob_err *err);

/* The edge of an operand that stands for one tensor or list edge; an ITEM is given an edge by an
 * alias call. Constants are refused; `what` names the operand in the message. */
ob_status ob__graph_operand_edge(ob_graph *graph, const ob_operand *operand, const char *what,
                                 ob_edge_id *edge, ob_err *err);

/* Values for ob_op_call from operands: copies of the metas. Array of count, malloc'ed. */
ob_status ob__graph_arg_values(const ob_graph *graph, const ob_operand *args, size_t count,
                               ob_value **values, ob_err *err);
void ob__values_free(ob_value *values, size_t count);

/* Drops nodes and edges from which no output follows. */
ob_status ob__graph_prune(ob_graph *graph, ob_err *err);

#endif
