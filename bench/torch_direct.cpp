// SPDX-License-Identifier: Apache-2.0
//
// at::add on one element, called directly: what bench/torch_backend.py holds the backend's boxed call against. Timed: blocks
// of calls, each of which drops its result; the median of the blocks is printed in ns per call.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

int main()
{
    enum { CALLS = 20000, BLOCKS = 50 };
    at::set_num_threads(1);
    const at::Tensor a = at::rand({1}), b = at::rand({1});
    std::vector<double> blocks;
    for (int block = 0; block < BLOCKS; block++) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < CALLS; i++)
            at::add(a, b);
        const std::chrono::duration<double, std::nano> took =
            std::chrono::steady_clock::now() - start;
        blocks.push_back(took.count() / CALLS);
    }
    std::sort(blocks.begin(), blocks.end());
    std::printf("%.1f\n", blocks[BLOCKS / 2]);
    return 0;
}
