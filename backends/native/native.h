/* SPDX-License-Identifier: Apache-2.0
 *
 * The framework of the native backend: from graphs to lists of kernel calls over planned memory.
 *
 * prepare (plan.c) decomposes what has no kernel, gives every tensor its place, and lets each kernel set
 * itself up; run (run.c) walks the list. Values that somebody may look at later (outputs, what the
 * backward needs, gradients) have memory of their own. All others share one arena, in which a place is
 * used again after its last reader; forward and backward use the same arena, one after the other.
 */
#ifndef OB_NATIVE_H
#define OB_NATIVE_H

#include "kernel.h"

struct ob_backend {
    native_env env;
    const ob_log *log;
    int threads_asked;           /* env.threads is what there are processors for */
    const native_kernel **index; /* all kernels, sorted by name */
    size_t kernel_count;
    uint64_t used_bytes, peak_bytes;
};

/* One call of a prepared case, or a run of a plug-in's function. */
typedef struct native_step {
    native_call call;
    native_run_fn run;
    ob_value *args;
    size_t arg_count;
} native_step;

/* One graph with the values of its edges. */
typedef struct native_pass {
    const ob_graph *graph;
    ob_graph *own;    /* what decomposing made; NULL when nothing had to be */
    ob_value *values; /* one per edge; tensors are real */
    native_step *steps;
    size_t step_count;
} native_pass;

/* An input that the forward changes, with what it was. */
typedef struct native_saved_input {
    ob_tensor live, copy;
} native_saved_input;

struct ob_prepared {
    ob_backend *backend;
    ob_pass pass;
    native_pass passes[2]; /* by ob_pass */
    ob_value *outputs;     /* of the forward, in the order of the caller's graph */
    size_t output_count;
    ob_value *grads; /* what backward leaves, in the order of the targets */
    ob_value *sums;  /* gradients of several backwards added up; NULL until there are some */
    size_t grad_count;
    ob_tensor *grad_outputs; /* filled by make grad */
    size_t grad_output_count;
    native_saved_input *saved;
    size_t saved_count;
    ob_storage *arena, *scratch;
    uint64_t bytes;       /* counted in the backend */
    bool ran, has_seed;   /* forward ran; make grad ran */
    uint64_t accumulated; /* backwards since the last zero grad */
};

/* kernels.c */
ob_status native_kernels_open(ob_backend *backend, ob_err *err);
/* NULL when there is none. */
const native_kernel *native_kernel_find(const ob_backend *backend, const ob_op *op);
/* "aten::add.Tensor" */
const char *native_op_name(const ob_op *op, char *out, size_t size);

/* check.c: whether every call of a graph can be run; decomposes where that is needed. *own is a
 * decomposed copy, which the caller destroys, or NULL. */
ob_status native_resolve(ob_backend *backend, const ob_graph *graph, ob_graph **own, ob_err *err);
ob_status native_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not);

/* plan.c */
ob_status native_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err);
void native_release(ob_prepared *prepared);
/* Storage that is counted in the case's bytes. */
ob_status native_allocate(ob_prepared *prepared, size_t size, ob_storage **out, ob_err *err);

/* run.c */
ob_status native_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err);
ob_status native_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err);
/* A call of an operator that its plug-in implements. */
ob_status native_run_function(const native_call *call, ob_err *err);

/* flush.c */
ob_status native_flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how,
                             ob_err *err);

#endif
