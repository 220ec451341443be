// SPDX-License-Identifier: Apache-2.0
//
// What the files of the shim share: the opened backend, a prepared case, and the wall that keeps
// exceptions inside.
#pragma once

#include "shim.h"
#include "torch_version.hpp"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <memory>
#include <string>
#include <vector>

namespace torch
{
class Library;
namespace jit
{
struct Function;
}
} // namespace torch

namespace opbench
{

// A failure with the status that the host should see.
struct Failure : std::runtime_error {
    Failure(ob_status code, const std::string &text) : std::runtime_error(text), status(code)
    {
    }
    ob_status status;
};

// The status and one line of text for the exception under way.
ob_status caught(std::string &text) noexcept;

// Runs work; an exception becomes a status and one line in err.
template <typename Work>
ob_status guarded(const ob_host *host, ob_err *err, const Work &work) noexcept
{
    try {
        work();
        return OB_OK;
    } catch (...) {
        std::string text;
        const ob_status status = caught(text);
        return host->err_set(err, status, "%s", text.c_str());
    }
}

// Calls of the host's that fail.
inline void check(ob_status status, const ob_err &err)
{
    if (status != OB_OK)
        throw Failure(status, err.message);
}

// ---- operators (operators.cpp, script.cpp)

// Something that takes its arguments from a stack and leaves its results there.
struct Callable {
    std::optional<c10::OperatorHandle> handle; // of the dispatcher
    torch::jit::Function *function = nullptr;  // or TorchScript
    c10::IValue self;                          // TorchScript: the module of a method
    const c10::FunctionSchema *schema = nullptr;
    size_t first = 0; // index of the first argument that is the caller's (1 for methods)

    void call(torch::jit::Stack &stack) const;
};

// Why an operator is refused although it is there: it has effects outside the process. NULL = it is not.
const char *refusal(const std::string &name);
void load_libraries(const char *paths);
void list_operators(const std::function<void(const c10::FunctionSchema &)> &fn);
void register_own_operators(); // split_table.cpp; once
// Our own operator in place of one that this libtorch does not have any more; NULL = none (dropped.cpp).
const char *dropped_name(const char *name);
void register_dropped(torch::Library &library);

struct Script;
std::shared_ptr<Script> load_script(const char *path, const c10::Device &device);
std::vector<std::string> script_schemas(const Script &script);
// False when the script has no function of that name ("torchscript::forward").
bool find_script(const std::shared_ptr<Script> &script, const std::string &name, Callable &out);

// ---- the backend (shim.cpp)

} // namespace opbench

struct ob_backend {
    const ob_host *host;
    c10::Device device = c10::Device(c10::kCPU);
    int threads = 1;
    uint64_t seed = 0;
    bool interop_set = false;
    bool tracing = false;
    std::shared_ptr<opbench::Script> script;
};

namespace opbench
{

// The operator of a graph's node; nothing when libtorch does not have it.
std::optional<Callable> find_operator(const ob_backend &backend, const ob_schema &schema);

// ---- values (convert.cpp)

// Keeps two views of one storage of the host's on one storage of torch's.
class StorageMap
{
  public:
    explicit StorageMap(const ob_host *host) : host_(host)
    {
    }
    c10::Storage get(ob_storage *storage);

  private:
    const ob_host *host_;
    std::vector<std::pair<ob_storage *, c10::Storage>> known_;
};

c10::ScalarType scalar_type(const ob_host *host, ob_dtype dtype);
// The host's memory as a tensor of the CPU's; strided ones only.
at::Tensor view_of(const ob_backend &backend, const ob_tensor &tensor, StorageMap &storages);
at::Tensor to_torch(const ob_backend &backend, const ob_tensor &tensor, StorageMap &storages);
// A value as the argument's type wants it. Throws Failure that says what does not fit.
c10::IValue to_ivalue(const ob_backend &backend, const ob_value &value, const c10::TypePtr &type,
                      StorageMap &storages);
// Makes a list of the type's elements.
c10::IValue make_list(const c10::TypePtr &list_type, const std::vector<c10::IValue> &items);
void from_ivalue(const ob_host *host, const c10::IValue &value, ob_value *out);

// ---- the machine (runtime.cpp)

void set_threads(ob_backend &backend, int threads);
void tell_properties(const ob_backend &backend, ob_property_fn fn, void *ctx);
void count_allocations(); // once, before the first tensor
uint64_t allocation_peak(bool reset);
void start_trace(const char *path);
void end_trace();

} // namespace opbench
