/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops, in assembler: a compiler would find out that nothing comes of them. Sums are independent of each other, more of
 * them than an instruction's latency times the units that execute it.
 */
#include "machine/ceiling_loops.h"

#include <string.h>

#if defined __x86_64__

/* r: "ymm"; sums are registers 0 to 11, ones are in 12 and 13. */
#define EACH_OF_12(R, DO)                                                                          \
    DO(R, 0, 0)                                                                                    \
    DO(R, 1, 1)                                                                                    \
    DO(R, 2, 2)                                                                                    \
    DO(R, 3, 3)                                                                                    \
    DO(R, 4, 4)                                                                                    \
    DO(R, 5, 5)                                                                                    \
    DO(R, 6, 6)                                                                                    \
    DO(R, 7, 7)                                                                                    \
    DO(R, 8, 8)                                                                                    \
    DO(R, 9, 9)                                                                                    \
    DO(R, 10, 10)                                                                                  \
    DO(R, 11, 11)

#define REGISTERS                                                                                  \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",       \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

#define CLEAR(R, n, at) "vpxor %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n\t"
#define KEEP_ymm(R, n, at) "vmovups %%" R #n ", 32*" #at "(%[sums])\n\t"
#define KEEP_zmm(R, n, at) "vmovups %%" R #n ", 64*" #at "(%[sums])\n\t"

/* sums += product of the ones, in twelve registers. */
#define SUMS_OF_12(name, for_set, R, LOAD, ADD, KEEP)                                              \
    __attribute__((target(for_set))) static void name(uint64_t turns, const void *ones,            \
                                                      void *sums)                                  \
    {                                                                                              \
        __asm__ volatile(                                                                          \
            LOAD " (%[ones]), %%" R "12\n\t" LOAD " (%[ones]), %%" R                               \
                 "13\n\t" EACH_OF_12(R, CLEAR) ".p2align 5\n1:\n\t" EACH_OF_12(                    \
                     R, ADD) "dec %[turns]\n\tjnz 1b\n\t" EACH_OF_12(R, KEEP) "vzeroupper\n\t"     \
            : [turns] "+r"(turns)                                                                  \
            : [ones] "r"(ones), [sums] "r"(sums)                                                   \
            : REGISTERS, "memory", "cc");                                                          \
    }

#define ADD_PS(R, n, at) "vfmadd231ps %%" R "12, %%" R "13, %%" R #n "\n\t"
#define ADD_PD(R, n, at) "vfmadd231pd %%" R "12, %%" R "13, %%" R #n "\n\t"
#define ADD_PH(R, n, at) "vfmadd231ph %%" R "12, %%" R "13, %%" R #n "\n\t"
#define ADD_BF16(R, n, at) "vdpbf16ps %%" R "12, %%" R "13, %%" R #n "\n\t"
#define ADD_BYTES(R, n, at) "vpdpbusd %%" R "12, %%" R "13, %%" R #n "\n\t"

SUMS_OF_12(avx2_f32, "avx2,fma", "ymm", "vmovups", ADD_PS, KEEP_ymm)
SUMS_OF_12(avx2_f64, "avx2,fma", "ymm", "vmovups", ADD_PD, KEEP_ymm)
SUMS_OF_12(avx512_f32, "avx512f", "zmm", "vmovups", ADD_PS, KEEP_zmm)
SUMS_OF_12(avx512_f64, "avx512f", "zmm", "vmovups", ADD_PD, KEEP_zmm)
SUMS_OF_12(avx512_f16, "avx512f", "zmm", "vmovups", ADD_PH, KEEP_zmm)
SUMS_OF_12(avx512_bf16, "avx512f", "zmm", "vmovups", ADD_BF16, KEEP_zmm)
SUMS_OF_12(avx512_bytes, "avx512f", "zmm", "vmovups", ADD_BYTES, KEEP_zmm)

/* Without a fused one: multiplications in registers 0 to 6, additions in 7 to 13, the ones in 14. */
#define EACH_OF_7(DO, suffix)                                                                      \
    DO(suffix, 0, 7, 0)                                                                            \
    DO(suffix, 1, 8, 1)                                                                            \
    DO(suffix, 2, 9, 2)                                                                            \
    DO(suffix, 3, 10, 3)                                                                           \
    DO(suffix, 4, 11, 4)                                                                           \
    DO(suffix, 5, 12, 5)                                                                           \
    DO(suffix, 6, 13, 6)
#define START_PAIR(suffix, x, y, at)                                                               \
    "movaps %%xmm14, %%xmm" #x "\n\txorps %%xmm" #y ", %%xmm" #y "\n\t"
