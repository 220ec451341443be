/* SPDX-License-Identifier: Apache-2.0
 *
 * Using each instruction set once, on numbers whose result is known. Where one is announced and not there, the process
 * dies of SIGILL; so this is for a process that was started for it. Each function is compiled for its instruction set
 * alone; nothing of it may be inlined elsewhere.
 */
#include "machine/isa.h"

#include "process/process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __x86_64__

#include <immintrin.h>
#include <sys/syscall.h>

#define FOR(set) __attribute__((target(set), noinline))

/* So that no compiler computes the results itself. */
static volatile int one = 1;

FOR("avx2,fma") static bool use_avx2(void)
{
    int sums[8];
    float products[8];
    const __m256i x = _mm256_set1_epi32(3 * one);
    const __m256 y = _mm256_set1_ps(1.5f * (float)one);
    _mm256_storeu_si256((__m256i *)(void *)sums, _mm256_add_epi32(x, x));
    _mm256_storeu_ps(products, _mm256_fmadd_ps(y, y, y));
    return sums[7] == 6 && products[7] == 3.75f;
}

FOR("avx512f,avx512bw,avx512dq,avx512vl") static bool use_avx512(void)
{
    float products[16];
    char bytes[64];
    long long wide[8];
    const __m512 y = _mm512_set1_ps(1.5f * (float)one);
    const __m512i b = _mm512_set1_epi8((char)(3 * one));
    const __m512i w = _mm512_set1_epi64(1ll << 33 << (one - 1));
    _mm512_storeu_ps(products, _mm512_mask_add_ps(y, 0xff00, y, y));
    _mm512_storeu_si512(bytes, _mm512_add_epi8(b, b));
    _mm512_storeu_si512(wide, _mm512_mullo_epi64(w, _mm512_set1_epi64(3)));
    return products[0] == 1.5f && products[15] == 3.0f && bytes[63] == 6 && wide[7] == 3ll << 33;
}

FOR("avx512f,avx512vnni") static bool use_vnni(void)
{
    int sums[16];
    const __m512i b = _mm512_set1_epi32(0x03030303 * one);
    _mm512_storeu_si512(sums, _mm512_dpbusd_epi32(_mm512_setzero_si512(), b, b));
    return sums[15] == 4 * 9;
}

FOR("avx512f,avx512bf16") static bool use_bf16(void)
{
    float sums[16];
    const __m512 y = _mm512_set1_ps(1.5f * (float)one);
    const __m512bh b = _mm512_cvtne2ps_pbh(y, y);
    _mm512_storeu_ps(sums, _mm512_dpbf16_ps(_mm512_setzero_ps(), b, b));
    return sums[15] == 4.5f;
}

/* As bytes: vaddph %zmm0, %zmm0, %zmm0, which older assemblers do not know. */
FOR("avx512f,avx512bw") static bool use_fp16(void)
{
    enum { ONE_AND_A_HALF = 0x3e00, THREE = 0x4200 };
    short halves[32];
    register __m512i x __asm__("zmm0") = _mm512_set1_epi16((short)(ONE_AND_A_HALF * one));
    __asm__ volatile(".byte 0x62, 0xf5, 0x7c, 0x48, 0x58, 0xc0" : "+v"(x));
    _mm512_storeu_si512(halves, x);
    return halves[31] == THREE;
}

/* ---- tiles ---- */

typedef struct __attribute__((aligned(64))) tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_config;

/* Linux gives tiles to a process only when it asks. */
static bool ask_for_tiles(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
}

enum { TILE_ROWS = 16, TILE_ROW_BYTES = 64, TILE_NUMBERS = TILE_ROWS * TILE_ROW_BYTES / 4 };

