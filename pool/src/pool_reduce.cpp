#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/pool/device_pool.hpp>

#include "pool_state.hpp"
#include "synchronize_on_exit.hpp"

namespace cupool {

namespace {

void wait_for_default_stream(const DeviceContext& waiting, const DeviceContext& other) {
    Event given(other.context());
    given.record(other.stream());
    waiting.stream().wait(given);
}

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
        wait_for_default_stream(target, pool.context(buffer.device()));
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
        wait_for_default_stream(working, target);
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

template <class T>
RunReport DevicePool::reduce(std::span<const T> input, ReduceOperation operation, T& result) const {
    const std::vector<std::size_t> healthy = state_->healthy();
    const auto in_flight = [&](std::size_t index) { return state_->member(index).in_flight.load(); };
    const auto idlest = std::min_element(healthy.begin(), healthy.end(),
                                         [&](std::size_t left, std::size_t right) { return in_flight(left) < in_flight(right); });
    RunReport report;
    state_->run(*idlest, [&](std::size_t index, const DeviceContext& context) {
        report = cupool::reduce<T>(Operand<T>(input), operation, context, result);
        state_->member(index).bytes += report.bytes;
    });
    return report;
}

template <class T>
DeviceBuffer<T> DevicePool::reduce_results(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation) const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "reduce_results works on device memory; the pool is the host");
    if (buffers.empty()) throw Error(ErrorCategory::invalid_argument, "reduce_results needs at least one buffer");
    for (const DeviceSpan<const T>& buffer : buffers) {
        if (buffer.size() != buffers[0].size()) {
            throw Error(ErrorCategory::invalid_argument, "reduce_results needs buffers of one size; one has " +
                                                             std::to_string(buffers[0].size()) + " elements, another " +
                                                             std::to_string(buffer.size()));
        }
        if (std::find(devices().begin(), devices().end(), buffer.device()) == devices().end()) {
            throw Error(ErrorCategory::wrong_context, "reduce_results: a buffer lives on device " + std::to_string(buffer.device()) +
                                                          "; the pool has " + to_string(*this));
        }
    }

    DeviceBuffer<T> result;
    state_->run(index_of(buffers[0].device()), [&](std::size_t index, const DeviceContext& target) {
        result = combined(buffers, operation, *this, target, state_->peers());
        for (const DeviceSpan<const T>& buffer : buffers) {
            if (buffer.device() != target.device()) state_->count_copy(index_of(buffer.device()), index, buffer.size_bytes());
        }
    });
    return result;
}

#define CUPOOL_INSTANTIATE(T)                                                                \
    template RunReport DevicePool::reduce<T>(std::span<const T>, ReduceOperation, T&) const; \
    template DeviceBuffer<T> DevicePool::reduce_results<T>(std::span<const DeviceSpan<const T>>, ReduceOperation) const;
CUPOOL_INSTANTIATE(std::int32_t)
CUPOOL_INSTANTIATE(std::uint32_t)
CUPOOL_INSTANTIATE(std::int64_t)
CUPOOL_INSTANTIATE(std::uint64_t)
CUPOOL_INSTANTIATE(float)
CUPOOL_INSTANTIATE(double)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