#define TURN_PAIR(suffix, x, y, at)                                                                \
    "mul" suffix " %%xmm14, %%xmm" #x "\n\tadd" suffix " %%xmm14, %%xmm" #y "\n\t"
#define KEEP_PAIR(suffix, x, y, at) "movups %%xmm" #y ", 16*" #at "(%[sums])\n\t"
#define SSE2(name, suffix)                                                                         \
    static void name(uint64_t turns, const void *ones, void *sums)                                 \
    {                                                                                              \
        __asm__ volatile(                                                                          \
            "movups (%[ones]), %%xmm14\n\t" EACH_OF_7(                                             \
                START_PAIR, suffix) ".p2align 5\n1:\n\t" EACH_OF_7(TURN_PAIR,                      \
                                                                   suffix) "dec %[turns]\n\tjnz "  \
                                                                           "1b\n\t" EACH_OF_7(     \
                                                                               KEEP_PAIR, suffix)  \
            : [turns] "+r"(turns)                                                                  \
            : [ones] "r"(ones), [sums] "r"(sums)                                                   \
            : REGISTERS, "memory", "cc");                                                          \
    }

SSE2(sse2_f32, "ps")
SSE2(sse2_f64, "pd")

/* Bytes without their own instruction: products of pairs, sums of pairs, a sum; six of them at once. */
#define TRIPLE(sum, product)                                                                       \
    "vpmaddubsw %%ymm12, %%ymm13, %%ymm" #product "\n\t"                                           \
    "vpmaddwd %%ymm14, %%ymm" #product ", %%ymm" #product "\n\t"                                   \
    "vpaddd %%ymm" #product ", %%ymm" #sum ", %%ymm" #sum "\n\t"
__attribute__((target("avx2"))) static void avx2_bytes(uint64_t turns, const void *ones, void *sums)
{
    __asm__ volatile(
        "vmovups (%[ones]), %%ymm12\n\tvmovups (%[ones]), %%ymm13\n\t"
        "vpcmpeqw %%ymm14, %%ymm14, %%ymm14\n\tvpsrlw $15, %%ymm14, %%ymm14\n\t" EACH_OF_12(
            "ymm", CLEAR) ".p2align 5\n1:\n\t" TRIPLE(0, 6) TRIPLE(1, 7) TRIPLE(2, 8) TRIPLE(3, 9)
            TRIPLE(4, 10) TRIPLE(5, 11) "dec %[turns]\n\tjnz 1b\n\t" KEEP_ymm("ymm", 0, 0)
                KEEP_ymm("ymm", 1, 1) KEEP_ymm("ymm", 2, 2) KEEP_ymm("ymm", 3, 3)
                    KEEP_ymm("ymm", 4, 4) KEEP_ymm("ymm", 5, 5) "vzeroupper\n\t"
        : [turns] "+r"(turns)
        : [ones] "r"(ones), [sums] "r"(sums)
        : REGISTERS, "memory", "cc");
}

/* ---- tiles ---- */

/* Six sums, tiles 6 and 7 full of ones. The permission of the kernel was asked for when the set was tried. */
#define TILES(name, ADD)                                                                           \
    __attribute__((target("amx-tile,amx-bf16,amx-int8"))) static void name(                        \
        uint64_t turns, const void *ones, void *sums)                                              \
    {                                                                                              \
        struct __attribute__((aligned(64))) {                                                      \
            uint8_t palette, start_row, reserved[14];                                              \
            uint16_t row_bytes[16];                                                                \
            uint8_t rows[16];                                                                      \
        } config = {.palette = 1};                                                                 \
        const uint64_t stride = 64;                                                                \
        for (int i = 0; i < 8; i++) {                                                              \
            config.row_bytes[i] = 64;                                                              \
            config.rows[i] = 16;                                                                   \
        }                                                                                          \
        __asm__ volatile(                                                                          \
            "ldtilecfg %[config]\n\t"                                                              \
            "tilezero %%tmm0\n\ttilezero %%tmm1\n\ttilezero %%tmm2\n\t"                            \
            "tilezero %%tmm3\n\ttilezero %%tmm4\n\ttilezero %%tmm5\n\t"                            \
            "tileloadd (%[ones],%[stride],1), %%tmm6\n\t"                                          \
            "tileloadd (%[ones],%[stride],1), %%tmm7\n"                                            \
            "1:\n\t" ADD " %%tmm7, %%tmm6, %%tmm0\n\t" ADD " %%tmm7, %%tmm6, %%tmm1\n\t" ADD       \
            " %%tmm7, %%tmm6, %%tmm2\n\t" ADD " %%tmm7, %%tmm6, %%tmm3\n\t" ADD                    \
            " %%tmm7, %%tmm6, %%tmm4\n\t" ADD                                                      \
            " %%tmm7, %%tmm6, %%tmm5\n\tdec %[turns]\n\tjnz 1b\n\t"                                \
            "tilestored %%tmm0, (%[sums],%[stride],1)\n\t"                                         \
            "tilestored %%tmm1, 1024(%[sums],%[stride],1)\n\t"                                     \
            "tilestored %%tmm2, 2048(%[sums],%[stride],1)\n\t"                                     \
            "tilestored %%tmm3, 3072(%[sums],%[stride],1)\n\t"                                     \
            "tilestored %%tmm4, 4096(%[sums],%[stride],1)\n\t"                                     \
            "tilestored %%tmm5, 5120(%[sums],%[stride],1)\n\ttilerelease\n\t"                      \
            : [turns] "+r"(turns)                                                                  \
            : [ones] "r"(ones), [sums] "r"(sums), [stride] "r"(stride), [config] "m"(config)       \
            : "memory", "cc");                                                                     \
    }

