// Runs the benchmarks that the command line selects. The exit code is 1 if one fails or there is none.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>

#include "require.hpp"

int main(int count, char** words) {
    try {
        benchmark::Initialize(&count, words);
        if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
        require(benchmark::RunSpecifiedBenchmarks() != 0, "no benchmark was run: --benchmark_filter matches none");
        benchmark::Shutdown();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
