/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: small lists of operator calls joined by edges. One operator is a one-node graph; a module
 * (torch.nn.Conv2d) is a graph with parameters; AlexNet is a longer one.
 *
 * A graph is built for concrete inputs: each call is resolved, bound and shape-checked as it is
 * added, so every edge has a meta value, and a backend sees canonical operators only.
 * The structs are open for reading (backends walk them); only the functions below change them.
 */
#ifndef OPBENCH_GRAPH_H
#define OPBENCH_GRAPH_H

#include "opbench/op.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t ob_edge_id;
#define OB_NO_EDGE UINT32_MAX

typedef enum ob_edge_role {
    OB_EDGE_INPUT,     /* given by the data generator (or the caller) */
    OB_EDGE_PARAMETER, /* made by build, requires a gradient */
    OB_EDGE_BUFFER,    /* made by build, no gradient (running_mean) */
    OB_EDGE_INTERMEDIATE,
    OB_EDGE_SAVED,       /* backward graphs: an edge of the forward graph */
    OB_EDGE_GRAD_OUTPUT, /* backward graphs: gradient of a forward output, given by make_grad */
} ob_edge_role;

/* How build fills a parameter or buffer. */
typedef enum ob_init_kind {
    OB_INIT_NONE, /* inputs; a parameter or buffer that is a tensor given to build itself */
    OB_INIT_ZEROS,
    OB_INIT_ONES,
    OB_INIT_UNIFORM,  /* [-a, a) */
    OB_INIT_NORMAL,   /* mean 0, deviation a */
    OB_INIT_CONSTANT, /* a */
} ob_init_kind;

typedef struct ob_graph_edge {
    const char *name; /* unique in the graph; "" never */
    ob_edge_role role;
    bool requires_grad;
    ob_value meta; /* kind and shape; tensors are meta tensors. Inputs that are plain values hold
                      them. */
    ob_init_kind init;
    double init_a;
    uint32_t producer;       /* index of the node, UINT32_MAX for inputs and parameters */
    ob_edge_id forward_edge; /* SAVED: the forward graph's edge; GRAD_OUTPUT: the output's edge */
} ob_graph_edge;

typedef enum ob_operand_kind {
    OB_OPERAND_EDGE,
    OB_OPERAND_VALUE,
    OB_OPERAND_LIST,
    OB_OPERAND_ITEM, /* one tensor of an edge that is a list (what split gives) */
} ob_operand_kind;

typedef struct ob_operand ob_operand;
struct ob_operand {
    ob_operand_kind kind;
    ob_edge_id edge;   /* EDGE, ITEM */
    size_t index;      /* ITEM: which one of the list */
    ob_value value;    /* VALUE: a constant; never holds a tensor */
    ob_operand *items; /* LIST: at least one item is an edge */
    size_t count;
};

typedef struct ob_graph_node {
    const ob_op *op;
    ob_operand *args;    /* op->schema->arg_count */
    ob_edge_id *outputs; /* op->schema->return_count; a Tensor[] is one edge with a list meta */
    size_t output_count;
} ob_graph_node;

typedef struct ob_graph {
    const ob_op_table *table;
    ob_graph_edge *edges;
    size_t edge_count;
    ob_graph_node *nodes;
    size_t node_count;
    ob_edge_id *outputs;
    size_t output_count;
    void *owner; /* private */
} ob_graph;

ob_status ob_graph_create(const ob_op_table *table, ob_graph **out, ob_err *err);
void ob_graph_destroy(ob_graph *graph); /* NULL is allowed */

/* Edge ids come back through *edge. meta is copied (tensors become meta tensors). */
ob_status ob_graph_add_input(ob_graph *graph, const char *name, const ob_value *meta,
                             ob_edge_id *edge, ob_err *err);
ob_status ob_graph_add_parameter(ob_graph *graph, const char *name, const ob_tensor *meta,
                                 bool is_buffer, ob_init_kind init, double init_a, ob_edge_id *edge,
                                 ob_err *err);

/* Adds one call by front-end or canonical name (composite functions are expanded in place).
 * Operands are copied. outputs has room for *output_count ids on entry and holds the number of
 * returns afterwards. An output requires a gradient when an argument does, its elements are
 * floating and the operator's derivative is not the empty text. */