TILES(amx_bf16, "tdpbf16ps")
TILES(amx_bytes, "tdpbssd")

static const ob_peak_row ROWS[] = {
    {OB_DTYPE_F64, "sse2", 7, 4, 16, sse2_f64, 1, OB_DTYPE_F64},
    {OB_DTYPE_F64, "avx2", 12, 8, 32, avx2_f64, 1, OB_DTYPE_F64},
    {OB_DTYPE_F64, "avx512", 12, 16, 64, avx512_f64, 1, OB_DTYPE_F64},
    {OB_DTYPE_F32, "sse2", 7, 8, 16, sse2_f32, 1, OB_DTYPE_F32},
    {OB_DTYPE_F32, "avx2", 12, 16, 32, avx2_f32, 1, OB_DTYPE_F32},
    {OB_DTYPE_F32, "avx512", 12, 32, 64, avx512_f32, 1, OB_DTYPE_F32},
    {OB_DTYPE_BF16, "avx512_bf16", 12, 64, 64, avx512_bf16, 2, OB_DTYPE_F32},
    {OB_DTYPE_BF16, "amx", 6, 16 * 16 * 32 * 2, 1024, amx_bf16, 32, OB_DTYPE_F32},
    {OB_DTYPE_F16, "avx512_fp16", 12, 64, 64, avx512_f16, 1, OB_DTYPE_F16},
    {OB_DTYPE_I8, "avx2", 6, 64, 32, avx2_bytes, 4, OB_DTYPE_I32},
    {OB_DTYPE_I8, "avx512_vnni", 12, 128, 64, avx512_bytes, 4, OB_DTYPE_I32},
    {OB_DTYPE_I8, "amx", 6, 16 * 16 * 64 * 2, 1024, amx_bytes, 64, OB_DTYPE_I32},
};

bool ob__set_works(const char *set, ob_isa_set works)
{
    const ob_isa isa = ob__isa_find(set);
    return strcmp(set, "sse2") == 0 || (isa != OB_ISA_COUNT && (works >> isa & 1) != 0);
}

#elif defined __aarch64__

#include <asm/hwcap.h>
#include <sys/auxv.h>

#define EACH_OF_16(DO)                                                                             \
    DO(0)                                                                                          \
    DO(1)                                                                                          \
    DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define CLEAR(n) "movi v" #n ".2d, #0\n\t"
