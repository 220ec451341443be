/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators, copies and constants: one frame (kernels/elementwise.cu), for each combination of
 * expression and dtypes a kernel of its own. run launches and does nothing else.
 */
#include "cuda_elementwise.h"

#include "kit/tensor_pieces.h"

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

static const type *computing_type(const ob_host *host, const ob_kit_elementwise_args *e,
                                  bool is_test)
{
    const ob_value *x = e->inputs[0];
    ob_dtype dtype = e->out->dtype;
    if (is_test || e->in_place)
        dtype = ob_kit_promote(host, e->inputs, 3);
    /* What is not zero becomes true, 0.5 too. */
    if (e->loop == OB_KIT_LOOP_copy && dtype == OB_DTYPE_BOOL && x->kind == OB_VALUE_TENSOR)
        dtype = x->as.tensor->dtype;
    const type *t = type_of(dtype);
    if (ob_kit_loop_text(e->loop, !t->real) == NULL) /* integers given to a function of reals */
        t = e->out->dtype == OB_DTYPE_F64 ? &F64 : &F32;
    return t;
}

/* ---- layout ---- */

/* Fewer dimensions, fewer divisions: those of one element go, and neighbours that all operands have in one
 * piece become one. */
static void join_dimensions(cuda_args *args)
{
    ob_kit_dims dims = {
        .ndim = (int)args->ndim, .operand_count = CUDA_OPERANDS, .sizes = args->sizes};
    for (int k = 0; k < CUDA_OPERANDS; k++)
        dims.strides[k] = args->strides[k];
    ob_kit_dims_drop_ones(&dims);
    ob_kit_dims_merge(&dims);
    args->ndim = dims.ndim;
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

static void write_head(const ob_host *host, const ob_kit_elementwise_args *e, const type *t,
                       int inputs, char *head, size_t size)
{
    snprintf(head, size,
             "#define T %s\n#define CLASS %s\n#define REAL %d\n%s\n#define EXPRESSION %s\n"
             "#define STORE(i, v) STORE_%s(a.out, i, v)\n%s",
             t->name, t->cls, t->real, t->more, ob_kit_loop_text(e->loop, !t->real),
             host->dtype_get_info(e->out->dtype)->name,
             e->mask != NULL ? "#define LOAD_MASK\n" : "");
    for (int k = 0; k < inputs; k++)
        add_load(host, head, size, (char)('X' + k), k, e->inputs[k]);
}

/* ---- setting up ---- */

/* The word that a kernel sets when it divides an integer by zero. */
static ob_status need_fault(ob_kit_env *env, ob_err *err)
{
    const int none = 0;
    if (env->fault != 0)
        return OB_OK;
    OB_TRY(
        cuda_check(env, env->driver.mem_alloc(&env->fault, sizeof none), "memory for faults", err));
    return cuda_check(env, env->driver.mem_upload(env->fault, &none, sizeof none),
                      "clearing the fault word", err);
}

static ob_status init_work(ob_kit_env *env, const ob_kit_elementwise_args *e, cuda_work *w,
                           ob_err *err)
{
    const ob_host *host = env->host;
    const ob_kit_loop_kind kind = ob_kit_loop_kind_of(e->loop);
    const type *t = computing_type(host, e, kind == OB_KIT_KIND_TEST1 || kind == OB_KIT_KIND_TEST2);
    const int inputs = ob_kit_loop_operands(e->loop);
    cuda_args *args = &w->args;
    char head[1024];
    *w = (cuda_work){.args = {.count = host->tensor_numel(e->out),
                              .ndim = e->out->ndim,
                              .out = cuda_address(host, e->out)}};
    memcpy(args->sizes, e->out->sizes, (size_t)e->out->ndim * sizeof *args->sizes);
    ob_kit_broadcast_strides(e->out, e->out->ndim, args->strides[0]);
    for (int k = 0; k < inputs && e->inputs[k] != NULL; k++) {
        if (e->inputs[k]->kind == OB_VALUE_TENSOR) {
            ob_kit_broadcast_strides(e->inputs[k]->as.tensor, e->out->ndim, args->strides[k + 1]);
            args->in[k] = cuda_address(host, e->inputs[k]->as.tensor);
        }
        args->number_real[k] = ob_kit_value_real(e->inputs[k]);
        args->number_integer[k] = ob_kit_value_integer(e->inputs[k]);
    }
    if (e->mask != NULL) {
        ob_kit_broadcast_strides(e->mask, e->out->ndim, args->strides[4]);
        args->in[3] = cuda_address(host, e->mask);
    }
    for (int k = 0; k < 4; k++) {
        if (e->scalars[k] == NULL)
            continue;
        args->real[k] = ob_kit_value_real(e->scalars[k]);
        args->integer[k] = ob_kit_value_integer(e->scalars[k]);
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

ob_status cuda_work_launch(const ob_kit_env *env, cuda_work *w, ob_err *err)
{
    if (w->blocks == 0)
        return OB_OK;
    w->params[0] = &w->args;
    const CUresult result = env->driver.launch(w->function, w->blocks, 1, 1, BLOCK, 1, 1, 0,
                                               env->stream, w->params, NULL);
    return result == CUDA_SUCCESS ? OB_OK : cuda_check(env, result, "cuLaunchKernel", err);
}

static ob_status setup_args(ob_kit_call *call, const ob_kit_elementwise_args *e, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(cuda_work), &state, err));
    return init_work(call->env, e, state, err);
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    ob_kit_elementwise_args e;
    ob_value defaults[4];
    OB_TRY(ob_kit_elementwise_read(call, &e, defaults, err));
    return setup_args(call, &e, err);
}

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    return cuda_work_launch(call->env, call->state, err);
}

