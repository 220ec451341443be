/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading and writing arrays, eight registers at a time, in assembler. Stores that go past the caches save reading what is
 * overwritten, and are the best way to memory on most processors; both ways are measured, and the better one counts.
 */
#include "machine/ceiling_loops.h"

#if defined __x86_64__

#define REGISTERS                                                                                  \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "memory", "cc"

/* DO(R, number, bytes of a register) for eight of them. */
#define EACH_OF_8(R, W, DO)                                                                        \
    DO(R, 0, W)                                                                                    \
    DO(R, 1, W)                                                                                    \
    DO(R, 2, W)                                                                                    \
    DO(R, 3, W)                                                                                    \
    DO(R, 4, W)                                                                                    \
    DO(R, 5, W)                                                                                    \
    DO(R, 6, W)                                                                                    \
    DO(R, 7, W)

#define LOAD_B(R, n, W) MOVE " " #n "*" #W "(%[b],%[at]), %%" R #n "\n\t"
#define STORE_A(R, n, W) STORE " %%" R #n ", " #n "*" #W "(%[a],%[at])\n\t"
#define STORE_FACTOR(R, n, W) STORE " %%" R "8, " #n "*" #W "(%[a],%[at])\n\t"
/* Not fused: where the third operand of a fused one takes the way of what is stored (Zen), L1 would give a third less. In pairs:
 * one register after another gives a third less or not, by where the linker puts the loop (Zen). */
#define SCALE_C(R, n, W) "vmulps " #n "*" #W "(%[c],%[at]), %%" R "8, %%" R #n "\n\t"
#define ADD_B(R, n, W) "vaddps " #n "*" #W "(%[b],%[at]), %%" R #n ", %%" R #n "\n\t"
#define TRIAD_PAIR(R, m, n, W)                                                                     \
    SCALE_C(R, m, W)                                                                               \
    SCALE_C(R, n, W) ADD_B(R, m, W) ADD_B(R, n, W) STORE_A(R, m, W) STORE_A(R, n, W)
#define TRIAD_OF_8(R, W)                                                                           \
    TRIAD_PAIR(R, 0, 1, W)                                                                         \
    TRIAD_PAIR(R, 2, 3, W) TRIAD_PAIR(R, 4, 5, W) TRIAD_PAIR(R, 6, 7, W)

/* The loop goes from -bytes up to 0, so that one register counts and addresses. */
#define STREAM(name, for_set, R, W, BODY, AFTER)                                                   \
    __attribute__((target(for_set))) static void name(                                             \
        void *a, const void *b, const void *c, size_t bytes, const void *factor, void *last)       \
    {                                                                                              \
        int64_t at = -(int64_t)bytes;                                                              \
        __asm__ volatile(                                                                          \
            MOVE " (%[factor]), %%" R "8\n\t.p2align 6\n1:\n\t" BODY "add $8*" #W                  \
                 ", %[at]\n\tjnz 1b\n\t" MOVE " %%" R "7, (%[last])\n\t" AFTER                     \
            : [at] "+r"(at)                                                                        \
            : [a] "r"((char *)a + bytes), [b] "r"((const char *)b + bytes),                        \
              [c] "r"((const char *)c + bytes), [factor] "r"(factor), [last] "r"(last)             \
            : REGISTERS);                                                                          \
    }

#define FENCE "sfence\n\t"
#define CLEAN "vzeroupper\n\t"

/* SSE2 has no fused instruction and no third operand. */
#define ADD_C_2(R, n, W)                                                                           \
    "movups " #n "*" #W "(%[c],%[at]), %%" R #n "\n\tmulps %%" R "8, %%" R #n "\n\taddps " #n      \
    "*" #W "(%[b],%[at]), %%" R #n "\n\t"

#define MOVE "movups"
#define STORE "movups"
STREAM(sse2_load, "sse2", "xmm", 16, EACH_OF_8("xmm", 16, LOAD_B), "")
STREAM(sse2_store, "sse2", "xmm", 16, EACH_OF_8("xmm", 16, STORE_FACTOR), "")
STREAM(sse2_copy, "sse2", "xmm", 16, EACH_OF_8("xmm", 16, LOAD_B) EACH_OF_8("xmm", 16, STORE_A), "")
STREAM(sse2_triad, "sse2", "xmm", 16, EACH_OF_8("xmm", 16, ADD_C_2) EACH_OF_8("xmm", 16, STORE_A),
       "")
