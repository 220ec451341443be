/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the compiled rows belong to the instruction set that the backend runs with.
 */
#include "native_rows.h"

#include "loops.h"

#define NATIVE_ISA_ROW(isa, bf16) extern const native_rows *const native_rows_##isa[2];
#include <native_isas.def>
#undef NATIVE_ISA_ROW

static const native_rows *const *const SETS[] = {
#define NATIVE_ISA_ROW(isa, bf16) native_rows_##isa,
#include <native_isas.def>
#undef NATIVE_ISA_ROW
};

const native_rows *native_rows_of(const native_env *env, native_class cls)
{
    return SETS[env->loops->set][cls == NATIVE_F64];
}
