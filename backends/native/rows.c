/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the compiled rows belong to the instruction set that the backend runs with.
 */
#include "rows.h"

#include <string.h>

extern const native_rows *const native_rows_base[2];

#ifdef NATIVE_ONLY_BASE
const native_rows *native_rows_of(const native_env *env, native_class cls)
{
    (void)env;
    return native_rows_base[cls == NATIVE_F64];
}
#else
extern const native_rows *const native_rows_avx2[2], *const native_rows_avx512[2];

const native_rows *native_rows_of(const native_env *env, native_class cls)
{
    const char *isa = env->loops->isa;
    const native_rows *const *rows = strcmp(isa, "avx512") == 0 ? native_rows_avx512
                                     : strcmp(isa, "avx2") == 0 ? native_rows_avx2
                                                                : native_rows_base;
    return rows[cls == NATIVE_F64];
}
#endif