#undef MOVE
#undef STORE

#define MOVE "vmovups"
#define STORE "vmovups"
STREAM(avx2_load, "avx2", "ymm", 32, EACH_OF_8("ymm", 32, LOAD_B), CLEAN)
STREAM(avx2_store, "avx2", "ymm", 32, EACH_OF_8("ymm", 32, STORE_FACTOR), CLEAN)
STREAM(avx2_copy, "avx2", "ymm", 32, EACH_OF_8("ymm", 32, LOAD_B) EACH_OF_8("ymm", 32, STORE_A),
       CLEAN)
STREAM(avx2_triad, "avx2", "ymm", 32, TRIAD_OF_8("ymm", 32), CLEAN)
STREAM(avx512_load, "avx512f", "zmm", 64, EACH_OF_8("zmm", 64, LOAD_B), CLEAN)
STREAM(avx512_store, "avx512f", "zmm", 64, EACH_OF_8("zmm", 64, STORE_FACTOR), CLEAN)
STREAM(avx512_copy, "avx512f", "zmm", 64,
       EACH_OF_8("zmm", 64, LOAD_B) EACH_OF_8("zmm", 64, STORE_A), CLEAN)
STREAM(avx512_triad, "avx512f", "zmm", 64, TRIAD_OF_8("zmm", 64), CLEAN)
#undef STORE

#define STORE "vmovntps"
STREAM(avx2_store_past, "avx2", "ymm", 32, EACH_OF_8("ymm", 32, STORE_FACTOR), FENCE CLEAN)
STREAM(avx2_copy_past, "avx2", "ymm", 32,
       EACH_OF_8("ymm", 32, LOAD_B) EACH_OF_8("ymm", 32, STORE_A), FENCE CLEAN)
STREAM(avx2_triad_past, "avx2", "ymm", 32, TRIAD_OF_8("ymm", 32), FENCE CLEAN)
STREAM(avx512_store_past, "avx512f", "zmm", 64, EACH_OF_8("zmm", 64, STORE_FACTOR), FENCE CLEAN)
STREAM(avx512_copy_past, "avx512f", "zmm", 64,
       EACH_OF_8("zmm", 64, LOAD_B) EACH_OF_8("zmm", 64, STORE_A), FENCE CLEAN)
STREAM(avx512_triad_past, "avx512f", "zmm", 64, TRIAD_OF_8("zmm", 64), FENCE CLEAN)
#undef MOVE
#undef STORE

static const ob_stream_row ROWS[] = {
    {OB_STREAM_LOAD, "sse2", false, sse2_load},
    {OB_STREAM_STORE, "sse2", false, sse2_store},
    {OB_STREAM_COPY, "sse2", false, sse2_copy},
    {OB_STREAM_TRIAD, "sse2", false, sse2_triad},
    {OB_STREAM_LOAD, "avx2", false, avx2_load},
    {OB_STREAM_STORE, "avx2", false, avx2_store},
    {OB_STREAM_STORE, "avx2", true, avx2_store_past},
    {OB_STREAM_COPY, "avx2", false, avx2_copy},
    {OB_STREAM_COPY, "avx2", true, avx2_copy_past},
    {OB_STREAM_TRIAD, "avx2", false, avx2_triad},
    {OB_STREAM_TRIAD, "avx2", true, avx2_triad_past},
    {OB_STREAM_LOAD, "avx512", false, avx512_load},
    {OB_STREAM_STORE, "avx512", false, avx512_store},
    {OB_STREAM_STORE, "avx512", true, avx512_store_past},
    {OB_STREAM_COPY, "avx512", false, avx512_copy},
    {OB_STREAM_COPY, "avx512", true, avx512_copy_past},
    {OB_STREAM_TRIAD, "avx512", false, avx512_triad},
    {OB_STREAM_TRIAD, "avx512", true, avx512_triad_past},
};

#elif defined __aarch64__

