#pragma once

/// \file
/// What the benchmarks share: their options, and how they tell their results.

#include <CLI/CLI.hpp>
#include <cupool/pool/device_pool.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "io/report_json.hpp"
#include "options/engine_options.hpp"

namespace cupool::tools {

struct BenchOptions {
    std::vector<unsigned> sizes;  ///< exponents of two
    int runs = 10;
    std::string memory = "host";
    EngineOptions engine;
    bool check = false;
    bool json = false;
};

/// Adds --sizes, --runs, --json and the engine's options. \param most  the largest exponent that --sizes takes
void add_measurement_options(CLI::App& command, BenchOptions& options, unsigned most);
/// The same, and --memory and --check.
void add_bench_options(CLI::App& command, BenchOptions& options, unsigned most);

/// What was measured at one size.
struct BenchResult {
    unsigned exponent = 0;  ///< the size is 2^exponent
    std::size_t jobs = 1;   ///< of that size, in one run
    Timing timing;
    std::optional<double> bound;  ///< milliseconds that it takes at least, where that is known
    std::string checked_by;       ///< the second computation that --check asks for; else empty
};

/// A benchmark's output: a table for people, or JSON.
/// \param subject  the members that say what was measured, as {"benchmark": "msm", "curve": "bn254"}
/// \param unit     what is counted: "points", "elements"
std::string bench_output(const Json& subject, const std::string& unit, const BenchOptions& options, const DevicePool& pool,
                         const std::vector<BenchResult>& results);

/// Each adds one benchmark to the bench command.
/// \{
void add_bench_msm_command(CLI::App& bench, std::string& output);
void add_bench_reduce_command(CLI::App& bench, std::string& output);
void add_bench_all_reduce_command(CLI::App& bench, std::string& output);
/// \}

}  // namespace cupool::tools
