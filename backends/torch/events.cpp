// SPDX-License-Identifier: Apache-2.0
//
// Points on a device's time line. On the CPU a call is done when it returns, so the clock is one. On CUDA
// they are events of the current stream, through torch's interface of devices, which measures time since
// 2.3. Not verified: there is no such device here.
#include "program.hpp"
#include "torch_backend.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>

struct ob_event {
    ob_backend *backend;
    uint64_t now_ns = 0;
    void *event = nullptr;
};

namespace opbench
{

ob_status event_create(ob_backend *backend, ob_event **out, ob_err *err)
{
    *out = nullptr;
    if (!backend->device.is_cpu() && !OB_TORCH_HAS_EVENT_TIME)
        return backend->host->err_set(err, OB_ERR_UNSUPPORTED,
                                      "the events of libtorch " TORCH_VERSION
                                      " do not measure time; use --exec-mode discrete or "
                                      "continuous, or libtorch 2.3 or newer");
    return guarded(backend->host, err, [&] { *out = new ob_event{backend}; });
}

ob_status event_record(ob_event *event, ob_err *err)
{
    if (event->backend->device.is_cpu()) {
        event->now_ns = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                              std::chrono::nanoseconds(1));
        return OB_OK;
    }
    return guarded(event->backend->host, err, [&] {
        const c10::Device device = event->backend->device;
        const c10::impl::VirtualGuardImpl guard(device.type());
        const c10::Stream stream = guard.getStream(device);
        guard.record(&event->event, stream, stream.device_index(), c10::EventFlag::BACKEND_DEFAULT);
    });
}

ob_status event_elapsed_ns(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err)
{
    (void)err;
    if (start->backend->device.is_cpu()) {
        *elapsed_ns = static_cast<double>(end->now_ns - start->now_ns);
        return OB_OK;
    }
#if OB_TORCH_HAS_EVENT_TIME
    return guarded(start->backend->host, err, [&] {
        const c10::Device device = start->backend->device;
        const auto *impl = c10::impl::getDeviceGuardImpl(device.type());
        *elapsed_ns = impl->elapsedTime(start->event, end->event, device.index()) * 1e6;
    });
#else
    return OB_ERR_UNSUPPORTED; // event_create has said why
#endif
}

void event_destroy(ob_event *event)
{
    if (event == nullptr)
        return;
    if (event->event != nullptr)
        c10::impl::VirtualGuardImpl(event->backend->device.type())
            .destroyEvent(event->event, event->backend->device.index());
    delete event;
}

} // namespace opbench
