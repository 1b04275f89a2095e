#include <algorithm>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/pool/device_pool.hpp>
#include <type_traits>

#include "default_stream_order.hpp"
#include "pool_state.hpp"
#include "reduce/checks.hpp"
#include "reduce/device_reduce.hpp"
#include "reduce/host_chunks.hpp"
#include "reduce/host_reduce.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/order.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool {

namespace {

std::size_t index_of(const DevicePool& pool, int ordinal) {
    return static_cast<std::size_t>(std::find(pool.devices().begin(), pool.devices().end(), ordinal) - pool.devices().begin());
}

/// Gives the target's stream the work. See DevicePool::reduce_results().
template <class T>
void combine_async(DeviceSpan<T> result, DeviceSpan<T> arrived, std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation,
                   const DevicePool& pool, const DeviceContext& target, detail::PeerPaths& peers) {
    copy_async(result, buffers[0], target.stream());
    for (const DeviceSpan<const T>& buffer : buffers.subspan(1)) {
        if (buffer.device() == target.device()) {
            combine_elements<T>(result, buffer, operation, target);
            continue;
        }
        detail::wait_for_default_stream(target, pool.context(buffer.device()));
        peers.copy_async(index_of(pool, target.device()), arrived.pointer(), index_of(pool, buffer.device()), buffer.pointer(),
                         buffer.size_bytes(), target.stream(), SourceLocation::current());
        combine_elements<T>(result, arrived, operation, target);
    }
}

/// The result. Nothing uses the buffers when it returns or throws.
template <class T>
DeviceBuffer<T> combined(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation, const DevicePool& pool,
                         const DeviceContext& target, detail::PeerPaths& peers) {
    const Stream stream(target.context());
    const DeviceContext working = target.with_stream(stream);
    DeviceBuffer<T> result(buffers[0].size(), target);
    DeviceBuffer<T> arrived(buffers.size() > 1 ? buffers[0].size() : 0, target);
    try {
        detail::wait_for_default_stream(working, target);
        combine_async(result.span(), arrived.span(), buffers, operation, pool, working, peers);
        stream.synchronize();
    } catch (...) {
        const detail::SynchronizeOnExit again(stream);
        const std::size_t to = index_of(pool, target.device());
        for (const DeviceSpan<const T>& buffer : buffers) peers.await_staged(index_of(pool, buffer.device()), to);
        throw;
    }
    return result;
}

}  // namespace

template <class T, class R>
requires ReduceResult<R, T> RunReport DevicePool::reduce(const PoolOperand<T>& input, ReduceOperation operation, R& result,
                                                         SourceLocation where)
const {
    detail::require_enumerator(operation, ReduceOperation::max, "ReduceOperation", where);
    return detail::report_at(where, [&] { return state(where).reduce(input, operation, result); });
}

/// The parts of a reduction that the devices of a pool do, and how they become one result.
class DevicePool::State::Reduction {
public:
    explicit Reduction(State& state) : state_(state) {}

    template <class T, class R>
    RunReport of_host_memory(std::span<const T> input, ReduceOperation operation, R& result) {
        const std::vector<std::size_t> members = members_for(input.size_bytes());
        if (members.size() == 1) return on_one(members.front(), Operand<T>(input), operation, result);
        const std::uint64_t tile = detail::reduce_tile_elements(input.size(), sizeof(T));
        const std::uint64_t tiles = detail::reduce_tiles(input.size(), sizeof(T));
        const std::vector<double> weights = state_.weights();
        const std::vector<detail::Share> shares = state_.divided(tiles, std::span<const double>(weights), members);
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
        if (slices.empty()) return on_one(state_.healthy().front(), Operand<T>(std::span<const T>()), operation, result);
        if (slices.size() == 1) return on_one(state_.index_of(slices[0].device()), Operand<T>(slices[0]), operation, result);
        std::vector<std::size_t> members;
        for (const DeviceSpan<const T>& slice : slices) members.push_back(state_.index_of(slice.device()));
        const auto number_of = [&](std::size_t index) {
            return static_cast<std::size_t>(std::find(members.begin(), members.end(), index) - members.begin());
        };
        if (!is_ordered<T>(operation)) {
            return unordered<T>(members, operation, result, [&](std::size_t index) { return Operand<T>(slices[number_of(index)]); });
        }
        std::size_t count = 0;
        for (const DeviceSpan<const T>& slice : slices) count += slice.size();
        const std::uint64_t tile = detail::reduce_tile_elements(count, sizeof(T));
        return ordered_sum<T>(members, detail::reduce_tiles(count, sizeof(T)), result,
                              [&](std::size_t index, const DeviceContext& context, auto values) {
                                  sum_slice_tiles<T, R>(slices, number_of(index), tile, context, values);
                              });
    }

private:
    /// Host memory of this size is worth another device.
    static constexpr std::size_t min_bytes_a_device = std::size_t{4} << 20;

