/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the native backend: what the framework gives them and what they give the framework.
 *
 * A kernel is one row in a table kernels_<group>.c; kernel_groups.def lists the groups. The
 * framework allocates every output before `setup`, and no tensor moves afterwards: `setup` may
 * resolve arguments, choose loops and remember pointers; `run` only computes. Sizes, dtypes and dims have been
 * checked by the operator's shape rule. Values inside index tensors have not: a kernel checks each index
 * and returns OB_ERR_INVALID naming it.
 */
#ifndef OB_NATIVE_KERNEL_H
#define OB_NATIVE_KERNEL_H

#include "opbench/plugin.h"

/* What arithmetic is done in: f16, bf16 and f32 in float; integers up to 32 bits and bool in int32. */
typedef enum native_class {
    NATIVE_F32,
    NATIVE_F64,
    NATIVE_I32,
    NATIVE_I64,
    NATIVE_CLASS_COUNT,
} native_class;

typedef struct native_loops native_loops; /* loops.h: inner loops of one instruction set */

/* One opened backend, as kernels see it. */
typedef struct native_env {
    const ob_host *host;
    const native_loops *loops;
    int threads;              /* may change between runs */
    struct native_team *team; /* team.h */
    uint64_t seed;
    /* NULL until the setup of a kernel that needs it opens it (blas.h); the framework sets its threads
     * and closes it. */
    struct native_blas *blas;
} native_env;

typedef struct native_kernel native_kernel;

typedef struct native_call {
    native_env *env;
    const native_kernel *kernel;
    const ob_op *op;
    const ob_value *args; /* op->schema->arg_count; tensors are real */
    ob_value *outputs;    /* op->schema->return_count; tensors are real, not initialised */
    uint64_t number;      /* of the call within the prepared case: a stream of random numbers */
    /* What setup leaves for run. state: malloc'ed by setup, freed by the framework. */
    void *state;
    /* setup sets scratch_bytes; in run, scratch is that large, 64-byte aligned, and shared with all
     * other calls, so that its content does not last. */
    size_t scratch_bytes;
    void *scratch;
} native_call;

typedef ob_status (*native_setup_fn)(native_call *call, ob_err *err);
typedef ob_status (*native_run_fn)(const native_call *call, ob_err *err);

/* Sets of dtypes, as bits 1 << OB_DTYPE_x. */
#define NATIVE_BIT(id) (1u << OB_DTYPE_##id)
#define NATIVE_FLOATS (NATIVE_BIT(F16) | NATIVE_BIT(BF16) | NATIVE_BIT(F32) | NATIVE_BIT(F64))
#define NATIVE_INTS                                                                                \
    (NATIVE_BIT(U8) | NATIVE_BIT(I8) | NATIVE_BIT(I16) | NATIVE_BIT(I32) | NATIVE_BIT(I64))
#define NATIVE_BOOL NATIVE_BIT(BOOL)
#define NATIVE_NUMBERS (NATIVE_FLOATS | NATIVE_INTS)
#define NATIVE_REALS (NATIVE_NUMBERS | NATIVE_BOOL)
#define NATIVE_ALL (NATIVE_REALS | NATIVE_BIT(C64) | NATIVE_BIT(C128))

typedef enum native_kind {
    NATIVE_COMPUTE = 0,
    /* Outputs share the memory of the first tensor argument at the place that their meta tells; no
     * setup and no run. */
    NATIVE_VIEW,
    /* A view when the output has the dtype and strides of the first tensor argument (contiguous, to),
     * else computed. A `copy` argument that is true always computes. */
    NATIVE_VIEW_OR_COMPUTE,
} native_kind;

struct native_kernel {
    const char *name; /* "aten::add.Tensor"; NULL ends a table */
    /* Dtypes that the first tensor argument may have; without one, the first output. What a mask
     * cannot say, `check` says. */
    uint32_t dtypes;
    native_setup_fn setup; /* may be NULL */
    native_run_fn run;     /* NULL for views */
    native_kind kind;
    /* The kernel's own: one function may serve several rows. */
    int variant;
    const void *data;
    /* On meta tensors: OB_ERR_UNSUPPORTED with the reason for calls that the kernel cannot do.
     * call has op, args, outputs, kernel and env only. NULL = all calls of the right dtypes. */
    native_setup_fn check;
};

