// SPDX-License-Identifier: Apache-2.0
//
// The shim's entry, the backend it opens, and how exceptions become messages of one line.
#include "program.hpp"
#include "torch_backend.hpp"

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <chrono>
#include <cstring>

namespace opbench
{
namespace
{

// "Could not run 'aten::values' with arguments from the 'CPU' backend. This could be ... only available for these
// backends: [SparseCPU, ..., BackendSelect, ...": the first sentence, and the backends that stand for kernels, which
// come before those of the dispatcher itself.
std::string missing_kernel(const std::string &text)
{
    static const std::string LIST = "only available for these backends: [", END = ", BackendSelect";
    const size_t list = text.find(LIST), end = text.find(END, list);
    std::string line = text.substr(0, text.find(". "));
    if (list != std::string::npos && end != std::string::npos && list + LIST.size() < end)
        line += "; it has kernels for " + text.substr(list + LIST.size(), end - list - LIST.size());
    return line;
}

// Torch's texts have a backtrace behind the first line; TorchScript's have one before the last.
std::string one_line(const char *what)
{
    static const char SCRIPT[] = "The following operation failed in the TorchScript interpreter";
    std::string text(what);
    if (text.compare(0, sizeof SCRIPT - 1, SCRIPT) == 0) {
        while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
            text.pop_back();
        const size_t last = text.rfind('\n');
        return last == std::string::npos ? text : text.substr(last + 1);
    }
    const size_t start = text.find_first_not_of(" \n");
    text = start == std::string::npos ? "torch does not say what is wrong" : text.substr(start);
    if (text.compare(0, 15, "Could not run '") == 0)
        return missing_kernel(text);
    return text.substr(0, text.find('\n'));
}

bool tells_of_memory(const std::string &text)
{
    return text.find("can't allocate memory") != std::string::npos ||
           text.find("not enough memory") != std::string::npos ||
           text.find("out of memory") != std::string::npos;
}

} // namespace

ob_status caught(std::string &text) noexcept
{
    try {
        throw;
    } catch (const Failure &failure) {
        text = failure.what();
        return failure.status;
    } catch (const c10::NotImplementedError &e) {
        text = one_line(e.what_without_backtrace());
        return OB_ERR_UNSUPPORTED;
    } catch (const c10::Error &e) {
        text = one_line(e.what_without_backtrace());
    } catch (const std::bad_alloc &) {
        text = "out of memory";
        return OB_ERR_NOMEM;
    } catch (const std::exception &e) {
        text = one_line(e.what());
    } catch (...) {
        text = "an exception without a message";
    }
    return tells_of_memory(text) ? OB_ERR_NOMEM : OB_ERR_BACKEND;
}

namespace
{

c10::Device torch_device(const ob_device &device)
{
    const std::string text = device.index >= 0
                                 ? std::string(device.type) + ":" + std::to_string(device.index)
                                 : device.type;
    const c10::Device made(text);
    if (made.is_cuda() && !at::hasCUDA())
        throw Failure(
            OB_ERR_UNSUPPORTED,
            "this libtorch (" TORCH_VERSION
            ") has no CUDA; use --device cpu, or build opbench with a libtorch that has it");
    return made;
}

ob_status open_backend(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    auto backend = std::make_unique<ob_backend>();
    backend->host = settings->host;
    backend->seed = settings->seed;
    const auto *options = static_cast<const torch_options *>(settings->options);
    const ob_status status = guarded(settings->host, err, [&] {
        backend->device = torch_device(settings->device);
        count_allocations();
        register_own_operators();
        set_threads(*backend, settings->threads);
        at::manual_seed(settings->seed);
        if (options != nullptr && options->library != nullptr)
            load_libraries(options->library);
        if (options != nullptr && options->script != nullptr)
            backend->script = load_script(options->script, backend->device);
        if (options != nullptr && options->trace != nullptr) {
            start_trace(options->trace);
            backend->tracing = true;
        }
    });
    if (status == OB_OK)
        *out = backend.release();
    return status;
}

void close_backend(ob_backend *backend)
{
    if (backend->tracing)
        end_trace();
    delete backend;
}

ob_status sync(ob_backend *backend, ob_err *err)
{
    if (backend->device.is_cpu())
        return OB_OK;
    return guarded(backend->host, err, [&] {
        const c10::impl::VirtualGuardImpl guard(backend->device.type());
        guard.synchronizeStream(guard.getStream(backend->device));
    });
}

ob_status memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err)
{
    (void)backend, (void)err;
    *peak_bytes = allocation_peak(reset);
    return OB_OK;
}

ob_status set_thread_count(ob_backend *backend, int threads, ob_err *err)
{
    return guarded(backend->host, err, [&] { set_threads(*backend, threads); });
}

ob_status schemas(ob_backend *backend, ob_schema_fn fn, void *ctx, ob_err *err)
{
    ob_status status = OB_OK;
    const ob_status listed = guarded(backend->host, err, [&] {
        list_operators([&](const c10::FunctionSchema &schema) {
            if (status == OB_OK)
                status = fn(ctx, c10::toString(schema).c_str());
        });
        if (backend->script != nullptr)
            for (const std::string &text : script_schemas(*backend->script))
                if (status == OB_OK)
                    status = fn(ctx, text.c_str());
    });
    return status != OB_OK ? status : listed;
}

bool has_backward(ob_prepared *prepared)
{
    return prepared->has_backward();
}

const char *refuses(ob_backend *backend, const char *name)
{
    (void)backend;
    return refusal(name);
}

const torch_shim SHIM = {
    TORCH_SHIM_ABI,   sizeof(torch_shim),
    open_backend,     close_backend,
    supports_graph,   prepare_case,
    release_case,     run_phase,
    case_outputs,     sync,
    event_create,     event_record,
    event_elapsed_ns, event_destroy,
    memory_peak,      flush_cache,
    set_thread_count, tell_backend,
    schemas,          has_backward,
    case_kernels,     refuses,
    refill_case,
};

} // namespace
} // namespace opbench

extern "C" __attribute__((visibility("default"))) const torch_shim *opbench_torch_shim(void);
const torch_shim *opbench_torch_shim(void)
{
    return &opbench::SHIM;
}
