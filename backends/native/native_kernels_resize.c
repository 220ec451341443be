/* SPDX-License-Identifier: Apache-2.0
 *
 * Padding with a constant, and resizing to the nearest neighbour with its backward.
 */
#include "dense.h"

#include <math.h>
#include <string.h>

/* ---- padding ---- */

/* The middle of the output and what of the input goes there; a negative pad cuts. */
typedef struct padding {
    ob_tensor from, to;
    double value;
} padding;

static ob_status setup_pad(ob_kit_call *call, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(padding), &state, err));
    padding *p = state;
    int64_t pad[2 * OB_MAX_DIMS] = {0};
    const size_t count = ob_kit_arg_ints(call, "pad", pad, 2 * OB_MAX_DIMS);
    p->from = *ob_kit_arg_tensor(call, "self");
    p->to = *ob_kit_output(call, 0);
    p->value = ob_kit_arg_double(call, "value", 0);
    for (size_t i = 0; i < count / 2; i++) {
        const int d = p->from.ndim - 1 - (int)i;
        const int64_t before = pad[2 * i], after = pad[2 * i + 1];
        if (before < 0)
            p->from.offset -= before * p->from.strides[d];
        else
            p->to.offset += before * p->to.strides[d];
        const int64_t cut = (before < 0 ? -before : 0) + (after < 0 ? -after : 0);
        const int64_t left = p->from.sizes[d] - cut;
        p->from.sizes[d] = p->to.sizes[d] = left > 0 ? left : 0;
    }
    return OB_OK;
}

static ob_status run_pad(const ob_kit_call *call, ob_err *err)
{
    const padding *p = call->state;
    native_fill(call->env, ob_kit_output(call, 0), p->value);
    return native_copy(call->env, &p->to, &p->from, err);
}

/* ---- nearest neighbour ---- */

typedef struct resize {
    native_class cls;
    native_dense in, out;
    int64_t planes;
    int64_t small[2], large[2];
    int64_t *source[2]; /* large[d] of them: the line or column of the small image */
    int64_t table[];
} resize;

/* As PyTorch: a given scale counts, otherwise the sizes do. */
static void fill_sources(const resize *r, int d, double scale)
{
    const int64_t small = r->small[d], large = r->large[d];
    const double ratio = scale > 0 ? 1 / scale : (double)small / (double)(large > 0 ? large : 1);
    for (int64_t i = 0; i < large; i++) {
        const double at = floor((double)i * ratio);
        const bool inside = at < (double)small;
        r->source[d][i] = small == large ? i : inside ? (int64_t)at : small - 1;
    }
}

static ob_status setup_resize(ob_kit_call *call, ob_err *err)
{
    const bool backward = call->kernel->variant;
    const ob_tensor *in = ob_kit_arg_tensor(call, backward ? "grad_output" : "self");
    const ob_tensor *out = ob_kit_output(call, 0);
    const ob_tensor *large = backward ? in : out, *small = backward ? out : in;
    void *state;
    const size_t lines = (size_t)(large->sizes[2] + large->sizes[3]);
    OB_TRY(ob_kit_state(call, sizeof(resize) + lines * sizeof(int64_t), &state, err));
    resize *r = state;
    r->cls = native_wide_class(in->dtype);
    r->planes = in->sizes[0] * in->sizes[1];
    r->source[0] = r->table;
    r->source[1] = r->table + large->sizes[2];
    for (int d = 0; d < 2; d++) {
        r->small[d] = small->sizes[2 + d];
        r->large[d] = large->sizes[2 + d];
        fill_sources(r, d, ob_kit_arg_double(call, d == 0 ? "scales_h" : "scales_w", 0));
    }
    if (ob_kit_numel(small) == 0 && ob_kit_numel(large) > 0)
        return call->env->host->err_set(err, OB_ERR_INVALID,
                                        "%s of an empty image; give one with at least one element",
                                        call->kernel->name);
    OB_TRY(native_dense_plan(call, in, r->cls, &r->in, err));
    return native_dense_plan(call, out, r->cls, &r->out, err);
}

typedef struct job {
    const resize *r;
    const void *in;
    void *out;
} job;

#define DEFINE_FORWARD(suffix, type)                                                               \
    static void forward_##suffix(void *ctx, int64_t begin, int64_t end)                            \
    {                                                                                              \
        const job *j = ctx;                                                                        \
        const resize *r = j->r;                                                                    \
        type *out = (type *)j->out + begin * r->large[0] * r->large[1];                            \
        for (int64_t plane = begin; plane < end; plane++) {                                        \
            const type *in = (const type *)j->in + plane * r->small[0] * r->small[1];              \
            for (int64_t y = 0; y < r->large[0]; y++)                                              \
                for (int64_t x = 0; x < r->large[1]; x++)                                          \
                    *out++ = in[r->source[0][y] * r->small[1] + r->source[1][x]];                  \
        }                                                                                          \
    }
DEFINE_FORWARD(4, uint32_t)
DEFINE_FORWARD(8, uint64_t)

#define DEFINE_BACKWARD(suffix, type)                                                              \
    static void backward_##suffix(void *ctx, int64_t begin, int64_t end)                           \
    {                                                                                              \
        const job *j = ctx;                                                                        \
        const resize *r = j->r;                                                                    \
        const type *in = (const type *)j->in + begin * r->large[0] * r->large[1];                  \
        for (int64_t plane = begin; plane < end; plane++) {                                        \
            type *out = (type *)j->out + plane * r->small[0] * r->small[1];                        \
            memset(out, 0, (size_t)(r->small[0] * r->small[1]) * sizeof *out);                     \
            for (int64_t y = 0; y < r->large[0]; y++)                                              \
                for (int64_t x = 0; x < r->large[1]; x++)                                          \
                    out[r->source[0][y] * r->small[1] + r->source[1][x]] += *in++;                 \
        }                                                                                          \
    }
DEFINE_BACKWARD(f32, float)
DEFINE_BACKWARD(f64, double)

static ob_status run_resize(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const resize *r = call->state;
    job j = {
        .r = r, .in = native_dense_read(call, &r->in), .out = native_dense_place(call, &r->out)};
    const bool small = native_class_size(r->cls) == 4;
    const native_range_fn forward = small ? forward_4 : forward_8;
    const native_range_fn backward = small ? backward_f32 : backward_f64;
    native_parallel(call->env, r->planes, 16, call->kernel->variant ? backward : forward, &j);
    native_dense_write(call, &r->out);
    return OB_OK;
}

const ob_kit_kernel native_kernels_resize[] = {
    {.name = "aten::constant_pad_nd", .dtypes = OB_KIT_REALS, .setup = setup_pad, .run = run_pad},
    {.name = "aten::upsample_nearest2d",
     .dtypes = OB_KIT_REALS,
     .setup = setup_resize,
     .run = run_resize},
    {.name = "aten::upsample_nearest2d_backward",
     .dtypes = OB_KIT_FLOATS,
     .setup = setup_resize,
     .run = run_resize,
     .variant = 1},
    {.name = NULL},
};
