// SPDX-License-Identifier: Apache-2.0
//
// Writes every operator schema that the installed libtorch registers, sorted, one per line: the
// content of tests/golden/libtorch_schemas.txt, against which the schema parser is tested.
// Needs libtorch-dev. Not part of the build. To make the file again:
//   g++ -std=c++17 -O1 -I/usr/include/torch/csrc/api/include tools/dump_schemas.cpp \
//       -o /tmp/dump_schemas -ltorch_cpu -lc10
//   /tmp/dump_schemas > tests/golden/libtorch_schemas.txt

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/version.h>

#include <iostream>
#include <set>
#include <sstream>
#include <string>

int main()
{
    auto &dispatcher = c10::Dispatcher::singleton();
    std::set<std::string> lines;
    for (const auto &name : dispatcher.getAllOpNames()) {
        const auto handle = dispatcher.findSchema(name);
        if (!handle)
            continue;
        std::ostringstream line;
        line << handle->schema();
        lines.insert(line.str());
    }
    std::cout << "# The " << lines.size() << " operator schemas that Debian's libtorch (PyTorch "
              << TORCH_VERSION_MAJOR << "." << TORCH_VERSION_MINOR
              << ", BSD-3-Clause) registers: its interface, nothing else. Made by "
                 "tools/dump_schemas.cpp; sorted by byte.\n";
    for (const auto &line : lines)
        std::cout << line << '\n';
    return 0;
}
