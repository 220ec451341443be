/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers. Each call of a case has a stream of its own under the backend's seed and goes on in it
 * from run to run; the draws are the library's, so they are the same on every machine.
 */
#include "iterate.h"

typedef enum operation {
    OP_UNIFORM,
    OP_NORMAL,
    OP_INTEGER,
    OP_BERNOULLI,
    OP_BERNOULLI_TENSOR,
    OP_DROPOUT,
    OP_PERMUTATION,
} operation;

typedef struct work {
    ob_rng rng;
    native_iter iter; /* operand 0: the result; then input, mask */
    operation op;
    double a, b;
    int64_t low, high;
    double scale;
    bool train;
} work;

static ob_status setup(native_call *call, ob_err *err)
{
    const operation op = (operation)call->kernel->variant;
    const ob_tensor *out = native_output(call, 0);
    void *state;
    OB_TRY(native_state(call, sizeof(work), &state, err));
    work *w = state;
    call->env->host->rng_init(&w->rng, call->env->seed, call->number);
    w->op = op;
    native_iter_init(&w->iter, out);
    w->train = native_arg_bool(call, "train", true);
    if (op == OP_UNIFORM) {
        w->a = native_arg_double(call, "from", 0);
        w->b = native_arg_double(call, "to", 1);
    } else if (op == OP_NORMAL) {
        w->a = native_arg_double(call, "mean", 0);
        w->b = native_arg_double(call, "std", 1);
    } else if (op == OP_INTEGER) {
        w->low = native_arg_int(call, "low", 0);
        w->high = native_arg_int(call, "high", 1);
        if (w->low >= w->high)
            return call->env->host->err_set(err, OB_ERR_INVALID,
                                            "%s: high is not above low; give a range that has "
                                            "numbers",
                                            call->op->schema->name);
    } else {
        w->a = native_arg_double(call, "p", 0.5);
    }
    if (op == OP_BERNOULLI_TENSOR || op == OP_DROPOUT)
        native_iter_add(&w->iter, call->args[0].as.tensor);
    if (op == OP_DROPOUT && native_output(call, 1) != NULL)
        native_iter_add(&w->iter, native_output(call, 1));
    w->scale = w->a < 1 ? 1 / (1 - w->a) : 0;
    native_iter_finish(&w->iter, true);
    return OB_OK;
}

static double draw(const ob_host *host, work *w)
{
    switch (w->op) {
    case OP_UNIFORM:
        return host->rng_uniform(&w->rng, w->a, w->b);
    case OP_NORMAL:
        return w->a + w->b * host->rng_normal(&w->rng);
    default:
        return host->rng_double(&w->rng) < w->a;
    }
}

static ob_status run_draw(const native_call *call, ob_err *err)
{
    work *w = call->state;
    const ob_host *host = call->env->host;
    const native_loops *loops = call->env->loops;
    double real[NATIVE_CHUNK];
    int64_t whole[NATIVE_CHUNK];
    native_cursor cursor;
    (void)err;
    native_cursor_seek(&cursor, &w->iter, 0);
    for (int64_t at = 0; at < w->iter.count;) {
        const int64_t count = native_cursor_chunk(&cursor, w->iter.count - at);
        for (int64_t i = 0; i < count; i++) {
            if (w->op == OP_INTEGER)
                whole[i] = host->rng_int(&w->rng, w->low, w->high - 1);
            else
                real[i] = draw(host, w);
        }
        if (w->op == OP_INTEGER)
            native_cursor_store(&cursor, loops, 0, NATIVE_I64, whole, count);
        else
            native_cursor_store(&cursor, loops, 0, NATIVE_F64, real, count);
        native_cursor_advance(&cursor, count);
        at += count;
    }
    return OB_OK;
}

static ob_status run_bernoulli(const native_call *call, ob_err *err)
{
    work *w = call->state;
    const native_loops *loops = call->env->loops;
    double buffer[NATIVE_CHUNK], real[NATIVE_CHUNK];
    native_cursor cursor;
    native_cursor_seek(&cursor, &w->iter, 0);
    for (int64_t at = 0; at < w->iter.count;) {
        const int64_t count = native_cursor_chunk(&cursor, w->iter.count - at);
        const double *p = native_cursor_load(&cursor, loops, 1, NATIVE_F64, buffer, count);
        for (int64_t i = 0; i < count; i++) {
            if (!(p[i] >= 0 && p[i] <= 1))
                return call->env->host->err_set(err, OB_ERR_INVALID,
                                                "%s: %g is no probability; give values from 0 to 1",
                                                call->op->schema->name, p[i]);
            real[i] = call->env->host->rng_double(&w->rng) < p[i];
        }
        native_cursor_store(&cursor, loops, 0, NATIVE_F64, real, count);
        native_cursor_advance(&cursor, count);
        at += count;
    }
    return OB_OK;
}

