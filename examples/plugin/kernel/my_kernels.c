/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend of one kernel: an operator, its dtypes, a function. All else comes from the kit.
 */
#include <opbench/kernel_plugin.h>

static void relu(const ob_kit_function_args *args)
{
    const float *x = args->in[0].data;
    float *y = args->out[0].data;
    for (int64_t i = 0; i < args->out[0].count; i++)
        y[i] = x[i] < 0 ? 0 : x[i];
}

static const ob_kit_function_row ROWS[] = {
    {"aten::relu", OB_KIT_BIT(F32), relu, OB_KIT_ONE_SHAPE, 0},
    {NULL, 0, NULL, OB_KIT_ONE_SHAPE, 0},
};

OB_KERNEL_PLUGIN("my_kernels", ROWS);
