// SPDX-License-Identifier: Apache-2.0
//
// What differs between libtorch 1.13 and 2.x, in one place.
#pragma once

#include <c10/util/Optional.h>
#include <torch/csrc/api/include/torch/version.h>

#include <string>

#define OB_TORCH_AT_LEAST(major, minor)                                                            \
    (TORCH_VERSION_MAJOR > (major) ||                                                              \
     (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

// The execution graph observer became the execution trace observer after 2.0, with the same four functions. Packages of
// Python do not bring their header, so that they are declared here; the linker finds those that there are.
namespace torch::profiler::impl
{
#define OB_TORCH_OBSERVER_OF(kind)                                                                 \
    __attribute__((weak, visibility("default"))) bool addExecution##kind##Observer(                \
        const std::string &path);                                                                  \
    __attribute__((weak, visibility("default"))) void removeExecution##kind##Observer();           \
    __attribute__((weak, visibility("default"))) void enableExecution##kind##Observer();           \
    __attribute__((weak, visibility("default"))) void disableExecution##kind##Observer();
OB_TORCH_OBSERVER_OF(Graph)
OB_TORCH_OBSERVER_OF(Trace)
#undef OB_TORCH_OBSERVER_OF
} // namespace torch::profiler::impl
#define OB_TORCH_OBSERVER(verb)                                                                    \
    (torch::profiler::impl::verb##ExecutionTraceObserver != nullptr                                \
         ? torch::profiler::impl::verb##ExecutionTraceObserver                                     \
         : torch::profiler::impl::verb##ExecutionGraphObserver)

// Events of devices measure time since 2.3 (DeviceGuardImplInterface::elapsedTime).
#define OB_TORCH_HAS_EVENT_TIME OB_TORCH_AT_LEAST(2, 3)

#include <optional>
namespace opbench
{
// c10::optional and std::optional are one type from 2.4 on; before, a nothing must be torch's own.
#if OB_TORCH_AT_LEAST(2, 4)
inline constexpr std::nullopt_t none = std::nullopt;
#else
inline constexpr auto none = c10::nullopt;
#endif
} // namespace opbench
