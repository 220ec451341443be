/* SPDX-License-Identifier: Apache-2.0
 *
 * From graphs to lists of kernel calls over planned memory, for backends that run operators one by one.
 *
 * A backend gives its kernels and its memory (plan_device), keeps a plan_engine in its ob_backend, and has the
 * rest of ob_backend_desc from here: plan_run, plan_release and plan_outputs as they are, plan_prepare,
 * plan_supports and plan_memory_peak behind a line each.
 *
 * prepare decomposes what has no kernel, gives every tensor its place, and lets each kernel set itself up; run
 * walks the list. Values that somebody may look at later (outputs, what the backward needs, gradients)
 * have memory of their own. All others share one arena, in which a place is used again after its last
 * reader; forward and backward use the same arena, one after the other.
 */
#ifndef OB_PLAN_H
#define OB_PLAN_H

#include "plan/call.h"

/* What is a backend's own. Tensors that its functions get are in the device's memory. */
typedef struct plan_device {
    const char *name;         /* of the backend, for reasons: "native" */
    const char *device_types; /* as in ob_backend_desc: tensors that ask for another are refused */
    uint32_t dtypes;          /* of all tensors, where rows speak of the first; 0 = all */
    const plan_kernel *const *tables; /* each ends with name == NULL; the list ends with NULL */
    bool
        has_functions; /* tensors are in host memory: operators that plug-ins implement can be called */

    /* NULL, all three: results are in host memory and inputs are used where they are. Else storages of
     * the device, of at least one byte, and copies from the start of one storage to another, done when
     * they return. */
    ob_status (*allocate)(plan_env *env, size_t size_bytes, ob_storage **out, ob_err *err);
    ob_status (*upload)(plan_env *env, ob_storage *to, const ob_storage *from, size_t size_bytes,
                        ob_err *err);
    ob_status (*download)(plan_env *env, ob_storage *to, const ob_storage *from, size_t size_bytes,
                          ob_err *err);

    /* Done or enqueued. copy and add are for tensors of one shape and dtype with any strides; add: to += from. */
    ob_status (*copy)(plan_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err);
    ob_status (*fill)(plan_env *env, const ob_tensor *to, double value, ob_err *err);
    ob_status (*add)(plan_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err);
    /* Gives back what setup put into call->state besides the memory itself. NULL = nothing. */
    void (*clear_state)(plan_call *call);
} plan_device;

/* One opened backend, as plans see it. */
typedef struct plan_engine {
    const ob_host *host;
    plan_env *env;
    const plan_device *device;
    const plan_kernel **index; /* all kernels, sorted by name */
    size_t kernel_count;
    uint64_t used_bytes, peak_bytes;
} plan_engine;

/* One call of a prepared case, or a run of a plug-in's function. */
typedef struct plan_step {
    plan_call call;
    plan_run_fn run;
    ob_value *args;
    size_t arg_count;
} plan_step;

/* One graph with the values of its edges. */
typedef struct plan_pass {
    const ob_graph *graph;
    ob_graph *own;    /* what decomposing made; NULL when nothing had to be */
    ob_value *values; /* one per edge; tensors are real */
    plan_step *steps;
    size_t step_count;
} plan_pass;

/* An input that the forward changes, with what it was. */
typedef struct plan_saved_input {
    ob_tensor live, copy;
} plan_saved_input;

struct ob_prepared {
    plan_engine *engine;
    ob_pass pass;
    plan_pass passes[2]; /* by ob_pass */
    ob_value *outputs;   /* of the forward, in the order of the caller's graph */
    size_t output_count;
    ob_value *grads; /* what backward leaves, in the order of the targets */
    ob_value *sums;  /* gradients of several backwards added up; NULL until there are some */
    size_t grad_count;
    ob_tensor *grad_outputs; /* filled by make grad */
    size_t grad_output_count;
    plan_saved_input *saved;
    size_t saved_count;
    ob_storage *arena, *scratch;
    uint64_t bytes; /* counted in the engine */
    plan_progress progress;
};

/* engine.c */
ob_status plan_engine_open(plan_engine *engine, const ob_host *host, const plan_device *device,
                           plan_env *env, ob_err *err);
void plan_engine_close(plan_engine *engine);
/* NULL when there is none. */
const plan_kernel *plan_kernel_find(const plan_engine *engine, const ob_op *op);
ob_status plan_memory_peak(plan_engine *engine, bool reset, uint64_t *peak_bytes);

/* views.c: a table for every device. */
extern const plan_kernel plan_kernels_view[];

/* check.c: whether every call of a graph can be run; decomposes where that is needed. *own is a
 * decomposed copy, which the caller destroys, or NULL. */
ob_status plan_resolve(plan_engine *engine, const ob_graph *graph, ob_graph **own, ob_err *err);
ob_status plan_supports(plan_engine *engine, const ob_graph *graph, ob_pass pass,
                        ob_reason *why_not);

/* prepare.c */
ob_status plan_prepare(plan_engine *engine, const ob_prepare_args *args, ob_prepared **out,
                       ob_err *err);
void plan_release(ob_prepared *prepared);
/* Storage of the device that is counted in the case's bytes. */
ob_status plan_allocate(ob_prepared *prepared, size_t size, ob_storage **out, ob_err *err);

/* run.c */
ob_status plan_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err);
/* A call of an operator that its plug-in implements. */
ob_status plan_run_function(const plan_call *call, ob_err *err);

/* outputs.c */
ob_status plan_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                       size_t *count, ob_err *err);

#endif
