#include "msm/digit_partitioned_msm.hpp"

#include <atomic>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <future>
#include <random>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"
#include "msm/devices_for_msm.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// Terms of random scalars, and what they come to.
template <Curve C>
struct Input {
    Input(std::size_t terms, unsigned bits, unsigned seed = 5) : points(generator_multiples<C>(1, terms)), scalars(terms) {
        std::mt19937_64 random(seed);
        for (std::size_t i = 0; i < terms; ++i) {
            for (unsigned word = 0; word < 4 && word * 64 < bits; ++word) {
                const unsigned kept = std::min(64U, bits - word * 64);
                scalars[i].limbs[word] = random() >> (64 - kept);
            }
            sum = add(sum, multiply(points[i], scalars[i]));
        }
    }

    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
    AffinePoint<C> sum = infinity<C>();
};

MsmConfig narrow_digits(int bitsize) {
    MsmConfig config;
    config.c = 4;
    config.bitsize = bitsize;
    return config;
}

/// Small MSMs, divided among the devices of a pool and done in chunks.
template <Curve C>
class SmallMsm {
public:
    static constexpr std::size_t max_chunk_terms = 12;

    SmallMsm(const DevicePool& pool, const MsmConfig& config, const detail::DeviceMsmLimits& limits = {.max_chunk_terms = max_chunk_terms})
        : pool_(pool), peers_(pool_), config_(config), limits_(limits) {}

    /// \param shares  of the terms, by device
    JacobianPoint<C> run(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points,
                         const std::vector<std::size_t>& shares) const {
        std::vector<detail::DeviceTerms<C>> terms;
        std::size_t first = 0;
        for (std::size_t i = 0; i < shares.size(); first += shares[i++]) {
            terms.push_back({i, pool_.context_at(i), scalars.subspan(first, shares[i]), points.subspan(first, shares[i])});
        }
        const auto copy = [this](std::size_t to, abi::DevicePointer to_pointer, std::size_t from, abi::DevicePointer from_pointer,
                                 std::size_t bytes, StreamView stream) {
            peers_.copy_async<std::byte>({to_pointer, bytes, pool_.device_at(to)}, {from_pointer, bytes, pool_.device_at(from)}, stream);
        };
        detail::DigitPartitionedMsm<C> msm(terms, copy, config_, 4, limits_);
        return msm.run();
    }

private:
    const DevicePool& pool_;
    PeerManager peers_;
    MsmConfig config_;
    detail::DeviceMsmLimits limits_;
};

