/* SPDX-License-Identifier: Apache-2.0
 *
 * From graphs of the core to ONNX models. Each operator has a row: a recipe in a small notation (recipe.c), or a
 * function that emits nodes. Operators without a row are decomposed; those that change a tensor in place use the row of
 * the operator that does not, and its result is the tensor's value from then on.
 *
 * The first failure is kept in the translation, so that rows need not look after each node.
 */
#ifndef OB_ONNXRUNTIME_TRANSLATE_H
#define OB_ONNXRUNTIME_TRANSLATE_H

#include "onnxruntime_model.h"

#include "opbench/kit.h"

/* One tensor of an edge. */
typedef struct ort_slot {
    ort_id id;
    uint32_t same;   /* slots with the same number are one tensor, whose values change together */
    uint32_t memory; /* slots with the same number share memory, as views do */
    bool set;
    bool written;     /* an input or parameter that some operator changes */
    bool elementwise; /* its last change was one: each element depends on the one in its place */
} ort_slot;

typedef struct ort_translation {
    const ob_host *host;
    const ob_graph *graph;
    ort_model model;
    uint32_t *first; /* by edge: its first slot */
    ort_slot *slots;
    ort_id *outside; /* by edge: the model's input or parameter; only for tensors from outside */
    uint32_t slot_count;
    /* Parameters are inputs of the model instead of constants in it. */
    bool parameters_as_inputs;
    bool puts_nan_back; /* the library's Max and Min lose it */
    ob_status status;
    ob_err err;
} ort_translation;

typedef struct ort_row ort_row;

/* One call, for its row. */
typedef struct ort_call {
    ort_translation *t;
    const ob_graph_node *node;
    const ob_schema *schema;
    const ort_row *row;
} ort_call;

/* What a recipe's tensors and numbers are converted to. */
typedef enum ort_compute {
    ORT_AS_RESULT,  /* the element type of the first result */
    ORT_AS_OPERANDS /* the one that the operands are promoted to: comparisons */
} ort_compute;

struct ort_row {
    const char *name;      /* "aten::add.Tensor"; NULL ends a table */
    const char *recipe;    /* or `emit` */
    const char *for_whole; /* the recipe for whole numbers, where it is another one */
    ort_compute compute;
    void (*emit)(ort_call *call);
    const char *onnx;   /* for `emit`: the node's operator, where one function has several rows */
    const char *writes; /* arguments that it changes though the schema does not say so */
};

/* The tables, each ended by a row without a name: onnxruntime_rows.c gathers them. */
#define ORT_ROW_GROUPS(X)                                                                          \
    X(elementwise)                                                                                 \
    X(activation)                                                                                  \
    X(matrix)                                                                                      \
    X(view)                                                                                        \
    X(create)                                                                                      \
    X(join)                                                                                        \
    X(reduction)                                                                                   \
    X(softmax)                                                                                     \
    X(order)                                                                                       \
    X(conv)                                                                                        \
    X(pool)                                                                                        \
    X(norm)                                                                                        \
    X(index)                                                                                       \
    X(embedding)                                                                                   \
    X(loss)
#define ORT_ROW_TABLE(group) extern const ort_row ort_rows_##group[];
ORT_ROW_GROUPS(ORT_ROW_TABLE)
#undef ORT_ROW_TABLE

/* NULL when there is none. */
const ort_row *ort_row_find(const ob_op *op);

/* Whether every call has a row; decomposes where that is needed. *own is the copy, which the caller destroys, or
 * NULL. */
ob_status ort_resolve(const ob_host *host, const ob_graph *graph, ob_graph **own, ob_err *err);

/* Walks the graph: every edge gets its values, inputs first, in the order of the edges. Outputs are not named yet.
 * The caller calls fini, also after a failure. */
ob_status ort_translate(ort_translation *t, ob_err *err);
void ort_translation_fini(ort_translation *t);

/* ---- slots ---- */

static inline ort_slot *ort_slot_at(const ort_translation *t, ob_edge_id edge, size_t index)
{
    return &t->slots[t->first[edge] + index];
}

