#include <algorithm>
#include <chrono>
#include <cupool/driver/caller.hpp>
#include <cupool/driver/copy.hpp>
#include <cupool/pool/device_pool.hpp>

#include "default_stream_order.hpp"
#include "pool_state.hpp"
#include "synchronize_on_exit.hpp"

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

template <class T, class R>
RunReport DevicePool::State::reduce(const PoolOperand<T>& input, ReduceOperation operation, R& result) {
    const std::vector<std::size_t> healthy = this->healthy();
    const auto in_flight = [&](std::size_t index) { return member(index).in_flight.load(); };
    const auto idlest = std::min_element(healthy.begin(), healthy.end(),
                                         [&](std::size_t left, std::size_t right) { return in_flight(left) < in_flight(right); });
    RunReport report;
    run(*idlest, [&](std::size_t index, const DeviceContext& context) {
        report = cupool::reduce<T, R>(Operand<T>(input.host()), operation, ReduceConfig{.ctx = context}, result);
        member(index).bytes += report.bytes;
    });
    return report;
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
    detail::require_enumerator(operation, ReduceOperation::max, "ReduceOperation", where);
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
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::size_t> members;
    for (const DeviceSpan<const T>& buffer : buffers) {
        if (!buffer.empty()) members.push_back(index_of(buffer.device()));
    }
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());

    std::vector<T> of_buffers(buffers.size());
    std::vector<RunReport> reports(size());
    run_each(members, [&](std::size_t index, const DeviceContext& context) {
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            if (buffers[i].empty() || buffers[i].device() != context.device()) continue;
            join(reports[index], cupool::reduce<T>(Operand<T>(buffers[i]), operation, context, of_buffers[i]));
        }
        member(index).bytes += reports[index].bytes;
    });

    std::vector<T> partial;  // empty buffers have no minimum
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!buffers[i].empty()) partial.push_back(of_buffers[i]);
    }
    (void)cupool::reduce<T>(Operand<T>(std::span<const T>(partial)), operation, DeviceContext::host(1), result);
    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    for (const std::size_t index : members) join(report, reports[index]);
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

#define CUPOOL_INSTANTIATE(T)                                                                                                            \
    template RunReport DevicePool::reduce<T, T>(const PoolOperand<T>&, ReduceOperation, T&, SourceLocation) const;                       \
    template DeviceBuffer<T> DevicePool::reduce_results<T>(std::span<const DeviceSpan<const T>>, ReduceOperation, SourceLocation) const; \
    template RunReport DevicePool::reduce_results<T, T>(std::span<const DeviceSpan<const T>>, ReduceOperation, T&, SourceLocation) const;
CUPOOL_INSTANTIATE(std::int32_t)
CUPOOL_INSTANTIATE(std::uint32_t)
CUPOOL_INSTANTIATE(std::int64_t)
CUPOOL_INSTANTIATE(std::uint64_t)
CUPOOL_INSTANTIATE(float)
CUPOOL_INSTANTIATE(double)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
