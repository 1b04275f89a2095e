// Collectives over all devices: the median time of 30 and the bus bandwidth, as NCCL's tests define it. Every element is checked.
//
//   cupool_collectives [LOG2_OF_MOST_BYTES]     sizes are 2^10, 2^12, ... bytes a device; default 30

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <functional>
#include <string>
#include <vector>

#include "require.hpp"

namespace {

using namespace cupool;

constexpr int repetitions = 30;

double median_microseconds(const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i <= repetitions; ++i) {  // the first is not counted
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        if (i != 0) times.push_back(time.count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// A buffer of 2^32-wrapping numbers on each device; device d's element i is (i + 1) * (d + 1).
class Buffers {
public:
    Buffers(const DevicePool& pool, std::size_t count) : pool_(pool), numbers_(count) {
        for (std::size_t device = 0; device < pool.device_count(); ++device) {
            buffers_.emplace_back(count, pool.context_at(device));
            spans_.push_back(buffers_.back().span());
        }
        fill();
    }

    void fill() {
        for (std::size_t device = 0; device < spans_.size(); ++device) {
            set_multiples(static_cast<std::uint32_t>(device + 1));
            copy(spans_[device], std::span<const std::uint32_t>(numbers_), pool_.context_at(device).stream());
        }
    }
    /// Whether elements [begin, end) of a device's buffer are the multiples of a factor.
    void check(std::size_t device, std::size_t begin, std::size_t end, std::uint32_t factor) {
        copy(std::span(numbers_), DeviceSpan<const std::uint32_t>(spans_[device]), pool_.context_at(device).stream());
        for (std::size_t i = begin; i < end; ++i) {
            require(numbers_[i] == static_cast<std::uint32_t>(i + 1) * factor, "a collective gave a wrong element");
        }
    }

    std::size_t count() const { return numbers_.size(); }
    const std::vector<DeviceSpan<std::uint32_t>>& spans() const { return spans_; }
    std::vector<DeviceSpan<const std::uint32_t>> inputs() const { return {spans_.begin(), spans_.end()}; }
    /// Each device's own part.
    std::vector<DeviceSpan<std::uint32_t>> parts() const {
        std::vector<DeviceSpan<std::uint32_t>> parts;
        for (std::size_t device = 0; device < spans_.size(); ++device) {
            parts.push_back(spans_[device].subspan(begin_of(device), begin_of(device + 1) - begin_of(device)));
        }
        return parts;
    }
    std::size_t begin_of(std::size_t device) const {
        return count() / spans_.size() * device + (device == spans_.size() ? count() % spans_.size() : 0);
    }

private:
    void set_multiples(std::uint32_t factor) {
        for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = static_cast<std::uint32_t>(i + 1) * factor;
    }

    DevicePool pool_;
    std::vector<std::uint32_t> numbers_;
    std::vector<DeviceBuffer<std::uint32_t>> buffers_;
    std::vector<DeviceSpan<std::uint32_t>> spans_;
};

/// \param share  bytes over each device's links, in buffers
void report(const char* name, std::size_t bytes, double microseconds, double share) {
    std::printf("%-15s %11zu bytes %10.2f us  bus %7.2f GB/s\n", name, bytes, microseconds,
                static_cast<double>(bytes) * share / microseconds / 1e3);
}

void run(const DevicePool& pool, const Collectives& collectives, std::size_t bytes) {
    const std::size_t devices = pool.device_count();
    const double part = static_cast<double>(devices - 1) / static_cast<double>(devices);
    const auto sum_of_factors = static_cast<std::uint32_t>(devices * (devices + 1) / 2);
    Buffers inputs(pool, bytes / sizeof(std::uint32_t));
    Buffers outputs(pool, inputs.count());
    const std::size_t count = inputs.count();

    report("all_reduce", bytes,
           median_microseconds([&] { collectives.all_reduce<std::uint32_t>(inputs.inputs(), outputs.spans(), ReduceOperation::sum); }),
           2 * part);
    for (std::size_t device = 0; device < devices; ++device) outputs.check(device, 0, count, sum_of_factors);

    outputs.fill();
    report("reduce_scatter", bytes,
           median_microseconds([&] { collectives.reduce_scatter<std::uint32_t>(inputs.inputs(), outputs.parts(), ReduceOperation::sum); }),
           part);
    for (std::size_t device = 0; device < devices; ++device) {
        outputs.check(device, outputs.begin_of(device), outputs.begin_of(device + 1), sum_of_factors);
    }

    const std::vector<DeviceSpan<std::uint32_t>> parts = inputs.parts();
    report("all_gather", bytes, median_microseconds([&] {
               collectives.all_gather<std::uint32_t>(std::vector<DeviceSpan<const std::uint32_t>>(parts.begin(), parts.end()),
                                                     outputs.spans());
           }),
           part);
    for (std::size_t device = 0; device < devices; ++device) {
        for (std::size_t from = 0; from < devices; ++from) {
            outputs.check(device, inputs.begin_of(from), inputs.begin_of(from + 1), static_cast<std::uint32_t>(from + 1));
        }
    }

    report("broadcast", bytes, median_microseconds([&] { collectives.broadcast<std::uint32_t>(inputs.spans()[0], outputs.spans()); }), 1);
    for (std::size_t device = 0; device < devices; ++device) outputs.check(device, 0, count, 1);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int log2_most = argc > 1 ? std::atoi(argv[1]) : 30;
        const DevicePool pool = DevicePool::all();
        const Collectives collectives(pool);
        std::printf("%zu devices\n", pool.device_count());
        for (int log2 = 10; log2 <= log2_most; log2 += 2) run(pool, collectives, std::size_t{1} << log2);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_collectives: %s\n", error.what());
        return 1;
    }
}
