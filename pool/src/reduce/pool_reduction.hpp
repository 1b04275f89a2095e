#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <deque>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "pool_state.hpp"
#include "reduce/checks.hpp"
#include "reduce/device_reduce.hpp"
#include "reduce/host_chunks.hpp"
#include "reduce/host_reduce.hpp"
#include "reduce/order.hpp"
#include "reduce/slice_tiles.hpp"
#include "reduce/whole_reduction.hpp"

namespace cupool::detail {

/// A reduction over the devices of a pool: each computes its part, and the host combines the results.
class PoolReduction {
public:
    explicit PoolReduction(PoolState& pool) : pool_(pool) {}

    /// See DevicePool::reduce().
    template <class T, class R>
    RunReport of_operand(const PoolOperand<T>& input, ReduceOperation operation, R& result);
    /// See DevicePool::reduce_results() with a number as result. \pre the buffers lie on devices of the pool
    template <class T, class R>
    RunReport of_buffers(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation, R& result);

private:
    template <class T, class R>
    RunReport of_host_memory(std::span<const T> input, ReduceOperation operation, R& result) {
        const std::vector<std::size_t> members = members_for(input.size_bytes());
        if (members.size() == 1) return on_one(members.front(), Operand<T>(input), operation, result);
        const std::uint64_t tile = reduce_tile_elements(input.size(), sizeof(T));
        const std::uint64_t tiles = reduce_tiles(input.size(), sizeof(T));
        const std::vector<double> weights = pool_.weights();
        const std::vector<Slice> shares = pool_.divided(tiles, std::span<const double>(weights), members);
        const auto part_of = [&](std::size_t index) {
            const std::uint64_t begin = shares[index].offset * tile;
            return input.subspan(begin, std::min<std::uint64_t>(input.size() - begin, shares[index].count * tile));
        };
        const std::vector<std::size_t> busy = without_empty(members, shares);
        return is_ordered<T>(operation)
                   ? ordered_sum<T>(busy, tiles, result,
                                    [&](std::size_t index, const DeviceContext& context, auto values) {
                                        sum_host_tiles<T, R>(part_of(index), tile, context,
                                                             values.subspan(shares[index].offset, shares[index].count));
                                    })
                   : unordered<T>(busy, operation, result, [&](std::size_t index) { return Operand<T>(part_of(index)); });
    }

    template <class T, class R>
    RunReport of_slices(std::span<const DeviceSpan<const T>> all_slices, ReduceOperation operation, R& result) {
        const std::vector<DeviceSpan<const T>> slices = checked(all_slices);
        if (slices.empty()) return on_one(pool_.healthy().front(), Operand<T>(std::span<const T>()), operation, result);
        if (slices.size() == 1) return on_one(pool_.index_of(slices[0].device()), Operand<T>(slices[0]), operation, result);
        std::vector<std::size_t> members;
        for (const DeviceSpan<const T>& slice : slices) members.push_back(pool_.index_of(slice.device()));
        return is_ordered<T>(operation) ? ordered_sum_of_slices<T>(slices, members, result)
                                        : unordered_of_slices<T>(slices, members, operation, result);
    }

    /// The minimum host memory for each device.
    static constexpr std::size_t min_bytes_a_device = std::size_t{4} << 20;

    /// Whether the result depends on the order of the reduction.
    template <class T>
    static bool is_ordered(ReduceOperation operation) {
        return is_float_element<T> && operation == ReduceOperation::sum;
    }

    static std::vector<std::size_t> without_empty(const std::vector<std::size_t>& members, const std::vector<Slice>& shares) {
        std::vector<std::size_t> busy;
        for (const std::size_t member : members) {
            if (shares[member].count != 0) busy.push_back(member);
        }
        return busy;
    }

    /// As many members as the input has work for.
    std::vector<std::size_t> members_for(std::size_t bytes) const {
        return pool_.least_busy(std::max<std::size_t>(bytes / min_bytes_a_device, 1));
    }

    /// The slices that are not empty. \throws Error if a slice cannot be reduced on its device
    template <class T>
    std::vector<DeviceSpan<const T>> checked(std::span<const DeviceSpan<const T>> all) const {
        std::vector<DeviceSpan<const T>> slices;
        for (const DeviceSpan<const T>& slice : all) {
            if (slice.empty()) continue;
            const std::string which = "reduce: the part of the input on device " + std::to_string(slice.device());
            const std::size_t index = pool_.index_of(slice.device());
            if (index == pool_.size()) throw Error(ErrorCategory::wrong_context, which + " lies outside of the pool");
            if (pool_.member(index).quarantine())
                throw Error(ErrorCategory::invalid_argument, which + " cannot be reduced there: the device is quarantined; readmit it");
            for (const DeviceSpan<const T>& other : slices) {
                if (other.device() == slice.device())
                    throw Error(ErrorCategory::invalid_argument, which + " is the second one there; give one slice for each device");
            }
            if (slice.pointer() % sizeof(T) != 0)
                throw Error(ErrorCategory::invalid_argument, which + " must begin at a multiple of its element's size");
            slices.push_back(slice);
        }
        return slices;
    }

