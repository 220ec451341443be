/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators for which a library gives a number where PyTorch and the reference give NaN, or sorts NaN otherwise.
 */
#include "conform.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *backend, *op;
} LOST[] = {
    {"onednn", "aten::relu"},
    {"onednn", "aten::relu_"},
    {"onednn", "aten::maximum"},
    {"onednn", "aten::minimum"},
    {"onednn", "aten::hardtanh"},
    {"onednn", "aten::clamp"},
    {"onednn", "aten::clamp_min"},
    {"onednn", "aten::clamp_max"},
    {"onednn", "aten::max"},
    {"onednn", "aten::min"},
    {"onednn", "aten::amax"},
    {"onednn", "aten::amin"},
    {"onnxruntime", "aten::max"},
    {"onnxruntime", "aten::min"},
    {"onnxruntime", "aten::amax"},
    {"onnxruntime", "aten::amin"},
    {"onnxruntime", "aten::sort"},
    {"onnxruntime", "aten::argmax"},
    {"onnxruntime", "aten::max_pool2d_with_indices"},
};

bool nan_may_be_lost(const char *backend, const char *op)
{
    for (size_t i = 0; i < sizeof LOST / sizeof *LOST; i++)
        if (strcmp(LOST[i].backend, backend) == 0 && strcmp(LOST[i].op, op) == 0)
            return true;
    return false;
}

bool golden_holds_nan(const golden *g)
{
    for (size_t a = 0; a < g->arg_count; a++) {
        const ob_value *value = &g->args[a];
        if (value->kind != OB_VALUE_TENSOR || !ob_dtype_is_floating(value->as.tensor->dtype))
            continue;
        for (int64_t i = 0; i < tensor_count(value->as.tensor); i++)
            if (isnan(tensor_get(value->as.tensor, i)))
                return true;
    }
    return false;
}
