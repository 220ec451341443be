/* SPDX-License-Identifier: Apache-2.0
 *
 * Maximum and average pools over 2 and 3 dimensions, with fixed and with adaptive windows, and
 * their backwards. Pools over one dimension are taken apart into these.
 */
#include "dense.h"
#include "kit/sliding_window.h"
#include "pool.h"

#include <stdatomic.h>
#include <string.h>

/* Planes per piece of work for a thread. */
enum { PLANE_ELEMENTS = 1 << 14 };

/* variant of a row */
enum { MAX, MAX_BACKWARD, AVG, AVG_BACKWARD, ADAPTIVE = 8 };

typedef struct pool_state {
    native_pool pool;
    native_window window;
    native_class cls;
    int64_t planes;
    native_dense in, indices, out; /* in: the input, or the gradient */
    native_span spans[];           /* of all dimensions */
} pool_state;

/* "self" of every pool has the wide side's sizes; the other side is the output or the gradient. */
static int count_dims(const ob_kit_call *call)
{
    return strstr(call->kernel->name, "pool3d") != NULL ? 3 : 2;
}

static native_window find_window(const ob_kit_call *call, const ob_tensor *wide,
                                 const ob_tensor *narrow)
{
    native_window w;
    const int dims = count_dims(call);
    ob_kit_window_sizes(wide, dims, w.wide);
    ob_kit_window_sizes(narrow, dims, w.narrow);
    ob_kit_window_list(call, "kernel_size", dims, 1, w.kernel);
    if (!ob_kit_window_list(call, "stride", dims, 1, w.stride))
        memcpy(w.stride, w.kernel, sizeof w.stride);
    ob_kit_window_list(call, "padding", dims, 0, w.padding);
    ob_kit_window_list(call, "dilation", dims, 1, w.dilation);
    return w;
}

static void fill_spans(pool_state *s, const native_window *w, bool adaptive)
{
    native_span *spans = s->spans;
    for (int d = 0; d < NATIVE_SPATIAL; d++) {
        s->pool.wide[d] = w->wide[d];
        s->pool.narrow[d] = w->narrow[d];
        s->pool.step[d] = w->dilation[d];
        s->pool.spans[d] = spans;
        if (adaptive)
            native_pool_adaptive_spans(w->wide[d], w->narrow[d], spans);
        else
            native_pool_window_spans(w, d, spans);
        spans += w->narrow[d];
    }
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    const int what = call->kernel->variant & ~ADAPTIVE;
    const bool backward = what == MAX_BACKWARD || what == AVG_BACKWARD;
    const ob_tensor *self = ob_kit_arg_tensor(call, "self");
    const ob_tensor *in = backward ? ob_kit_arg_tensor(call, "grad_output") : self;
    const ob_tensor *out = ob_kit_output(call, 0);
    const native_window w = find_window(call, self, backward ? in : out);
    const size_t spans = (size_t)(w.narrow[0] + w.narrow[1] + w.narrow[2]);
    void *state;
    if (spans > PTRDIFF_MAX / sizeof(native_span) / 2)
        return call->env->host->err_set(err, OB_ERR_OVERFLOW,
                                        "%s has %zu windows in a row; use a "
                                        "smaller output",
                                        call->kernel->name, spans);
    OB_TRY(ob_kit_state(call, sizeof(pool_state) + spans * sizeof(native_span), &state, err));
    pool_state *s = state;
    s->cls = native_wide_class(self->dtype);
    if (s->cls == NATIVE_I64) /* f64 holds the integers that the rows allow, and their sums */
        s->cls = NATIVE_F64;
    s->pool.divisor = ob_kit_arg_int(call, "divisor_override", 0);
    s->pool.include_pad = ob_kit_arg_bool(call, "count_include_pad", true);
    s->window = w;
    s->pool.window = (call->kernel->variant & ADAPTIVE) != 0 ? NULL : &s->window;
    s->pool.rows = native_rows_of(call->env, s->cls);
    fill_spans(s, &w, s->pool.window == NULL);
    s->planes = 1;
    for (int d = 0; d < self->ndim - count_dims(call); d++)
        s->planes *= self->sizes[d];
    OB_TRY(native_dense_plan(call, in, s->cls, &s->in, err));
    const ob_tensor *indices = what == MAX            ? ob_kit_output(call, 1)
                               : what == MAX_BACKWARD ? ob_kit_arg_tensor(call, "indices")
                                                      : NULL;
    OB_TRY(native_dense_plan(call, indices, NATIVE_I64, &s->indices, err));
    return native_dense_plan(call, out, s->cls, &s->out, err);
}

typedef struct job {
    const pool_state *state;
    const void *in;
    void *out;
    int64_t *indices;
    int what;
    atomic_bool bad_index;
} job;

#define IN(type) ((const type *)j->in)
#define OUT(type) ((type *)j->out)
#define DEFINE_PART(suffix, type)                                                                  \
    static void part_##suffix(void *ctx, int64_t begin, int64_t end)                               \
    {                                                                                              \
        job *j = ctx;                                                                              \
        const native_pool *p = &j->state->pool;                                                    \
        switch (j->what) {                                                                         \
        case MAX:                                                                                  \
            native_pool_max_##suffix(p, IN(type), OUT(type), j->indices, begin, end);              \
            break;                                                                                 \
        case MAX_BACKWARD:                                                                         \
            if (!native_pool_max_backward_##suffix(p, IN(type), j->indices, OUT(type), begin,      \
                                                   end))                                           \
                atomic_store(&j->bad_index, true);                                                 \
            break;                                                                                 \
        case AVG:                                                                                  \
            native_pool_avg_##suffix(p, IN(type), OUT(type), begin, end);                          \
            break;                                                                                 \
        default:                                                                                   \
            native_pool_avg_backward_##suffix(p, IN(type), OUT(type), begin, end);                 \
        }                                                                                          \
    }
NATIVE_POOL_TYPES(DEFINE_PART)

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    const pool_state *s = call->state;
    const int what = call->kernel->variant & ~ADAPTIVE;
    job j = {.state = s, .what = what};
    j.in = native_dense_read(call, &s->in);
    j.indices = what == MAX_BACKWARD ? native_dense_read(call, &s->indices)
                                     : native_dense_place(call, &s->indices);
    j.out = native_dense_place(call, &s->out);
    const int64_t plane = native_window_product(s->pool.wide);
    native_parallel(call->env, s->planes, PLANE_ELEMENTS / (plane + 1) + 1,
                    s->cls == NATIVE_F32 ? part_f32 : part_f64, &j);
    if (atomic_load(&j.bad_index))
        return call->env->host->err_set(err, OB_ERR_INVALID,
                                        "an index of %s is outside its plane of %lld elements; "
                                        "give the indices from the forward pass",
                                        call->kernel->name, (long long)plane);
    native_dense_write(call, &s->out);
    if (what == MAX)
        native_dense_write(call, &s->indices);
    return OB_OK;
}

#define DTYPES (OB_KIT_FLOATS | OB_KIT_BIT(U8) | OB_KIT_BIT(I8) | OB_KIT_BIT(I16) | OB_KIT_BIT(I32))
const ob_kit_kernel native_kernels_pool[] = {
#define OB_KIT_POOL(op_name, which)                                                                \
    {.name = "aten::" op_name,                                                                     \
     .dtypes = ((which)&1) != 0 ? OB_KIT_FLOATS : DTYPES,                                          \
     .setup = setup,                                                                               \
     .run = run,                                                                                   \
     .variant = (which)},
#include "kit/pool.def"
#undef OB_KIT_POOL
    {.name = NULL},
};
