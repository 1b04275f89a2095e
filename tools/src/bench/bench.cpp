#include "bench/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <cupool/driver/device.hpp>

#include "commands/commands.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

constexpr int json_schema = 1;

double elements_per_second(const BenchResult& result) {
    return static_cast<double>(result.jobs << result.exponent) / (result.timing.median / 1000);
}

/// The bound divided by the median: 1 if the benchmark reaches the bound. \pre result.bound
double share_of_bound(const BenchResult& result) { return *result.bound / result.timing.median; }

Json devices_json(const DevicePool& pool) {
    auto devices = Json::array();
    for (const auto ordinal : pool.devices())
        devices.push_back({{"ordinal", ordinal}, {"name", pool.context(ordinal).context().device().name()}});
    return devices;
}

Json result_json(const BenchResult& result, const std::string& unit) {
    Json json;
    json["n"] = std::uint64_t{1} << result.exponent;
    json["first_ms"] = result.timing.first;
    json["median_ms"] = result.timing.median;
    json["min_ms"] = result.timing.minimum;
    json[unit + "_per_s"] = elements_per_second(result);
    if (result.bound) {
        json["bound_ms"] = *result.bound;
        json["share_of_bound"] = share_of_bound(result);
    }
    if (!result.checked_by.empty()) json["checked_by"] = result.checked_by;
    return json;
}

std::string as_json(const Json& subject, const std::string& unit, const BenchOptions& options, const DevicePool& pool,
                    const std::vector<BenchResult>& results) {
    Json json;
    json["schema"] = json_schema;
    json.update(subject);
    json["engine"] = to_string(pool.engine());
    json["devices"] = devices_json(pool);
    if (pool.is_host()) json["threads"] = pool.context_at(0).host_threads();
    json["memory"] = options.memory;
    json["runs"] = options.runs;
    json["results"] = Json::array();
    for (const auto& result : results) json["results"].push_back(result_json(result, unit));
    return json_text(json, 2);
}

std::string as_table(const Json& subject, const std::string& unit, const BenchOptions& options, const DevicePool& pool,
                     const std::vector<BenchResult>& results) {
    std::string table;
    for (const auto& [key, value] : subject.items())
        table += (key == "benchmark" ? "" : key + ' ') + (value.is_string() ? value.get<std::string>() : value.dump()) + ", ";
    table += "on " + to_string(pool) + ", operands in " + options.memory + " memory, " + std::to_string(options.runs) +
             " runs, every result checked\n";
    char line[128];
    const bool bounded = std::any_of(results.begin(), results.end(), [](const BenchResult& result) { return result.bound.has_value(); });
    std::snprintf(line, sizeof line, "%6s %14s %14s %14s %20s%s\n", "n", "first ms", "median ms", "min ms", (unit + "/s").c_str(),
                  bounded ? "  share of bound" : "");
    table += line;
    for (const auto& result : results) {
        std::snprintf(line, sizeof line, "  2^%-2u %14.3f %14.3f %14.3f %20.4g", result.exponent, result.timing.first, result.timing.median,
                      result.timing.minimum, elements_per_second(result));
        table += line;
        if (result.bound) {
            std::snprintf(line, sizeof line, " %14.1f %%", 100 * share_of_bound(result));
            table += line;
        }
        table += '\n';
    }
    return table;
}

}  // namespace

void add_measurement_options(CLI::App& command, BenchOptions& options, unsigned max_exponent) {
    command.add_option("--sizes", options.sizes, "how many, as exponents of two")
        ->delimiter(',')
        ->capture_default_str()
        ->check(CLI::Range(0U, max_exponent).description(""))
        ->type_name("10,16,...");
    command.add_option("--runs", options.runs, "timed runs of each size, after one to warm up")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000).description(""))
        ->type_name("N");
    add_engine_options(command, options.engine);
    command.add_flag("--json", options.json, "print JSON");
}

void add_bench_options(CLI::App& command, BenchOptions& options, unsigned max_exponent) {
    add_measurement_options(command, options, max_exponent);
    command.add_option("--memory", options.memory, "where the operands lie when the clock starts")
        ->capture_default_str()
        ->check(CLI::IsMember({"host", "pinned", "device"}).description(""))
        ->type_name("host|pinned|device");
    command.add_flag("--check", options.check, "also hold one result of each size against the other engine");
}

std::string bench_output(const Json& subject, const std::string& unit, const BenchOptions& options, const DevicePool& pool,
                         const std::vector<BenchResult>& results) {
    return options.json ? as_json(subject, unit, options, pool, results) : as_table(subject, unit, options, pool, results);
}

void add_bench_command(CLI::App& app, std::string& output) {
    auto& bench = *app.add_subcommand("bench", "measures a job over random inputs, checking every result");
    require_command(bench);
    add_bench_msm_command(bench, output);
    add_bench_reduce_command(bench, output);
    add_bench_all_reduce_command(bench, output);
    add_bench_ntt_command(bench, output);
    add_bench_poseidon_command(bench, output);
}

}  // namespace cupool::tools