/* Drops with probability a; what stays grows by scale. Without training nothing is dropped. */
static ob_status run_dropout(const native_call *call, ob_err *err)
{
    work *w = call->state;
    const native_loops *loops = call->env->loops;
    const bool has_mask = w->iter.operand_count > 2;
    double buffer[NATIVE_CHUNK], real[NATIVE_CHUNK];
    uint8_t mask[NATIVE_CHUNK];
    native_cursor cursor;
    (void)err;
    native_cursor_seek(&cursor, &w->iter, 0);
    for (int64_t at = 0; at < w->iter.count;) {
        const int64_t count = native_cursor_chunk(&cursor, w->iter.count - at);
        const double *x = native_cursor_load(&cursor, loops, 1, NATIVE_F64, buffer, count);
        for (int64_t i = 0; i < count; i++) {
            mask[i] = !w->train || call->env->host->rng_double(&w->rng) >= w->a;
            real[i] = mask[i] ? (w->train ? x[i] * w->scale : x[i]) : 0;
        }
        native_cursor_store(&cursor, loops, 0, NATIVE_F64, real, count);
        if (has_mask)
            native_cursor_store_raw(&cursor, 2, 1, mask, count);
        native_cursor_advance(&cursor, count);
        at += count;
    }
    return OB_OK;
}

static void put_index(const native_call *call, const work *w, int64_t at, int64_t value)
{
    const native_operand *out = &w->iter.operands[0];
    call->env->loops->store[out->dtype][NATIVE_I64](out->data + at * out->strides[0], 0, &value, 1);
}

static int64_t get_index(const native_call *call, const work *w, int64_t at)
{
    const native_operand *out = &w->iter.operands[0];
    int64_t value;
    call->env->loops->load[out->dtype][NATIVE_I64](out->data + at * out->strides[0], 0, &value, 1);
    return value;
}

static ob_status run_permutation(const native_call *call, ob_err *err)
{
    work *w = call->state;
    const int64_t n = w->iter.count;
    (void)err;
    for (int64_t i = 0; i < n; i++)
        put_index(call, w, i, i);
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t other = call->env->host->rng_int(&w->rng, 0, i);
        const int64_t swap = get_index(call, w, i);
        put_index(call, w, i, get_index(call, w, other));
        put_index(call, w, other, swap);
    }
    return OB_OK;
}

#define RANDOM(op, types, word, function)                                                          \
    {                                                                                              \
        .name = (op), .dtypes = NATIVE_##types, .setup = setup, .run = run_##function,             \
        .variant = OP_##word                                                                       \
    }

const native_kernel native_kernels_random[] = {
    RANDOM("aten::rand", FLOATS, UNIFORM, draw),
    RANDOM("aten::rand_like", FLOATS, UNIFORM, draw),
    RANDOM("aten::uniform_", FLOATS, UNIFORM, draw),
    RANDOM("aten::randn", FLOATS, NORMAL, draw),
    RANDOM("aten::randn_like", FLOATS, NORMAL, draw),
    RANDOM("aten::normal_", FLOATS, NORMAL, draw),
    RANDOM("aten::randint", NUMBERS, INTEGER, draw),
    RANDOM("aten::randint.low", NUMBERS, INTEGER, draw),
    RANDOM("aten::randperm", NUMBERS, PERMUTATION, permutation),
    RANDOM("aten::bernoulli", FLOATS, BERNOULLI_TENSOR, bernoulli),
    RANDOM("aten::bernoulli.p", REALS, BERNOULLI, draw),
    RANDOM("aten::bernoulli_.float", REALS, BERNOULLI, draw),
    RANDOM("aten::native_dropout", FLOATS, DROPOUT, dropout),
    RANDOM("aten::dropout_", FLOATS, DROPOUT, dropout),
    {.name = NULL},
};
