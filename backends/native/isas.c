/* SPDX-License-Identifier: Apache-2.0
 *
 * Which instruction sets the inner loops are compiled for, and which of them this processor has.
 */
#include "loops.h"

#include <string.h>

#define NATIVE_ISA_ROW(isa, bf16) extern const native_loops native_loops_##isa;
#include <native_isas.def>
#undef NATIVE_ISA_ROW

/* The best first; the last is what every processor has. */
static const native_loops *const SETS[] = {
#define NATIVE_ISA_ROW(isa, bf16) &native_loops_##isa,
#include <native_isas.def>
#undef NATIVE_ISA_ROW
};
enum { COUNT = sizeof SETS / sizeof SETS[0] };

#if defined(__x86_64__)
bool native_processor_has(const char *isa)
{
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
    if (strcmp(isa, "avx2") == 0)
        return avx2;
    if (strcmp(isa, "avx512") == 0)
        return avx512;
    if (strcmp(isa, "avx512bf16") == 0)
        return avx512 && __builtin_cpu_supports("avx512bf16");
    return strcmp(isa, "base") == 0;
}

static bool is_worth(const char *isa)
{
    (void)isa;
    return true;
}
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

bool native_processor_has(const char *isa)
{
    if (strcmp(isa, "sve") == 0)
        return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
    if (strcmp(isa, "neonbf16") == 0)
        return (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
    return strcmp(isa, "neon") == 0;
}

/* Vectors of SVE that are no longer than NEON's do no more at once. */
static bool is_worth(const char *isa)
{
    if (strcmp(isa, "sve") != 0)
        return true;
    const int length = prctl(PR_SVE_GET_VL);
    return length >= 0 && (length & PR_SVE_VL_LEN_MASK) > 16;
}
#else
bool native_processor_has(const char *isa)
{
    return strcmp(isa, "base") == 0;
}

static bool is_worth(const char *isa)
{
    (void)isa;
    return true;
}
#endif

const native_loops *native_loops_choose(const char *wanted)
{
    if (wanted != NULL && strcmp(wanted, "base") == 0)
        return SETS[COUNT - 1];
    for (size_t i = 0; i < COUNT; i++) {
        const char *isa = SETS[i]->isa;
        if ((wanted == NULL ? is_worth(isa) : strcmp(wanted, isa) == 0) &&
            native_processor_has(isa))
            return SETS[i];
    }
    return NULL;
}
