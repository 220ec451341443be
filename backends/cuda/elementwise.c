/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators, copies and constants: one frame (kernels/elementwise.cu), for each combination of
 * expression and dtypes a kernel of its own. run launches and does nothing else.
 */
#include "elementwise.h"

#include "plan/pieces.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, MOST_BLOCKS = 1 << 20 };

/* What is computed in: as the native backend, whose rules are those of PyTorch. */
typedef struct type {
    const char *name, *cls;
    const char *more; /* #defines: the functions of libm for it, or its unsigned kin */
    bool real;
} type;
static const type F32 = {"float", "f32", "#define M(name) name##f", true};
static const type F64 = {"double", "f64", "#define M(name) name", true};
static const type I32 = {"int", "i32", "#define U unsigned", false};
static const type I64 = {"long long", "i64", "#define U unsigned long long", false};

static const type *type_of(ob_dtype dtype)
{
    switch (dtype) {
    case OB_DTYPE_F16:
    case OB_DTYPE_BF16:
    case OB_DTYPE_F32:
        return &F32;
    case OB_DTYPE_F64:
        return &F64;
    case OB_DTYPE_I64:
        return &I64;
    default:
        return &I32;
    }
}

static const type *computing_type(const ob_host *host, const plan_elementwise_args *e, bool is_test)
{
    const ob_value *x = e->inputs[0];
    ob_dtype dtype = e->out->dtype;
    if (is_test || e->in_place)
        dtype = plan_promote(host, e->inputs, 3);
    /* What is not zero becomes true, 0.5 too. */
    if (e->loop == PLAN_LOOP_copy && dtype == OB_DTYPE_BOOL && x->kind == OB_VALUE_TENSOR)
        dtype = x->as.tensor->dtype;
    const type *t = type_of(dtype);
    if (plan_loop_text(e->loop, !t->real) == NULL) /* integers given to a function of reals */
        t = e->out->dtype == OB_DTYPE_F64 ? &F64 : &F32;
    return t;
}

/* ---- layout ---- */

/* Strides of an operand along the result's dimensions: 0 where it is repeated. */
static void align(cuda_args *args, int k, const ob_tensor *out, const ob_tensor *tensor)
{
    const int missing = out->ndim - tensor->ndim;
    for (int d = 0; d < out->ndim; d++) {
        const int own = d - missing;
        args->strides[k][d] = own >= 0 && tensor->sizes[own] != 1 ? tensor->strides[own] : 0;
    }
}

static void drop_dimension(cuda_args *args, int64_t d)
{
    for (int64_t i = d; i + 1 < args->ndim; i++) {
        args->sizes[i] = args->sizes[i + 1];
        for (int k = 0; k < CUDA_OPERANDS; k++)
            args->strides[k][i] = args->strides[k][i + 1];
    }
    args->ndim--;
}

static bool joins(const cuda_args *args, int64_t d)
{
    bool joined = true;
    for (int k = 0; k < CUDA_OPERANDS; k++)
        joined = joined && args->strides[k][d] == args->strides[k][d + 1] * args->sizes[d + 1];
    return joined;
}

/* Fewer dimensions, fewer divisions: those of one element go, and neighbours that all operands have in one
 * piece become one. */
static void join_dimensions(cuda_args *args)
{
    for (int64_t d = args->ndim - 1; d >= 0; d--) {
        if (args->sizes[d] == 1)
            drop_dimension(args, d);
    }
    for (int64_t d = args->ndim - 2; d >= 0; d--) {
        if (!joins(args, d))
            continue;
        args->sizes[d + 1] *= args->sizes[d];
        drop_dimension(args, d);
    }
}

/* ---- the head of a kernel ---- */

static void add_load(const ob_host *host, char *head, size_t size, char letter, int k,
                     const ob_value *value)
{
    const size_t used = strlen(head);
    if (value->kind == OB_VALUE_TENSOR)
        snprintf(head + used, size - used, "#define LOAD_%c(i) LOAD_%s(a.in[%d], i)\n", letter,
                 host->dtype_get_info(value->as.tensor->dtype)->name, k);
    else
        snprintf(head + used, size - used, "#define LOAD_%c(i) NUMBER(%d)\n", letter, k);
}

