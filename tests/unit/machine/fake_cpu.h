/* SPDX-License-Identifier: Apache-2.0
 *
 * Processors that are not this one: what CPUID would say, as rows.
 */
#ifndef OB_TEST_FAKE_CPU_H
#define OB_TEST_FAKE_CPU_H

#include "machine/isa.h"

#include <string.h>

typedef struct fake_leaf {
    uint32_t leaf, subleaf, r[4];
} fake_leaf;

typedef struct fake_cpu {
    fake_leaf leaves[12];
    uint64_t xcr0;
} fake_cpu;

static void fake_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
    const fake_cpu *cpu = ctx;
    memset(r, 0, 4 * sizeof *r);
    for (size_t i = 0; i < sizeof cpu->leaves / sizeof *cpu->leaves; i++)
        if (cpu->leaves[i].leaf == leaf && cpu->leaves[i].subleaf == subleaf) {
            memcpy(r, cpu->leaves[i].r, 4 * sizeof *r);
            return;
        }
}

static uint64_t fake_xcr0(void *ctx)
{
    return ((const fake_cpu *)ctx)->xcr0;
}

static inline ob_cpu_source fake_source(fake_cpu *cpu)
{
    return (ob_cpu_source){.cpuid = fake_cpuid, .xcr0 = fake_xcr0, .ctx = cpu};
}

enum {
    FAKE_AVX2 = 1 << 5,
    FAKE_FMA_OSXSAVE = 1 << 12 | 1 << 27,
    FAKE_VNNI = 1 << 11,
    FAKE_BF16 = 1 << 5,
    FAKE_FP16 = 1 << 23,
    FAKE_AMX = 1 << 22 | 1 << 24 | 1 << 25,
    FAKE_SAVES_ALL = 0x602e7,
};
#define FAKE_AVX512 (1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31)

/* Family 6, model 207, stepping 2: Emerald Rapids. It lacks the leaves of the tiles, as a hypervisor may. */
static const fake_cpu MODEL_207 = {
    .leaves = {{0, 0, {0x20, 0x756e6547, 0x6c65746e, 0x49656e69}},
               {1, 0, {0xc06f2, 0, FAKE_FMA_OSXSAVE, 0}},
               {7, 0, {1, FAKE_AVX2 | FAKE_AVX512, FAKE_VNNI, FAKE_AMX | FAKE_FP16}},
               {7, 1, {FAKE_BF16, 0, 0, 0}},
               {0x80000000, 0, {0x80000008, 0, 0, 0}}},
    .xcr0 = FAKE_SAVES_ALL,
};

/* What Intel's own say of their tiles. */
static const fake_leaf TILE_LEAVES[] = {{0x1d, 0, {1, 0, 0, 0}},
                                        {0x1d, 1, {1024u << 16 | 8192, 8u << 16 | 64, 16, 0}},
                                        {0x1e, 0, {0, 64u << 8 | 16, 0, 0}}};

static inline fake_cpu with_tiles(void)
{
    fake_cpu cpu = MODEL_207;
    memcpy(&cpu.leaves[5], TILE_LEAVES, sizeof TILE_LEAVES);
    return cpu;
}

#endif
