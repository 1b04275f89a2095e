// Collectives over simulated devices, against references that the tests compute themselves.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/pool/collectives.hpp>
#include <cupool/pool/pool_graph.hpp>
#include <functional>
#include <future>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "forked_child.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// So small that staged operands take several chunks.
constexpr PeerOptions staged{.chunk_bytes = 64, .chunks = 3, .allows_direct = false};
constexpr std::size_t guard = 3;  ///< elements before and behind each buffer, which nothing may touch

/// A machine with all checks on.
struct CheckedMachine : Machine {
    explicit CheckedMachine(std::size_t devices) : Machine(std::vector<SimulatedDevice>(devices)) {
        simulator.set_checks(cupool_sim_check_all);
    }
};

template <class T>
using Arrays = std::vector<std::vector<T>>;

template <class T>
constexpr bool is_half = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <class T>
T number(int value) {
    if constexpr (is_half<T>) {
        return T(static_cast<float>(value));
    } else {
        return static_cast<T>(value);
    }
}

/// Numbers of all magnitudes; of floats also NaN, zeros of both signs and infinities.
template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        const std::uint64_t bits = random();
        if constexpr (is_half<T>) {
            value = T::from_bits(static_cast<std::uint16_t>(bits));
        } else if constexpr (std::is_floating_point_v<T>) {
            switch (bits % 16) {
                case 0: value = std::numeric_limits<T>::quiet_NaN(); break;
                case 1: value = -T{0}; break;
                case 2: value = T{0}; break;
                case 3: value = -std::numeric_limits<T>::infinity(); break;
                default: value = std::ldexp(static_cast<T>(static_cast<std::int64_t>(bits)), static_cast<int>(bits / 16 % 60) - 90);
            }
        } else {
            value = static_cast<T>(bits);
        }
    }
    return values;
}

template <class T>
T combined(T left, T right, ReduceOperation operation) {
    if constexpr (std::is_floating_point_v<T>) {
        if (operation == ReduceOperation::sum) return left + right;
        if (std::isnan(left)) return left;
        if (std::isnan(right)) return right;
        const bool is_less = left < right || (left == right && std::signbit(left) && !std::signbit(right));
        return (operation == ReduceOperation::min) == is_less ? left : right;
    } else {
        const auto wide = [](T value) { return static_cast<std::uint64_t>(value); };
        switch (operation) {
            case ReduceOperation::sum: return static_cast<T>(wide(left) + wide(right));
            case ReduceOperation::product: return static_cast<T>(wide(left) * wide(right));
            case ReduceOperation::min: return std::min(left, right);
            case ReduceOperation::max: break;
        }
        return std::max(left, right);
    }
}

template <class T>
std::vector<ReduceOperation> operations_of() {
    if constexpr (std::is_integral_v<T>) {
        return {ReduceOperation::sum, ReduceOperation::product, ReduceOperation::min, ReduceOperation::max};
    } else {
        return {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max};
    }
}

/// Element by element, from left to right; 16-bit floats as float, rounded at the end.
template <class T>
std::vector<T> reduced(const Arrays<T>& arrays, ReduceOperation operation) {
    using A = std::conditional_t<is_half<T>, float, T>;
    std::vector<T> result;
    for (std::size_t i = 0; i < arrays.front().size(); ++i) {
        A value = static_cast<A>(arrays.front()[i]);
        for (std::size_t k = 1; k < arrays.size(); ++k) value = combined(value, static_cast<A>(arrays[k][i]), operation);
        if constexpr (std::is_floating_point_v<A>) {
            if (std::isnan(value)) value = std::numeric_limits<A>::quiet_NaN();
        }
        result.push_back(static_cast<T>(value));
    }
    return result;
}

template <class T>
bool same_bits(const std::vector<T>& left, const std::vector<T>& right) {
    return left.size() == right.size() && (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(T)) == 0);
}

/// A buffer on each device, between guards, at an offset that may be no multiple of 16 bytes.
template <class T>
class PlacedArrays {
public:
    /// \param shift  elements by which each device's array begins later than the one before, modulo 4
    PlacedArrays(const DevicePool& pool, const Arrays<T>& arrays, std::size_t shift = 0) : pool_(pool) {
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            const std::size_t begin = guard + i * shift % 4;
            std::vector<T> whole(arrays[i].size() + begin + guard, number<T>(marker));
            std::copy(arrays[i].begin(), arrays[i].end(), whole.begin() + static_cast<std::ptrdiff_t>(begin));
            buffers_.emplace_back(whole.size(), pool.context_at(i));
            copy(buffers_.back().span(), std::span<const T>(whole), pool.context_at(i).stream());
            spans_.push_back(buffers_.back().span().subspan(begin, arrays[i].size()));
        }
    }

    const std::vector<DeviceSpan<T>>& spans() const { return spans_; }
    std::vector<DeviceSpan<const T>> inputs() const { return {spans_.begin(), spans_.end()}; }

    std::vector<T> read(std::size_t i) const {
        std::vector<T> values(spans_[i].size());
        if (!values.empty()) copy(std::span(values), DeviceSpan<const T>(spans_[i]), pool_.context_at(i).stream());
        return values;
    }
    bool are_guards_whole() const {
        for (std::size_t i = 0; i < buffers_.size(); ++i) {
            std::vector<T> whole(buffers_[i].size());
            copy(std::span(whole), buffers_[i].span(), pool_.context_at(i).stream());
            const auto begin = static_cast<std::ptrdiff_t>((spans_[i].pointer() - buffers_[i].span().pointer()) / sizeof(T));
            const auto end = begin + static_cast<std::ptrdiff_t>(spans_[i].size());
            const auto is_marker = [](T value) { return value == number<T>(marker); };
            if (!std::all_of(whole.begin(), whole.begin() + begin, is_marker)) return false;
            if (!std::all_of(whole.begin() + end, whole.end(), is_marker)) return false;
        }
        return true;
    }

