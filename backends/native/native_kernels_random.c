/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers. Each call of a case has a stream of its own under the backend's seed and goes on in it
 * from run to run; the words are the library's, so they are the same on every machine, and which words an
 * element gets depends on its place only, so they are the same for any number of threads.
 */
#include "iterate.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

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
    native_random random; /* the same sequence, for blocks of words */
    uint64_t position;    /* counters used so far */
    native_iter iter;     /* operand 0: the result; then input, mask */
    operation op;
    double a, b;
    int64_t low, high;
    double scale;
    bool train;
} work;

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    const operation op = (operation)call->kernel->variant;
    const ob_tensor *out = ob_kit_output(call, 0);
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(work), &state, err));
    work *w = state;
    call->env->host->rng_init(&w->rng, call->env->seed, call->number);
    w->random = (native_random){.key = {w->rng.key[0], w->rng.key[1]},
                                .stream = {w->rng.stream[0], w->rng.stream[1]}};
    w->op = op;
    native_iter_init(&w->iter, out);
    w->train = ob_kit_arg_bool(call, "train", true);
    if (op == OP_UNIFORM) {
        w->a = ob_kit_arg_double(call, "from", 0);
        w->b = ob_kit_arg_double(call, "to", 1);
    } else if (op == OP_NORMAL) {
        w->a = ob_kit_arg_double(call, "mean", 0);
        w->b = ob_kit_arg_double(call, "std", 1);
    } else if (op == OP_INTEGER) {
        w->low = ob_kit_arg_int(call, "low", 0);
        w->high = ob_kit_arg_int(call, "high", 1);
        if (w->low >= w->high)
            return call->env->host->err_set(
                err, OB_ERR_INVALID, "%s: high is not above low; give a range with numbers in it",
                call->op->schema->name);
    } else {
        w->a = ob_kit_arg_double(call, "p", 0.5);
    }
    if (op == OP_BERNOULLI_TENSOR || op == OP_DROPOUT)
        native_iter_add(&w->iter, call->args[0].as.tensor);
    if (op == OP_DROPOUT && ob_kit_output(call, 1) != NULL)
        native_iter_add(&w->iter, ob_kit_output(call, 1));
    w->scale = w->a < 1 ? 1 / (1 - w->a) : 0;
    native_iter_finish(&w->iter, true);
    return OB_OK;
}

/* ---- by vectors, on several threads ---- */

/* Elements come in blocks of NATIVE_CHUNK; block k of a run has the words at base + k * step. */
typedef struct job {
    const ob_kit_call *call;
    const work *w;
    uint64_t base, step; /* counters */
    _Atomic(bool) bad;   /* a probability is none */
} job;

static const uint32_t *draw_words(const job *j, int64_t number, uint32_t *words)
{
    const native_loops *loops = j->call->env->loops;
    const uint64_t block = j->base + (uint64_t)number * j->step;
    loops->random_words(&j->w->random, block, words);
    if (j->step > NATIVE_CHUNK / 4)
        loops->random_words(&j->w->random, block + NATIVE_CHUNK / 4, words + NATIVE_CHUNK);
    return words;
}

/* Words below the threshold have that probability, as near as 32 bits come. */
static uint32_t threshold_of(double probability)
{
    const double words = probability * 4294967296.0;
    return words >= 4294967295.0 ? UINT32_MAX : words <= 0 ? 0 : (uint32_t)words;
}

static void draw_mask(const job *j, int64_t number, uint8_t *mask)
{
    uint32_t words[NATIVE_CHUNK];
    const double p = j->w->a;
    if (p >= 1 || p <= 0)
        memset(mask, p <= 0, NATIVE_CHUNK);
    else
        j->call->env->loops->random_mask(draw_words(j, number, words), threshold_of(p), mask,
                                         NATIVE_CHUNK);
}

