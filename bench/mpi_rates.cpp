// What an MpiPool costs beside the calls that it is made of. Start two ranks or more of it by the launcher of an MPI library:
//
//   mpirun -n 2 cupool_mpi_rates [LOG_BYTES [LOG_TERMS [RUNS]]]      default 28 20 10
//
// Medians, on rank 0: the rate of an array from a rank to the next one, in host memory and on devices, beside plain copies of the same
// bytes between a device and page-locked memory; that of an all-reduce; and the time of an MSM whose terms rank 0 has, beside the same call
// of its own pool. All results are checked. Without a launcher there is one rank, which sends nothing.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cupool/cluster/mpi_pool.hpp>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "require.hpp"

namespace {

using namespace cupool;

using Number = std::uint32_t;
constexpr Curve curve = Curve::bn254;

/// The median of a call's seconds, each after all ranks have come to it.
double median_seconds(const MpiPool& ranks, unsigned runs, const std::function<void()>& call) {
    std::vector<double> times;
    for (unsigned i = 0; i <= runs; ++i) {
        ranks.barrier();
        const auto start = std::chrono::steady_clock::now();
        call();
        if (i != 0) times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void print_rate(const MpiPool& ranks, const char* what, std::size_t bytes, double seconds) {
    if (ranks.rank() == 0) std::printf("  %-52s %8.3f ms  %7.2f GB/s\n", what, 1e3 * seconds, 1e-9 * static_cast<double>(bytes) / seconds);
}

/// From rank 0 to rank 1, until rank 1 has it.
double send_seconds(const MpiPool& ranks, unsigned runs, const Operand<Number>& from, const OutputOperand<Number>& to) {
    return median_seconds(ranks, runs, [&] {
        if (ranks.rank() == 0) ranks.send<Number>(from, 1);
        if (ranks.rank() == 1) ranks.receive<Number>(to, 0);
        ranks.barrier();
    });
}

void measure_host_arrays(const MpiPool& ranks, std::size_t count, unsigned runs) {
    std::vector<Number> from(count);
    std::vector<Number> to(count);
    std::iota(from.begin(), from.end(), Number{7});
    const std::size_t bytes = count * sizeof(Number);
    if (ranks.size() > 1) {
        print_rate(ranks, "host array, rank 0 to rank 1", bytes,
                   send_seconds(ranks, runs, std::span<const Number>(from), std::span<Number>(to)));
        require(ranks.rank() != 1 || to == from, "an array arrives changed");
    }
    std::fill(from.begin(), from.end(), Number{1});
    const double seconds = median_seconds(
        ranks, runs, [&] { ranks.all_reduce<Number>(std::span<const Number>(from), std::span<Number>(to), ReduceOperation::sum); });
    require(std::ranges::all_of(to, [&](Number sum) { return sum == static_cast<Number>(ranks.size()); }), "an all-reduce is wrong");
    print_rate(ranks, "all-reduce of host arrays", bytes, seconds);
}

void measure_device_arrays(const MpiPool& ranks, std::size_t count, unsigned runs) {
    const DeviceContext& device = ranks.pool().context_at(0);
    PinnedBuffer<Number> pinned(count, device.context());
    std::iota(pinned.span().begin(), pinned.span().end(), Number{3});
    DeviceBuffer<Number> from(count, device);
    DeviceBuffer<Number> to(count, device);
    const std::size_t bytes = count * sizeof(Number);
    const double up = median_seconds(ranks, runs, [&] { copy(from.span(), std::span<const Number>(pinned.span()), device.stream()); });
    print_rate(ranks, "plain copy, page-locked memory to device", bytes, up);
    std::fill(pinned.span().begin(), pinned.span().end(), Number{});
    const double down = median_seconds(ranks, runs, [&] { copy(pinned.span(), from.span(), device.stream()); });
    print_rate(ranks, "plain copy, device to page-locked memory", bytes, down);
    if (ranks.size() == 1) return;
    print_rate(ranks, "device array, rank 0 to rank 1, staged", bytes, send_seconds(ranks, runs, from.span(), to.span()));
    if (ranks.rank() != 1) return;
    copy(pinned.span(), to.span(), device.stream());
    for (std::size_t i = 0; i < count; ++i) require(pinned[i] == static_cast<Number>(i + 3), "an array on a device arrives changed");
}

void measure_msm(const MpiPool& ranks, std::size_t terms, unsigned runs) {
    const std::size_t own = ranks.rank() == 0 ? terms : 0;
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, own);
    std::vector<Scalar> scalars(own);
    std::mt19937_64 random(5);
    for (Scalar& scalar : scalars) scalar.limbs = {random(), random(), random(), random() >> 4};
    JacobianPoint<curve> alone{};
    JacobianPoint<curve> over_ranks{};
    const double plain = median_seconds(ranks, runs, [&] {
        if (own != 0) ranks.pool().msm<curve>(scalars, points, {}, alone);
    });
    const double ours = median_seconds(ranks, runs, [&] { ranks.msm<curve>(scalars, points, {}, over_ranks); });
    if (ranks.rank() != 0) return;
    require(to_affine<curve>(alone) == to_affine<curve>(over_ranks), "an MSM over ranks is not that of the pool");
    std::printf("  MSM of %zu terms of rank 0: its pool %.3f ms, all ranks %.3f ms, %.3f ms more\n", terms, 1e3 * plain, 1e3 * ours,
                1e3 * (ours - plain));
}

void measure(const MpiPool& ranks, std::size_t bytes, std::size_t terms, unsigned runs) {
    if (ranks.rank() == 0) {
        std::printf("%d ranks by %s\n", ranks.size(), ranks.library().c_str());
        for (const RankInfo& info : ranks.ranks()) std::printf("  %s: %zu devices\n", info.host.c_str(), info.device_count);
    }
    const double barrier = median_seconds(ranks, 100 * runs, [&] { ranks.barrier(); });
    if (ranks.rank() == 0) std::printf("  barrier %.1f us\n", 1e6 * barrier);
    const std::size_t count = bytes / sizeof(Number);
    measure_host_arrays(ranks, count, runs);
    const bool have_all_devices = std::ranges::all_of(ranks.ranks(), [](const RankInfo& info) { return info.device_count != 0; });
    if (have_all_devices) measure_device_arrays(ranks, count, runs);
    measure_msm(ranks, terms, runs);
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int index, unsigned otherwise) {
        return argc > index ? static_cast<unsigned>(std::atoi(argv[index])) : otherwise;
    };
    try {
        measure(MpiPool(DevicePool::all_or_host()), std::size_t{1} << number(1, 28), std::size_t{1} << number(2, 20), number(3, 10));
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_mpi_rates: %s\n", error.what());
        return 1;
    }
}