static ob_status run_nothing(const ob_kit_call *call, ob_err *err)
{
    (void)call, (void)err;
    return OB_OK;
}

/* ---- copies and constants ---- */

static ob_kit_elementwise_args copy_of(const ob_tensor *to, const ob_value *from)
{
    return (ob_kit_elementwise_args){.loop = OB_KIT_LOOP_copy, .out = to, .inputs = {from}};
}

static ob_status setup_copy(ob_kit_call *call, ob_err *err)
{
    const ob_kit_elementwise_args e = copy_of(ob_kit_output(call, 0), &call->args[0]);
    return setup_args(call, &e, err);
}

/* copy_ and fill_ with a tensor: the second argument goes into the first. */
static ob_status setup_assign(ob_kit_call *call, ob_err *err)
{
    const ob_kit_elementwise_args e = copy_of(ob_kit_output(call, 0), &call->args[1]);
    return setup_args(call, &e, err);
}

static ob_status setup_constant(ob_kit_call *call, ob_err *err)
{
    const ob_value number = ob_value_int(call->kernel->variant);
    const ob_kit_elementwise_args e = copy_of(ob_kit_output(call, 0), &number);
    return setup_args(call, &e, err);
}

static ob_status setup_given(ob_kit_call *call, ob_err *err)
{
    const ob_kit_elementwise_args e = copy_of(ob_kit_output(call, 0), ob_kit_given_number(call));
    return setup_args(call, &e, err);
}

ob_status cuda_work_copy(ob_kit_env *env, const ob_tensor *to, const ob_value *from, cuda_work *w,
                         ob_err *err)
{
    const ob_kit_elementwise_args e = copy_of(to, from);
    return init_work(env, &e, w, err);
}

/* A piece of work outside the list of a case: made, launched and forgotten. */
static ob_status do_now(ob_kit_env *env, const ob_kit_elementwise_args *e, ob_err *err)
{
    cuda_work w;
    OB_TRY(init_work(env, e, &w, err));
    return cuda_work_launch(env, &w, err);
}

ob_status cuda_tensor_copy(ob_kit_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err)
{
    ob_tensor tensor = *from;
    const ob_value value = {.kind = OB_VALUE_TENSOR, .as.tensor = &tensor};
    const ob_kit_elementwise_args e = copy_of(to, &value);
    return do_now(env, &e, err);
}

ob_status cuda_tensor_fill(ob_kit_env *env, const ob_tensor *to, double value, ob_err *err)
{
    const ob_value number = ob_value_double(value);
    const ob_kit_elementwise_args e = copy_of(to, &number);
    return do_now(env, &e, err);
}

#define WORK(op, mask, how)                                                                        \
    {                                                                                              \
        .name = (op), .dtypes = (mask), .setup = (how), .run = run                                 \
    }
#define MAYBE(op)                                                                                  \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_REALS, .setup = setup_copy, .run = run,                     \
        .kind = OB_KIT_VIEW_OR_COMPUTE                                                             \
    }
#define OB_KIT_CONSTANT(op, number)                                                                \
    {.name = (op),                                                                                 \
     .dtypes = OB_KIT_REALS,                                                                       \
     .setup = setup_constant,                                                                      \
     .run = run,                                                                                   \
     .variant = (number)},
#define OB_KIT_GIVEN(op) {.name = (op), .dtypes = OB_KIT_REALS, .setup = setup_given, .run = run},
#define OB_KIT_EMPTY(op) {.name = (op), .dtypes = OB_KIT_ALL, .run = run_nothing},

const ob_kit_kernel cuda_kernels_elementwise[] = {
#define OB_KIT_EW(op, types, loop, operands, scalars)                                              \
    {.name = (op),                                                                                 \
     .dtypes = OB_KIT_##types,                                                                     \
     .setup = setup,                                                                               \
     .run = run,                                                                                   \
     .in_place = true,                                                                             \
     .data = &(const ob_kit_elementwise_row){OB_KIT_LOOP_##loop, operands, scalars}},
#include "kit/elementwise.def"
#undef OB_KIT_EW
    WORK("aten::clone", OB_KIT_REALS, setup_copy),
    WORK("aten::_to_copy", OB_KIT_REALS, setup_copy),
    WORK("aten::copy_", OB_KIT_REALS, setup_assign),
    WORK("aten::fill_.Tensor", OB_KIT_REALS, setup_assign),
    MAYBE("aten::contiguous"),
    MAYBE("aten::to.dtype"),
    MAYBE("aten::to.device"),
    MAYBE("aten::to.other"),
    MAYBE("aten::to.dtype_layout"),
#include "kit/create.def"
    {.name = NULL},
};
