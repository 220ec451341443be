/* SPDX-License-Identifier: Apache-2.0
 *
 * Losses of two tensors, element by element, with their reduction, and their backwards. One row per
 * loss gives the two expressions; x is the input, t the target, w the weight (1 without one), g the
 * gradient and p the loss's parameter.
 */
#include "dense.h"

#include <math.h>

enum { REDUCE_NONE = 0, REDUCE_MEAN = 1 };
enum { BLOCK = 256 }; /* terms that are summed in the tensor's type before double takes over */

/* How far log(0) is let go, and how small x (1 - x) is let become, in binary cross entropy. */
#define LOG_FLOOR ((T)-100)
#define CLIPPED(v) ((v) < LOG_FLOOR ? LOG_FLOOR : (v))
#define SPREAD(x) (((1 - (x)) * (x)) > (T)1e-12 ? (1 - (x)) * (x) : (T)1e-12)

/* name, name of the parameter, loss, slope times g */
#define LOSSES(X)                                                                                  \
    X(mse, "", (x - t) * (x - t), 2 * (x - t) * g)                                                 \
    X(smooth_l1, "beta",                                                                           \
      M(fabs)(x - t) < p ? (x - t) * (x - t) / (2 * p) : M(fabs)(x - t) - p / 2,                   \
      x - t <= -p  ? -g                                                                            \
      : x - t >= p ? g                                                                             \
                   : (x - t) * g / p)                                                              \
    X(huber, "delta", M(fabs)(x - t) <= p ? (x - t) * (x - t) / 2 : p * (M(fabs)(x - t) - p / 2),  \
      x - t <= -p  ? -g * p                                                                        \
      : x - t >= p ? g * p                                                                         \
                   : (x - t) * g)                                                                  \
    X(bce, "", w *((t - 1) * CLIPPED(M(log1p)(-x)) - t * CLIPPED(M(log)(x))),                      \
      g *w *(x - t) / SPREAD(x))

typedef enum loss_kind {
#define LOSS_ENUM(name, parameter, value, slope) LOSS_##name,
    LOSSES(LOSS_ENUM)
} loss_kind;

static const char *const PARAMETERS[] = {
#define LOSS_PARAMETER(name, parameter, value, slope) parameter,
    LOSSES(LOSS_PARAMETER)};

typedef struct loss_args {
    const void *x, *t, *w; /* w may be NULL */
    const void *g;         /* backward; NULL: all are g_all */
    void *out;             /* NULL: the sum is wanted */
    double g_all, p;
    int64_t count;
} loss_args;

/* Instances for one type: T and M(function). */
#define LOAD                                                                                       \
    const T x = ((const T *)a->x)[i], t = ((const T *)a->t)[i];                                    \
    const T w = a->w == NULL ? 1 : ((const T *)a->w)[i];                                           \
    (void)w