    /// Whether the order of a reduction shows in its result.
    template <class T>
    static bool is_ordered(ReduceOperation operation) {
        return detail::is_float_element<T> && operation == ReduceOperation::sum;
    }

    static std::vector<std::size_t> without_empty(const std::vector<std::size_t>& members, const std::vector<detail::Share>& shares) {
        std::vector<std::size_t> busy;
        for (const std::size_t member : members) {
            if (shares[member].count != 0) busy.push_back(member);
        }
        return busy;
    }

    /// As many members as so many bytes are worth, those with the least work of this pool in flight first.
    std::vector<std::size_t> members_for(std::size_t bytes) const {
        std::vector<std::size_t> members = state_.healthy();
        std::vector<std::uint64_t> in_flight;  // read once: it changes
        for (std::size_t index = 0; index < state_.size(); ++index) in_flight.push_back(state_.member(index).in_flight.load());
        std::stable_sort(members.begin(), members.end(),
                         [&](std::size_t left, std::size_t right) { return in_flight[left] < in_flight[right]; });
        members.resize(std::clamp<std::size_t>(bytes / min_bytes_a_device, 1, members.size()));
        std::sort(members.begin(), members.end());
        return members;
    }

    /// Those that are not empty. \throws Error for one that cannot be reduced where it lies
    template <class T>
    std::vector<DeviceSpan<const T>> checked(std::span<const DeviceSpan<const T>> all) const {
        std::vector<DeviceSpan<const T>> slices;
        for (const DeviceSpan<const T>& slice : all) {
            if (slice.empty()) continue;
            const std::string which = "reduce: the part of the input on device " + std::to_string(slice.device());
            const std::size_t index = state_.index_of(slice.device());
            if (index == state_.size()) throw Error(ErrorCategory::wrong_context, which + " lies outside of the pool");
            if (state_.member(index).quarantine())
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
        state_.run(member, [&](std::size_t index, const DeviceContext& context) {
            report = cupool::reduce<T, R>(input, operation, ReduceConfig{.ctx = context}, result);
            state_.member(index).bytes += report.bytes;
        });
        return report;
    }

    /// Each member reduces its part, and the host their results. \param part_of(index)  the member's operand, not empty
    template <class T, class R, class PartOf>
    RunReport unordered(const std::vector<std::size_t>& members, ReduceOperation operation, R& result, const PartOf& part_of) {
        const auto start = std::chrono::steady_clock::now();
        std::vector<R> of_members(state_.size());
        std::vector<RunReport> reports(state_.size());
        state_.run_each(members, [&](std::size_t index, const DeviceContext& context) {
            reports[index] = cupool::reduce<T, R>(part_of(index), operation, ReduceConfig{.ctx = context}, of_members[index]);
            state_.member(index).bytes += reports[index].bytes;
        });
        std::vector<R> partial;
        for (const std::size_t index : members) partial.push_back(of_members[index]);
        const ReduceConfig on_host{.ctx = DeviceContext::host(1)};
        (void)cupool::reduce<R, R>(Operand<R>(std::span<const R>(partial)), operation, on_host, result);
        return joined(members, reports, start);
    }

    /// The members sum tiles, and the host the tiles' values. \param sum_tiles(index, context, values)  writes the member's tiles among the
    /// values of all
    template <class T, class R, class SumTiles>
    RunReport ordered_sum(const std::vector<std::size_t>& members, std::uint64_t tiles, R& result, const SumTiles& sum_tiles) {
        const auto start = std::chrono::steady_clock::now();
        if constexpr (detail::is_float_element<T>) {
            using A = detail::Accumulator<T, R>;
            std::vector<A> values(tiles);
            state_.run_each(members,
                            [&](std::size_t index, const DeviceContext& context) { sum_tiles(index, context, std::span<A>(values)); });
            result = detail::sum_tile_values_on_host<T, R>(values);
        }
        std::vector<RunReport> reports(state_.size());
        for (const std::size_t index : members)
            reports[index] = {.engine = Engine::gpu, .devices = {state_.ordinals()[index]}, .milliseconds = 0, .bytes = moved_[index]};
        return joined(members, reports, start);
    }

    /// \param values  of the part's tiles
    template <class T, class R>
    void sum_host_tiles(std::span<const T> part, std::uint64_t tile, const DeviceContext& context,
                        std::span<detail::Accumulator<T, R>> values) {
        if constexpr (detail::is_float_element<T>) {
            DeviceBuffer<detail::Accumulator<T, R>> on_device(values.size(), context);
            detail::for_each_host_chunk(
                std::as_bytes(part), tile * sizeof(T), context, [&](DeviceSpan<std::byte> chunk, std::uint64_t first_tile) {
                    const DeviceSpan<const T> elements(chunk.pointer(), chunk.size() / sizeof(T), chunk.device());
                    const std::uint64_t tiles = (elements.size() - 1) / tile + 1;
                    detail::sum_tiles_on_device<T, R>(elements, tile, context, on_device.span().subspan(first_tile, tiles));
                });
            copy(values, on_device.span(), context.stream());
            note_bytes(state_.index_of(context.device()), part.size_bytes() + values.size_bytes());
        }
    }

    /// The tiles that begin in a slice; the end of the last one is copied from the slices behind. \param values  of all tiles
    template <class T, class R>
    void sum_slice_tiles(const std::vector<DeviceSpan<const T>>& slices, std::size_t number, std::uint64_t tile,
                         const DeviceContext& context, std::span<detail::Accumulator<T, R>> values) {
        if constexpr (detail::is_float_element<T>) {
            std::uint64_t begin = 0;
            for (std::size_t i = 0; i < number; ++i) begin += slices[i].size();
            const std::uint64_t end = begin + slices[number].size();
            const std::uint64_t first_tile = begin / tile + (begin % tile != 0 ? 1 : 0);
            const std::uint64_t last_tile = end / tile + (end % tile != 0 ? 1 : 0);
            if (first_tile == last_tile) return;
            const bool is_shared = end % tile != 0 && number + 1 < slices.size();  // whether the last tile goes on in the next slice
            const std::uint64_t whole_tiles = last_tile - first_tile - (is_shared ? 1 : 0);
            const StreamView stream = context.stream();
            DeviceBuffer<detail::Accumulator<T, R>> on_device(last_tile - first_tile, context);
            const detail::SynchronizeOnExit wait_for_work(stream);
            if (whole_tiles != 0) {
                const std::uint64_t elements = std::min(end, (first_tile + whole_tiles) * tile) - first_tile * tile;
                detail::sum_tiles_on_device<T, R>(slices[number].subspan(first_tile * tile - begin, elements), tile, context,
                                                  on_device.span().subspan(0, whole_tiles));
            }
            if (is_shared) {
                const std::uint64_t shared_begin = (last_tile - 1) * tile - begin;
                const DeviceBuffer<T> gathered = gather_tile(slices, number, shared_begin, tile, context);
                detail::sum_tiles_on_device<T, R>(gathered.span(), tile, context, on_device.span().subspan(whole_tiles, 1));
                stream.synchronize();  // before the gathered elements go
            }
            copy(values.subspan(first_tile, last_tile - first_tile), on_device.span(), stream);
            note_bytes(state_.index_of(context.device()), on_device.size_bytes());
        }
    }

    /// A tile of elements from that place of a slice on, and from the slices behind as far as they reach.
    template <class T>
    DeviceBuffer<T> gather_tile(const std::vector<DeviceSpan<const T>>& slices, std::size_t number, std::uint64_t begin, std::uint64_t tile,
                                const DeviceContext& context) {
        std::vector<DeviceSpan<const T>> pieces{slices[number].subspan(begin, slices[number].size() - begin)};
        std::uint64_t size = pieces[0].size();
        for (std::size_t i = number + 1; i < slices.size() && size < tile; ++i) {
            pieces.push_back(slices[i].subspan(0, std::min<std::uint64_t>(slices[i].size(), tile - size)));
            size += pieces.back().size();
        }
        DeviceBuffer<T> gathered(size, context);
        const std::size_t here = state_.index_of(context.device());
        try {
            std::uint64_t done = 0;
            for (const DeviceSpan<const T>& piece : pieces) {
                const std::size_t from = state_.index_of(piece.device());
                if (from != here) detail::wait_for_default_stream(context, state_.member(from).context());
                state_.peers().copy_async(here, gathered.span().pointer() + done * sizeof(T), from, piece.pointer(), piece.size_bytes(),
                                          context.stream(), SourceLocation::current());
                if (from != here) note_bytes(here, piece.size_bytes());
                done += piece.size();
            }
        } catch (...) {
            const detail::SynchronizeOnExit wait_for_copies(context.stream());
            for (const DeviceSpan<const T>& piece : pieces) state_.peers().await_staged(state_.index_of(piece.device()), here);
            throw;
        }
        return gathered;
    }

    /// \pre only the member's own piece of work calls this for it
    void note_bytes(std::size_t member, std::uint64_t bytes) {
        moved_[member] += bytes;
        state_.member(member).bytes += bytes;
    }

    RunReport joined(const std::vector<std::size_t>& members, const std::vector<RunReport>& reports,
                     std::chrono::steady_clock::time_point start) const {
        RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
        for (const std::size_t index : members) state_.join(report, reports[index]);
        report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        return report;
    }

    State& state_;
    std::vector<std::uint64_t> moved_ = std::vector<std::uint64_t>(state_.size());  ///< bytes, by member
};

template <class T, class R>
RunReport DevicePool::State::reduce(const PoolOperand<T>& input, ReduceOperation operation, R& result) {
    detail::require_operation<T>("reduce", operation);
    Reduction reduction(*this);
    if (input.is_on_host()) return reduction.of_host_memory(input.host(), operation, result);
    if (is_host()) throw Error(ErrorCategory::unsupported, "reduce: the input is on a device, but the pool is the host");
    if (input.is_sliced()) return reduction.of_slices(input.slices(), operation, result);
    const DeviceSpan<const T> whole = input.device();
    return reduction.of_slices(std::span(&whole, 1), operation, result);
}

template <class T>
void DevicePool::check_buffers(std::span<const DeviceSpan<const T>> buffers, const SourceLocation& where) const {
    if (is_host(where)) throw Error(ErrorCategory::unsupported, "reduce_results works on device memory; the pool is the host", where);
    if (buffers.empty()) throw Error(ErrorCategory::invalid_argument, "reduce_results needs at least one buffer", where);
    for (const DeviceSpan<const T>& buffer : buffers) {
        if (std::find(devices(where).begin(), devices(where).end(), buffer.device()) != devices(where).end()) continue;
        throw Error(ErrorCategory::wrong_context,
                    "reduce_results: a buffer lives on device " + std::to_string(buffer.device()) + "; the pool has " + to_string(*this),
                    where);
    }
}

template <class T>
DeviceBuffer<T> DevicePool::reduce_results(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation,
                                           SourceLocation where) const {
    check_buffers(buffers, where);
    detail::report_at(where, [&] { detail::require_operation<T>("reduce_results", operation); });
    for (const DeviceSpan<const T>& buffer : buffers) {
        if (buffer.size() == buffers[0].size()) continue;
        throw Error(ErrorCategory::invalid_argument,
                    "reduce_results needs buffers of one size; one has " + std::to_string(buffers[0].size()) + " elements, another " +
                        std::to_string(buffer.size()),
                    where);
    }
    return detail::report_at(where, [&] {
        DeviceBuffer<T> result;
        state(where).run(state(where).index_of(buffers[0].device()), [&](std::size_t index, const DeviceContext& target) {
            result = combined(buffers, operation, *this, target, state(where).peers());
            for (const DeviceSpan<const T>& buffer : buffers) {
                if (buffer.device() != target.device())
                    state(where).count_copy(state(where).index_of(buffer.device()), index, buffer.size_bytes());
            }
        });
        return result;
    });
}

template <class T, class R>
requires ReduceResult<R, T> RunReport DevicePool::reduce_results(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation,
                                                                 R& result, SourceLocation where)
const {
    check_buffers(buffers, where);
    detail::require_enumerator(operation, ReduceOperation::max, "ReduceOperation", where);
    return detail::report_at(where, [&] { return state(where).reduce_results(buffers, operation, result); });
}

template <class T, class R>
RunReport DevicePool::State::reduce_results(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation, R& result) {
    detail::require_operation<T>("reduce_results", operation);
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::size_t> members;
    for (const DeviceSpan<const T>& buffer : buffers) {
        if (!buffer.empty()) members.push_back(index_of(buffer.device()));
    }
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());

