/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels: what the plan of a case gives them and what they give the plan. Every backend that runs one
 * operator after the other over memory that it can address has its own tables of them.
 *
 * A kernel is one row in a table. The plan allocates every output before `setup`, and no tensor moves
 * afterwards: `setup` may resolve arguments, choose loops and remember pointers; `run` only computes, or
 * enqueues. Sizes, dtypes and dims have been checked by the operator's shape rule. Values inside index
 * tensors have not: a kernel checks each index and returns OB_ERR_INVALID naming it.
 */
#ifndef OB_PLAN_CALL_H
#define OB_PLAN_CALL_H

#include "plan/graphs.h"

typedef struct plan_env
    plan_env; /* one opened backend, as its kernels see it; the backend defines it */

typedef struct plan_kernel plan_kernel;

typedef struct plan_call {
    const ob_host *host;
    const struct plan_device *device;
    plan_env *env;
    const plan_kernel *kernel;
    const ob_op *op;
    const ob_value *args; /* op->schema->arg_count; tensors are real */
    ob_value *outputs;    /* op->schema->return_count; tensors are real, not initialised */
    uint64_t number;      /* of the call within the prepared case: a stream of random numbers */
    /* What setup leaves for run. state: malloc'ed by setup, freed by the framework. */
    void *state;
    /* setup sets scratch_bytes; in run, scratch is that large, 64-byte aligned, and shared with all
     * other calls, so that its content does not last. (The data of a storage that the device allocated.) */
    size_t scratch_bytes;
    void *scratch;
} plan_call;

typedef ob_status (*plan_setup_fn)(plan_call *call, ob_err *err);
typedef ob_status (*plan_run_fn)(const plan_call *call, ob_err *err);

/* Sets of dtypes, as bits 1 << OB_DTYPE_x. */
#define PLAN_BIT(id) (1u << OB_DTYPE_##id)
#define PLAN_FLOATS (PLAN_BIT(F16) | PLAN_BIT(BF16) | PLAN_BIT(F32) | PLAN_BIT(F64))
#define PLAN_INTS (PLAN_BIT(U8) | PLAN_BIT(I8) | PLAN_BIT(I16) | PLAN_BIT(I32) | PLAN_BIT(I64))
#define PLAN_BOOL PLAN_BIT(BOOL)
#define PLAN_WHOLES (PLAN_INTS | PLAN_BOOL)
#define PLAN_NUMBERS (PLAN_FLOATS | PLAN_INTS)
#define PLAN_REALS (PLAN_NUMBERS | PLAN_BOOL)
#define PLAN_ALL (PLAN_REALS | PLAN_BIT(C64) | PLAN_BIT(C128))

struct plan_kernel {
    const char *name; /* "aten::add.Tensor"; NULL ends a table */
    /* Dtypes that the first tensor argument may have; without one, the first output. What a mask
     * cannot say, `check` says. */
    uint32_t dtypes;
    plan_setup_fn setup; /* may be NULL */
    plan_run_fn run;     /* NULL for views */
    plan_kind kind;
    /* The kernel's own: one function may serve several rows. */
    int variant;
    const void *data;
    /* On meta tensors: OB_ERR_UNSUPPORTED with the reason for calls that the kernel cannot do.
     * call has op, args, outputs, kernel and env only. NULL = all calls of the right dtypes. */
    plan_setup_fn check;
};

/* ---- arguments (args.c) ---- */

/* Values by the schema's names. NULL when there is no such argument. */
const ob_value *plan_arg(const plan_call *call, const char *name);
/* NULL when the argument is None or absent. */
ob_tensor *plan_arg_tensor(const plan_call *call, const char *name);
/* `otherwise` when it is None or absent. Numbers of all kinds are converted. */
int64_t plan_arg_int(const plan_call *call, const char *name, int64_t otherwise);
double plan_arg_double(const plan_call *call, const char *name, double otherwise);
bool plan_arg_bool(const plan_call *call, const char *name, bool otherwise);
/* "" when it is None or absent. */
const char *plan_arg_str(const plan_call *call, const char *name);
bool plan_arg_is_none(const plan_call *call, const char *name);
/* A list of ints; a single int counts as a list of one. At most `capacity` are written; returns how many
 * there are. */
size_t plan_arg_ints(const plan_call *call, const char *name, int64_t *out, size_t capacity);
/* Output k as a tensor; NULL when it is None (a gradient that the mask leaves out). */
ob_tensor *plan_output(const plan_call *call, size_t k);

/* Zeroed state of `size` bytes in call->state. */
ob_status plan_state(plan_call *call, size_t size, void **state, ob_err *err);

#endif
