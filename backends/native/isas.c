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

static const uint8_t KINDS[NATIVE_LOOP_COUNT] = {
#define NATIVE_LOOP(name, kind, types, real, integer) [NATIVE_LOOP_##name] = NATIVE_KIND_##kind,
#include "loops.def"
};

native_loop_kind native_loop_kind_of(native_loop_id id)
{
    return (native_loop_kind)KINDS[id];
}

int native_loop_operands(native_loop_id id)
{
    switch (native_loop_kind_of(id)) {
    case NATIVE_KIND_LOOP1:
    case NATIVE_KIND_TEST1:
    case NATIVE_KIND_MASK1:
        return 1;
    case NATIVE_KIND_LOOP2:
    case NATIVE_KIND_TEST2:
    case NATIVE_KIND_MASK2:
        return 2;
    case NATIVE_KIND_LOOP3:
        break;
    }
    return 3;
}