/* Four pairs of registers at a time; stnp says that what is stored is not needed soon. */
#define LOAD_B                                                                                     \
    "ldp q0, q1, [%[b]]\n\tldp q2, q3, [%[b], #32]\n\tldp q4, q5, [%[b], #64]\n\t"                 \
    "ldp q6, q7, [%[b], #96]\n\tadd %[b], %[b], #128\n\t"
#define STORE_A(STP)                                                                               \
    STP " q0, q1, [%[a]]\n\t" STP " q2, q3, [%[a], #32]\n\t" STP " q4, q5, [%[a], #64]\n\t" STP    \
        " q6, q7, [%[a], #96]\n\tadd %[a], %[a], #128\n\t"
#define STORE_FACTOR                                                                               \
    "stp q8, q8, [%[a]]\n\tstp q8, q8, [%[a], #32]\n\tstp q8, q8, [%[a], #64]\n\t"                 \
    "stp q8, q8, [%[a], #96]\n\tadd %[a], %[a], #128\n\t"
#define ADD_C                                                                                      \
    "ldp q16, q17, [%[c]]\n\tldp q18, q19, [%[c], #32]\n\tldp q20, q21, [%[c], #64]\n\t"           \
    "ldp q22, q23, [%[c], #96]\n\tadd %[c], %[c], #128\n\t"                                        \
    "fmla v0.4s, v16.4s, v8.4s\n\tfmla v1.4s, v17.4s, v8.4s\n\tfmla v2.4s, v18.4s, v8.4s\n\t"      \
    "fmla v3.4s, v19.4s, v8.4s\n\tfmla v4.4s, v20.4s, v8.4s\n\tfmla v5.4s, v21.4s, v8.4s\n\t"      \
    "fmla v6.4s, v22.4s, v8.4s\n\tfmla v7.4s, v23.4s, v8.4s\n\t"
#define STREAM(name, BODY)                                                                         \
    static void name(void *a, const void *b, const void *c, size_t bytes, const void *factor,      \
                     void *last)                                                                   \
    {                                                                                              \
        __asm__ volatile("ldr q8, [%[factor]]\n1:\n\t" BODY                                        \
                         "subs %[bytes], %[bytes], #128\n\tb.ne 1b\n\tstr q7, [%[last]]\n\t"       \
                         : [bytes] "+r"(bytes), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c)              \
                         : [factor] "r"(factor), [last] "r"(last)                                  \
                         : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v16", "v17",     \
                           "v18", "v19", "v20", "v21", "v22", "v23", "memory", "cc");              \
    }

STREAM(neon_load, LOAD_B)
STREAM(neon_store, STORE_FACTOR)
STREAM(neon_copy, LOAD_B STORE_A("stp"))
STREAM(neon_triad, LOAD_B ADD_C STORE_A("stp"))
STREAM(neon_copy_past, LOAD_B STORE_A("stnp"))
STREAM(neon_triad_past, LOAD_B ADD_C STORE_A("stnp"))

static const ob_stream_row ROWS[] = {
    {OB_STREAM_LOAD, "neon", false, neon_load},   {OB_STREAM_STORE, "neon", false, neon_store},
    {OB_STREAM_COPY, "neon", false, neon_copy},   {OB_STREAM_COPY, "neon", true, neon_copy_past},
    {OB_STREAM_TRIAD, "neon", false, neon_triad}, {OB_STREAM_TRIAD, "neon", true, neon_triad_past},
};

#else

static const ob_stream_row ROWS[] = {{.stream = OB_STREAM_LOAD, .set = "none"}};

#endif

const ob_stream_row *ob__stream_rows(size_t *count)
{
    *count = sizeof ROWS / sizeof *ROWS;
    return ROWS;
}

const char *ob__stream_word(ob_stream stream)
{
    static const char *const WORDS[] = {
#define OB_STREAM_WORD(id, word, arrays, help) word,
        OB_STREAM_MAP(OB_STREAM_WORD)
#undef OB_STREAM_WORD
    };
    return WORDS[stream];
}

int ob__stream_arrays(ob_stream stream)
{
    static const int ARRAYS[] = {
#define OB_STREAM_ARRAYS(id, word, arrays, help) arrays,
        OB_STREAM_MAP(OB_STREAM_ARRAYS)
#undef OB_STREAM_ARRAYS
    };
    return ARRAYS[stream];
}
