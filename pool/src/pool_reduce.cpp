#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/pool/device_pool.hpp>

#include "pool_state.hpp"
#include "synchronize_on_exit.hpp"

namespace cupool {

namespace {

/// Lets `reader` reach the other context's plain and pooled memory directly, where there is a link between the two.
void open_link(const DeviceContext& reader, const DeviceContext& owner) {
    if (!reader.context().device().can_access_peer(owner.context().device())) return;
    reader.context().enable_peer_access(owner.context());
    if (owner.memory_pool()) owner.memory_pool().allow_access(reader.device());
}

void wait_for_default_stream(const DeviceContext& waiting, const DeviceContext& other) {
    Event given(other.context());
    given.record(other.stream());
    waiting.stream().wait(given);
}

/// See DevicePool::reduce_results().
template <class T>
DeviceBuffer<T> combined(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation, const DeviceContext& target,
                         const DevicePool& pool) {
    const detail::SynchronizeOnExit wait_for_buffers(target.stream());
    DeviceBuffer<T> result(buffers[0].size(), target);
    copy_async(result.span(), buffers[0], target.stream());
    DeviceBuffer<T> arrived(buffers.size() > 1 ? buffers[0].size() : 0, target);
    for (const DeviceSpan<const T>& buffer : buffers.subspan(1)) {
        const DeviceContext& source = pool.context(buffer.device());
        if (source.device() == target.device()) {
            combine_elements<T>(result.span(), buffer, operation, target);
            continue;
        }
        open_link(target, source);
        wait_for_default_stream(target, source);
        copy_peer_async(arrived.span(), target.context(), buffer, source.context(), target.stream());
        combine_elements<T>(result.span(), arrived.span(), operation, target);
    }
    target.stream().synchronize();
    return result;
}

}  // namespace

template <class T>
RunReport DevicePool::reduce(std::span<const T> input, ReduceOperation operation, T& result) const {
    RunReport report;
    state_->run(state_->healthy()[0], [&](std::size_t index, const DeviceContext& context) {
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
    state_->run(index_of(buffers[0].device()),
                [&](std::size_t, const DeviceContext& target) { result = combined(buffers, operation, target, *this); });
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
