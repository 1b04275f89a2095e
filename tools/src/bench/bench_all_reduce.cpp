#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/pool/collectives.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <memory>
#include <optional>
#include <random>

#include "bench/bench.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

constexpr unsigned largest_exponent = 32;

/// An array of u32 on each device of a pool.
class DeviceArrays {
public:
    DeviceArrays(const DevicePool& pool, std::size_t count) : pool_(pool) {
        for (std::size_t i = 0; i < pool.device_count(); ++i) {
            buffers_.emplace_back(count, pool.context_at(i));
            spans_.push_back(buffers_.back().span());
        }
    }

    const std::vector<DeviceSpan<std::uint32_t>>& spans() const { return spans_; }
    std::vector<DeviceSpan<const std::uint32_t>> inputs() const { return {spans_.begin(), spans_.end()}; }
    void write(std::size_t device, std::span<const std::uint32_t> elements) {
        copy(spans_[device], elements, pool_.context_at(device).stream());
    }
    std::vector<std::uint32_t> read(std::size_t device) const {
        std::vector<std::uint32_t> elements(spans_[device].size());
        copy(std::span(elements), spans_[device], pool_.context_at(device).stream());
        return elements;
    }

private:
    const DevicePool& pool_;
    std::vector<DeviceBuffer<std::uint32_t>> buffers_;
    std::vector<DeviceSpan<std::uint32_t>> spans_;
};

/// A lower bound of the time of an all-reduce, in milliseconds: each of N devices sends
/// 2 (N - 1) / N of an array over its links. The bandwidth is that of a copy of a whole array from a
/// device to the next one (the fastest median of all devices). nullopt for one device.
std::optional<double> link_milliseconds(const DevicePool& pool, const DeviceArrays& inputs, const DeviceArrays& outputs, int runs) {
    const std::size_t devices = pool.device_count();
    if (devices < 2) return std::nullopt;
    const PeerManager peers(pool);
    double fastest = 0;
    for (std::size_t from = 0; from < devices; ++from) {
        Progress progress("links");
        const Timing timing = measure(
            runs, progress, [&] { peers.copy<std::uint32_t>(outputs.spans()[(from + 1) % devices], inputs.inputs()[from]); }, [] {});
        if (from == 0 || timing.median < fastest) fastest = timing.median;
    }
    return fastest * 2 * static_cast<double>(devices - 1) / static_cast<double>(devices);
}

BenchResult bench_size(unsigned exponent, const BenchOptions& options, const DevicePool& pool, const Collectives& collectives,
                       std::mt19937_64& random) {
    Progress progress("2^" + std::to_string(exponent) + " elements");
    progress.show();
    const std::size_t count = std::size_t{1} << exponent;
    DeviceArrays inputs(pool, count);
    DeviceArrays outputs(pool, count);
    std::vector<std::uint32_t> sums(count);
    std::vector<std::uint32_t> elements(count);
    for (std::size_t device = 0; device < pool.device_count(); ++device) {
        for (std::size_t i = 0; i < count; ++i) sums[i] += elements[i] = static_cast<std::uint32_t>(random());
        inputs.write(device, elements);
    }
    const std::vector<std::uint32_t> blank(count);
    for (std::size_t device = 0; device < pool.device_count(); ++device) outputs.write(device, blank);

    BenchResult measured{exponent, 1, {}, {}, {}};
    measured.timing = measure(
        options.runs, progress, [&] { collectives.all_reduce<std::uint32_t>(inputs.inputs(), outputs.spans(), ReduceOperation::sum); },
        [&] {
            for (std::size_t device = 0; device < pool.device_count(); ++device) {
                if (outputs.read(device) == sums) continue;
                throw CheckFailed("the all-reduce of 2^" + std::to_string(exponent) + " elements is wrong on device " +
                                  std::to_string(pool.devices()[device]));
            }
        });
    measured.bound = link_milliseconds(pool, inputs, outputs, options.runs);
    return measured;
}

}  // namespace

void add_bench_all_reduce_command(CLI::App& bench, std::string& output) {
    const auto options = std::make_shared<BenchOptions>();
    options->sizes = {10, 18, 26};
    options->memory = "device";
    auto& command = *bench.add_subcommand("all-reduce", "sums of random u32 arrays, one a device, on every device; each is checked");
    add_measurement_options(command, *options, largest_exponent);
    command.callback([options, &output] {
        if (options->engine.engine == Engine::host) throw UsageError("--engine host has no devices for bench all-reduce");
        options->engine.engine = Engine::gpu;
        const auto pool = open_pool(options->engine);
        const Collectives collectives(pool);
        std::mt19937_64 random(std::random_device{}());
        std::vector<BenchResult> results;
        for (const auto exponent : options->sizes) results.push_back(bench_size(exponent, *options, pool, collectives, random));
        output = bench_output({{"benchmark", "all-reduce"}, {"type", "u32"}, {"op", "sum"}}, "elements", *options, pool, results);
    });
}

}  // namespace cupool::tools
