// DevicePool::reduce() gives the bits of one device's reduce(), however the operand is divided.
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/pool/device_pool.hpp>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

template <class T>
std::vector<T> random_values(std::size_t count) {
    std::mt19937_64 random(count);
    std::vector<T> values(count);
    for (T& value : values) {
        const auto number = static_cast<std::int64_t>(random());
        if constexpr (std::is_integral_v<T>) {
            value = static_cast<T>(number);
        } else {
            value = static_cast<T>(static_cast<float>(number) * (number % 3 == 0 ? 1e-19F : 1e-16F));
        }
    }
    return values;
}

/// The values in slices of these sizes; the first device gets the second slice, and so on.
template <class T>
class Sliced {
public:
    Sliced(const DevicePool& pool, const std::vector<T>& values, const std::vector<std::size_t>& sizes) {
        std::size_t begin = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const DeviceContext& context = pool.context_at((i + 1) % pool.device_count());
            buffers_.emplace_back(sizes[i] + 1, context);  // one element off a 16-byte boundary
            spans_.push_back(buffers_.back().span().subspan(1, sizes[i]));
            if (sizes[i] != 0) copy(spans_.back(), std::span(values).subspan(begin, sizes[i]), context.stream());
            begin += sizes[i];
        }
    }
    const std::vector<DeviceSpan<T>>& spans() const { return spans_; }

private:
    std::vector<DeviceBuffer<T>> buffers_;
    std::vector<DeviceSpan<T>> spans_;
};

/// Whether the devices reach each other's memory.
void set_links(Machine& machine, int devices, bool is_linked) {
    for (int device = 0; device < devices; ++device) {
        for (int peer = 0; peer < devices; ++peer) {
            if (device != peer) machine.simulator.set_peer_reachable(device, peer, is_linked);
        }
    }
}

template <class R>
bool same_bits(R left, R right) {
    return std::memcmp(&left, &right, sizeof(R)) == 0;
}

template <class T, class R>
R on_host(const std::vector<T>& values, ReduceOperation operation) {
    R result{};
    cupool::reduce<T, R>(Operand<T>(std::span<const T>(values)), operation, ReduceConfig::default_for_host(), result);
    return result;
}

template <class T, class R>
void check_slices(const DevicePool& pool, const std::vector<std::size_t>& sizes) {
    std::size_t count = 0;
    for (const std::size_t size : sizes) count += size;
    const std::vector<T> values = random_values<T>(count);
    const Sliced<T> sliced(pool, values, sizes);
    for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::product, ReduceOperation::min, ReduceOperation::max}) {
        if (operation == ReduceOperation::product && !std::is_integral_v<T>) continue;
        CAPTURE(sizeof(T), sizeof(R), operation, sizes);
        R result{};
        const RunReport report = pool.reduce<T>(sliced.spans(), operation, result);
        CHECK(same_bits(result, on_host<T, R>(values, operation)));
        CHECK(report.engine == Engine::gpu);
    }
}

}  // namespace