/* Sums of 16 pairs of 1.0 and of 16 groups of four bytes 3. */
FOR("amx-tile,amx-bf16,amx-int8") static bool use_tiles(void)
{
    static tile_config config;
    static uint32_t halves[TILE_NUMBERS], bytes[TILE_NUMBERS];
    static float real[TILE_NUMBERS];
    static int32_t whole[TILE_NUMBERS];
    config.palette = 1;
    for (int i = 0; i < 3; i++) {
        config.row_bytes[i] = TILE_ROW_BYTES;
        config.rows[i] = TILE_ROWS;
    }
    for (int i = 0; i < TILE_NUMBERS; i++) {
        halves[i] = 0x3f803f80u * (uint32_t)one;
        bytes[i] = 0x03030303u * (uint32_t)one;
    }
    _tile_loadconfig(&config);
    _tile_zero(0);
    _tile_loadd(1, halves, TILE_ROW_BYTES);
    _tile_loadd(2, halves, TILE_ROW_BYTES);
    _tile_dpbf16ps(0, 1, 2);
    _tile_stored(0, real, TILE_ROW_BYTES);
    _tile_zero(0);
    _tile_loadd(1, bytes, TILE_ROW_BYTES);
    _tile_loadd(2, bytes, TILE_ROW_BYTES);
    _tile_dpbssd(0, 1, 2);
    _tile_stored(0, whole, TILE_ROW_BYTES);
    _tile_release();
    return real[TILE_NUMBERS - 1] == 32.0f && whole[TILE_NUMBERS - 1] == 16 * 4 * 9;
}

static bool use(ob_isa isa)
{
    switch (isa) {
    case OB_ISA_AVX2:
        return use_avx2();
    case OB_ISA_AVX512:
        return use_avx512();
    case OB_ISA_AVX512_VNNI:
        return use_vnni();
    case OB_ISA_AVX512_BF16:
        return use_bf16();
    case OB_ISA_AVX512_FP16:
        return use_fp16();
    case OB_ISA_AMX:
        return use_tiles();
    case OB_ISA_COUNT:
        break;
    }
    return false;
}

bool ob__isa_try(ob_isa isa, char why[OB_ISA_WHY_BYTES])
{
    if (isa == OB_ISA_AMX && !ob__isa_tiles_described(NULL, why))
        return false;
    if (isa == OB_ISA_AMX && !ask_for_tiles()) {
        snprintf(why, OB_ISA_WHY_BYTES, "the kernel does not give AMX tiles to processes");
        return false;
    }
    if (use(isa))
        return true;
    snprintf(why, OB_ISA_WHY_BYTES, "%s computes wrong results", ob__isa_name(isa));
    return false;
}

#else

bool ob__isa_try(ob_isa isa, char why[OB_ISA_WHY_BYTES])
{
    snprintf(why, OB_ISA_WHY_BYTES, "%s does not belong to this architecture", ob__isa_name(isa));
    return false;
}

#endif

enum { WORKS = 0, WRONG = 1 };

static int use_once(void *ctx, int socket)
{
    char why[OB_ISA_WHY_BYTES];
    const struct rlimit no_core = {0, 0};
    const stack_t no_stack = {.ss_flags = SS_DISABLE};
    (void)socket;
    setrlimit(RLIMIT_CORE, &no_core);
    sigaltstack(&no_stack, NULL); /* the kernel refuses tiles where one is too small for them */
    return ob__isa_try(*(const ob_isa *)ctx, why) ? WORKS : WRONG;
}

int ob__isa_try_apart(ob_isa isa, char why[OB_ISA_WHY_BYTES])
{
    enum { LIMIT_S = 20 };
    ob_process process;
    why[0] = '\0';
    if (ob__process_start(&(ob_process_params){.fn = use_once, .ctx = &isa}, &process, NULL) !=
        OB_OK)
        return -1;
    const int status = ob__process_end(&process, LIMIT_S);
    ob__process_close(&process);
    if (WIFEXITED(status) && WEXITSTATUS(status) == WORKS)
        return 1;
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGILL || WTERMSIG(status) == SIGSEGV))
        snprintf(why, OB_ISA_WHY_BYTES,
                 "the CPU announces %s, but a process that uses it dies of SIG%s",
                 ob__isa_name(isa), sigabbrev_np(WTERMSIG(status)));
    /* What the child wrote is not seen here; but how tiles are described is the same here. */
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != WRONG)
        return -1;
    else if (isa != OB_ISA_AMX || ob__isa_tiles_described(NULL, why))
        snprintf(
            why, OB_ISA_WHY_BYTES, "%s",
            isa == OB_ISA_AMX
                ? "the CPU announces AMX, but the kernel gives no tiles, or its products are wrong"
                : "the CPU announces it, but its results are wrong");
    return 0;
}
