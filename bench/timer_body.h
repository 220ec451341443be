/* SPDX-License-Identifier: Apache-2.0
 *
 * The body that bench/timer has timed by everybody: a thousand dependent multiplications, about a
 * microsecond at 3 GHz. C and C++, with nothing around it that a compiler could take away.
 */
#ifndef OB_BENCH_TIMER_BODY_H
#define OB_BENCH_TIMER_BODY_H

#include <stdint.h>

static inline void bench_microsecond(void)
{
    uint64_t x = 3;
    for (int i = 0; i < 1000; i++) {
        x *= 0x9e3779b97f4a7c15u;
        __asm__ volatile("" : "+r"(x));
    }
}

static inline void bench_nothing(void)
{
    __asm__ volatile("");
}

#endif
