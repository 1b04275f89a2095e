// Collectives over simulated devices, against references that the tests compute themselves.
#include <cmath>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/pool/collectives.hpp>
#include <cupool/pool/pool_graph.hpp>
#include <limits>
#include <optional>
#include <random>
#include <string>
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

/// Numbers of all magnitudes; of floats also NaN, zeros of both signs and infinities.
template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        const std::uint64_t bits = random();
        if constexpr (std::is_floating_point_v<T>) {
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
        if (operation == ReduceOperation::sum) return static_cast<T>(static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right));
        return operation == ReduceOperation::min ? std::min(left, right) : std::max(left, right);
    }
}

/// Element by element, from left to right.
template <class T>
std::vector<T> reduced(const Arrays<T>& arrays, ReduceOperation operation) {
    std::vector<T> result = arrays.front();
    for (std::size_t i = 0; i < result.size(); ++i) {
        for (std::size_t k = 1; k < arrays.size(); ++k) result[i] = combined(result[i], arrays[k][i], operation);
        if constexpr (std::is_floating_point_v<T>) {
            if (std::isnan(result[i])) result[i] = std::numeric_limits<T>::quiet_NaN();
        }
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
            std::vector<T> whole(arrays[i].size() + begin + guard, marker);
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
            const auto is_marker = [](T value) { return value == marker; };
            if (!std::all_of(whole.begin(), whole.begin() + begin, is_marker)) return false;
            if (!std::all_of(whole.begin() + end, whole.end(), is_marker)) return false;
        }
        return true;
    }

private:
    static constexpr T marker = 77;

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
    for (const std::size_t size : sizes) arrays.emplace_back(size, T{55});
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
    for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max}) {
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
    for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::max}) {
        CAPTURE(sizeof(T), count, operation);
        const std::vector<T> expected = reduced(arrays, operation);
        const PlacedArrays<T> inputs(pool, arrays);
        const PlacedArrays<T> outputs(pool, blank_arrays<T>(sizes));
        collectives.reduce_scatter<T>(inputs.inputs(), outputs.spans(), operation);
        const PlacedArrays<T> in_place(pool, arrays);
        std::vector<DeviceSpan<T>> slices;
        std::size_t offset = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            slices.push_back(in_place.spans()[i].subspan(offset, sizes[i]));
            offset += sizes[i];
        }
        collectives.reduce_scatter<T>(in_place.inputs(), slices, operation);
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

TEST_CASE("collectives of each type, on 1, 2, 3 and 8 devices, with links and without", "[collectives]") {
    for (const std::size_t devices : {1u, 2u, 3u, 8u}) {
        for (const bool is_linked : {true, false}) {
            CAPTURE(devices, is_linked);
            const CheckedMachine machine(devices);
            const DevicePool pool = DevicePool::all(machine.driver);
            const Collectives collectives(pool, is_linked ? PeerOptions{} : staged);
            check_all<std::int32_t>(pool, collectives, 131);
            check_all<std::uint32_t>(pool, collectives, 130);
            check_all<std::int64_t>(pool, collectives, 67);
            check_all<std::uint64_t>(pool, collectives, 66);
            check_all<float>(pool, collectives, 133);
            check_all<double>(pool, collectives, 65);
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
