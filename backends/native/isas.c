/* SPDX-License-Identifier: Apache-2.0
 *
 * Which instruction sets the inner loops are compiled for, and which of them this processor has.
 */
#include "loops.h"

#include <string.h>

extern const native_loops native_loops_base;

#ifdef NATIVE_ONLY_BASE
static const native_loops *const SETS[] = {&native_loops_base};

static bool processor_has(const char *isa)
{
    return strcmp(isa, "base") == 0;
}
#else
extern const native_loops native_loops_avx2, native_loops_avx512;

/* The best first. */
static const native_loops *const SETS[] = {&native_loops_avx512, &native_loops_avx2,
                                           &native_loops_base};

static bool processor_has(const char *isa)
{
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(isa, "avx2") == 0)
        return avx2;
    if (strcmp(isa, "avx512") == 0)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return true;
}
#endif

const native_loops *native_loops_choose(const char *wanted)
{
    for (size_t i = 0; i < sizeof SETS / sizeof SETS[0]; i++) {
        const char *isa = SETS[i]->isa;
        if ((wanted == NULL || strcmp(wanted, isa) == 0) && processor_has(isa))
            return SETS[i];
    }
    return NULL;
}
