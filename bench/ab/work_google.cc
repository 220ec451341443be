// SPDX-License-Identifier: Apache-2.0
//
// The same loop under Google Benchmark, as much of it as WORK_STEPS says.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>

extern "C" uint64_t work_loop(int64_t steps, int64_t times);

static void work(benchmark::State &state)
{
    const int64_t steps = std::atoll(std::getenv("WORK_STEPS"));
    for (auto _ : state)
        benchmark::DoNotOptimize(work_loop(steps, 1));
}
BENCHMARK(work)->UseRealTime();
BENCHMARK_MAIN();
