// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the process: threads of every library underneath, what they tell of themselves, memory
// that was allocated, and the execution graph.
#include "program.hpp"
#include "torch_backend.hpp"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>

namespace opbench
{
namespace
{

// A function of a library that torch brought; nullptr when it brought another one.
template <typename Function>
Function *find_function(const char *name)
{
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

// What stands behind a key in torch's own description, up to the end of the line or a comma.
std::string part_of(const std::string &text, const std::string &key)
{
    const size_t at = text.find(key);
    if (at == std::string::npos)
        return "";
    const size_t start = at + key.size();
    return text.substr(start, text.find_first_of("\n,", start) - start);
}

// The numbers of oneDNN 2.x and 3.x, which are part of its interface.
std::string onednn_isa()
{
    static const struct {
        int number;
        const char *name;
    } ROWS[] = {{0xfef, "avx512_core_amx"},
                {0x3e7, "avx512_core_amx"},
                {0x1ef, "avx512_core_fp16"},
                {0xe7, "avx512_core_bf16"},
                {0x67, "avx512_core_vnni"},
                {0x27, "avx512_core"},
                {0x407, "avx2_vnni"},
                {0x7, "avx2"},
                {0x3, "avx"},
                {0x1, "sse41"}};
    auto *effective = find_function<int()>("dnnl_get_effective_cpu_isa");
    if (effective == nullptr)
        return "";
    const int number = effective();
    for (const auto &row : ROWS)
        if (number == row.number)
            return row.name;
    return "number " + std::to_string(number);
}

// ---- memory

std::atomic<int64_t> allocated_bytes, highest_bytes;

void note_allocated(int64_t size)
{
    const int64_t used = allocated_bytes.fetch_add(size, std::memory_order_relaxed) + size;
    int64_t peak = highest_bytes.load(std::memory_order_relaxed);
    while (used > peak &&
           !highest_bytes.compare_exchange_weak(peak, used, std::memory_order_relaxed))
        ;
}

void free_counted(void *data)
{
    if (data != nullptr)
        allocated_bytes.fetch_sub(static_cast<int64_t>(malloc_usable_size(data)),
                                  std::memory_order_relaxed);
    c10::free_cpu(data);
}

// Torch's own allocator with a count. Its base class changed: which of these override something depends
// on the version, so none says that it does.
struct CountingAllocator final : c10::Allocator {
    static c10::DataPtr make(size_t size)
    {
        void *data = c10::alloc_cpu(size);
        if (data != nullptr)
            note_allocated(static_cast<int64_t>(malloc_usable_size(data)));
        return {data, data, free_counted, c10::Device(c10::kCPU)};
    }
    c10::DataPtr allocate(size_t size) const
    {
        return make(size);
    }
    c10::DataPtr allocate(size_t size)
    {
        return make(size);
    }
    c10::DeleterFnPtr raw_deleter() const
    {
        return free_counted;
    }
    void copy_data(void *to, const void *from, size_t count) const
    {
        std::memcpy(to, from, count);
    }
};

} // namespace

void count_allocations()
{
    static CountingAllocator allocator;
    static bool done;
    if (!done)
        c10::SetCPUAllocator(&allocator);
    done = true;
}

uint64_t allocation_peak(bool reset)
{
    const int64_t peak = highest_bytes.load(std::memory_order_relaxed);
    if (reset)
        highest_bytes.store(allocated_bytes.load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
    return static_cast<uint64_t>(peak > 0 ? peak : 0);
}

// ---- threads

void set_threads(ob_backend &backend, int threads)
{
    static bool interop_set; // torch takes this number once in a process
    if (threads < 1)
        throw Failure(OB_ERR_INVALID, std::to_string(threads) + " threads; give 1 or more");
    if (!interop_set) {
        interop_set = true;
        at::set_num_interop_threads(threads);
    }
    at::set_num_threads(threads);
    // OpenBLAS has a pool of its own, which torch does not know of.
    if (auto *set = find_function<void(int)>("openblas_set_num_threads"))
        set(threads);
    backend.threads = threads;
}

void tell_properties(const ob_backend &backend, ob_property_fn fn, void *ctx)
{
    const std::string config = at::show_config();
    const auto tell = [&](const char *name, const std::string &value) {
        if (!value.empty())
            fn(ctx, name, value.c_str());
    };
    tell("libtorch", TORCH_VERSION);
    Dl_info loaded;
    if (dladdr(reinterpret_cast<const void *>(&at::show_config), &loaded) != 0 &&
        loaded.dli_fname != nullptr)
        tell("libtorch_path", loaded.dli_fname);
    tell("device", backend.device.str());
    tell("threads", std::to_string(at::get_num_threads()));
    tell("interop_threads", std::to_string(at::get_num_interop_threads()));
    tell("isa", part_of(config, "CPU capability usage: "));
    if (auto *core = find_function<char *()>("openblas_get_corename"))
        tell("blas_core", core());
    if (auto *blas = find_function<char *()>("openblas_get_config"))
        tell("blas", blas());
    if (auto *count = find_function<int()>("openblas_get_num_threads"))
        tell("blas_threads", std::to_string(count()));
    tell("mkl", part_of(config, "Intel(R) Math Kernel Library Version "));
    tell("onednn", at::get_mkldnn_version());
    tell("onednn_isa", onednn_isa());
    tell("openmp", at::get_openmp_version());
}

// ---- the execution graph

// A worker that takes the place of one that died writes a file of its own.
void start_trace(const char *path)
{
    enum { MOST = 10000 };
    std::string name(path);
    const bool json = name.size() > 5 && name.compare(name.size() - 5, 5, ".json") == 0;
    const std::string stem = json ? name.substr(0, name.size() - 5) : name;
    for (int i = 2; access(name.c_str(), F_OK) == 0 && i < MOST; i++)
        name = stem + "_" + std::to_string(i) + (json ? ".json" : "");
    if (!OB_TORCH_OBSERVER(add)(name))
        throw Failure(OB_ERR_IO, "the execution graph " + name + " cannot be written");
    OB_TORCH_OBSERVER(enable)();
}

void end_trace()
{
    OB_TORCH_OBSERVER(disable)();
    OB_TORCH_OBSERVER(remove)();
}

void tell_backend(ob_backend *backend, ob_property_fn fn, void *ctx)
{
    guarded(backend->host, nullptr, [&] { tell_properties(*backend, fn, ctx); });
}

} // namespace opbench