/* The host's table, as the plug-in's entry function got it. */
const ob_host *native_host(void);

/* ---- arguments (args.c) ---- */

/* Values by the schema's names. NULL when there is no such argument. */
const ob_value *native_arg(const native_call *call, const char *name);
/* NULL when the argument is None or absent. */
ob_tensor *native_arg_tensor(const native_call *call, const char *name);
/* `otherwise` when it is None or absent. Numbers of all kinds are converted. */
int64_t native_arg_int(const native_call *call, const char *name, int64_t otherwise);
double native_arg_double(const native_call *call, const char *name, double otherwise);
bool native_arg_bool(const native_call *call, const char *name, bool otherwise);
/* "" when it is None or absent. */
const char *native_arg_str(const native_call *call, const char *name);
bool native_arg_is_none(const native_call *call, const char *name);
/* A list of ints; a single int counts as a list of one. At most `capacity` are written; returns how many
 * there are. */
size_t native_arg_ints(const native_call *call, const char *name, int64_t *out, size_t capacity);
/* Output k as a tensor; NULL when it is None (a gradient that the mask leaves out). */
ob_tensor *native_output(const native_call *call, size_t k);
/* A dimension number from the schema, negative ones counted from the end. ndim 0 counts as 1. */
int native_dim(int64_t dim, int ndim);

/* Zeroed state of `size` bytes in call->state. */
ob_status native_state(native_call *call, size_t size, void **state, ob_err *err);

/* ---- memory and elements (elements.c) ---- */

native_class native_class_of(ob_dtype dtype); /* not for complex */
size_t native_class_size(native_class cls);
void *native_data(const ob_tensor *tensor); /* first element */
int64_t native_numel(const ob_tensor *tensor);
bool native_is_contiguous(const ob_tensor *tensor);

/* Elements in row-major order of the logical shape, converted; `to` and `from` are dense arrays of
 * the class's type (float, double, int32_t, int64_t). Work is spread over env->threads. */
void native_gather(const native_env *env, const ob_tensor *from, native_class cls, void *to);
void native_scatter(const native_env *env, const ob_tensor *to, native_class cls, const void *from);
/* The same for count elements from data on, `stride` elements apart, on the calling thread. */
void native_load(const native_env *env, ob_dtype dtype, const void *data, int64_t stride,
                 native_class cls, void *to, int64_t count);
void native_store(const native_env *env, ob_dtype dtype, void *data, int64_t stride,
                  native_class cls, const void *from, int64_t count);
/* to = from, with broadcasting and conversion; the tensors do not overlap (or are the same). */
ob_status native_copy(const native_env *env, const ob_tensor *to, const ob_tensor *from,
                      ob_err *err);
/* Whether native_copy knows how: all but conversions from and to complex numbers. */
bool native_can_copy(ob_dtype to, ob_dtype from);
void native_fill(const native_env *env, const ob_tensor *to, double value);
/* Fills with the bytes of one element. */
void native_fill_bytes(const native_env *env, const ob_tensor *to, const void *element);
/* Element at an address, for indices: any integer dtype. */
int64_t native_load_index(ob_dtype dtype, const void *data);

/* ---- threads (team.c) ---- */

/* Calls fn for disjoint ranges that cover [0, count), on up to env->threads threads, with ranges of
 * at least `grain`. With one thread, or little work, fn runs on the caller and no thread is started; so
 * it does when called from within fn: the outermost loop is the one that is spread. */
typedef void (*native_range_fn)(void *ctx, int64_t begin, int64_t end);
void native_parallel(const native_env *env, int64_t count, int64_t grain, native_range_fn fn,
                     void *ctx);

/* ---- tables (kernels.c) ---- */

#define NATIVE_GROUP(group) extern const native_kernel native_kernels_##group[];
#include "kernel_groups.def"
#undef NATIVE_GROUP

#endif
