// SPDX-License-Identifier: Apache-2.0
//
// The dispatcher's operators: finding, listing, loading more, and refusing those whose effects leave the
// process. A config or a trace is data; it must not be able to write a file.
#include "torch_backend.hpp"

#include <ATen/core/function.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

namespace opbench
{
namespace
{

// A name that ends with '*' stands for all that begin so.
const struct {
    const char *name, *why;
} EFFECTS[] = {
    {"aten::from_file", "it maps a file"},
    {"aten::save", "it writes a file"},
    {"aten::_save*", "it writes a file"},
    {"aten::_load*", "it reads a file"},
    {"image::read_file", "it reads a file"},
    {"image::write_file", "it writes a file"},
    {"video_reader::*", "it reads files"},
    {"torchaudio::sox_effects*", "it reads files"},
    {"torchaudio::sox_io*", "it reads and writes files"},
    {"c10d::*", "it talks to other processes"},
    {"c10d_functional::*", "it talks to other processes"},
    {"_c10d_functional::*", "it talks to other processes"},
    {"rpc::*", "it talks to other processes"},
    {"dist_autograd::*", "it talks to other processes"},
    {"profiler::*", "it changes what is recorded"},
    {"inductor::*", "it compiles code"},
    {"mkldnn::_reorder_*_to_file", "it writes a file"},
};

class Lister : public c10::OpRegistrationListener
{
  public:
    explicit Lister(const std::function<void(const c10::FunctionSchema &)> &fn) : fn_(fn)
    {
    }
    void onOperatorRegistered(const c10::OperatorHandle &op) override
    {
        fn_(op.schema());
    }
    void onOperatorDeregistered(const c10::OperatorHandle &) override
    {
    }

  private:
    const std::function<void(const c10::FunctionSchema &)> &fn_;
};

} // namespace

const char *refusal(const std::string &name)
{
    for (const auto &row : EFFECTS) {
        const size_t length = std::strlen(row.name);
        const bool all = row.name[length - 1] == '*';
        if (all ? name.compare(0, length - 1, row.name, length - 1) == 0 : name == row.name)
            return row.why;
    }
    return nullptr;
}

// In the order of registration, which is the order in which overloads are tried.
void list_operators(const std::function<void(const c10::FunctionSchema &)> &fn)
{
    const auto handle =
        c10::Dispatcher::singleton().addRegistrationListener(std::make_unique<Lister>(fn));
}

// dlopen looks for a name without a slash where the system's libraries are; a file in the current folder is meant.
static std::string as_file(const std::string &path)
{
    const bool plain = path.find('/') == std::string::npos;
    return plain && access(path.c_str(), F_OK) == 0 ? "./" + path : path;
}

void load_libraries(const char *paths)
{
    std::string rest(paths);
    while (!rest.empty()) {
        const size_t colon = rest.find(':');
        const std::string path = rest.substr(0, colon);
        rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
        // Global: libraries of operators are linked against symbols of torch's.
        if (!path.empty() && dlopen(as_file(path).c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
            throw Failure(OB_ERR_INVALID, "--torch-library " + path + ": " + dlerror());
    }
}

std::optional<Callable> find_operator(const ob_backend &backend, const ob_schema &schema)
{
    static const char SCRIPT[] = "torchscript::";
    Callable found;
    if (std::strncmp(schema.name, SCRIPT, sizeof SCRIPT - 1) == 0) {
        if (backend.script != nullptr &&
            find_script(backend.script, schema.name + sizeof SCRIPT - 1, found))
            return found;
        return std::nullopt;
    }
    auto handle = c10::Dispatcher::singleton().findSchema({schema.name, schema.overload});
    const char *ours = handle.has_value() ? nullptr : dropped_name(schema.name);
    if (ours != nullptr)
        handle = c10::Dispatcher::singleton().findSchema({ours, schema.overload});
    if (!handle.has_value())
        return std::nullopt;
    found.handle = *handle;
    found.schema = &found.handle->schema();
    return found;
}

void Callable::call(torch::jit::Stack &stack) const
{
    if (function != nullptr)
        function->run(stack);
    else
        handle->callBoxed(&stack);
}

} // namespace opbench