#define KEEP(n) "str q" #n ", [%[sums], #(16*" #n ")]\n\t"
#define NEON(name, extension, ADD)                                                                 \
    static void name(uint64_t turns, const void *ones, void *sums)                                 \
    {                                                                                              \
        __asm__ volatile(extension "ldr q16, [%[ones]]\n\tldr q17, [%[ones]]\n\t" EACH_OF_16(      \
                             CLEAR) "1:\n\t" EACH_OF_16(ADD) "subs %[turns], %[turns], #1\n\t"     \
                                                             "b.ne 1b\n\t" EACH_OF_16(KEEP)        \
                         : [turns] "+r"(turns)                                                     \
                         : [ones] "r"(ones), [sums] "r"(sums)                                      \
                         : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",      \
                           "v11", "v12", "v13", "v14", "v15", "v16", "v17", "memory", "cc");       \
    }
#define ADD_S(n) "fmla v" #n ".4s, v16.4s, v17.4s\n\t"
#define ADD_D(n) "fmla v" #n ".2d, v16.2d, v17.2d\n\t"
#define ADD_H(n) "fmla v" #n ".8h, v16.8h, v17.8h\n\t"
#define ADD_B(n) "sdot v" #n ".4s, v16.16b, v17.16b\n\t"
#define ADD_BF(n) "bfdot v" #n ".4s, v16.8h, v17.8h\n\t"

NEON(neon_f32, "", ADD_S)
NEON(neon_f64, "", ADD_D)
NEON(neon_f16, ".arch armv8.2-a+fp16\n\t", ADD_H)
NEON(neon_bytes, ".arch armv8.2-a+dotprod\n\t", ADD_B)
NEON(neon_bf16, ".arch armv8.2-a+bf16\n\t", ADD_BF)

static const ob_peak_row ROWS[] = {
    {OB_DTYPE_F64, "neon", 16, 4, 16, neon_f64, 1, OB_DTYPE_F64},
    {OB_DTYPE_F32, "neon", 16, 8, 16, neon_f32, 1, OB_DTYPE_F32},
    {OB_DTYPE_BF16, "neonbf16", 16, 16, 16, neon_bf16, 2, OB_DTYPE_F32},
    {OB_DTYPE_F16, "neonfp16", 16, 16, 16, neon_f16, 1, OB_DTYPE_F16},
    {OB_DTYPE_I8, "neondot", 16, 32, 16, neon_bytes, 4, OB_DTYPE_I32},
};

bool ob__set_works(const char *set, ob_isa_set works)
{
    (void)works;
    return strcmp(set, "neon") == 0 ||
           (strcmp(set, "neonfp16") == 0 && (getauxval(AT_HWCAP) & HWCAP_ASIMDHP) != 0) ||
           (strcmp(set, "neondot") == 0 && (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0) ||
           (strcmp(set, "neonbf16") == 0 && (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0);
}

#else

/* Loops for this architecture are to be written. */
static const ob_peak_row ROWS[] = {{.dtype = OB_DTYPE_F32, .set = "none"}};

bool ob__set_works(const char *set, ob_isa_set works)
{
    (void)set, (void)works;
    return false;
}

#endif

const ob_peak_row *ob__peak_rows(size_t *count)
{
    *count = sizeof ROWS / sizeof *ROWS;
    return ROWS;
}

/* ---- whether the work was done ---- */

static uint16_t one_of(ob_dtype dtype)
{
    return dtype == OB_DTYPE_BF16 ? 0x3f80 : 0x3c00;
}

static void fill_ones(ob_dtype dtype, unsigned char *ones, size_t size)
{
    const float f = 1;
    const double d = 1;
    const uint16_t h = one_of(dtype);
    const unsigned char b = 1;
    const void *from = dtype == OB_DTYPE_F64   ? (const void *)&d
                       : dtype == OB_DTYPE_F32 ? (const void *)&f
                       : dtype == OB_DTYPE_I8  ? (const void *)&b
                                               : (const void *)&h;
    const size_t width = ob_dtype_size(dtype);
    for (size_t i = 0; i < size; i += width)
        memcpy(ones + i, from, width);
}

/* Of a whole number up to 2048, as float16. */
static uint16_t half_of(double value)
{
    unsigned exponent = 15;
    while (value >= 2) {
        value /= 2;
        exponent++;
    }
    return (uint16_t)(exponent << 10 | (unsigned)((value - 1) * 1024));
}

static bool is_sum(const ob_peak_row *row, const unsigned char *at, double wanted)
{
    double d;
    float f;
    int32_t i;
    uint16_t h;
    switch (row->sum_dtype) {
    case OB_DTYPE_F64:
        memcpy(&d, at, sizeof d);
        return d == wanted;
    case OB_DTYPE_F32:
        memcpy(&f, at, sizeof f);
        return (double)f == wanted;
    case OB_DTYPE_F16:
        memcpy(&h, at, sizeof h);
        return h == half_of(wanted);
    default:
        memcpy(&i, at, sizeof i);
        return (double)i == wanted;
    }
}

bool ob__peak_call(const ob_peak_row *row)
{
    enum { MOST_BYTES = 6 * 1024 };
    _Alignas(64) unsigned char ones[1024], sums[MOST_BYTES];
    const size_t bytes = (size_t)row->sums * (size_t)row->bytes;
    const size_t width = ob_dtype_size(row->sum_dtype);
    fill_ones(row->dtype, ones, sizeof ones);
    memset(sums, 0xff, sizeof sums);
    row->fn(OB_PEAK_TURNS, ones, sums);
    for (size_t i = 0; i < bytes; i += width)
        if (!is_sum(row, sums + i, row->step * OB_PEAK_TURNS))
            return false;
    return true;
}