static void write_head(const ob_host *host, const plan_elementwise_args *e, const type *t,
                       int inputs, char *head, size_t size)
{
    snprintf(head, size,
             "#define T %s\n#define CLASS %s\n#define REAL %d\n%s\n#define EXPRESSION %s\n"
             "#define STORE(i, v) STORE_%s(a.out, i, v)\n%s",
             t->name, t->cls, t->real, t->more, plan_loop_text(e->loop, !t->real),
             host->dtype_get_info(e->out->dtype)->name,
             e->mask != NULL ? "#define LOAD_MASK\n" : "");
    for (int k = 0; k < inputs; k++)
        add_load(host, head, size, (char)('X' + k), k, e->inputs[k]);
}

/* ---- setting up ---- */

/* The word that a kernel sets when it divides an integer by zero. */
static ob_status need_fault(plan_env *env, ob_err *err)
{
    const int none = 0;
    if (env->fault != 0)
        return OB_OK;
    OB_TRY(
        cuda_check(env, env->driver.mem_alloc(&env->fault, sizeof none), "memory for faults", err));
    return cuda_check(env, env->driver.mem_upload(env->fault, &none, sizeof none),
                      "clearing the fault word", err);
}

static ob_status init_work(plan_env *env, const plan_elementwise_args *e, cuda_work *w, ob_err *err)
{
    const ob_host *host = env->host;
    const plan_loop_kind kind = plan_loop_kind_of(e->loop);
    const type *t = computing_type(host, e, kind == PLAN_KIND_TEST1 || kind == PLAN_KIND_TEST2);
    const int inputs = plan_loop_operands(e->loop);
    cuda_args *args = &w->args;
    char head[1024];
    *w = (cuda_work){.args = {.count = host->tensor_numel(e->out),
                              .ndim = e->out->ndim,
                              .out = cuda_address(host, e->out)}};
    memcpy(args->sizes, e->out->sizes, (size_t)e->out->ndim * sizeof *args->sizes);
    align(args, 0, e->out, e->out);
    for (int k = 0; k < inputs && e->inputs[k] != NULL; k++) {
        if (e->inputs[k]->kind == OB_VALUE_TENSOR) {
            align(args, k + 1, e->out, e->inputs[k]->as.tensor);
            args->in[k] = cuda_address(host, e->inputs[k]->as.tensor);
        }
        args->number_real[k] = plan_value_real(e->inputs[k]);
        args->number_integer[k] = plan_value_integer(e->inputs[k]);
    }
    if (e->mask != NULL) {
        align(args, 4, e->out, e->mask);
        args->in[3] = cuda_address(host, e->mask);
    }
    for (int k = 0; k < 4; k++) {
        if (e->scalars[k] == NULL)
            continue;
        args->real[k] = plan_value_real(e->scalars[k]);
        args->integer[k] = plan_value_integer(e->scalars[k]);
    }
    join_dimensions(args);
    const int64_t blocks = (args->count + BLOCK - 1) / BLOCK;
    w->blocks = (unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
    write_head(host, e, t, inputs, head, sizeof head);
    if (!t->real)
        OB_TRY(need_fault(env, err));
    args->fault = env->fault;
    return cuda_function(env, head, &w->function, err);
}

ob_status cuda_work_launch(const plan_env *env, cuda_work *w, ob_err *err)
{
    if (w->blocks == 0)
        return OB_OK;
    w->params[0] = &w->args;
    const CUresult result = env->driver.launch(w->function, w->blocks, 1, 1, BLOCK, 1, 1, 0,
                                               env->stream, w->params, NULL);
    return result == CUDA_SUCCESS ? OB_OK : cuda_check(env, result, "cuLaunchKernel", err);
}

static ob_status setup_args(plan_call *call, const plan_elementwise_args *e, ob_err *err)
{
    void *state;
    OB_TRY(plan_state(call, sizeof(cuda_work), &state, err));
    return init_work(call->env, e, state, err);
}

static ob_status setup(plan_call *call, ob_err *err)
{
    plan_elementwise_args e;
    ob_value defaults[4];
    OB_TRY(plan_elementwise_read(call, &e, defaults, err));
    return setup_args(call, &e, err);
}

static ob_status run(const plan_call *call, ob_err *err)
{
    return cuda_work_launch(call->env, call->state, err);
}

static ob_status run_nothing(const plan_call *call, ob_err *err)
{
    (void)call, (void)err;
    return OB_OK;
}

/* ---- copies and constants ---- */

static plan_elementwise_args copy_of(const ob_tensor *to, const ob_value *from)
{
    return (plan_elementwise_args){.loop = PLAN_LOOP_copy, .out = to, .inputs = {from}};
}

static ob_status setup_copy(plan_call *call, ob_err *err)
{
    const plan_elementwise_args e = copy_of(plan_output(call, 0), &call->args[0]);
    return setup_args(call, &e, err);
}

/* copy_ and fill_ with a tensor: the second argument goes into the first. */
static ob_status setup_assign(plan_call *call, ob_err *err)
{
    const plan_elementwise_args e = copy_of(plan_output(call, 0), &call->args[1]);
    return setup_args(call, &e, err);
}

static ob_status setup_constant(plan_call *call, ob_err *err)
{
    const ob_value number = ob_value_int(call->kernel->variant);
    const plan_elementwise_args e = copy_of(plan_output(call, 0), &number);
    return setup_args(call, &e, err);
}

static ob_status setup_given(plan_call *call, ob_err *err)
{
    const plan_elementwise_args e = copy_of(plan_output(call, 0), plan_given_number(call));
    return setup_args(call, &e, err);
}

ob_status cuda_work_copy(plan_env *env, const ob_tensor *to, const ob_value *from, cuda_work *w,
                         ob_err *err)
{
    const plan_elementwise_args e = copy_of(to, from);
    return init_work(env, &e, w, err);
}

/* A piece of work outside the list of a case: made, launched and forgotten. */
static ob_status do_now(plan_env *env, const plan_elementwise_args *e, ob_err *err)
{
    cuda_work w;
    OB_TRY(init_work(env, e, &w, err));
    return cuda_work_launch(env, &w, err);
}

ob_status cuda_tensor_copy(plan_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err)
{
    ob_tensor tensor = *from;
    const ob_value value = {.kind = OB_VALUE_TENSOR, .as.tensor = &tensor};
    const plan_elementwise_args e = copy_of(to, &value);
    return do_now(env, &e, err);
}

ob_status cuda_tensor_fill(plan_env *env, const ob_tensor *to, double value, ob_err *err)
{
    const ob_value number = ob_value_double(value);
    const plan_elementwise_args e = copy_of(to, &number);
    return do_now(env, &e, err);
}

ob_status cuda_tensor_add(plan_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err)
{
    ob_tensor sum = *to, more = *from;
    const ob_value left = {.kind = OB_VALUE_TENSOR, .as.tensor = &sum};
    const ob_value right = {.kind = OB_VALUE_TENSOR, .as.tensor = &more};
    const ob_value one = ob_value_int(1);
    const plan_elementwise_args e = {
        .loop = PLAN_LOOP_add, .out = to, .inputs = {&left, &right}, .scalars = {&one}};
    return do_now(env, &e, err);
}

#define WORK(op, mask, how)                                                                        \
    {                                                                                              \
        .name = (op), .dtypes = (mask), .setup = (how), .run = run                                 \
    }
#define MAYBE(op)                                                                                  \
    {                                                                                              \
        .name = (op), .dtypes = PLAN_REALS, .setup = setup_copy, .run = run,                       \
        .kind = PLAN_VIEW_OR_COMPUTE                                                               \
    }
#define PLAN_CONSTANT(op, number)                                                                  \
    {.name = (op), .dtypes = PLAN_REALS, .setup = setup_constant, .run = run, .variant = (number)},
#define PLAN_GIVEN(op) {.name = (op), .dtypes = PLAN_REALS, .setup = setup_given, .run = run},
#define PLAN_EMPTY(op) {.name = (op), .dtypes = PLAN_ALL, .run = run_nothing},

const plan_kernel cuda_kernels_elementwise[] = {
#define PLAN_EW(op, types, loop, operands, scalars)                                                \
    {.name = (op),                                                                                 \
     .dtypes = PLAN_##types,                                                                       \
     .setup = setup,                                                                               \
     .run = run,                                                                                   \
     .data = &(const plan_elementwise_row){PLAN_LOOP_##loop, operands, scalars}},
#include "plan/elementwise.def"
#undef PLAN_EW
    WORK("aten::clone", PLAN_REALS, setup_copy),
    WORK("aten::_to_copy", PLAN_REALS, setup_copy),
    WORK("aten::copy_", PLAN_REALS, setup_assign),
    WORK("aten::fill_.Tensor", PLAN_REALS, setup_assign),
    MAYBE("aten::contiguous"),
    MAYBE("aten::to.dtype"),
    MAYBE("aten::to.device"),
    MAYBE("aten::to.other"),
    MAYBE("aten::to.dtype_layout"),
#include "plan/create.def"
    {.name = NULL},
};