    template <class T, class R>
    RunReport on_one(std::size_t member, const Operand<T>& input, ReduceOperation operation, R& result) {
        RunReport report;
        pool_.run(member, [&](std::size_t index, const DeviceContext& context) {
            report = cupool::reduce<T, R>(input, operation, ReduceConfig{.ctx = context}, result);
            pool_.member(index).bytes += report.bytes;
        });
        return report;
    }

    /// Reduces a part on each member, and their results on the host. \param part_of(index)  the member's operand, not empty
    template <class T, class R, class PartOf>
    RunReport unordered(const std::vector<std::size_t>& members, ReduceOperation operation, R& result, const PartOf& part_of) {
        const auto start = std::chrono::steady_clock::now();
        std::vector<R> of_members(pool_.size());
        std::vector<RunReport> reports(pool_.size());
        pool_.run_each(members, [&](std::size_t index, const DeviceContext& context) {
            reports[index] = cupool::reduce<T, R>(part_of(index), operation, ReduceConfig{.ctx = context}, of_members[index]);
            pool_.member(index).bytes += reports[index].bytes;
        });
        std::vector<R> partial;
        for (const std::size_t index : members) partial.push_back(of_members[index]);
        const ReduceConfig on_host{.ctx = DeviceContext::host(1)};
        (void)cupool::reduce<R, R>(Operand<R>(std::span<const R>(partial)), operation, on_host, result);
        return joined(members, reports, start);
    }

    /// Sums tiles on the members, and the tiles' values on the host. \param sum_tiles(index, context, values)  writes the values of the
    /// member's tiles into those of all
    template <class T, class R, class SumTiles>
    RunReport ordered_sum(const std::vector<std::size_t>& members, std::uint64_t tiles, R& result, const SumTiles& sum_tiles) {
        const auto start = std::chrono::steady_clock::now();
        if constexpr (is_float_element<T>) {
            using A = Accumulator<T, R>;
            std::vector<A> values(tiles);
            pool_.run_each(members,
                           [&](std::size_t index, const DeviceContext& context) { sum_tiles(index, context, std::span<A>(values)); });
            result = sum_tile_values_on_host<T, R>(values);
        }
        return joined(members, moved_reports(members), start);
    }

    /// A report of each member with the bytes that it moved.
    std::vector<RunReport> moved_reports(const std::vector<std::size_t>& members) const {
        std::vector<RunReport> reports(pool_.size());
        for (const std::size_t index : members)
            reports[index] = {.engine = Engine::gpu, .devices = {pool_.ordinals()[index]}, .milliseconds = 0, .bytes = moved_[index]};
        return reports;
    }

    /// \param values  of the part's tiles
    template <class T, class R>
    void sum_host_tiles(std::span<const T> part, std::uint64_t tile, const DeviceContext& context, std::span<Accumulator<T, R>> values) {
        if constexpr (is_float_element<T>) {
            DeviceBuffer<Accumulator<T, R>> on_device(values.size(), context);
            for_each_host_chunk(std::as_bytes(part), tile * sizeof(T), context, [&](DeviceSpan<std::byte> chunk, std::uint64_t first_tile) {
                const DeviceSpan<const T> elements(chunk.pointer(), chunk.size() / sizeof(T), chunk.device());
                const std::uint64_t tiles = (elements.size() - 1) / tile + 1;
                sum_tiles_on_device<T, R>(elements, tile, context, on_device.span().subspan(first_tile, tiles));
            });
            copy(values, on_device.span(), context.stream());
            note_bytes(pool_.index_of(context.device()), part.size_bytes() + values.size_bytes());
        }
    }