ob_status ob_graph_add_call(ob_graph *graph, const char *name, const ob_operand *args,
                            size_t arg_count, const char *const *kwarg_names,
                            const ob_operand *kwargs, size_t kwarg_count, ob_edge_id *outputs,
                            size_t *output_count, ob_err *err);
ob_status ob_graph_set_outputs(ob_graph *graph, const ob_edge_id *outputs, size_t count,
                               ob_err *err);

/* Adds statements in graph notation (docs/graphs.md): "h = linear(input, weight, bias); y =
 * relu(h)". Free names are the given ones, then the graph's edges. An edge gets its target's name;
 * when that is taken, a number is appended. On failure the graph keeps the statements before the
 * bad one. err->line and err->column are the place in text. */
typedef struct ob_graph_name {
    const char *name;
    const ob_operand *operand;
} ob_graph_name;
ob_status ob_graph_add_text(ob_graph *graph, const char *text, const ob_graph_name *names,
                            size_t name_count, ob_err *err);

/* The whole way from a config's operator to a graph: an operator, a composite function, a module
 * (build given) or a model ("pytorch.model.alex_net"). build is NULL when the config has none. For
 * aten:: names a build of one schema string chooses the overload, as PARAM's configs do. Inputs
 * become edges input_0, input_1, ... and those with a kwarg name keep it. A list that holds tensors
 * becomes one edge per tensor (input_0_0, input_0_1, ...); an input without tensors is an edge that
 * holds its value, and stands in the calls as a constant. Modules are in training mode. */
ob_status ob_graph_build(const ob_op_table *table, const char *op_name, const ob_call *build,
                         const ob_call *input, ob_graph **out, ob_err *err);
/* The values of the INPUT edges, in edge order, from the same kind of call that the graph was built
 * with. values has room for *count on entry; the caller owns them afterwards. */
ob_status ob_graph_flatten_inputs(const ob_call *input, ob_value *values, size_t *count,
                                  ob_err *err);

/* A copy in which every call that `keep` does not keep is replaced by its row's decomposition,
 * again and again. keep NULL keeps what has a derivative or has no decomposition: the form that
 * ob_graph_derive_backward takes. To derive a backward, call this first and run the copy as the
 * forward, so that both see the same edges. Inputs and parameters keep names and order. */
typedef bool (*ob_op_filter)(void *ctx, const ob_op *op);
ob_status ob_graph_decompose(const ob_graph *graph, ob_op_filter keep, void *ctx, ob_graph **out,
                             ob_err *err);

/* The backward graph, from the derivative rows: inputs are the forward edges it needs (SAVED) and a
 * GRAD_OUTPUT per differentiable output whose gradient is used; outputs are the gradients, in the
 * order of `targets` (one edge may be the gradient of several). Calls that are not needed are left
 * out. OB_ERR_UNSUPPORTED names the operator that has no derivative on a path that needs one, or
 * that overwrote an edge which a derivative still needs. */
typedef struct ob_backward {
    ob_graph *graph;
    /* Forward edges: inputs and parameters that require a gradient and from which an output
     * follows, in edge order. */
    ob_edge_id *targets;
    size_t target_count; /* 0: every output is a leaf, nothing to do */
} ob_backward;
ob_status ob_graph_derive_backward(const ob_graph *forward, ob_backward *out, ob_err *err);
void ob_backward_fini(ob_backward *backward);

/* Sum over the nodes; a part is negative when some node does not know it. */
ob_status ob_graph_cost(const ob_graph *graph, ob_cost *out, ob_err *err);

/* Modules, models and composite functions, for listings. */
typedef struct ob_module_info {
    const char *name;      /* "torch.nn.Linear" */
    const char *signature; /* constructor in schema notation */
    const char *category;  /* "module", "model" or "function" (a composite without an operator) */
} ob_module_info;
size_t ob_module_count(void);
ob_module_info ob_module_at(size_t index);

/* One statement per line in graph notation, inputs and parameters first as comments: for debugging
 * and for tests. The notation's reader takes it back. malloc'ed. */
ob_status ob_graph_print(const ob_graph *graph, char **text, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
