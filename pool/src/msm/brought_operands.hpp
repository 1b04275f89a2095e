#pragma once

#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <set>
#include <vector>

#include "pool_state.hpp"

namespace cupool {

namespace detail {

/// Which elements of an array a part of a job reads: `count` runs of `run` elements each, `stride` from the first element of one run to
/// that of the next.
struct ArrayRuns {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t run = 0;
    std::size_t stride = 0;

    bool are_contiguous() const { return count <= 1 || stride == run; }
    /// How many elements there are from the first one of the first run to the last one of the last.
    std::size_t extent() const { return count == 0 || run == 0 ? 0 : (count - 1) * stride + run; }
};

/// Runs of an array where a device reads them: in host memory or in its own.
template <class T>
struct LocalRuns {
    Operand<T> elements;  ///< from the first one of the first run to the last one of the last
    ArrayRuns runs;       ///< where they are in `elements`

    Operand<T> run(std::size_t number) const { return elements.subspan(number * runs.stride, runs.run); }
};

}  // namespace detail

/// What one part of a job reads, on its device. What lies on another device is copied to buffers of the part's device, on that device's
/// default stream and behind what was given to the owner's default stream.
class DevicePool::State::BroughtOperands {
public:
    /// \param context  of the member
    BroughtOperands(State& state, std::size_t member, const DeviceContext& context) : state_(state), member_(member), context_(context) {}

    /// \param runs  counted in the whole array; of a sliced one they are the member's slice
    template <class T>
    detail::LocalRuns<T> local_runs(const PoolOperand<T>& operand, const detail::ArrayRuns& runs) {
        if (runs.extent() == 0) return {std::span<const T>(), {0, runs.count, 0, 0}};
        if (operand.is_on_host()) return {operand.host().subspan(runs.first, runs.extent()), at_front(runs, runs.stride)};
        if (operand.is_sliced()) return {slice_here(operand), at_front(runs, runs.stride)};
        const DeviceSpan<const T> wanted = operand.device().subspan(runs.first, runs.extent());
        if (wanted.device() == context_.device()) return {wanted, at_front(runs, runs.stride)};
        const std::size_t size = runs.count * runs.run;
        const abi::DevicePointer here = bring(wanted.device(), wanted.pointer(), in_bytes(runs, sizeof(T)));
        return {DeviceSpan<const T>(here, size, context_.device()), at_front(runs, runs.run)};
    }

    /// What was copied from other devices, which took as much memory here.
    std::uint64_t bytes() const { return bytes_; }

    /// Waits for the copies: what the program gave must not be in use after a failure.
    void wait() noexcept;

private:
    static detail::ArrayRuns at_front(const detail::ArrayRuns& runs, std::size_t stride) { return {0, runs.count, runs.run, stride}; }
    static detail::ArrayRuns in_bytes(const detail::ArrayRuns& runs, std::size_t size) {
        return {0, runs.count, runs.run * size, runs.stride * size};
    }

    template <class T>
    DeviceSpan<const T> slice_here(const PoolOperand<T>& operand) const {
        for (const DeviceSpan<const T>& slice : operand.slices()) {
            if (slice.device() == context_.device() && !slice.empty()) return slice;
        }
        return {};
    }

    abi::DevicePointer bring(int owner, abi::DevicePointer there, const detail::ArrayRuns& bytes);

    State& state_;
    std::size_t member_;
    const DeviceContext& context_;
    std::vector<DeviceBuffer<std::byte>> buffers_;
    std::set<std::size_t> owners_;
    std::uint64_t bytes_ = 0;
};

}  // namespace cupool