    /// Starts the reductions of all slices before it waits for the first. One thread does all of it, because waking up others takes
    /// longer than a small reduction.
    template <class T, class R>
    RunReport unordered_of_slices(const std::vector<DeviceSpan<const T>>& slices, const std::vector<std::size_t>& members,
                                  ReduceOperation operation, R& result) {
        const auto start = std::chrono::steady_clock::now();
        std::vector<R> of_slices(slices.size());
        pool_.run_together(members, [&] {
            const ReduceArithmetic arithmetic = reduce_arithmetic<T, R>(operation, false);
            std::deque<WholeReduction> started;
            for (std::size_t i = 0; i < slices.size(); ++i) {
                const ReduceConfig config{.ctx = pool_.member(members[i]).context()};
                started.emplace_back(arithmetic, OperandBytes(Operand<T>(slices[i])), config).start(sizeof(R));
            }
            for (std::size_t i = 0; i < slices.size(); ++i) {
                started[i].finish(std::as_writable_bytes(std::span(&of_slices[i], 1)));
                note_bytes(members[i], sizeof(R));
            }
        });
        const ReduceConfig on_host{.ctx = DeviceContext::host(1)};
        (void)cupool::reduce<R, R>(Operand<R>(std::span<const R>(of_slices)), operation, on_host, result);
        return joined(members, moved_reports(members), start);
    }

    /// The same of a float sum: the slices give the values of their tiles.
    template <class T, class R>
    RunReport ordered_sum_of_slices(const std::vector<DeviceSpan<const T>>& slices, const std::vector<std::size_t>& members, R& result) {
        const auto start = std::chrono::steady_clock::now();
        if constexpr (is_float_element<T>) {
            std::vector<Accumulator<T, R>> values(reduce_tiles(PoolOperand<T>(slices).size(), sizeof(T)));
            pool_.run_together(members, [&] {
                std::deque<SliceTiles<T, R>> started;
                for (std::size_t i = 0; i < slices.size(); ++i) started.emplace_back(pool_, slices, i).start();
                for (std::size_t i = 0; i < slices.size(); ++i) {
                    started[i].finish(values);
                    note_bytes(members[i], started[i].bytes());
                }
            });
            result = sum_tile_values_on_host<T, R>(values);
        }
        return joined(members, moved_reports(members), start);
    }

    /// \pre called by the member's own task only
    void note_bytes(std::size_t member, std::uint64_t bytes) {
        moved_[member] += bytes;
        pool_.member(member).bytes += bytes;
    }

    RunReport joined(const std::vector<std::size_t>& members, const std::vector<RunReport>& reports,
                     std::chrono::steady_clock::time_point start) const {
        RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
        for (const std::size_t index : members) pool_.join(report, reports[index]);
        report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        return report;
    }

    PoolState& pool_;
    std::vector<std::uint64_t> moved_ = std::vector<std::uint64_t>(pool_.size());  ///< bytes, by member
};

template <class T, class R>
RunReport PoolReduction::of_operand(const PoolOperand<T>& input, ReduceOperation operation, R& result) {
    require_operation<T>("reduce", operation);
    if (input.is_on_host()) return of_host_memory(input.host(), operation, result);
    if (pool_.is_host()) throw Error(ErrorCategory::unsupported, "reduce: the input is on a device, but the pool is the host");
    if (input.is_sliced()) return of_slices(input.slices(), operation, result);
    const DeviceSpan<const T> whole = input.device();
    return of_slices(std::span(&whole, 1), operation, result);
}

template <class T, class R>
RunReport PoolReduction::of_buffers(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation, R& result) {
    require_operation<T>("reduce_results", operation);
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::size_t> members;
    for (const DeviceSpan<const T>& buffer : buffers) {
        if (!buffer.empty()) members.push_back(pool_.index_of(buffer.device()));
    }
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());

    using Partial = std::conditional_t<is_16_bit_float<T>, float, R>;
    std::vector<Partial> of_buffers(buffers.size());
    std::vector<RunReport> reports(pool_.size());
    pool_.run_each(members, [&](std::size_t index, const DeviceContext& context) {
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            if (buffers[i].empty() || buffers[i].device() != context.device()) continue;
            const ReduceConfig config{.ctx = context};
            pool_.join(reports[index], cupool::reduce<T, Partial>(Operand<T>(buffers[i]), operation, config, of_buffers[i]));
        }
        pool_.member(index).bytes += reports[index].bytes;
    });

    std::vector<Partial> partial;  // empty buffers have no minimum
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!buffers[i].empty()) partial.push_back(of_buffers[i]);
    }
    Partial value{};
    const ReduceConfig on_host{.ctx = DeviceContext::host(1)};
    (void)cupool::reduce<Partial, Partial>(Operand<Partial>(std::span<const Partial>(partial)), operation, on_host, value);
    result = static_cast<R>(value);
    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    for (const std::size_t index : members) pool_.join(report, reports[index]);
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

}  // namespace cupool::detail
