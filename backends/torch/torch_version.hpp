// SPDX-License-Identifier: Apache-2.0
//
// What differs between libtorch 1.13 and 2.x, in one place.
#pragma once

#include <c10/util/Optional.h>
#include <torch/csrc/api/include/torch/version.h>

#define OB_TORCH_AT_LEAST(major, minor)                                                            \
    (TORCH_VERSION_MAJOR > (major) ||                                                              \
     (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

// The execution graph observer of 1.13 became the execution trace observer of 2.0, in a header of
// another place.
#if OB_TORCH_AT_LEAST(2, 0)
#if __has_include(<torch/csrc/profiler/standalone/execution_trace_observer.h>)
#include <torch/csrc/profiler/standalone/execution_trace_observer.h>
#else
#include <torch/csrc/profiler/execution_trace_observer.h>
#endif
#define OB_TORCH_OBSERVER(verb) torch::profiler::impl::verb##ExecutionTraceObserver
#else
#include <torch/csrc/profiler/execution_graph_observer.h>
#define OB_TORCH_OBSERVER(verb) torch::profiler::impl::verb##ExecutionGraphObserver
#endif

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