/* ---- for rows: arguments by the schema's names (call.c) ---- */

void ort_fail(ort_translation *t, ob_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "ONNX Runtime cannot do NAME here: ...", OB_ERR_UNSUPPORTED. */
void ort_refuse(ort_call *call, const char *why);

ort_id ort_arg(const ort_call *call, const char *name); /* ORT_NONE: None, absent, no tensor */
ort_id ort_arg_as(const ort_call *call, const char *name, ob_dtype dtype);
const ob_tensor *ort_arg_meta(const ort_call *call, const char *name);
/* The tensors of a list; at most `capacity` are written; returns how many there are. */
size_t ort_arg_list(const ort_call *call, const char *name, ort_id *out, const ob_tensor **metas,
                    size_t capacity);
const ob_value *ort_arg_value(const ort_call *call, const char *name);
bool ort_arg_is_none(const ort_call *call, const char *name);
int64_t ort_arg_int(const ort_call *call, const char *name, int64_t otherwise);
double ort_arg_double(const ort_call *call, const char *name, double otherwise);
bool ort_arg_bool(const ort_call *call, const char *name, bool otherwise);
const char *ort_arg_str(const ort_call *call, const char *name);
size_t ort_arg_ints(const ort_call *call, const char *name, int64_t *out, size_t capacity);

/* Meta of result k; NULL when it is none. */
const ob_tensor *ort_result_meta(const ort_call *call, size_t k);
/* Result k, or item k of a result that is a list; converted to the element type that it must have. */
void ort_result(ort_call *call, size_t k, ort_id id);
/* The argument's value from now on. */
void ort_write_arg(ort_call *call, const char *name, ort_id id);

/* ---- for rows: nodes ---- */

ob_dtype ort_dtype_of(const ort_translation *t, ort_id id);
/* A node with one output of the given type. */
ort_id ort_emit(ort_translation *t, const char *op, ob_dtype dtype, const ort_id *inputs,
                size_t input_count, const ort_attr *attrs);
ort_id ort_cast(ort_translation *t, ort_id id, ob_dtype dtype);
ort_id ort_number(ort_translation *t, ob_dtype dtype, double value); /* without dimensions */
ort_id ort_number_from(ort_translation *t, ob_dtype dtype, const ob_value *value);
ort_id ort_ints(ort_translation *t, const int64_t *values, size_t count); /* i64, one dimension */
/* One number all over. */
ort_id ort_filled(ort_translation *t, ob_dtype dtype, double value, const int64_t *sizes, int ndim);
ort_id ort_reshape(ort_translation *t, ort_id id, const int64_t *sizes, int ndim);
ort_id ort_transpose(ort_translation *t, ort_id id, const int64_t *order, int ndim);
ort_id ort_reshape_like(ort_translation *t, ort_id id, const ob_tensor *meta);
ort_id ort_binary(ort_translation *t, const char *op, ort_id a, ort_id b); /* a's type */
ort_id ort_unary(ort_translation *t, const char *op, ort_id a);
ort_id ort_where(ort_translation *t, ort_id condition, ort_id yes, ort_id no); /* yes's type */
/* Elements [start, end) of one dimension, every step-th. */
ort_id ort_slice(ort_translation *t, ort_id id, int64_t axis, int64_t start, int64_t end,
                 int64_t step);
/* ReduceSum, ReduceMean, ReduceMax, ... over the axes. */
ort_id ort_reduce(ort_translation *t, const char *op, ort_id id, const int64_t *axes, size_t count,
                  bool keep);
/* ScatterElements along an axis, or ScatterND (axis -1); added, or put. */
ort_id ort_scatter(ort_translation *t, ort_id self, ort_id index, ort_id from, int64_t axis,
                   bool add);
ort_id ort_expand(ort_translation *t, ort_id id, const int64_t *sizes, int ndim);
/* 0, 1, ... count - 1 as i64. */
ort_id ort_range(ort_translation *t, int64_t count);
bool ort_is_float(ob_dtype dtype);

/* recipe.c */
void ort_follow_recipe(ort_call *call, const ort_row *row);

#endif