TEST_CASE("slices of all sizes reduce to the bits of one device", "[reduce]") {
    for (const bool is_linked : {true, false}) {
        CAPTURE(is_linked);
        Machine machine(std::vector<SimulatedDevice>(4));
        machine.simulator.set_checks(cupool_sim_check_all);
        set_links(machine, 4, is_linked);
        const DevicePool pool = DevicePool::all(machine.driver);
        // A tile of float has 4096 elements here, and may go over several slices.
        for (const std::vector<std::size_t>& sizes : std::vector<std::vector<std::size_t>>{
                 {1, 1, 1, 1}, {5000, 100, 3000, 4097}, {4096, 8192, 4096}, {10, 20, 30, 40'000}, {40'000, 1}, {9000, 0, 5}, {5000}}) {
            check_slices<float, float>(pool, sizes);
            check_slices<float, double>(pool, sizes);
        }
        const std::vector<std::size_t> sizes{9001, 3, 20'000, 777};
        check_slices<double, double>(pool, sizes);
        check_slices<Float16, Float16>(pool, sizes);
        check_slices<BFloat16, float>(pool, sizes);
        check_slices<std::int8_t, std::int64_t>(pool, sizes);
        check_slices<std::uint16_t, std::uint16_t>(pool, sizes);
        check_slices<std::int32_t, std::int32_t>(pool, sizes);
        check_slices<std::uint64_t, std::uint64_t>(pool, sizes);
    }
}

TEST_CASE("host memory is divided among the devices, and reduces to the bits of one", "[reduce]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    for (const std::size_t count : {std::size_t{0}, std::size_t{1000}, (std::size_t{13} << 18) + 5}) {  // the last are 13 MiB of float
        CAPTURE(count);
        const std::vector<float> values = random_values<float>(count);
        for (const std::vector<double>& weights : {std::vector<double>{1, 1, 1}, std::vector<double>{1, 5, 2.5}}) {
            pool.set_weights(weights);
            float sum = 1;
            const RunReport report = pool.reduce<float>(values, ReduceOperation::sum, sum);
            CHECK(same_bits(sum, on_host<float, float>(values, ReduceOperation::sum)));
            CHECK(report.devices.size() == (count > 100'000 ? 3 : 1));
            if (count == 0) continue;
            double largest = 0;
            pool.reduce<float>(values, ReduceOperation::max, largest);
            CHECK(same_bits(largest, on_host<float, double>(values, ReduceOperation::max)));
        }
    }
    pool.quarantine(1, "test");
    const std::vector<double> values = random_values<double>(std::size_t{9} << 17);
    double sum = 0;
    CHECK(pool.reduce<double>(values, ReduceOperation::sum, sum).devices == std::vector<int>{0, 2});
    CHECK(same_bits(sum, on_host<double, double>(values, ReduceOperation::sum)));
}

TEST_CASE("what lies on one device is reduced there", "[reduce]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const std::vector<float> values = random_values<float>(20'000);
    DeviceBuffer<float> buffer(values.size(), pool.context_at(2));
    copy(buffer.span(), std::span<const float>(values), pool.context_at(2).stream());
    float sum = 0;
    CHECK(pool.reduce<float>(buffer, ReduceOperation::sum, sum).devices == std::vector<int>{2});
    CHECK(same_bits(sum, on_host<float, float>(values, ReduceOperation::sum)));
}

TEST_CASE("slices that cannot be reduced are refused", "[reduce]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::with_devices(machine.driver, std::vector<int>{0, 1});
    DeviceBuffer<float> here(8, pool.context_at(0));
    DeviceBuffer<float> there(8, pool.context_at(1));
    using Slices = std::vector<DeviceSpan<float>>;
    float result = 0;
    const auto category = [&](const Slices& slices, ReduceOperation operation = ReduceOperation::sum) {
        const Error error = error_of([&] { pool.reduce<float>(slices, operation, result); });
        CHECK_THAT(error.location().file, contains_text("pool_reduce_test.cpp"));
        return error.category();
    };
    CHECK(category({here.span().subspan(0, 4), here.span().subspan(4, 4)}) == ErrorCategory::invalid_argument);
    CHECK(category({here.span(), {there.span().pointer(), 8, 2}}) == ErrorCategory::wrong_context);
    CHECK(category({here.span(), {there.span().pointer() + 2, 7, 1}}) == ErrorCategory::invalid_argument);
    CHECK(category({here.span(), there.span()}, ReduceOperation::product) == ErrorCategory::unsupported);
    CHECK(category({}, ReduceOperation::min) == ErrorCategory::invalid_argument);
    pool.reduce<float>(Slices{}, ReduceOperation::sum, result);
    CHECK(result == 0);
    CHECK(error_of([&] { DevicePool::host().reduce<float>(here, ReduceOperation::sum, result); }).category() == ErrorCategory::unsupported);
    pool.quarantine(1, "test");
    CHECK(category({here.span(), there.span()}) == ErrorCategory::invalid_argument);
}

TEST_CASE("a product of floats, element by element, is refused for any number of buffers", "[reduce]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const DeviceBuffer<float> here(4, pool.context_at(0));
    const DeviceBuffer<float> there(4, pool.context_at(1));
    const std::vector<DeviceSpan<const float>> buffers{here.span(), there.span()};
    for (const std::size_t count : {1u, 2u}) {
        CAPTURE(count);
        const Error error = error_of([&] { (void)pool.reduce_results<float>(std::span(buffers).first(count), ReduceOperation::product); });
        CHECK(error.category() == ErrorCategory::unsupported);
        CHECK_THAT(error.location().file, contains_text("pool_reduce_test.cpp"));
    }
}

TEST_CASE("16-bit floats, element by element, are rounded after each buffer", "[reduce]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const Sliced<Float16> buffers(pool, {Float16(2048.0F), Float16(1.0F), Float16(1.0F)}, {1, 1, 1});
    const std::vector<DeviceSpan<const Float16>> spans(buffers.spans().begin(), buffers.spans().end());
    const DeviceBuffer<Float16> sums = pool.reduce_results<Float16>(spans, ReduceOperation::sum);
    Float16 sum;
    copy(std::span(&sum, 1), sums.span(), pool.context_at(1).stream());
    CHECK(static_cast<float>(sum) == 2048);
}

TEMPLATE_TEST_CASE("each failing call of a pool's reduction is told, and the next reduction is right", "[reduce]", float, std::uint32_t) {
    const std::vector<TestType> values = random_values<TestType>(9100);
    const TestType expected = on_host<TestType, TestType>(values, ReduceOperation::sum);
    for (const bool is_linked : {true, false}) {
        for (const char* const call :
             {"cuLaunchKernel", "cuMemcpyPeerAsync", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync", "cuMemAllocFromPoolAsync"}) {
            for (std::uint64_t nth = 1;; ++nth) {
                CAPTURE(is_linked, call, nth);
                Machine machine(std::vector<SimulatedDevice>(3));
                set_links(machine, 3, is_linked);
                const DevicePool pool = DevicePool::all(machine.driver);
                const Sliced<TestType> sliced(pool, values, {5000, 100, 4000});  // the second tile goes over all slices
                TestType sum = 0;
                const auto reduce = [&] { pool.reduce<TestType>(sliced.spans(), ReduceOperation::sum, sum); };
                reduce();
                const std::uint64_t before = machine.simulator.call_count(call);
                reduce();
                if (nth > machine.simulator.call_count(call) - before) break;
                machine.simulator.plan_fault(call, nth, 999);
                CHECK(error_of(reduce).category() == ErrorCategory::internal);
                reduce();
                CHECK(same_bits(sum, expected));
            }
        }
    }
}

TEMPLATE_TEST_CASE("a device that faults or is lost midway through a pool's reduction is a typed error", "[reduce]", float, std::uint32_t) {
    const std::vector<TestType> values = random_values<TestType>(9100);
    for (const bool is_linked : {true, false}) {
        for (const auto duration : {cupool_sim_sticky, cupool_sim_lost}) {
            for (const char* const call : {"cuLaunchKernel", "cuMemcpyDtoHAsync", "cuStreamSynchronize"}) {
                CAPTURE(is_linked, duration, call);
                Machine machine(std::vector<SimulatedDevice>(3));
                set_links(machine, 3, is_linked);
                const DevicePool pool = DevicePool::all(machine.driver);
                const Sliced<TestType> sliced(pool, values, {5000, 100, 4000});
                TestType sum = 0;
                const auto reduce = [&] { pool.reduce<TestType>(sliced.spans(), ReduceOperation::sum, sum); };
                reduce();
                if (machine.simulator.call_count(call) == 0) continue;  // integers need no such copy
                machine.simulator.plan_fault({.call = call, .device = 1, .result = 700, .duration = duration});
                CHECK(error_of(reduce).category() == ErrorCategory::device_fault);
                CHECK(pool.fault().has_value());
                CHECK(error_of(reduce).category() == ErrorCategory::device_fault);
                machine.simulator.clear_faults();
            }
        }
    }
}