#define DEFINE_FORWARD(name, parameter, value, slope)                                              \
    static double NAME(forward_##name)(const loss_args *a)                                         \
    {                                                                                              \
        const T p = (T)a->p;                                                                       \
        double total = 0;                                                                          \
        (void)p;                                                                                   \
        for (int64_t block = 0; block < a->count; block += BLOCK) {                                \
            const int64_t end = a->count - block < BLOCK ? a->count : block + BLOCK;               \
            T part[BLOCK];                                                                         \
            T *to = a->out == NULL ? part : (T *)a->out + block;                                   \
            for (int64_t i = block; i < end; i++) {                                                \
                LOAD;                                                                              \
                to[i - block] = (value);                                                           \
            }                                                                                      \
            for (int64_t i = 0; i < end - block && a->out == NULL; i++)                            \
                total += (double)part[i];                                                          \
        }                                                                                          \
        return total;                                                                              \
    }
#define DEFINE_BACKWARD(name, parameter, value, slope)                                             \
    static double NAME(backward_##name)(const loss_args *a)                                        \
    {                                                                                              \
        const T p = (T)a->p, g_all = (T)a->g_all;                                                  \
        T *out = a->out;                                                                           \
        (void)p;                                                                                   \
        for (int64_t i = 0; i < a->count; i++) {                                                   \
            LOAD;                                                                                  \
            const T g = a->g == NULL ? g_all : ((const T *)a->g)[i];                               \
            out[i] = (slope);                                                                      \
        }                                                                                          \
        return 0;                                                                                  \
    }

#define T float
#define M(function) function##f
#define NAME(name) name##_f32
LOSSES(DEFINE_FORWARD)
LOSSES(DEFINE_BACKWARD)
#undef T
#undef M
#undef NAME
#define T double
#define M(function) function
#define NAME(name) name##_f64
LOSSES(DEFINE_FORWARD)
LOSSES(DEFINE_BACKWARD)

typedef double (*loss_fn)(const loss_args *args);
static const loss_fn FUNCTIONS[][2][2] = {
#define LOSS_FUNCTIONS(name, parameter, value, slope)                                              \
    {{forward_##name##_f32, forward_##name##_f64}, {backward_##name##_f32, backward_##name##_f64}},
    LOSSES(LOSS_FUNCTIONS)};

/* ---- the kernels ---- */

enum { BACKWARD = 16 }; /* in the variant, beside the loss */

typedef struct loss {
    native_class cls;
    loss_fn fn;
    int64_t reduction, count;
    bool one_gradient; /* a single number, for all elements */
    double parameter;
    native_dense x, t, w, g, out;
} loss;

/* The sizes that self and target have together. */
static ob_tensor together(const ob_tensor *a, const ob_tensor *b)
{
    ob_tensor out = a->ndim >= b->ndim ? *a : *b;
    for (int i = 1; i <= out.ndim; i++) {
        const int64_t x = i <= a->ndim ? a->sizes[a->ndim - i] : 1;
        const int64_t y = i <= b->ndim ? b->sizes[b->ndim - i] : 1;
        out.sizes[out.ndim - i] = x == 1 ? y : x;
    }
    return out;
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(loss), &state, err));
    loss *l = state;
    const bool backward = (call->kernel->variant & BACKWARD) != 0;
    const int kind = call->kernel->variant & ~BACKWARD;
    const ob_tensor *x = ob_kit_arg_tensor(call, "self"), *t = ob_kit_arg_tensor(call, "target");
    const ob_tensor *w = ob_kit_arg_tensor(call, "weight"), *out = ob_kit_output(call, 0);
    const ob_tensor *g = ob_kit_arg_tensor(call, "grad_output");
    const ob_tensor space = together(x, t);
    l->cls = native_wide_class(x->dtype) == NATIVE_F64 || native_wide_class(t->dtype) == NATIVE_F64
                 ? NATIVE_F64
                 : NATIVE_F32;
    l->fn = FUNCTIONS[kind][backward][l->cls == NATIVE_F64];
    l->reduction = ob_kit_arg_int(call, "reduction", REDUCE_MEAN);
    l->parameter = ob_kit_arg_double(call, PARAMETERS[kind], 1);
    l->count = ob_kit_numel(&space);
    OB_TRY(native_dense_plan_like(call, x, &space, l->cls, &l->x, err));
    OB_TRY(native_dense_plan_like(call, t, &space, l->cls, &l->t, err));
    OB_TRY(native_dense_plan_like(call, w, &space, l->cls, &l->w, err));
    l->one_gradient = backward && ob_kit_numel(g) == 1;
    if (backward && l->one_gradient)
        OB_TRY(native_dense_plan(call, g, l->cls, &l->g, err));
    else if (backward)
        OB_TRY(native_dense_plan_like(call, g, &space, l->cls, &l->g, err));
    return native_dense_plan(call, out, l->cls, &l->out, err);
}

static double get(const loss *l, const void *array)
{
    return l->cls == NATIVE_F64 ? *(const double *)array : (double)*(const float *)array;
}

static void set(const loss *l, void *array, double value)
{
    if (l->cls == NATIVE_F64)
        *(double *)array = value;
    else
        *(float *)array = (float)value;
}

static ob_status run_forward(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const loss *l = call->state;
    void *out = native_dense_place(call, &l->out);
    const double total = l->fn(&(const loss_args){
        .x = native_dense_read(call, &l->x),
        .t = native_dense_read(call, &l->t),
        .w = native_dense_read(call, &l->w),
        .out = l->reduction == REDUCE_NONE ? out : NULL,
        .p = l->parameter,
        .count = l->count,
    });
    if (l->reduction != REDUCE_NONE)
        set(l, out, l->reduction == REDUCE_MEAN ? total / (double)l->count : total);
    native_dense_write(call, &l->out);
    return OB_OK;
}

static ob_status run_backward(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const loss *l = call->state;
    const double share = l->reduction == REDUCE_MEAN ? 1 / (double)l->count : 1;
    const void *g = native_dense_read(call, &l->g);
    /* A mean has one gradient: its share is what each element gets. */
    (void)l->fn(&(const loss_args){
        .x = native_dense_read(call, &l->x),
        .t = native_dense_read(call, &l->t),
        .w = native_dense_read(call, &l->w),
        .g = l->one_gradient ? NULL : g,
        .g_all = l->one_gradient ? get(l, g) * share : 0,
        .out = native_dense_place(call, &l->out),
        .p = l->parameter,
        .count = l->count,
    });
    native_dense_write(call, &l->out);
    return OB_OK;
}

#define LOSS(op_name, which)                                                                       \
    {.name = "aten::" op_name,                                                                     \
     .dtypes = OB_KIT_FLOATS,                                                                      \
     .setup = setup,                                                                               \
     .run = run_forward,                                                                           \
     .variant = (which)},                                                                          \
    {                                                                                              \
        .name = "aten::" op_name "_backward", .dtypes = OB_KIT_FLOATS, .setup = setup,             \
        .run = run_backward, .variant = (which) | BACKWARD                                         \
    }

const ob_kit_kernel native_kernels_loss[] = {
    LOSS("mse_loss", LOSS_mse),
    LOSS("smooth_l1_loss", LOSS_smooth_l1),
    LOSS("huber_loss", LOSS_huber),
    LOSS("binary_cross_entropy", LOSS_bce),
    {.name = NULL},
};
