// SPDX-License-Identifier: Apache-2.0
//
// The operators inside a case, by torch's record-function callbacks. They cost time on every operator, so they
// are there for one extra iteration that nobody times.
#include "program.hpp"

#include <ATen/record_function.h>
#include <c10/core/InferenceMode.h>

#include <time.h>

#include <mutex>

namespace opbench
{
namespace
{

double now_ns()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

struct Event {
    std::string name;
    double start_ns, duration_ns;
    int depth;
};

// Autograd's engine may call operators on threads of its own.
struct Recorder {
    std::mutex mutex;
    std::vector<Event> events;
};
Recorder *recorder;
thread_local int depth;

struct Place : at::ObserverContext {
    size_t index;
};

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction &function)
{
    enum { MOST = 10000 }; // a trace with more is read by nobody
    auto place = std::make_unique<Place>();
    place->index = SIZE_MAX;
    const std::lock_guard<std::mutex> lock(recorder->mutex);
    if (recorder->events.size() < MOST) {
        place->index = recorder->events.size();
        recorder->events.push_back({function.name(), 0, 0, depth});
        recorder->events.back().start_ns = now_ns();
    }
    depth++;
    return place;
}

void on_end(const at::RecordFunction &, at::ObserverContext *context)
{
    const double end_ns = now_ns();
    const size_t index = static_cast<const Place *>(context)->index;
    const std::lock_guard<std::mutex> lock(recorder->mutex);
    depth--;
    if (index < recorder->events.size())
        recorder->events[index].duration_ns = end_ns - recorder->events[index].start_ns;
}

// Listens as long as it lives.
class Listening
{
  public:
    explicit Listening(Recorder &to)
    {
        recorder = &to;
        depth = 0;
        handle_ = at::addGlobalCallback(at::RecordFunctionCallback(on_start, on_end));
    }
    ~Listening()
    {
        at::removeCallback(handle_);
    }
    Listening(const Listening &) = delete;
    Listening &operator=(const Listening &) = delete;

  private:
    at::CallbackHandle handle_;
};

} // namespace

ob_status case_kernels(ob_prepared *prepared, ob_pass pass, ob_kernel_fn fn, void *ctx, ob_err *err)
{
    Recorder found;
    ob_status told = OB_OK;
    const ob_status status = guarded(prepared->backend->host, err, [&] {
        const c10::InferenceMode mode(prepared->inference);
        if (pass == OB_PASS_BACKWARD) {
            prepared->forward();
            prepared->make_grad();
        }
        {
            const Listening listening(found);
            if (pass == OB_PASS_BACKWARD)
                prepared->backward(false);
            else
                prepared->forward();
        }
        prepared->zero_grad();
        prepared->pending = false;
        prepared->restore();
        for (const Event &event : found.events) {
            const ob_kernel kernel = {event.name.c_str(), event.start_ns, event.duration_ns,
                                      event.depth};
            if (told == OB_OK)
                told = fn(ctx, &kernel);
        }
    });
    return status != OB_OK ? status : told;
}

} // namespace opbench
