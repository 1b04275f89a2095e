#pragma once

/// \file
/// What all benchmarks share: options and the output of results.

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

/// Adds --sizes, --runs, --json and the options of the engine. \param max_exponent  for --sizes
void add_measurement_options(CLI::App& command, BenchOptions& options, unsigned max_exponent);
/// Adds the same options, --memory and --check.
void add_bench_options(CLI::App& command, BenchOptions& options, unsigned max_exponent);

/// The measurements at one size.
struct BenchResult {
    unsigned exponent = 0;  ///< the size is 2^exponent
    std::size_t jobs = 1;   ///< jobs of that size in one run
    Timing timing;
    std::optional<double> bound;  ///< lower bound in milliseconds, if known
    std::string checked_by;       ///< how --check verified the result; empty without --check
};

/// The output of a benchmark: a table for people, or JSON.
/// \param subject  what was measured: {"benchmark": "msm", "curve": "bn254"}
/// \param unit     of the size: "points", "elements"
std::string bench_output(const Json& subject, const std::string& unit, const BenchOptions& options, const DevicePool& pool,
                         const std::vector<BenchResult>& results);

/// Each function adds one benchmark to the bench command.
/// \{
void add_bench_msm_command(CLI::App& bench, std::string& output);
void add_bench_reduce_command(CLI::App& bench, std::string& output);
void add_bench_all_reduce_command(CLI::App& bench, std::string& output);
void add_bench_ntt_command(CLI::App& bench, std::string& output);
void add_bench_poseidon_command(CLI::App& bench, std::string& output);
/// \}

}  // namespace cupool::tools
