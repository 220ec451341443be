/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels: how an operator's call becomes primitives of the library. One row each in onednn_kernels_<group>.c;
 * onednn_kernel_groups.def lists the groups.
 */
#ifndef OB_ONEDNN_KERNEL_H
#define OB_ONEDNN_KERNEL_H

#include "onednn_plan.h"

#include "opbench/kit.h"

typedef struct dnn_kernel dnn_kernel;

/* One call while it is planned. */
typedef struct dnn_call {
    dnn_plan *plan;
    const ob_host *host;
    const dnn_kernel *kernel;
    const ob_graph *graph;
    const ob_graph_node *node;
    const dnn_view *const *views; /* per edge: its tensors */
} dnn_call;

typedef ob_status (*dnn_kernel_fn)(dnn_call *call, ob_err *err);

struct dnn_kernel {
    const char *name; /* "aten::add.Tensor"; NULL ends a table */
    dnn_kernel_fn plan;
    ob_kit_kind kind;
    bool in_place; /* does the in-place form too ("aten::relu_"): it has no row */
    bool sums;     /* of nothing are zeros: arguments may be empty */
    /* The kernel's own: one function may serve several rows. */
    int variant;
    const void *data;
};

/* Values by the schema's names. NULL when there is no such argument. */
const ob_value *dnn_arg_value(const dnn_call *call, const char *name);
/* The tensor; one without a group when the argument is None or absent. */
dnn_view dnn_arg_view(const dnn_call *call, const char *name);
/* A list of tensors; how many there are. */
size_t dnn_arg_views(const dnn_call *call, const char *name, dnn_view *out, size_t capacity);
int64_t dnn_arg_int(const dnn_call *call, const char *name, int64_t otherwise);
double dnn_arg_double(const dnn_call *call, const char *name, double otherwise);
bool dnn_arg_bool(const dnn_call *call, const char *name, bool otherwise);
bool dnn_arg_is_none(const dnn_call *call, const char *name);
size_t dnn_arg_ints(const dnn_call *call, const char *name, int64_t *out, size_t capacity);
dnn_view dnn_output(const dnn_call *call, size_t k);
/* Whether another call, or whoever asked for the graph, looks at output k. */
bool dnn_output_is_used(const dnn_call *call, size_t k);

/* OB_ERR_UNSUPPORTED with the operator's name before the text. */
ob_status dnn_refuse(const dnn_call *call, ob_err *err, const char *reason);
/* For float32 results that need the library's logarithm: unless the option `inexact` allows them. */
ob_status dnn_refuse_inexact(const dnn_call *call, ob_err *err);

#define DNN_GROUP(group) extern const dnn_kernel dnn_kernels_##group[];
#include "onednn_kernel_groups.def"
#undef DNN_GROUP

/* onednn_kernels.c */
const dnn_kernel *dnn_kernel_find(const ob_op *op);

#endif
