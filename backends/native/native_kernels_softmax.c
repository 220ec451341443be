/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax, its logarithm, and their backwards, along any dimension. Along the last one a row is
 * dense; along another, blocks of neighbouring columns are done together.
 */
#include "dense.h"
#include "native_rows.h"

/* variant of a row */
enum { SOFTMAX, LOG_SOFTMAX, SOFTMAX_BACKWARD, LOG_SOFTMAX_BACKWARD };

enum { ROW_ELEMENTS = 1 << 13 }; /* of work that is worth a thread of its own */

typedef struct softmax {
    const native_rows *rows;
    native_class cls;
    int64_t outer, count, inner;
    native_dense in, grad, out; /* in: the input, or the forward's result */
} softmax;

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(softmax), &state, err));
    softmax *s = state;
    const bool backward = call->kernel->variant >= SOFTMAX_BACKWARD;
    const ob_tensor *in = ob_kit_arg_tensor(call, backward ? "output" : "self");
    const int dim = ob_kit_dim(ob_kit_arg_int(call, "dim", -1), in->ndim);
    s->cls = native_wide_class(in->dtype);
    s->rows = native_rows_of(call->env, s->cls);
    s->outer = s->inner = s->count = 1;
    for (int d = 0; d < in->ndim; d++)
        *(d < dim ? &s->outer : d == dim ? &s->count : &s->inner) *= in->sizes[d];
    OB_TRY(native_dense_plan(call, in, s->cls, &s->in, err));
    const ob_tensor *grad = backward ? ob_kit_arg_tensor(call, "grad_output") : NULL;
    OB_TRY(native_dense_plan(call, grad, s->cls, &s->grad, err));
    return native_dense_plan(call, ob_kit_output(call, 0), s->cls, &s->out, err);
}

typedef struct job {
    const softmax *s;
    const char *in, *grad;
    char *out;
    int what;
    size_t size; /* of an element */
} job;

static void run_rows(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const native_rows *rows = j->s->rows;
    const int64_t count = j->s->count;
    for (int64_t r = begin; r < end; r++) {
        const size_t at = (size_t)(r * count) * j->size;
        if (j->what == SOFTMAX)
            rows->softmax(j->out + at, j->in + at, count);
        else if (j->what == LOG_SOFTMAX)
            rows->log_softmax(j->out + at, j->in + at, count);
        else if (j->what == SOFTMAX_BACKWARD)
            rows->softmax_backward(j->out + at, j->grad + at, j->in + at, count);
        else
            rows->log_softmax_backward(j->out + at, j->grad + at, j->in + at, count);
    }
}

/* Blocks of columns, numbered through all of the outer part. */
static void run_blocks(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const softmax *s = j->s;
    const int64_t per_outer = (s->inner + NATIVE_SOFTMAX_WIDTH - 1) / NATIVE_SOFTMAX_WIDTH;
    for (int64_t b = begin; b < end; b++) {
        const int64_t column = b % per_outer * NATIVE_SOFTMAX_WIDTH;
        const int64_t left = s->inner - column;
        const size_t at = (size_t)(b / per_outer * s->count * s->inner + column) * j->size;
        const native_softmax_block block = {
            .out = j->out + at,
            .in = j->in + at,
            .grad = j->what >= SOFTMAX_BACKWARD ? j->grad + at : NULL,
            .count = s->count,
            .stride = s->inner,
            .width = left < NATIVE_SOFTMAX_WIDTH ? (int)left : NATIVE_SOFTMAX_WIDTH,
        };
        if (j->what == SOFTMAX)
            s->rows->softmax_block(&block);
        else if (j->what == LOG_SOFTMAX)
            s->rows->log_softmax_block(&block);
        else if (j->what == SOFTMAX_BACKWARD)
            s->rows->softmax_backward_block(&block);
        else
            s->rows->log_softmax_backward_block(&block);
    }
}

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const softmax *s = call->state;
    job j = {.s = s, .what = call->kernel->variant, .size = native_class_size(s->cls)};
    if (ob_kit_numel(&s->out.tensor) == 0)
        return OB_OK;
    j.in = native_dense_read(call, &s->in);
    j.grad = native_dense_read(call, &s->grad);
    j.out = native_dense_place(call, &s->out);
    if (s->inner == 1) {
        native_parallel(call->env, s->outer, ROW_ELEMENTS / s->count + 1, run_rows, &j);
    } else {
        const int64_t blocks = (s->inner + NATIVE_SOFTMAX_WIDTH - 1) / NATIVE_SOFTMAX_WIDTH;
        native_parallel(call->env, s->outer * blocks,
                        ROW_ELEMENTS / (s->count * NATIVE_SOFTMAX_WIDTH) + 1, run_blocks, &j);
    }
    native_dense_write(call, &s->out);
    return OB_OK;
}

#define ROW(op_name, which)                                                                        \
    {                                                                                              \
        .name = "aten::" op_name, .dtypes = OB_KIT_FLOATS, .setup = setup, .run = run,             \
        .variant = (which)                                                                         \
    }

const ob_kit_kernel native_kernels_softmax[] = {
    ROW("_softmax", SOFTMAX),
    ROW("_log_softmax", LOG_SOFTMAX),
    ROW("_softmax_backward_data", SOFTMAX_BACKWARD),
    ROW("_log_softmax_backward_data", LOG_SOFTMAX_BACKWARD),
    {.name = NULL},
};
