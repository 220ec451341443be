/* SPDX-License-Identifier: Apache-2.0
 *
 * See fp_mode.h. The sticky status flags change with every inexact operation, so they are left out.
 */
#include "measure/fp_mode.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct mode_bits {
    uint32_t mask;
    const char *name;
} mode_bits;

#if defined(__x86_64__) || defined(__SSE__)
#include <xmmintrin.h>

#define STATUS_BITS 0x3fu
static const mode_bits BITS[] = {
    {0x8000u, "flush-to-zero"},
    {0x0040u, "denormals-are-zero"},
    {0x6000u, "another rounding"},
    {0x1f80u, "masked exceptions"},
};

static uint32_t read_mode(void)
{
    return _mm_getcsr() & ~STATUS_BITS;
}

static void write_mode(uint32_t mode)
{
    _mm_setcsr((_mm_getcsr() & STATUS_BITS) | (mode & ~STATUS_BITS));
}
#elif defined(__aarch64__)
static const mode_bits BITS[] = {
    {1u << 24, "flush-to-zero"},
    {1u << 19, "half-precision flush-to-zero"},
    {3u << 22, "another rounding"},
    {0x9f00u, "trapped exceptions"},
};

static uint32_t read_mode(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return (uint32_t)fpcr;
}

static void write_mode(uint32_t mode)
{
    const uint64_t fpcr = mode;
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
}
#else
static const mode_bits BITS[] = {{0xffffffffu, "another mode"}};

static uint32_t read_mode(void)
{
    return 0;
}

static void write_mode(uint32_t mode)
{
    (void)mode;
}
#endif

uint32_t ob__fp_mode_get(void)
{
    return read_mode();
}

void ob__fp_mode_set(uint32_t mode)
{
    write_mode(mode);
}

char *ob__fp_mode_difference(uint32_t before, uint32_t now, char *out, size_t size)
{
    size_t used = 0;
    if (size > 0)
        out[0] = '\0';
    for (size_t i = 0; i < sizeof BITS / sizeof *BITS; i++) {
        if (((before ^ now) & BITS[i].mask) == 0 || used >= size)
            continue;
        /* A field of several bits is "on" when it left its old value for a larger one. */
        const bool on = (now & BITS[i].mask) > (before & BITS[i].mask);
        const int wrote = snprintf(out + used, size - used, "%s%s %s", used > 0 ? ", " : "",
                                   BITS[i].name, on ? "on" : "off");
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return out;
}
