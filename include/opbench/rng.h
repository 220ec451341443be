/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers that are the same on every machine.
 *
 * Counter based (Philox 4x32-10): (seed, stream) name a sequence, position is a plain counter, so
 * that any element is reached without drawing those before it. The draws use integer arithmetic and
 * IEEE + - * and / only, with our own log and exp, because the C library's differ in the last bit
 * from platform to platform. Built with -ffp-contract=off for the same reason.
 */
#ifndef OPBENCH_RNG_H
#define OPBENCH_RNG_H

#include "opbench/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_rng {
    uint32_t key[2];
    uint32_t stream[2];
    uint64_t block;     /* next counter */
    uint32_t buffer[4]; /* the current block's words */
    uint32_t used;      /* words of buffer already given */
} ob_rng;

void ob_rng_init(ob_rng *rng, uint64_t seed, uint64_t stream);
/* Goes to the position after `words` 32-bit words of the sequence. */
void ob_rng_seek(ob_rng *rng, uint64_t words);

uint32_t ob_rng_u32(ob_rng *rng);
uint64_t ob_rng_u64(ob_rng *rng);
double ob_rng_double(ob_rng *rng); /* uniform in [0, 1), 53 bits */
/* Uniform in [lo, hi], without bias; lo <= hi is the caller's duty. */
int64_t ob_rng_int(ob_rng *rng, int64_t lo, int64_t hi);
/* Uniform in [lo, hi). */
double ob_rng_uniform(ob_rng *rng, double lo, double hi);
double ob_rng_normal(ob_rng *rng);
/* exp(uniform(log lo, log hi)); 0 < lo <= hi. */
double ob_rng_loguniform(ob_rng *rng, double lo, double hi);

/* Zipf over 1..count with exponent > 0: P(k) ~ k^-exponent. The state is made once per
 * distribution (rejection-inversion; no table, any count). */
typedef struct ob_zipf {
    uint64_t count;
    double exponent, h_x1, h_n, s;
} ob_zipf;
ob_status ob_zipf_init(ob_zipf *zipf, uint64_t count, double exponent, ob_err *err);
uint64_t ob_zipf_draw(const ob_zipf *zipf, ob_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