static void draw_reals(const job *j, int64_t number, double *real)
{
    const work *w = j->w;
    uint32_t words[2 * NATIVE_CHUNK];
    uint8_t mask[NATIVE_CHUNK];
    if (w->op == OP_BERNOULLI) { /* the mask has what is not dropped */
        draw_mask(j, number, mask);
        for (int i = 0; i < NATIVE_CHUNK; i++)
            real[i] = !mask[i];
        return;
    }
    j->call->env->loops->random_doubles(draw_words(j, number, words), real, NATIVE_CHUNK);
    if (w->op == OP_NORMAL)
        j->call->env->loops->random_normals(real, NATIVE_CHUNK);
    const double factor = w->op == OP_NORMAL ? w->b : w->b - w->a;
    for (int i = 0; i < NATIVE_CHUNK && w->op != OP_BERNOULLI_TENSOR; i++)
        real[i] = w->a + factor * real[i];
    if (w->op != OP_UNIFORM)
        return;
    const double last = nextafter(w->b, w->a); /* rounding may reach the end, which is not in it */
    for (int i = 0; i < NATIVE_CHUNK; i++)
        real[i] = real[i] < w->b ? real[i] : last;
}

/* Calls fn for the pieces of a block that lie in one row of the walk. */
typedef void (*piece_fn)(job *j, const native_cursor *cursor, const void *drawn, int64_t at,
                         int64_t count);

static void walk_block(job *j, int64_t number, const void *drawn, piece_fn fn)
{
    const native_iter *iter = &j->w->iter;
    const int64_t start = number * NATIVE_CHUNK, left = iter->count - start;
    const int64_t length = left < NATIVE_CHUNK ? left : NATIVE_CHUNK;
    native_cursor cursor;
    native_cursor_seek(&cursor, iter, start);
    for (int64_t at = 0; at < length;) {
        const int64_t count = native_cursor_chunk(&cursor, length - at);
        fn(j, &cursor, drawn, at, count);
        native_cursor_advance(&cursor, count);
        at += count;
    }
}

static void store_reals(job *j, const native_cursor *cursor, const void *drawn, int64_t at,
                        int64_t count)
{
    native_cursor_store(cursor, j->call->env->loops, 0, NATIVE_F64, (const double *)drawn + at,
                        count);
}

/* NaN is no probability either. */
static void store_bernoulli(job *j, const native_cursor *cursor, const void *drawn, int64_t at,
                            int64_t count)
{
    const native_loops *loops = j->call->env->loops;
    double buffer[NATIVE_CHUNK], real[NATIVE_CHUNK];
    const double *p = native_cursor_load(cursor, loops, 1, NATIVE_F64, buffer, count);
    for (int64_t i = 0; i < count; i++) {
        if (!(p[i] >= 0 && p[i] <= 1))
            atomic_store(&j->bad, true);
        real[i] = ((const double *)drawn)[at + i] < p[i];
    }
    native_cursor_store(cursor, loops, 0, NATIVE_F64, real, count);
}

static void draw_range(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    double real[NATIVE_CHUNK];
    for (int64_t number = begin; number < end; number++) {
        draw_reals(j, number, real);
        walk_block(j, number, real,
                   j->w->op == OP_BERNOULLI_TENSOR ? store_bernoulli : store_reals);
    }
}

/* Drops with probability a; what stays grows by scale. Without training nothing is dropped. */
static void store_dropout(job *j, const native_cursor *cursor, const void *drawn, int64_t at,
                          int64_t count)
{
    const work *w = j->w;
    const native_loops *loops = j->call->env->loops;
    const uint8_t *mask = (const uint8_t *)drawn + at;
    const native_class cls = native_class_of(cursor->iter->operands[0].dtype);
    const double scalars[4] = {w->train ? w->scale : 1};
    _Alignas(64) char in[NATIVE_CHUNK * 8], out[NATIVE_CHUNK * 8];
    void *direct = native_cursor_direct(cursor, 0, native_class_dtype(cls), count);
    native_loop_args args = {.out = direct != NULL ? direct : out, .real = scalars, .count = count};
    args.in[0] = native_cursor_load(cursor, loops, 1, cls, in, count);
    args.in[1] = mask;
    loops->loop[OB_KIT_LOOP_dropout_backward][cls](&args);
    if (direct == NULL)
        native_cursor_store(cursor, loops, 0, cls, out, count);
    if (w->iter.operand_count > 2)
        native_cursor_store_raw(cursor, 2, 1, mask, count);
}

