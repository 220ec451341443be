// SPDX-License-Identifier: Apache-2.0
//
// Operators of the core that some releases of libtorch do not have: made of what they have, and registered under names of
// our own, which the table gives. Traces and configs of the older release run on the newer one all the same.
#include "torch_backend.hpp"

#include <torch/library.h>

#include <cstring>

namespace opbench
{
namespace
{

const struct {
    const char *name, *ours;
} DROPPED[] = {
    {"aten::prelu_backward", "opbench::prelu_backward"}, // 2.0 has _prelu_kernel_backward
};

#if OB_TORCH_AT_LEAST(2, 0)
// The new one wants the weight shaped like the channels and does not sum its gradient.
std::tuple<at::Tensor, at::Tensor> prelu_backward(const at::Tensor &grad, const at::Tensor &self,
                                                  const at::Tensor &weight)
{
    std::vector<int64_t> sizes(static_cast<size_t>(self.dim()), 1);
    if (self.dim() > 1)
        sizes[1] = weight.numel();
    const at::Tensor shaped = weight.reshape(sizes);
    at::Tensor self_grad, weight_grad;
    std::tie(self_grad, weight_grad) = at::_prelu_kernel_backward(grad, self, shaped);
    return {self_grad, weight_grad.sum_to_size(sizes).reshape(weight.sizes())};
}
#endif

} // namespace

const char *dropped_name(const char *name)
{
    for (const auto &row : DROPPED)
        if (std::strcmp(row.name, name) == 0)
            return row.ours;
    return nullptr;
}

void register_dropped(torch::Library &library)
{
    (void)library;
#if OB_TORCH_AT_LEAST(2, 0)
    library.def(
        "prelu_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
        prelu_backward);
#endif
}

} // namespace opbench