template <class T>
PinnedBuffer<T> pinned_copy(const std::vector<T>& values, ContextView context) {
    PinnedBuffer<T> copy(values.size(), context);
    std::copy(values.begin(), values.end(), copy.data());
    return copy;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("devices that share an MSM's windows sum all terms", "[msm]", ((Curve C), C), Curve::bn254, Curve::bls12_381) {
    const std::size_t devices = GENERATE(2, 3);
    Machine machine((std::vector<SimulatedDevice>(devices)));
    const DevicePool pool = DevicePool::all(machine.driver);
    const Input<C> input(41, 22);
    JacobianPoint<C> sum;
    const RunReport report = pool.msm<C>(input.scalars, input.points, narrow_digits(22), sum, MsmSpread::digit_partition);
    CHECK(to_affine(sum) == input.sum);
    CHECK(report.devices == pool.devices());
    CHECK(report.device_bytes > 0);
    // Every term crosses the bus once, and goes to each of the others; a way between two devices is tried once in each direction.
    CHECK(report.bytes >= devices * 41 * (sizeof(Scalar) + sizeof(AffinePoint<C>)));
    CHECK(machine.simulator.call_count("cuMemcpyPeerAsync") == (2 + 1) * devices * (devices - 1));
}

TEST_CASE("devices that share windows agree whether they join bit sums, with as many windows as decides it, or fewer", "[msm]") {
    constexpr Curve C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    for (const int bitsize : {30, 183}) {
        const Input<C> input(20, bitsize);
        MsmConfig config = narrow_digits(bitsize);
        config.c = 2;  // of 183 bits 92 digits: 31, 32 and 31 windows
        JacobianPoint<C> sum;
        (void)pool.msm<C>(input.scalars, input.points, config, sum, MsmSpread::digit_partition);
        CHECK(to_affine(sum) == input.sum);
    }
}

TEST_CASE("windows are shared in chunks, of operands anywhere in host memory and unevenly divided", "[msm]") {
    constexpr Curve C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const Input<C> input(90, 30);
    const auto pinned_scalars = pinned_copy(input.scalars, pool.context_at(0).context());
    const auto pinned_points = pinned_copy(input.points, pool.context_at(0).context());
    for (const std::vector<std::size_t>& shares : {std::vector<std::size_t>{30, 30, 30}, {1, 88, 1}, {90, 0, 0}}) {
        // Eight digits: each device has two whole windows, and some of a third.
        const SmallMsm<C> msm(pool, narrow_digits(30));
        const std::uint64_t earlier = machine.simulator.call_count("cuMemcpyPeerAsync");
        CHECK(to_affine(msm.run(input.scalars, input.points, shares)) == input.sum);
        const std::size_t copies = machine.simulator.call_count("cuMemcpyPeerAsync") - earlier;
        const std::size_t chunks = (90 - 1) / (SmallMsm<C>::max_chunk_terms - 2) + 1;
        CHECK(copies >= chunks * 2 * 2);  // scalars and bases, to two others
        CHECK(to_affine(msm.run(pinned_scalars, pinned_points, shares)) == input.sum);
    }
}

TEST_CASE("windows are shared whose weights are split, or only might be", "[msm]") {
    constexpr Curve C = Curve::bn254;
    SimulatedDevice small;
    small.multiprocessor_count = 1;
    Machine machine({small, small});
    const DevicePool pool = DevicePool::all(machine.driver);
    const Input<C> input(1700, 26);
    // Seven digits: the first device sums windows 0 to 3 and the second 3 to 6, four rows of 8 buckets each; so all or none have enough,
    // but both give two sums a window.
    for (const std::uint64_t min_weight_split_buckets : {2, 4 * 8 + 1}) {
        for (const std::size_t max_chunk_terms : {std::size_t{1} << 20, std::size_t{900}}) {
            const SmallMsm<C> msm(pool, narrow_digits(26),
                                  {.max_chunk_terms = max_chunk_terms, .min_weight_split_buckets = min_weight_split_buckets});
            CHECK(to_affine(msm.run(input.scalars, input.points, {850, 850})) == input.sum);
        }
    }
}

TEST_CASE("windows are shared of scalars that are split, in chunks and with split weights", "[msm][long]") {
    constexpr Curve C = Curve::bls12_377;
    SimulatedDevice small;
    small.multiprocessor_count = 1;
    Machine machine({small, small, small});
    const DevicePool pool = DevicePool::all(machine.driver);
    const Input<C> input(500, 250);
    MsmConfig config = narrow_digits(0);
    config.c = 6;
    REQUIRE(detail::choose_digits(500, detail::scalar_range<C>(0), 1, 6, {.partition_count = 3}).are_scalars_split);
    for (const std::uint64_t min_weight_split_buckets : {std::uint64_t{2}, detail::min_weight_split_buckets}) {
        for (const std::size_t max_chunk_terms : {std::size_t{1} << 20, std::size_t{400}}) {
            const SmallMsm<C> msm(pool, config, {.max_chunk_terms = max_chunk_terms, .min_weight_split_buckets = min_weight_split_buckets});
            CHECK(to_affine(msm.run(input.scalars, input.points, {100, 0, 400})) == input.sum);
        }
    }
}

// A device that is late must not find another's terms where it still works, or none where it looks for them.
TEST_CASE("devices and kernels of any speed share windows", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const Input<C> input(36, 8);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Machine machine(std::vector<SimulatedDevice>(3));
        machine.simulator.set_seed(seed);
        const DevicePool pool = DevicePool::all(machine.driver);
        const auto scalars = pinned_copy(input.scalars, pool.context_at(0).context());
        const auto points = pinned_copy(input.points, pool.context_at(0).context());
        const SmallMsm<C> msm(pool, narrow_digits(8));
        const std::array<const char*, 3> kernels{"msm_count_bins", "msm_accumulate_slots", nullptr};
        SimulatedFault slow{.device = static_cast<int>(seed / 2 % 3), .times_slower = 3000};
        if (const char* const kernel = kernels[seed % 3]) slow.kernel = kernel;
        machine.simulator.plan_fault(slow);
        CAPTURE(seed);
        CHECK(to_affine(msm.run(scalars, points, {12, 12, 12})) == input.sum);
    }
}

