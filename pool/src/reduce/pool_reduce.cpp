#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/pool/device_pool.hpp>

#include "default_stream_order.hpp"
#include "pool_state.hpp"
#include "reduce/checks.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/pool_reduction.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool {

namespace {

std::size_t index_of(const DevicePool& pool, int ordinal) {
    return static_cast<std::size_t>(std::find(pool.devices().begin(), pool.devices().end(), ordinal) - pool.devices().begin());
}

/// Queues the work on the target's stream. See DevicePool::reduce_results().
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

/// Combines the buffers. They are no longer in use when it returns or throws.
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
    return detail::report_at(where, [&] { return detail::PoolReduction(state(where)).of_operand(input, operation, result); });
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
    return detail::report_at(where, [&] { return detail::PoolReduction(state(where)).of_buffers(buffers, operation, result); });
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
