// SPDX-License-Identifier: Apache-2.0
//
// Google Benchmark on the bodies of bench/timer: a line "NS SECONDS" each, in the order in
// which they are asked for on standard input, one per line.
#include "timer_body.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static void Nothing(benchmark::State &state)
{
    for (auto _ : state)
        bench_nothing();
}
static void Microsecond(benchmark::State &state)
{
    for (auto _ : state)
        bench_microsecond();
}
BENCHMARK(Nothing);
BENCHMARK(Microsecond);

// Keeps the time per iteration instead of printing tables. CPU time: it is a mean, which a busy machine
// spoils more than a median.
class Keeper : public benchmark::BenchmarkReporter
{
  public:
    double ns = 0;
    bool ReportContext(const Context &) override
    {
        return true;
    }
    void ReportRuns(const std::vector<Run> &runs) override
    {
        for (const Run &run : runs)
            ns = run.GetAdjustedCPUTime();
    }
};

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    char line[64];
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
        line[std::strcspn(line, "\n")] = '\0';
        Keeper keeper;
        const auto start = std::chrono::steady_clock::now();
        benchmark::RunSpecifiedBenchmarks(
            &keeper, std::strcmp(line, "nothing") == 0 ? "Nothing" : "Microsecond");
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        std::printf("%.17g %.17g\n", keeper.ns, took.count());
        std::fflush(stdout);
    }
    return 0;
}