TEST_CASE("a scalar that breaks its promise is named by its place, whoever has it and in whichever chunk", "[msm]") {
    constexpr Curve C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    Input<C> input(40, 20);
    const std::size_t broken = GENERATE(0, 1, 9, 19, 20, 21, 39);
    input.scalars[broken] = {{1 << 21}};
    input.scalars[39] = {{1 << 22}};
    const SmallMsm<C> msm(pool, narrow_digits(20));
    CHECK_THAT(error_of([&] {
                   (void)msm.run(input.scalars, input.points, {20, 20});
               }).what(),
               contains_text("scalar " + std::to_string(broken) + " "));
    std::vector<Scalar> scalars(3 * 40, Scalar{{1}});
    std::copy(input.scalars.begin(), input.scalars.end(), scalars.end() - 40);
    std::vector<JacobianPoint<C>> sums(3);
    const auto run = [&] { (void)pool.msm<C>(scalars, input.points, narrow_digits(20), sums, MsmSpread::digit_partition); };
    CHECK_THAT(error_of(run).what(), contains_text("scalar " + std::to_string(80 + broken) + " "));
}

TEST_CASE("windows are shared over prepared bases, of which some may be left out", "[msm]") {
    constexpr Curve C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const Input<C> input(33, 16);
    PrepareConfig prepare;
    prepare.bitsize = 16;
    prepare.c = GENERATE(0, 4);
    const PooledBases<C> bases = pool.prepare<C>(input.points, prepare, MsmSpread::digit_partition);
    CHECK(bases.is_sharded());
    for (const std::size_t terms : {33, 32, 12, 1, 0}) {
        AffinePoint<C> expected = infinity<C>();
        for (std::size_t i = 0; i < terms; ++i) expected = add(expected, multiply(input.points[i], input.scalars[i]));
        JacobianPoint<C> sum;
        MsmConfig config;
        config.c = 4;
        CAPTURE(terms, prepare.c);
        const std::uint64_t earlier = machine.simulator.call_count("cuMemcpyPeerAsync");
        const RunReport report = pool.msm<C>(std::span(input.scalars).first(terms), bases, config, sum);
        CHECK(to_affine(sum) == expected);
        CHECK(report.devices.size() == (terms > 22 ? 3 : terms > 11 ? 2 : 1));  // 11 bases each
        CHECK((machine.simulator.call_count("cuMemcpyPeerAsync") > earlier) == (terms > 11));
    }
    std::vector<JacobianPoint<C>> results(1);
    MsmConfig config;
    config.c = 5;
    const auto run = [&] { (void)pool.msm<C>(input.scalars, bases, config, results); };
    if (prepare.c == 4) CHECK(error_of(run).category() == ErrorCategory::invalid_argument);
    config.c = 4;
    config.bitsize = 15;
    CHECK(error_of(run).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("operands and results may be in Montgomery form where windows are shared", "[msm]") {
    constexpr Curve C = Curve::bls12_381;
    Machine machine;
    const DevicePool pool = DevicePool::all(machine.driver);
    Input<C> input(9, 64);
    std::vector<JacobianPoint<C>> sums(2);
    MsmConfig config = narrow_digits(64);
    config.are_points_montgomery_form = true;
    points_to_montgomery_form<C>(input.points);
    pool.msm<C>(input.scalars, input.points, config, sums[0], MsmSpread::digit_partition);
    pool.msm<C>(input.scalars, input.points, config, sums[1], MsmSpread::all_devices);
    std::vector<AffinePoint<C>> coordinates{{sums[0].x, sums[0].y}, {sums[0].z, {}}, {sums[1].x, sums[1].y}, {sums[1].z, {}}};
    points_from_montgomery_form<C>(coordinates);
    CHECK(to_affine(JacobianPoint<C>{coordinates[0].x, coordinates[0].y, coordinates[1].x}) == input.sum);
    CHECK(to_affine(JacobianPoint<C>{coordinates[2].x, coordinates[2].y, coordinates[3].x}) == input.sum);
}

TEST_CASE("terms are shared where windows cannot be", "[msm]") {
    constexpr Curve C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>(3));
    const Input<C> input(12, 8);
    const auto copies_of = [&](const MsmConfig& config, const PrepareConfig& prepare) {
        const DevicePool pool = DevicePool::all(machine.driver);  // which has asked about no way yet
        const std::uint64_t earlier = machine.simulator.call_count("cuMemcpyPeerAsync");
        JacobianPoint<C> sum;
        const RunReport report =
            prepare.precompute_factor == 1
                ? pool.msm<C>(input.scalars, input.points, config, sum, MsmSpread::digit_partition)
                : pool.msm<C>(input.scalars, pool.prepare<C>(input.points, prepare, MsmSpread::digit_partition), config, sum);
        CHECK(to_affine(sum) == input.sum);
        CHECK(report.devices == pool.devices());
        return machine.simulator.call_count("cuMemcpyPeerAsync") - earlier;
    };
    MsmConfig config = narrow_digits(8);  // three digits, the last of which holds a carry
    CHECK(copies_of(config, {}) > 0);
    config.c = 9;  // one digit
    CHECK(copies_of(config, {}) > 0);
    PrepareConfig tables;
    tables.precompute_factor = 2;
    tables.c = 4;
    tables.bitsize = 8;
    CHECK(copies_of({}, tables) == 0);
    config.c = 4;
    machine.simulator.set_peer_reachable(0, 2, false);
    CHECK(copies_of(config, {}) == 4);  // the two ways that there are, each tried from both ends
}

TEST_CASE("terms are shared where a way between devices cannot be opened", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const std::string call = GENERATE("cuCtxEnablePeerAccess", "cuMemPoolSetAccess");
    Machine machine;
    const DevicePool pool = DevicePool::all(machine.driver);
    const Input<C> input(6, 8);
    machine.simulator.plan_fault(call, 1, call == "cuCtxEnablePeerAccess" ? 711 : 2);  // too many peers; no memory
    for (const bool is_open : {false, true}) {
        JacobianPoint<C> sum;
        const std::uint64_t earlier = machine.simulator.call_count("cuMemcpyPeerAsync");
        const RunReport report = pool.msm<C>(input.scalars, input.points, narrow_digits(8), sum, MsmSpread::digit_partition);
        CHECK(to_affine(sum) == input.sum);
        CHECK(report.devices == pool.devices());
        CHECK((machine.simulator.call_count("cuMemcpyPeerAsync") > earlier) == is_open);
    }
}

TEST_CASE("terms are handed on by links, and otherwise where it is asked for", "[msm]") {
    PeerPath path;
    CHECK(detail::can_forward(path, MsmSpread::automatic));
    path.route = PeerRoute::direct;
    for (const bool is_link : {false, true}) {
        CHECK(detail::can_forward(path, MsmSpread::automatic) == is_link);
        CHECK(detail::can_forward(path, MsmSpread::digit_partition));
        path.link = Device::PeerLink{.can_access = true, .native_atomics = true, .array_access = true, .performance_rank = 0};
    }
    path.link->native_atomics = false;
    CHECK_FALSE(detail::can_forward(path, MsmSpread::automatic));
    path.route = PeerRoute::staged;
    CHECK_FALSE(detail::can_forward(path, MsmSpread::digit_partition));
}

TEST_CASE("windows are shared of many terms with many digits", "[msm]") {
    MsmConfig config;
    const auto width = [&config](std::size_t terms, std::size_t devices, MsmSpread spread = MsmSpread::automatic) {
        return detail::digit_partition_width<Curve::bn254>(terms, devices, config, spread);
    };
    CHECK(width(1 << 24, 2) == 17U);
    CHECK(width(1 << 24, 3));
    CHECK_FALSE(width(1 << 24, 4));                               // where sharing terms is faster
    CHECK(width(1 << 24, 4, MsmSpread::digit_partition) == 16U);  // 16 whole windows; of 17 bits there would be 15, up to five a device
    CHECK_FALSE(width(1 << 24, 4, MsmSpread::all_devices));
    CHECK_FALSE(width(1 << 24, 4, MsmSpread::one_device));
    CHECK_FALSE(width(1 << 24, 1));
    CHECK_FALSE(width(1 << 24, 1, MsmSpread::digit_partition));
    CHECK(width(1 << 18, 2));
    CHECK_FALSE(width(1 << 18, 3));
    CHECK(width(100, 4, MsmSpread::digit_partition));
    config.bitsize = 16;  // few digits: terms would be handed on for little
    CHECK_FALSE(width(1 << 24, 3));
    CHECK(width(1 << 24, 4, MsmSpread::digit_partition));
    config.bitsize = 64;
    CHECK(width(1 << 24, 3));
    config.c = 13;
    CHECK(width(1 << 24, 3) == 13U);
}

TEST_CASE("MSMs of many threads that share windows do not wait for each other in a circle", "[msm]") {
    constexpr Curve C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const Input<C> input(16, 8);
    std::atomic<int> right{0};
    const auto run = [&] {
        JacobianPoint<C> sum;
        (void)pool.msm<C>(input.scalars, input.points, narrow_digits(8), sum, MsmSpread::digit_partition);
        if (to_affine(sum) == input.sum) ++right;  // assertions are for one thread
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(run);
    std::vector<std::future<void>> pieces;
    for (std::size_t i = 0; i < 2; ++i) pieces.push_back(pool.submit_at(i, [&](const DeviceContext&) { run(); }));
    for (std::future<void>& piece : pieces) piece.get();
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 6);
}

TEST_CASE("what fails where windows are shared is told, and leaves nothing behind", "[msm]") {
    constexpr Curve C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const Input<C> input(16, 8);
    const auto run = [&](const MsmConfig& config) {
        JacobianPoint<C> sum;
        (void)pool.msm<C>(input.scalars, input.points, config, sum, MsmSpread::digit_partition);
        return to_affine(sum);
    };
    CHECK(run(narrow_digits(8)) == input.sum);
    machine.simulator.plan_fault("cuMemcpyPeerAsync", 3, 1);
    CHECK(error_of([&] { run(narrow_digits(8)); }).category() == ErrorCategory::invalid_argument);
    machine.simulator.plan_fault("cuMemAllocFromPoolAsync", 2, 2);  // the second device's: both then take less
    CHECK(run(narrow_digits(8)) == input.sum);
    MsmConfig config = narrow_digits(8);
    config.memory_budget = 1000;
    CHECK(error_of([&] { run(config); }).category() == ErrorCategory::invalid_argument);
    config.memory_budget = 0;
    config.c = -1;
    CHECK(error_of([&] { run(config); }).category() == ErrorCategory::invalid_argument);
    config.c = 4;
    config.are_scalars_on_device = true;
    CHECK(error_of([&] { run(config); }).category() == ErrorCategory::invalid_argument);
    CHECK(run(narrow_digits(8)) == input.sum);
}
