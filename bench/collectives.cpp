// Collectives over all devices, beside NCCL if the loader finds libnccl.so.2. For each size: the
// median time of 30 blocking calls, the time of one of 20 calls queued back to back, and, from the
// shorter time, the bus bandwidth as NCCL's tests define it. Every element is checked.
//
//   cupool_collectives [LOG2_OF_MOST_BYTES [ONE_DEVICE_BYTES]]
//
// Sizes are 2^10, 2^12, ... bytes for each device, by default up to 2^30. The second argument is
// CollectiveConfig::one_device_bytes.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nccl.hpp"
#include "require.hpp"

namespace {

using namespace cupool;
using bench::Nccl;

constexpr int repetitions = 30;

constexpr int queued_calls = 20;

double median_microseconds(int runs, const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i <= runs; ++i) {  // the first is not counted
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        if (i != 0) times.push_back(time.count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// A buffer of u32 on each device; element i of device d is (i + 1) * (d + 1) modulo 2^32.
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
    /// Checks that element i of a buffer is (i + 1) * factor for all i in [begin, end).
    void check(std::size_t device, std::size_t begin, std::size_t end, std::uint32_t factor) {
        copy(std::span(numbers_), DeviceSpan<const std::uint32_t>(spans_[device]), pool_.context_at(device).stream());
        for (std::size_t i = begin; i < end; ++i) {
            require(numbers_[i] == static_cast<std::uint32_t>(i + 1) * factor, "a collective gave a wrong element");
        }
    }

    std::size_t count() const { return numbers_.size(); }
    const std::vector<DeviceSpan<std::uint32_t>>& spans() const { return spans_; }
    std::vector<DeviceSpan<const std::uint32_t>> inputs() const { return {spans_.begin(), spans_.end()}; }
    /// The slice of each device.
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

/// The collectives of one library. Both libraries use the same buffers.
class Subject {
public:
    /// \param is_async  whether the call may return before the work has finished
    using Call = std::function<void(bool is_async)>;

    Subject(const DevicePool& pool, const char* library) : pool_(pool), library_(library) {}

    /// \param share  traffic over the links of each device, in multiples of the buffer size
    void measure(const char* name, std::size_t bytes, double share, const Call& call) const {
        const double waited = median_microseconds(repetitions, [&] { call(false); });
        const double queued = median_microseconds(3,
                                                  [&] {
                                                      for (int i = 0; i < queued_calls; ++i) call(true);
                                                      synchronize();
                                                  }) /
                              queued_calls;
        std::printf("%-6s %-15s %11zu bytes %10.2f us %10.2f us queued  bus %7.2f GB/s\n", library_, name, bytes, waited, queued,
                    static_cast<double>(bytes) * share / std::min(waited, queued) / 1e3);
    }
    void synchronize() const {
        for (std::size_t device = 0; device < pool_.device_count(); ++device) pool_.context_at(device).stream().synchronize();
    }

private:
    DevicePool pool_;
    const char* library_;
};

std::vector<abi::DevicePointer> pointers_of(const std::vector<DeviceSpan<std::uint32_t>>& spans) {
    std::vector<abi::DevicePointer> pointers;
    for (const DeviceSpan<std::uint32_t>& span : spans) pointers.push_back(span.pointer());
    return pointers;
}

/// Measures each collective of cupool, then of NCCL if it is there, and checks the results.
void run(const DevicePool& pool, const Collectives& collectives, const Nccl* nccl, std::size_t bytes, CollectiveConfig config) {
    const std::size_t devices = pool.device_count();
    const double part = static_cast<double>(devices - 1) / static_cast<double>(devices);
    const auto sum_of_factors = static_cast<std::uint32_t>(devices * (devices + 1) / 2);
    const Buffers inputs(pool, bytes / sizeof(std::uint32_t));
    Buffers outputs(pool, inputs.count());
    const std::size_t count = inputs.count();
    const std::vector<DeviceSpan<std::uint32_t>> parts = inputs.parts();
    const std::vector<DeviceSpan<const std::uint32_t>> const_parts(parts.begin(), parts.end());
    const std::vector<DeviceSpan<const std::uint32_t>> const_inputs = inputs.inputs();
    const std::vector<DeviceSpan<std::uint32_t>> output_parts = outputs.parts();
    const bool is_even = count % devices == 0;  // NCCL's slices are of one size
    const Subject cupool(pool, "cupool");
    const Subject other(pool, "NCCL");

    const auto measure = [&](const char* name, double share, const std::function<void(const CollectiveConfig&)>& own_call,
                             const std::function<void()>& nccl_call, const std::function<void()>& check) {
        outputs.fill();
        cupool.measure(name, bytes, share, [&](bool is_async) {
            config.is_async = is_async;
            own_call(config);
        });
        check();
        if (nccl == nullptr || !is_even) return;
        outputs.fill();
        other.measure(name, bytes, share, [&](bool is_async) {
            nccl_call();
            if (!is_async) other.synchronize();
        });
        check();
    };

    measure(
        "all_reduce", 2 * part,
        [&](const CollectiveConfig& given) {
            collectives.all_reduce<std::uint32_t>(const_inputs, outputs.spans(), ReduceOperation::sum, given);
        },
        [&] { nccl->all_reduce(pointers_of(inputs.spans()), pointers_of(outputs.spans()), count); },
        [&] {
            for (std::size_t device = 0; device < devices; ++device) outputs.check(device, 0, count, sum_of_factors);
        });
    measure(
        "reduce_scatter", part,
        [&](const CollectiveConfig& given) {
            collectives.reduce_scatter<std::uint32_t>(const_inputs, output_parts, ReduceOperation::sum, given);
        },
        [&] { nccl->reduce_scatter(pointers_of(inputs.spans()), pointers_of(output_parts), count / devices); },
        [&] {
            for (std::size_t device = 0; device < devices; ++device) {
                outputs.check(device, outputs.begin_of(device), outputs.begin_of(device + 1), sum_of_factors);
            }
        });
    measure(
        "all_gather", part,
        [&](const CollectiveConfig& given) { collectives.all_gather<std::uint32_t>(const_parts, outputs.spans(), given); },
        [&] { nccl->all_gather(pointers_of(parts), pointers_of(outputs.spans()), count / devices); },
        [&] {
            for (std::size_t device = 0; device < devices; ++device) {
                for (std::size_t from = 0; from < devices; ++from) {
                    outputs.check(device, inputs.begin_of(from), inputs.begin_of(from + 1), static_cast<std::uint32_t>(from + 1));
                }
            }
        });
    measure(
        "broadcast", 1,
        [&](const CollectiveConfig& given) { collectives.broadcast<std::uint32_t>(inputs.spans()[0], outputs.spans(), given); },
        [&] { nccl->broadcast(inputs.spans()[0].pointer(), pointers_of(outputs.spans()), count); },
        [&] {
            for (std::size_t device = 0; device < devices; ++device) outputs.check(device, 0, count, 1);
        });
}

/// Prints what will be measured. Beside a simulated driver NCCL may be installed but cannot work.
std::unique_ptr<Nccl> find_nccl(const DevicePool& pool) {
    std::unique_ptr<Nccl> nccl;
    std::string found = "no NCCL";
    try {
        nccl = Nccl::find(pool);
        if (nccl) found = "NCCL " + std::to_string(nccl->version());
    } catch (const std::runtime_error& error) {
        found += std::string(" that can be used: ") + error.what();
    }
    std::printf("%zu devices, %s\n", pool.device_count(), found.c_str());
    return nccl;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int log2_most = argc > 1 ? std::atoi(argv[1]) : 30;
        CollectiveConfig config;
        if (argc > 2) config.one_device_bytes = std::strtoull(argv[2], nullptr, 10);
        const DevicePool pool = DevicePool::all();
        const Collectives collectives(pool);
        const std::unique_ptr<Nccl> nccl = find_nccl(pool);
        for (int log2 = 10; log2 <= log2_most; log2 += 2) run(pool, collectives, nccl.get(), std::size_t{1} << log2, config);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_collectives: %s\n", error.what());
        return 1;
    }
}