private:
    static constexpr int marker = 77;

    DevicePool pool_;
    std::vector<DeviceBuffer<T>> buffers_;
    std::vector<DeviceSpan<T>> spans_;
};

template <class T>
Arrays<T> random_arrays(std::size_t devices, std::size_t count) {
    Arrays<T> arrays;
    for (std::size_t i = 0; i < devices; ++i) arrays.push_back(random_values<T>(count, 1000 * count + i));
    return arrays;
}

template <class T>
Arrays<T> blank_arrays(const std::vector<std::size_t>& sizes) {
    Arrays<T> arrays;
    for (const std::size_t size : sizes) arrays.emplace_back(size, number<T>(55));
    return arrays;
}

/// Sizes that add up to `count`, none alike where there are enough.
std::vector<std::size_t> uneven_sizes(std::size_t count, std::size_t parts) {
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i + 1 < parts; ++i) {
        const std::size_t size = i == 1 ? 0 : std::min(count, count / (parts - i) + i);
        sizes.push_back(size);
        count -= size;
    }
    sizes.push_back(count);
    return sizes;
}

std::vector<CollectiveConfig> divisions() { return {{.one_device_bytes = 0}, {.one_device_bytes = 1 << 20}}; }

template <class T>
void check_all_reduce(const DevicePool& pool, const Collectives& collectives, std::size_t count, std::size_t shift) {
    const Arrays<T> arrays = random_arrays<T>(pool.device_count(), count);
    for (const ReduceOperation operation : operations_of<T>()) {
        const std::vector<T> expected = reduced(arrays, operation);
        for (const CollectiveConfig& config : divisions()) {
            CAPTURE(sizeof(T), count, shift, operation, config.one_device_bytes);
            const PlacedArrays<T> inputs(pool, arrays);
            const PlacedArrays<T> outputs(pool, blank_arrays<T>(std::vector(pool.device_count(), count)), shift);
            collectives.all_reduce<T>(inputs.inputs(), outputs.spans(), operation, config);
            const PlacedArrays<T> in_place(pool, arrays, shift);
            collectives.all_reduce<T>(in_place.spans(), operation, config);
            for (std::size_t i = 0; i < pool.device_count(); ++i) {
                CAPTURE(i);
                CHECK(same_bits(outputs.read(i), expected));
                CHECK(same_bits(in_place.read(i), expected));
                CHECK(same_bits(inputs.read(i), arrays[i]));
            }
            CHECK(outputs.are_guards_whole());
            CHECK(in_place.are_guards_whole());
        }
    }
}

template <class T>
void check_reduce_scatter(const DevicePool& pool, const Collectives& collectives, std::size_t count) {
    const Arrays<T> arrays = random_arrays<T>(pool.device_count(), count);
    const std::vector<std::size_t> sizes = uneven_sizes(count, pool.device_count());
    for (const CollectiveConfig& config : divisions()) {
        const ReduceOperation operation = config.one_device_bytes == 0 ? ReduceOperation::sum : ReduceOperation::max;
        CAPTURE(sizeof(T), count, operation);
        const std::vector<T> expected = reduced(arrays, operation);
        const PlacedArrays<T> inputs(pool, arrays);
        const PlacedArrays<T> outputs(pool, blank_arrays<T>(sizes));
        collectives.reduce_scatter<T>(inputs.inputs(), outputs.spans(), operation, config);
        const PlacedArrays<T> in_place(pool, arrays);
        std::vector<DeviceSpan<T>> slices;
        std::size_t offset = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            slices.push_back(in_place.spans()[i].subspan(offset, sizes[i]));
            offset += sizes[i];
        }
        collectives.reduce_scatter<T>(in_place.inputs(), slices, operation, config);
        offset = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            CAPTURE(i);
            const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(offset);
            const std::vector<T> slice(begin, begin + static_cast<std::ptrdiff_t>(sizes[i]));
            CHECK(same_bits(outputs.read(i), slice));
            std::vector<T> whole = arrays[i];
            std::copy(slice.begin(), slice.end(), whole.begin() + static_cast<std::ptrdiff_t>(offset));
            CHECK(same_bits(in_place.read(i), whole));
            CHECK(same_bits(inputs.read(i), arrays[i]));
            offset += sizes[i];
        }
        CHECK(outputs.are_guards_whole());
        CHECK(in_place.are_guards_whole());
    }
}

