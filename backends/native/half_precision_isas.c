/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the compiled loops for halves belong to the instruction set that the backend runs with.
 */
#include "half_precision.h"

#include "loops.h"

#define NATIVE_ISA_ROW(isa, bf16)                                                                  \
    extern const native_half_loops native_half_loops_##isa, native_half_loops_##bf16;
#include <native_isas.def>
#undef NATIVE_ISA_ROW

static const struct {
    const native_half_loops *all, *bf16;
} SETS[] = {
#define NATIVE_ISA_ROW(isa, bf16) {&native_half_loops_##isa, &native_half_loops_##bf16},
#include <native_isas.def>
#undef NATIVE_ISA_ROW
};

/* Without the multiplication of bf16 when a set was asked for by name. */
const native_half_loops *native_half_loops_of(const native_env *env, ob_dtype dtype)
{
    const native_half_loops *bf16 = SETS[env->loops->set].bf16;
    const bool pairs = dtype == OB_DTYPE_BF16 && env->best_isa && native_processor_has(bf16->isa);
    return pairs ? bf16 : SETS[env->loops->set].all;
}
