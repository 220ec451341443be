// SPDX-License-Identifier: Apache-2.0
//
// A library of operators for the tests, loaded by --torch-library: one that works, one that throws, one
// that dies.
#include <torch/library.h>

#include <csignal>

namespace
{

at::Tensor twice(const at::Tensor &self)
{
    return self.add(self);
}

at::Tensor throws(const at::Tensor &self)
{
    TORCH_CHECK(false, "the first line\nand a second one");
    return self;
}

at::Tensor crash(const at::Tensor &self)
{
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
    return self;
}

} // namespace

TORCH_LIBRARY(obtest, library)
{
    library.def("twice(Tensor self) -> Tensor", twice);
    library.def("throws(Tensor self) -> Tensor", throws);
    library.def("crash(Tensor self) -> Tensor", crash);
}