template <class T>
void check_all_gather(const DevicePool& pool, const Collectives& collectives, std::size_t count) {
    const std::vector<std::size_t> sizes = uneven_sizes(count, pool.device_count());
    const std::vector<T> expected = random_values<T>(count, count);
    Arrays<T> parts;
    std::vector<std::size_t> offsets;
    for (const std::size_t size : sizes) {
        offsets.push_back(offsets.empty() ? 0 : offsets.back() + parts.back().size());
        const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(offsets.back());
        parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
    }
    for (const CollectiveConfig& config : divisions()) {
        CAPTURE(sizeof(T), count, config.one_device_bytes);
        const PlacedArrays<T> inputs(pool, parts);
        const PlacedArrays<T> outputs(pool, blank_arrays<T>(std::vector(sizes.size(), count)));
        collectives.all_gather<T>(inputs.inputs(), outputs.spans(), config);
        const PlacedArrays<T> in_place(pool, blank_arrays<T>(std::vector(sizes.size(), count)));
        std::vector<DeviceSpan<const T>> own_parts;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            own_parts.push_back(in_place.spans()[i].subspan(offsets[i], sizes[i]));
            if (sizes[i] != 0)
                copy(in_place.spans()[i].subspan(offsets[i], sizes[i]), std::span<const T>(parts[i]), pool.context_at(i).stream());
        }
        collectives.all_gather<T>(own_parts, in_place.spans(), config);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            CAPTURE(i);
            CHECK(same_bits(outputs.read(i), expected));
            CHECK(same_bits(in_place.read(i), expected));
        }
        CHECK(outputs.are_guards_whole());
        CHECK(in_place.are_guards_whole());
    }
}

template <class T>
void check_broadcast(const DevicePool& pool, const Collectives& collectives, std::size_t count) {
    const std::vector<T> expected = random_values<T>(count, count);
    for (std::size_t root = 0; root < pool.device_count(); ++root) {
        for (const CollectiveConfig& config : divisions()) {
            CAPTURE(sizeof(T), count, root, config.one_device_bytes);
            Arrays<T> arrays(pool.device_count());
            arrays[root] = expected;
            const PlacedArrays<T> sources(pool, arrays);
            const PlacedArrays<T> targets(pool, blank_arrays<T>(std::vector(pool.device_count(), count)));
            collectives.broadcast<T>(sources.spans()[root], targets.spans(), config);
            arrays = blank_arrays<T>(std::vector(pool.device_count(), count));
            arrays[root] = expected;
            const PlacedArrays<T> in_place(pool, arrays);
            collectives.broadcast<T>(in_place.spans()[root], in_place.spans(), config);
            for (std::size_t i = 0; i < pool.device_count(); ++i) {
                CAPTURE(i);
                CHECK(same_bits(targets.read(i), expected));
                CHECK(same_bits(in_place.read(i), expected));
            }
            CHECK(targets.are_guards_whole());
            CHECK(in_place.are_guards_whole());
        }
    }
}

template <class T>
void check_all(const DevicePool& pool, const Collectives& collectives, std::size_t count) {
    check_all_reduce<T>(pool, collectives, count, 0);
    check_all_reduce<T>(pool, collectives, count, 1);
    check_reduce_scatter<T>(pool, collectives, count);
    check_all_gather<T>(pool, collectives, count);
    check_broadcast<T>(pool, collectives, count);
}

}  // namespace

TEST_CASE("collectives of each type on 8 devices", "[collectives]") {
    const CheckedMachine machine(8);
    const DevicePool pool = DevicePool::all(machine.driver);
    const Collectives collectives(pool);
    check_all<std::int8_t>(pool, collectives, 259);
    check_all<std::uint8_t>(pool, collectives, 258);
    check_all<std::int16_t>(pool, collectives, 133);
    check_all<std::uint16_t>(pool, collectives, 130);
    check_all<Float16>(pool, collectives, 131);
    check_all<BFloat16>(pool, collectives, 129);
    check_all<std::int32_t>(pool, collectives, 131);
    check_all<std::uint32_t>(pool, collectives, 130);
    check_all<std::int64_t>(pool, collectives, 67);
    check_all<std::uint64_t>(pool, collectives, 66);
    check_all<float>(pool, collectives, 133);
    check_all<double>(pool, collectives, 65);
}

TEST_CASE("collectives on 1, 2, 3 and 8 devices, with links and without", "[collectives]") {
    for (const std::size_t devices : {1u, 2u, 3u, 8u}) {
        for (const bool is_linked : {true, false}) {
            CAPTURE(devices, is_linked);
            const CheckedMachine machine(devices);
            const DevicePool pool = DevicePool::all(machine.driver);
            const Collectives collectives(pool, is_linked ? PeerOptions{} : staged);
            check_all<std::int16_t>(pool, collectives, 133);
            check_all<float>(pool, collectives, 67);
            check_all<double>(pool, collectives, 66);
        }
    }
}

