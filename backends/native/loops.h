/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loops of one instruction set. loops.c makes the same table for each set that it is
 * compiled for; native_loops_choose takes the best that the processor has.
 */
#ifndef OB_NATIVE_LOOPS_H
#define OB_NATIVE_LOOPS_H

#include "kit/elementwise_calls.h"
#include "native_kernel.h"

/* How many elements a loop is given at most: operands that must be converted stay in the cache. */
enum { NATIVE_CHUNK = 1024 };

/* out and in are dense arrays of the loop's type; out may be one of in. Results of tests and the
 * mask, which comes after the operands, are bytes. */
typedef struct native_loop_args {
    void *out;
    const void *in[3];
    const double *real;     /* s0 to s3 for float and double */
    const int64_t *integer; /* s0 to s3 for integers */
    int64_t count;
    bool zero_divisor; /* set by loops that divide integers */
} native_loop_args;

typedef void (*native_loop_fn)(native_loop_args *args);

/* A running reduction. Floats are summed in double, with what was lost in `low`. */
typedef struct native_accumulator {
    double real, low;
    int64_t integer;
} native_accumulator;

typedef enum native_reduce_id {
    NATIVE_REDUCE_sum,
    NATIVE_REDUCE_sum_abs,
    NATIVE_REDUCE_sum_squares, /* of x - real[0] */
    NATIVE_REDUCE_prod,
    NATIVE_REDUCE_max, /* NaN wins */
    NATIVE_REDUCE_min,
    NATIVE_REDUCE_COUNT
} native_reduce_id;

typedef void (*native_reduce_fn)(native_accumulator *acc, const void *in, int64_t count,
                                 double shift);
/* totals[i] += in[i]; totals are double for floats and int64_t for integers. */
typedef void (*native_add_rows_fn)(void *totals, const void *in, int64_t count);

/* Words of the library's generator (Philox 4x32-10), NATIVE_CHUNK at a time: those of counters
 * block to block + NATIVE_CHUNK / 4 - 1, first words first. */
typedef struct native_random {
    uint32_t key[2], stream[2];
} native_random;
typedef void (*native_words_fn)(const native_random *random, uint64_t block, uint32_t *words);

typedef void (*native_load_fn)(const void *from, int64_t stride_bytes, void *to, int64_t count);
typedef void (*native_store_fn)(void *to, int64_t stride_bytes, const void *from, int64_t count);

/* The sets that are compiled here, the best first. */
typedef enum native_set {
#define NATIVE_ISA_ROW(isa, bf16) NATIVE_SET_##isa,
#include <native_isas.def>
#undef NATIVE_ISA_ROW
} native_set;

struct native_loops {
    const char *isa; /* "avx512" */
    native_set set;
    native_loop_fn loop[OB_KIT_LOOP_COUNT][NATIVE_CLASS_COUNT]; /* NULL: no such version */
    native_reduce_fn reduce[NATIVE_REDUCE_COUNT][NATIVE_CLASS_COUNT];
    native_add_rows_fn add_rows[NATIVE_CLASS_COUNT];
    /* to[i] += the sum of in[k][i] * factors[k] over four k, wrapping. */
    void (*add_scaled_i64)(uint64_t *to, const uint64_t *const *in, const uint64_t *factors,
                           int64_t count);
    void (*add_scaled_i32)(uint32_t *to, const uint32_t *const *in, const uint32_t *factors,
                           int64_t count);
    native_words_fn random_words;
    /* mask[i] = words[i] >= threshold */
    void (*random_mask)(const uint32_t *words, uint32_t threshold, uint8_t *mask, int64_t count);
    /* Uniform in [0, 1) with 53 bits, from two words each: words[i] and words[i + NATIVE_CHUNK]. */
    void (*random_doubles)(const uint32_t *words, double *out, int64_t count);
    /* Normal from two uniform numbers each; a pair gives two. In place; count is even, NATIVE_CHUNK at
     * most. */
    void (*random_normals)(double *numbers, int64_t count);
    native_load_fn load[OB_DTYPE_COUNT][NATIVE_CLASS_COUNT]; /* NULL for complex */
    native_store_fn store[OB_DTYPE_COUNT][NATIVE_CLASS_COUNT];
};

/* isas.c. wanted is a set's name, "base" for what every processor has, or NULL for the best; NULL when there
 * is no such set here. */
const native_loops *native_loops_choose(const char *wanted);
bool native_processor_has(const char *isa);

#endif
