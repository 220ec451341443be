// SPDX-License-Identifier: Apache-2.0
//
// TorchScript from the command line: a module that was saved (its methods), or source (its functions). Each
// is an operator torchscript::NAME.
#include "torch_backend.hpp"

#include <torch/csrc/api/include/torch/jit.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace opbench
{

struct Script {
    std::shared_ptr<torch::jit::CompilationUnit> source; // or
    std::optional<torch::jit::Module> module;
};

namespace
{

// Saved modules are zip files.
bool is_saved(const std::string &text)
{
    return text.compare(0, 2, "PK") == 0;
}

std::vector<torch::jit::Function *> functions_of(const Script &script)
{
    std::vector<torch::jit::Function *> list;
    if (script.module.has_value()) {
        for (const torch::jit::Method &method : script.module->get_methods())
            list.push_back(&method.function());
    } else {
        list = script.source->get_functions();
    }
    return list;
}

// Torch says what is wrong, then 'File "<string>", line N' and the lines up to that one with tildes under the place:
// "FILE:LINE:COLUMN: what". An error at the very end is said to be behind the last line.
std::string script_error(const std::string &path, const std::string &source,
                         const std::string &what)
{
    static const std::string LINE = "\", line ";
    const size_t start = what.find_first_not_of(" \n");
    std::string text = start == std::string::npos ? "it cannot be read" : what.substr(start);
    text = text.substr(0, text.find('\n'));
    for (const std::string &end : {std::string(":"), std::string(" here")})
        if (text.size() > end.size() &&
            text.compare(text.size() - end.size(), end.size(), end) == 0)
            text.resize(text.size() - end.size());
    const size_t at = what.rfind(LINE);
    if (at == std::string::npos)
        return path + ": " + text;
    size_t line = std::strtoul(what.c_str() + at + LINE.size(), nullptr, 10), column = 1;
    const size_t tilde = what.find('~', at);
    std::vector<std::string> lines;
    std::istringstream reader(source);
    for (std::string one; std::getline(reader, one);)
        lines.push_back(one);
    if (line > lines.size() && !lines.empty()) {
        line = lines.size();
        column = lines.back().size() + 1;
    } else if (tilde != std::string::npos) {
        column = tilde - what.rfind('\n', tilde);
    }
    return path + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + text;
}

std::string plain_text(const std::exception &e)
{
    const auto *torchs = dynamic_cast<const c10::Error *>(&e);
    return torchs != nullptr ? torchs->what_without_backtrace() : e.what();
}

} // namespace

std::shared_ptr<Script> load_script(const char *path, const c10::Device &device)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    if (!file || !(text << file.rdbuf()))
        throw Failure(OB_ERR_INVALID,
                      std::string("--torchscript ") + path + ": the file cannot be read");
    auto script = std::make_shared<Script>();
    try {
        if (is_saved(text.str())) {
            script->module = torch::jit::load(path, device);
            script->module->train(); // as modules of configs are
        } else {
            script->source = torch::jit::compile(text.str());
        }
    } catch (const std::exception &e) {
        throw Failure(OB_ERR_INVALID,
                      "--torchscript " + script_error(path, text.str(), plain_text(e)));
    }
    return script;
}

std::vector<std::string> script_schemas(const Script &script)
{
    const bool methods = script.module.has_value();
    std::vector<std::string> texts;
    for (torch::jit::Function *function : functions_of(script)) {
        const c10::FunctionSchema &own = function->getSchema();
        auto arguments = own.arguments();
        if (methods)
            arguments.erase(arguments.begin()); // self
        const c10::FunctionSchema shown("torchscript::" + function->name(), "", arguments,
                                        own.returns());
        texts.push_back(c10::toString(shown));
    }
    return texts;
}

bool find_script(const std::shared_ptr<Script> &script, const std::string &name, Callable &out)
{
    for (torch::jit::Function *function : functions_of(*script)) {
        if (function->name() != name)
            continue;
        out.function = function;
        out.schema = &function->getSchema();
        out.first = script->module.has_value() ? 1 : 0;
        if (out.first == 1)
            out.self = script->module->_ivalue();
        return true;
    }
    return false;
}

} // namespace opbench
