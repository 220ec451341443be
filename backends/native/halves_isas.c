/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the compiled loops for halves belong to the instruction set that the backend runs with.
 */
#include "halves.h"

#include "loops.h"

#include <string.h>

extern const native_half_loops native_half_loops_base;

#ifdef NATIVE_ONLY_BASE
const native_half_loops *native_half_loops_of(const native_env *env, ob_dtype dtype)
{
    (void)env;
    (void)dtype;
    return &native_half_loops_base;
}
#else
extern const native_half_loops native_half_loops_avx2, native_half_loops_avx512;
#ifdef NATIVE_HAS_AVX512BF16
extern const native_half_loops native_half_loops_avx512bf16;
#endif

/* Without AVX512-BF16 when a set was asked for by name. */
const native_half_loops *native_half_loops_of(const native_env *env, ob_dtype dtype)
{
    const char *isa = env->loops->isa;
#ifdef NATIVE_HAS_AVX512BF16
    if (dtype == OB_DTYPE_BF16 && env->best_isa && strcmp(isa, "avx512") == 0 &&
        __builtin_cpu_supports("avx512bf16"))
        return &native_half_loops_avx512bf16;
#else
    (void)dtype;
#endif
    return strcmp(isa, "avx512") == 0 ? &native_half_loops_avx512
           : strcmp(isa, "avx2") == 0 ? &native_half_loops_avx2
                                      : &native_half_loops_base;
}
#endif