static void dropout_range(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    uint8_t mask[NATIVE_CHUNK];
    for (int64_t number = begin; number < end; number++) {
        if (j->w->train)
            draw_mask(j, number, mask);
        else
            memset(mask, 1, sizeof mask);
        walk_block(j, number, mask, store_dropout);
    }
}

/* One run: the next one draws from where this ends. */
static bool run_blocks(const ob_kit_call *call, native_range_fn fn, int words)
{
    enum { GRAIN = 8 };
    work *w = call->state;
    const int64_t blocks = w->iter.count / NATIVE_CHUNK + (w->iter.count % NATIVE_CHUNK != 0);
    job j = {
        .call = call, .w = w, .base = w->position, .step = (uint64_t)words * (NATIVE_CHUNK / 4)};
    w->position += (uint64_t)blocks * j.step;
    native_parallel(call->env, blocks, GRAIN, fn, &j);
    return !atomic_load(&j.bad);
}

static ob_status run_draw(const ob_kit_call *call, ob_err *err)
{
    const work *w = call->state;
    if (!run_blocks(call, draw_range, w->op == OP_BERNOULLI ? 1 : 2))
        return call->env->host->err_set(
            err, OB_ERR_INVALID, "%s: an element is not a probability; give values from 0 to 1",
            call->op->schema->name);
    return OB_OK;
}

static ob_status run_dropout(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    run_blocks(call, dropout_range, 1);
    return OB_OK;
}

/* ---- one by one ---- */

static ob_status run_integers(const ob_kit_call *call, ob_err *err)
{
    work *w = call->state;
    int64_t whole[NATIVE_CHUNK];
    native_cursor cursor;
    (void)err;
    native_cursor_seek(&cursor, &w->iter, 0);
    for (int64_t at = 0; at < w->iter.count;) {
        const int64_t count = native_cursor_chunk(&cursor, w->iter.count - at);
        for (int64_t i = 0; i < count; i++)
            whole[i] = call->env->host->rng_int(&w->rng, w->low, w->high - 1);
        native_cursor_store(&cursor, call->env->loops, 0, NATIVE_I64, whole, count);
        native_cursor_advance(&cursor, count);
        at += count;
    }
    return OB_OK;
}

static void put_index(const ob_kit_call *call, const work *w, int64_t at, int64_t value)
{
    const native_operand *out = &w->iter.operands[0];
    call->env->loops->store[out->dtype][NATIVE_I64](out->data + at * out->strides[0], 0, &value, 1);
}

static int64_t get_index(const ob_kit_call *call, const work *w, int64_t at)
{
    const native_operand *out = &w->iter.operands[0];
    int64_t value;
    call->env->loops->load[out->dtype][NATIVE_I64](out->data + at * out->strides[0], 0, &value, 1);
    return value;
}

static ob_status run_permutation(const ob_kit_call *call, ob_err *err)
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
        .name = (op), .dtypes = OB_KIT_##types, .setup = setup, .run = run_##function,             \
        .variant = OP_##word                                                                       \
    }

const ob_kit_kernel native_kernels_random[] = {
    RANDOM("aten::rand", FLOATS, UNIFORM, draw),
    RANDOM("aten::rand_like", FLOATS, UNIFORM, draw),
    RANDOM("aten::uniform_", FLOATS, UNIFORM, draw),
    RANDOM("aten::randn", FLOATS, NORMAL, draw),
    RANDOM("aten::randn_like", FLOATS, NORMAL, draw),
    RANDOM("aten::normal_", FLOATS, NORMAL, draw),
    RANDOM("aten::randint", NUMBERS, INTEGER, integers),
    RANDOM("aten::randint.low", NUMBERS, INTEGER, integers),
    RANDOM("aten::randperm", NUMBERS, PERMUTATION, permutation),
    RANDOM("aten::bernoulli", FLOATS, BERNOULLI_TENSOR, draw),
    RANDOM("aten::bernoulli.p", REALS, BERNOULLI, draw),
    RANDOM("aten::bernoulli_.float", REALS, BERNOULLI, draw),
    RANDOM("aten::native_dropout", FLOATS, DROPOUT, dropout),
    RANDOM("aten::dropout_", FLOATS, DROPOUT, dropout),
    {.name = NULL},
};