TEST_CASE("collectives of no elements, of one, and of many", "[collectives]") {
    const CheckedMachine machine(3);
    const DevicePool pool = DevicePool::all(machine.driver);
    const Collectives collectives(pool);
    for (const std::size_t count : {0u, 1u, 2u, 40'001u}) check_all<float>(pool, collectives, count);
}

TEST_CASE("devices without a link among others that have one", "[collectives]") {
    CheckedMachine machine(3);
    machine.simulator.set_peer_reachable(1, 2, false);
    machine.simulator.set_peer_reachable(2, 1, false);
    const DevicePool pool = DevicePool::all(machine.driver);
    const Collectives collectives(pool, {.chunk_bytes = 100, .chunks = 2});
    check_all<float>(pool, collectives, 200);
    check_all<std::uint64_t>(pool, collectives, 101);
}

TEST_CASE("a collective is ordered on the streams of the devices, and the host does not wait", "[collectives]") {
    constexpr std::size_t count = 3000;
    for (const bool is_linked : {true, false}) {
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            CAPTURE(is_linked, seed);
            CheckedMachine machine(3);
            machine.simulator.set_seed(seed);
            const DevicePool pool = DevicePool::all(machine.driver);
            const Collectives collectives(pool, is_linked ? PeerOptions{} : PeerOptions{.chunk_bytes = 1000, .allows_direct = false});
            std::vector<Stream> streams;
            std::vector<DeviceBuffer<std::uint32_t>> buffers;
            std::vector<DeviceSpan<std::uint32_t>> spans;
            CollectiveConfig config{.is_async = true, .one_device_bytes = seed % 2 == 0 ? 0u : 1u << 20};
            for (std::size_t i = 0; i < 3; ++i) {
                streams.emplace_back(pool.context_at(i).context());
                config.streams.emplace_back(streams[i]);
                buffers.emplace_back(count, pool.context_at(i).with_stream(streams[i]));
                spans.push_back(buffers[i].span());
                fill_async(spans[i], 0u, streams[i]);
            }
            collectives.all_reduce<std::uint32_t>(spans, ReduceOperation::sum, config);  // opens the ways, which waits
            for (std::size_t i = 0; i < 3; ++i) streams[i].synchronize();
            machine.simulator.plan_fault({.device = static_cast<int>(seed % 3), .times_slower = 1000});
            for (std::size_t i = 0; i < 3; ++i) fill_async(spans[i], 1u << i, streams[i]);
            collectives.all_reduce<std::uint32_t>(spans, ReduceOperation::sum, config);  // 7 everywhere
            fill_async(spans[1], 100u, streams[1]);
            collectives.broadcast<std::uint32_t>(
                spans[1].subspan(0, 10), std::vector{spans[0].subspan(5, 10), spans[1].subspan(0, 10), spans[2].subspan(5, 10)}, config);
            collectives.all_reduce<std::uint32_t>(spans, ReduceOperation::sum, config);
            std::vector<std::uint32_t> expected(count, 7 + 100 + 7);
            std::fill_n(expected.begin() + 5, 10, 300);
            for (std::size_t i = 0; i < 3; ++i) {
                std::vector<std::uint32_t> read(count);
                copy<std::uint32_t>(read, spans[i], streams[i]);
                CHECK(read == expected);
            }
        }
    }
}

TEST_CASE("an asynchronous collective returns before the streams' work is done", "[collectives]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const Collectives collectives(pool);
    const PlacedArrays<int> arrays(pool, {{1, 2}, {30, 40}});
    collectives.all_reduce<int>(arrays.spans(), ReduceOperation::max);  // opens the way
    std::promise<void> go;
    pool.context_at(1).stream().launch_host_function([gone = go.get_future().share()] { gone.wait(); });
    const RunReport report = collectives.all_reduce<int>(arrays.spans(), ReduceOperation::sum, {.is_async = true});
    CHECK(report.engine == Engine::gpu);
    CHECK(report.devices == std::vector<int>{0, 1});
    CHECK(report.bytes == 2 * 2 * sizeof(int));
    CHECK_FALSE(pool.context_at(0).stream().query());
    go.set_value();
    CHECK(arrays.read(0) == std::vector<int>{60, 80});
    CHECK(arrays.read(1) == std::vector<int>{60, 80});
}

TEST_CASE("a graph of all devices has collectives", "[collectives]") {
    const CheckedMachine machine(3);
    const DevicePool pool = DevicePool::all(machine.driver);
    const Collectives collectives(pool);
    const PlacedArrays<int> arrays(pool, {{1, 1}, {1, 1}, {1, 1}});
    collectives.all_reduce<int>(arrays.spans(), ReduceOperation::max, {.one_device_bytes = 0});  // opens the ways and loads the kernels
    CollectiveConfig config{.is_async = true, .one_device_bytes = 0};
    PoolGraph graph(pool, [&](std::size_t index, const DeviceContext& context) {
        config.streams.push_back(context.stream());
        if (index == 2) collectives.all_reduce<int>(arrays.spans(), ReduceOperation::sum, config);
    });
    for (int i = 0; i < 3; ++i) graph.launch();
    graph.synchronize();
    for (std::size_t i = 0; i < 3; ++i) CHECK(arrays.read(i) == std::vector<int>{27, 27});
}

TEST_CASE("many threads run collectives at once", "[collectives]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const Collectives collectives(pool);
    std::vector<std::thread> threads;
    std::vector<char> right(6);
    for (std::size_t t = 0; t < right.size(); ++t) {
        threads.emplace_back([&, t] {
            const Arrays<float> values = random_arrays<float>(3, 100 + t);
            for (int again = 0; again < 5; ++again) {
                const PlacedArrays<float> arrays(pool, values);
                collectives.all_reduce<float>(arrays.spans(), ReduceOperation::sum, {.one_device_bytes = again % 2 == 0 ? 0u : 1u << 20});
                right[t] = same_bits(arrays.read(2), reduced(values, ReduceOperation::sum));
                if (right[t] == 0) return;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(right == std::vector<char>(right.size(), 1));
}

TEST_CASE("what makes no sense for a collective is refused", "[collectives]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::with_devices(machine.driver, std::vector<int>{0, 1});
    const Collectives collectives(pool);
    const PlacedArrays<int> arrays(pool, {{1, 2, 3, 4}, {5, 6, 7, 8}});
    const PlacedArrays<int> others(pool, {{1, 2, 3, 4}, {5, 6, 7, 8}});
    const DeviceSpan<int> here = arrays.spans()[0];
    const DeviceSpan<int> there = arrays.spans()[1];
    using Spans = std::vector<DeviceSpan<int>>;
    using Inputs = std::vector<DeviceSpan<const int>>;
    const auto refusal = [](auto&& function) {
        const Error error = error_of(function);
        CAPTURE(error.what());
        CHECK_THAT(error.location().file, contains_text("collectives_test.cpp"));
        return error.category();
    };
    const auto all_reduce = [&](const Spans& spans, const CollectiveConfig& config = {}) {
        return refusal([&] { collectives.all_reduce<int>(spans, ReduceOperation::sum, config); });
    };
    CHECK(all_reduce({}) == ErrorCategory::invalid_argument);
    CHECK(all_reduce({here, there.subspan(0, 3)}) == ErrorCategory::invalid_argument);
    CHECK(all_reduce({here.subspan(0, 2), here.subspan(2, 2)}) == ErrorCategory::invalid_argument);
    CHECK(all_reduce({here, {there.pointer(), 4, 2}}) == ErrorCategory::wrong_context);
    CHECK(all_reduce({here, {there.pointer() + 2, 4, 1}}) == ErrorCategory::invalid_argument);
    CHECK(all_reduce({here, there}, {.streams = {pool.context_at(0).stream()}}) == ErrorCategory::invalid_argument);
    CHECK(all_reduce({here, there}, {.streams = {pool.context_at(0).stream(), pool.context_at(0).stream()}}) ==
          ErrorCategory::wrong_context);
    CHECK(refusal([&] { collectives.all_reduce<float>(std::vector<DeviceSpan<float>>{}, ReduceOperation::product); }) ==
          ErrorCategory::unsupported);
    const auto apart = [&](std::size_t from, std::size_t to) {
        return refusal([&] {
            collectives.all_reduce<int>(Inputs{here.subspan(from, 2), there.subspan(0, 2)}, Spans{here.subspan(to, 2), there.subspan(0, 2)},
                                        ReduceOperation::sum);
        });
    };
    CHECK(apart(0, 1) == ErrorCategory::invalid_argument);
    CHECK(apart(1, 0) == ErrorCategory::invalid_argument);
    collectives.all_reduce<int>(Inputs{here.subspan(0, 2), there.subspan(0, 2)}, Spans{here.subspan(2, 2), there.subspan(2, 2)},
                                ReduceOperation::sum);
    CHECK(refusal([&] {
              collectives.all_reduce<int>(Inputs{here, there}, Spans{there, here}, ReduceOperation::sum);
          }) == ErrorCategory::invalid_argument);
    CHECK(refusal([&] {
              collectives.all_reduce<int>(Inputs{here, there}, Spans{here}, ReduceOperation::sum);
          }) == ErrorCategory::invalid_argument);
    // Outputs of 2 + 2 elements; its own slice of an input is the first two elements here, the last two there.
    const auto scatter = [&](const Spans& outputs) {
        return refusal([&] { collectives.reduce_scatter<int>(Inputs{here, there}, outputs, ReduceOperation::sum); });
    };
    CHECK(scatter({here.subspan(0, 2), there.subspan(0, 2)}) == ErrorCategory::invalid_argument);
    CHECK(scatter({here.subspan(1, 2), there.subspan(2, 2)}) == ErrorCategory::invalid_argument);
    CHECK(scatter({others.spans()[0].subspan(0, 2), others.spans()[1].subspan(0, 1)}) == ErrorCategory::invalid_argument);
    CHECK(refusal([&] {
              collectives.all_gather<int>(Inputs{here.subspan(2, 2), there.subspan(2, 2)}, Spans{here, there});
          }) == ErrorCategory::invalid_argument);
    CHECK(refusal([&] { collectives.all_gather<int>(Inputs{here, there}, others.spans()); }) == ErrorCategory::invalid_argument);
    CHECK(refusal([&] { collectives.broadcast<int>(here, Spans{there}); }) == ErrorCategory::invalid_argument);
    CHECK(refusal([&] {
              collectives.broadcast<int>(here.subspan(0, 2), Spans{here.subspan(1, 2), there.subspan(0, 2)});
          }) == ErrorCategory::invalid_argument);
    CHECK(refusal([&] {
              collectives.broadcast<int>(here.subspan(0, 2), Spans{here.subspan(0, 2), there.subspan(0, 1)});
          }) == ErrorCategory::invalid_argument);
    CHECK(refusal([] { Collectives{DevicePool::host()}; }) == ErrorCategory::unsupported);
    CHECK(refusal([&] { Collectives(pool, {.chunks = 0}); }) == ErrorCategory::invalid_argument);
    pool.quarantine(1, "it is hot");
    const Error error = error_of([&] { collectives.all_reduce<int>(arrays.spans(), ReduceOperation::sum); });
    CHECK(error.category() == ErrorCategory::no_device);
    CHECK(error.device() == 1);
    CHECK_THAT(error.message(), contains_text("it is hot"));
    pool.readmit(1);
    collectives.all_reduce<int>(arrays.spans(), ReduceOperation::sum);
}

TEST_CASE("a buffer from a memory pool that the other devices cannot reach is refused", "[collectives]") {
    const CheckedMachine machine(2);
    const DevicePool pool = DevicePool::all(machine.driver);
    const Collectives collectives(pool);
    const MemoryPool own(pool.context_at(1).context());
    const PlacedArrays<float> arrays(pool, {{1, 2}, {3, 4}});
    const DeviceBuffer<float> buffer(4, pool.context_at(1).with_memory_pool(own));
    const DeviceSpan<float> unreachable(buffer.span().pointer(), 2, 1);
    const DeviceSpan<float> here = arrays.spans()[0];
    const DeviceSpan<float> there = arrays.spans()[1];
    using Inputs = std::vector<DeviceSpan<const float>>;
    using Spans = std::vector<DeviceSpan<float>>;

    const auto check_is_refused = [](const auto& collective) {
        const Error error = error_of(collective);
        CHECK(error.category() == ErrorCategory::unsupported);
        CHECK(error.device() == 1);
        CHECK_THAT(error.message(), contains_text("memory pool"));
    };
    check_is_refused([&] { collectives.all_reduce<float>(Inputs{here, unreachable}, Spans{here, there}, ReduceOperation::sum); });
    check_is_refused([&] { collectives.all_reduce<float>(Inputs{here, there}, Spans{here, unreachable}, ReduceOperation::sum); });
    check_is_refused([&] {
        collectives.reduce_scatter<float>(Inputs{here, unreachable}, Spans{here.subspan(0, 1), there.subspan(0, 1)}, ReduceOperation::sum);
    });
    check_is_refused([&] { collectives.all_gather<float>(Inputs{here.subspan(0, 1), unreachable.subspan(0, 1)}, Spans{here, there}); });
    check_is_refused([&] { collectives.broadcast<float>(unreachable, Spans{here, there}); });

    CHECK_FALSE(pool.fault().has_value());
    collectives.all_reduce<float>(arrays.spans(), ReduceOperation::sum);
    CHECK(arrays.read(1) == std::vector<float>{4, 6});
}

TEST_CASE("one device does all of a small collective, each its own part of a large one", "[collectives]") {
    for (const int device : {0, 1, 2}) {
        for (const CollectiveConfig& config : divisions()) {
            CAPTURE(device, config.one_device_bytes);
            CheckedMachine machine(3);
            const DevicePool pool = DevicePool::all(machine.driver);
            const Collectives collectives(pool);
            const PlacedArrays<int> arrays(pool, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
            const PlacedArrays<int> scattered(pool, blank_arrays<int>({1, 1, 1}));
            const PlacedArrays<int> gathered(pool, blank_arrays<int>({9, 9, 9}));
            const std::vector<std::function<void()>> calls = {
                [&] { collectives.all_gather<int>(arrays.inputs(), gathered.spans(), config); },
                [&] { collectives.reduce_scatter<int>(arrays.inputs(), scattered.spans(), ReduceOperation::sum, config); }};
            for (const auto& call : calls) {
                call();
                machine.simulator.plan_fault({.call = "cuLaunchKernel", .device = device, .result = 999});
                if (config.one_device_bytes == 0 || device == 0) {
                    CHECK(error_of(call).category() == ErrorCategory::internal);
                } else {
                    call();
                }
                machine.simulator.clear_faults();
            }
        }
    }
}

TEST_CASE("arrays that do not lie alike are copied, small and large", "[collectives]") {
    const CheckedMachine machine(3);
    const DevicePool pool = DevicePool::all(machine.driver);
    const Collectives collectives(pool);
    for (const std::size_t count : {1001U, 70'001U}) {
        const std::vector<std::uint8_t> part = random_values<std::uint8_t>(count, count);
        std::vector<std::uint8_t> whole;
        for (int i = 0; i < 3; ++i) whole.insert(whole.end(), part.begin(), part.end());
        for (const CollectiveConfig& config : divisions()) {
            CAPTURE(count, config.one_device_bytes);
            const PlacedArrays<std::uint8_t> parts(pool, {part, part, part});
            const PlacedArrays<std::uint8_t> gathered(pool, blank_arrays<std::uint8_t>(std::vector(3, whole.size())), 1);
            collectives.all_gather<std::uint8_t>(parts.inputs(), gathered.spans(), config);
            const PlacedArrays<std::uint8_t> targets(pool, blank_arrays<std::uint8_t>(std::vector(3, count)), 1);
            collectives.broadcast<std::uint8_t>(parts.spans()[0], targets.spans(), config);
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(gathered.read(i) == whole);
                CHECK(targets.read(i) == part);
            }
            CHECK(gathered.are_guards_whole());
            CHECK(targets.are_guards_whole());
        }
    }
}

TEST_CASE("a synchronous collective needs no events where the streams are idle", "[collectives]") {
    const CheckedMachine machine(3);
    const DevicePool pool = DevicePool::all(machine.driver);
    const Collectives collectives(pool);
    const PlacedArrays<int> arrays(pool, {{1, 2}, {3, 4}, {5, 6}});
    const PlacedArrays<int> outputs(pool, blank_arrays<int>({2, 2, 2}));
    for (const CollectiveConfig& config : divisions()) {
        const auto all_reduce = [&] { collectives.all_reduce<int>(arrays.inputs(), outputs.spans(), ReduceOperation::sum, config); };
        all_reduce();
        const std::uint64_t before = machine.simulator.call_count("cuEventRecord");
        all_reduce();
        CHECK(machine.simulator.call_count("cuEventRecord") == before);
        CHECK(outputs.read(2) == std::vector<int>{9, 12});
    }
}

TEST_CASE("a synchronous collective waits for the earlier work of every stream", "[collectives]") {
    for (const std::size_t busy : {0U, 1U, 2U}) {
        for (const CollectiveConfig& config : divisions()) {
            CAPTURE(busy, config.one_device_bytes);
            const CheckedMachine machine(3);
            const DevicePool pool = DevicePool::all(machine.driver);
            const Collectives collectives(pool);
            const PlacedArrays<int> arrays(pool, {{1, 2}, {3, 4}, {5, 6}});
            const PlacedArrays<int> outputs(pool, blank_arrays<int>({2, 2, 2}));
            const auto all_reduce = [&] { collectives.all_reduce<int>(arrays.inputs(), outputs.spans(), ReduceOperation::sum, config); };
            all_reduce();

            const StreamView stream = pool.context_at(busy).stream();
            const std::vector<int> late{100, 200};
            std::promise<void> gate;
            stream.launch_host_function([opened = gate.get_future().share()] { opened.wait(); });
            copy_async(arrays.spans()[busy], std::span<const int>(late), stream);
            const std::uint64_t before = machine.simulator.call_count("cuLaunchKernel");
            auto reduced_late = std::async(std::launch::async, all_reduce);
            const auto has_ended = [&] { return reduced_late.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
            while (machine.simulator.call_count("cuLaunchKernel") == before && !has_ended()) std::this_thread::yield();
            gate.set_value();
            reduced_late.get();

            const Arrays<int> expected{{108, 210}, {106, 208}, {104, 206}};
            for (std::size_t i = 0; i < 3; ++i) CHECK(outputs.read(i) == expected[busy]);
        }
    }
}

TEST_CASE("a device that faults or is lost midway is a typed error, and nothing hangs", "[collectives]") {
    const Arrays<float> values = random_arrays<float>(3, 50);
    /// Whether the collective fails where device 1's nth call of it does.
    const auto fails = [&](bool is_linked, CupoolSimFaultDuration duration, const CollectiveConfig& config, std::uint64_t nth) {
        CheckedMachine machine(3);
        const DevicePool pool = DevicePool::all(machine.driver);
        const Collectives collectives(pool, is_linked ? PeerOptions{} : staged);
        const PlacedArrays<float> arrays(pool, values);
        const PlacedArrays<float> outputs(pool, blank_arrays<float>({50, 50, 50}));
        const auto all_reduce = [&] { collectives.all_reduce<float>(arrays.inputs(), outputs.spans(), ReduceOperation::sum, config); };
        all_reduce();
        machine.simulator.plan_fault({.device = 1, .nth = nth, .result = 700, .duration = duration});
        try {
            all_reduce();
        } catch (const Error& error) {
            CHECK(error.category() == ErrorCategory::device_fault);
            CHECK(error_of(all_reduce).category() == ErrorCategory::device_fault);
            machine.simulator.clear_faults();
            return true;
        }
        machine.simulator.clear_faults();  // it has not come to it
        for (std::size_t i = 0; i < 3; ++i) CHECK(same_bits(outputs.read(i), reduced(values, ReduceOperation::sum)));
        return false;
    };
    for (const bool is_linked : {true, false}) {
        for (const auto duration : {cupool_sim_sticky, cupool_sim_lost}) {
            for (const CollectiveConfig& config : divisions()) {
                for (std::uint64_t nth = 1;; ++nth) {
                    CAPTURE(is_linked, duration, config.one_device_bytes, nth);
                    if (fails(is_linked, duration, config, nth)) continue;
                    CHECK(nth > 1);
                    break;
                }
            }
        }
    }
}

TEST_CASE("a kernel of a collective that faults on one device is a typed error of all", "[collectives]") {
    for (const int device : {0, 1, 2}) {
        CAPTURE(device);
        Machine machine(std::vector<SimulatedDevice>(3));
        const DevicePool pool = DevicePool::all(machine.driver);
        const Collectives collectives(pool);
        const PlacedArrays<float> arrays(pool, random_arrays<float>(3, 200));
        machine.simulator.plan_fault({.kernel = "combine_peers_sum", .device = device, .result = 700, .duration = cupool_sim_sticky});
        const Error error = error_of([&] { collectives.all_reduce<float>(arrays.spans(), ReduceOperation::sum, {.one_device_bytes = 0}); });
        CHECK(error.category() == ErrorCategory::device_fault);
        CHECK(pool.fault().has_value());
        CHECK(error_of([&] { collectives.broadcast<float>(arrays.spans()[0], arrays.spans()); }).category() == ErrorCategory::device_fault);
    }
}

TEST_CASE("each failing call of a collective is told, and the next collective is right", "[collectives]") {
    const Arrays<float> values = random_arrays<float>(3, 50);
    for (const bool is_linked : {true, false}) {
        for (const char* const call : {"cuStreamQuery", "cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernel", "cuMemcpyDtoHAsync",
                                       "cuMemcpyHtoDAsync", "cuMemAllocFromPoolAsync", "cuStreamSynchronize"}) {
            for (std::uint64_t nth = 1;; ++nth) {
                CAPTURE(is_linked, call, nth);
                CheckedMachine machine(3);
                const DevicePool pool = DevicePool::all(machine.driver);
                const Collectives collectives(pool, is_linked ? PeerOptions{} : staged);
                const PlacedArrays<float> arrays(pool, values);
                const PlacedArrays<float> outputs(pool, blank_arrays<float>({50, 50, 50}));
                const PlacedArrays<float> gathered(pool, blank_arrays<float>({150, 150, 150}));
                const auto run_all = [&] {
                    collectives.all_gather<float>(arrays.inputs(), gathered.spans(), {.one_device_bytes = 0});
                    collectives.all_reduce<float>(arrays.inputs(), outputs.spans(), ReduceOperation::sum,
                                                  {.is_async = true, .one_device_bytes = 0});
                    for (std::size_t i = 0; i < 3; ++i) pool.context_at(i).stream().synchronize();
                };
                run_all();
                const std::uint64_t before = machine.simulator.call_count(call);
                run_all();
                if (nth > machine.simulator.call_count(call) - before) break;
                machine.simulator.plan_fault(call, nth, 999);
                CHECK(error_of(run_all).category() == ErrorCategory::internal);
                run_all();
                for (std::size_t i = 0; i < 3; ++i) CHECK(same_bits(outputs.read(i), reduced(values, ReduceOperation::sum)));
            }
        }
    }
}

// NOLINTBEGIN(bugprone-use-after-move): that is what it is about
TEST_CASE("collectives in a forked child, or that were moved from, are refused", "[collectives]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    Collectives collectives(pool);
    const PlacedArrays<int> arrays(pool, {{1}, {2}});
    const auto category = [&] { return error_of([&] { collectives.all_reduce<int>(arrays.spans(), ReduceOperation::sum); }).category(); };
    if (!is_sanitized) {
        CHECK(in_child([&]() -> std::string {
                  if (category() != ErrorCategory::forked) return "all_reduce is not refused";
                  if (error_of([&] { (void)collectives.pool(); }).category() != ErrorCategory::forked) return "pool() is not refused";
                  collectives = Collectives(std::move(collectives));
                  return "";
              }) == "");
    }
    collectives.all_reduce<int>(arrays.spans(), ReduceOperation::sum);
    CHECK(arrays.read(1) == std::vector<int>{3});
    const Collectives moved = std::move(collectives);
    CHECK(category() == ErrorCategory::wrong_context);
}
// NOLINTEND(bugprone-use-after-move)
