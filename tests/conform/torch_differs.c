/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators whose results of libtorch may differ from the reference's and from native's.
 */
#include "conform.h"

#include <string.h>

/* In which dtypes, and why. */
typedef enum where { ANYWHERE, OF_INTEGERS, OF_F64, OF_BF16, OF_SHORT } where;
static const struct {
    const char *op;
    where in;
} MAY_DIFFER[] = {
    {"aten::hardsigmoid", OF_F64},             /* torch divides by 6 in float32 */
    {"aten::hardsigmoid_", OF_F64},            /* likewise */
    {"aten::hardsigmoid_backward", OF_F64},    /* likewise */
    {"aten::native_group_norm", ANYWHERE},     /* torch differentiates its mean and deviation too */
    {"aten::topk", OF_INTEGERS},               /* which of equal elements comes first is not said */
    {"aten::convolution", OF_BF16},            /* transposed in groups: torch gives another shape */
    {"aten::conv_transpose3d.input", OF_BF16}, /* likewise */
    {"aten::convolution_backward", OF_SHORT},  /* torch gives more than output_mask asks for */
};

bool torch_may_differ(const char *op, ob_dtype dtype)
{
    const bool there[] = {[ANYWHERE] = true,
                          [OF_INTEGERS] = ob_dtype_is_integral(dtype),
                          [OF_F64] = dtype == OB_DTYPE_F64,
                          [OF_BF16] = dtype == OB_DTYPE_BF16,
                          [OF_SHORT] = dtype == OB_DTYPE_F32 || dtype == OB_DTYPE_BF16 ||
                                       dtype == OB_DTYPE_F16};
    for (size_t i = 0; i < sizeof MAY_DIFFER / sizeof *MAY_DIFFER; i++)
        if (strcmp(MAY_DIFFER[i].op, op) == 0 && there[MAY_DIFFER[i].in])
            return true;
    return false;
}
