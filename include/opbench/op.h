/* SPDX-License-Identifier: Apache-2.0
 *
 * Canonical operators: one row each, and the way from a front-end name to a row.
 */
#ifndef OPBENCH_OP_H
#define OPBENCH_OP_H

#include "opbench/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_op ob_op;

/* A bound call of one operator: values in the order of the schema's arguments. Tensors may be
 * meta. */
typedef struct ob_op_call {
    const ob_op *op;
    const ob_schema *schema;
    const ob_value *args; /* schema->arg_count */
} ob_op_call;

/* Work of one call. Negative: not known. */
typedef struct ob_cost {
    double flops;
    double read_bytes;
    double write_bytes;
} ob_cost;

/* Bound on |got - reference|: epsilon(dtype) * (factor * magnitude) * growth(reduction length). */
typedef enum ob_tolerance_kind {
    OB_TOL_EXACT,       /* copies, comparisons, indices */
    OB_TOL_ELEMENTWISE, /* a few roundings per element */
    OB_TOL_REDUCTION,   /* grows with the number of terms summed */
    OB_TOL_RANDOM,      /* compared by moments */
    OB_TOL_UNDEFINED,   /* uninitialised output: not compared */
} ob_tolerance_kind;

typedef struct ob_tolerance {
    ob_tolerance_kind kind;
    double factor; /* in epsilons of the output's dtype */
} ob_tolerance;

/* What the values of an input must obey beyond its dtype, so that generators and fuzzers make
 * calls that mean something. */
typedef enum ob_constraint_kind {
    OB_CONSTRAINT_INDEX,       /* integer in [0, size of dimension `dim` of argument `of`) */
    OB_CONSTRAINT_OFFSETS,     /* rises from 0, at most numel of argument `of` */
    OB_CONSTRAINT_POSITIVE,    /* > 0: variances, logarithms */
    OB_CONSTRAINT_PROBABILITY, /* in [0, 1] */
    OB_CONSTRAINT_NONZERO,     /* integer divisors */
    OB_CONSTRAINT_PLANE, /* integer in [0, product of the last -dim dimensions of argument `of`) */
} ob_constraint_kind;

typedef struct ob_constraint {
    const char *arg; /* the argument it is about; NULL ends a list */
    ob_constraint_kind kind;
    /* INDEX, OFFSETS: the argument that gives the bound. INDEX: if it is an int (num_weights), its
     * value is the bound. Where `arg` is a list, its item i is about dimension dim + i. */
    const char *of;
    const char *dim_arg; /* INDEX: argument that holds the dimension's number; NULL = use dim */
    int dim;             /* may be negative, counted from the end */
} ob_constraint;

/* Fills out[return_count] with meta values from meta (or real) arguments. The caller owns them. */
typedef ob_status (*ob_shape_rule)(const ob_op_call *call, ob_value *out, ob_err *err);
typedef ob_status (*ob_cost_rule)(const ob_op_call *call, const ob_value *outputs, ob_cost *out);
/* Host implementation that any backend with host memory may use: reads args, makes outputs. For
 * operators of plug-ins; the core's own operators have none. */
typedef ob_status (*ob_op_function)(void *ctx, const ob_op_call *call, ob_value *outputs,
                                    ob_err *err);

/* One row. Plug-ins fill the same struct. Zero = not known. */
typedef struct ob_op_row {
    const char *schema;   /* required */
    const char *category; /* "matrix", "elementwise", ... */
    ob_shape_rule shape;
    ob_cost_rule cost;
    ob_tolerance tolerance;
    const ob_constraint *constraints; /* list ended by arg == NULL; NULL = none */
    /* Derivative in graph notation (docs/graphs.md): one statement per differentiable argument,
     * "self = mul(grad, other); other = mul(grad, self)"; "" = no gradient passes (detach);
     * NULL = not differentiable. */
    const char *derivative;
    /* The operator as calls of simpler ones, in graph notation ("result = sub(a, b)"), for backends
     * that do not know it, and for its derivative and shape when those are not given. NULL =
     * none. */
    const char *decomposition;
    const char *names;       /* further front-end names, separated by blanks ("my.op torch.foo") */
    ob_op_function function; /* plug-ins only */
    void *function_ctx;
} ob_op_row;

struct ob_op {
    const ob_op_row *row;
    ob_schema *schema;
    const char *origin; /* "built in" or the plug-in's name */
};

typedef struct ob_op_table ob_op_table;

/* A table with the core's rows in it. */
ob_status ob_op_table_create(ob_op_table **out, ob_err *err);
/* A table without rows that knows PyTorch's names of functions and arguments all the same: for the
 * operators that a backend brings. */
ob_status ob_op_table_create_empty(ob_op_table **out, ob_err *err);
void ob_op_table_destroy(ob_op_table *table);
/* The row must stay valid as long as the table. OB_ERR_DUPLICATE when name.overload is there. */
ob_status ob_op_table_add(ob_op_table *table, const ob_op_row *row, const char *origin,
                          ob_err *err);
size_t ob_op_table_count(const ob_op_table *table);
/* index < count. Schemas of the core's rows are parsed when they are first asked for: NULL when
 * out of memory. An operator stays where it is as long as the table lives. */
const ob_op *ob_op_table_at(const ob_op_table *table, size_t index);
/* "aten::add.Tensor" exactly; NULL when absent. */
const ob_op *ob_op_table_find(const ob_op_table *table, const char *full_name);

/* How a front-end name leads to canonical operators. */
typedef struct ob_op_name {
    char base[128];      /* "aten::add"; overload not chosen yet */
    char overload[64];   /* "" unless the name had one; "default" is the one without a name */
    const void *adapter; /* the row that reorders arguments; NULL = the same order */
    bool known;          /* at least one row with that base exists in the table; what the name
                            means does not depend on that */
} ob_op_name;

/* torch.add, torch.add_, torch.Tensor.view, torch.nn.functional.relu, torch.linalg.norm,
 * torch.ops.aten.add.Tensor, aten::add, aten::add.Tensor, and names of plug-in rows.
 * OB_ERR_NOT_FOUND, with the nearest known name, for names that no rule covers. */
ob_status ob_op_resolve_name(const ob_op_table *table, const char *name, ob_op_name *out,
                             ob_err *err);

/* Chooses the overload that takes the call (first fit in the order of the rows; out= variants only
 * when `out` is given), applies the adapter and binds. bound is malloc'ed with
 * (*op)->schema->arg_count values: free with ob_op_free_bound. Tensors come through as copies with
 * all their fields. Names of PyTorch's Python front end (torch.add, not aten::add) take its words
 * for arguments too: input for self, axis for dim, out=(a, b), view(2, 3). When nothing fits the
 * message says what each candidate missed. */
ob_status ob_op_resolve_call(const ob_op_table *table, const char *name, const ob_call *call,
                             const ob_op **op, ob_value **bound, ob_err *err);
void ob_op_free_bound(const ob_op *op, ob_value *bound);

#ifdef __cplusplus
}
#endif
#endif