    using Partial = std::conditional_t<detail::is_16_bit_float<T>, float, R>;
    std::vector<Partial> of_buffers(buffers.size());
    std::vector<RunReport> reports(size());
    run_each(members, [&](std::size_t index, const DeviceContext& context) {
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            if (buffers[i].empty() || buffers[i].device() != context.device()) continue;
            const ReduceConfig config{.ctx = context};
            join(reports[index], cupool::reduce<T, Partial>(Operand<T>(buffers[i]), operation, config, of_buffers[i]));
        }
        member(index).bytes += reports[index].bytes;
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
    for (const std::size_t index : members) join(report, reports[index]);
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

#define CUPOOL_INSTANTIATE_RESULT(T, R)                                                                            \
    template RunReport DevicePool::reduce<T, R>(const PoolOperand<T>&, ReduceOperation, R&, SourceLocation) const; \
    template RunReport DevicePool::reduce_results<T, R>(std::span<const DeviceSpan<const T>>, ReduceOperation, R&, SourceLocation) const;
#define CUPOOL_INSTANTIATE(T) \
    template DeviceBuffer<T> DevicePool::reduce_results<T>(std::span<const DeviceSpan<const T>>, ReduceOperation, SourceLocation) const;
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE_RESULT)
CUPOOL_FOR_EACH_REDUCE_ELEMENT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE_RESULT
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
