#pragma once

/// \file
/// What reductions keep in a context between calls.

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <memory>

#include "idle_objects.hpp"

namespace cupool::detail {

/// For one reduction at a time whose result goes to the host: page-locked memory that a kernel writes the result into, and a count of
/// finished blocks, which is 0 between launches.
class ReduceScratch {
public:
    explicit ReduceScratch(ContextView context)
        : landing_(landing_bytes, context), counter_(1, DeviceContext::in(context).with_memory_pool({})) {
        fill(counter_.span(), 0u, counter_.stream());
    }

    static constexpr std::size_t landing_bytes = 64;

    DeviceSpan<std::byte> landing_on_device() { return landing_.device_span(); }
    const std::byte* landing() const { return landing_.data(); }
    DeviceSpan<std::uint32_t> counter() { return counter_.span(); }

private:
    PinnedBuffer<std::byte> landing_;
    DeviceBuffer<std::uint32_t> counter_;
};

/// The scratch of a context that no reduction is using.
class ReduceScratches {
public:
    explicit ReduceScratches(ContextView context) : context_(context) {}

    /// It comes back when the pointer goes: no work may use it then.
    std::shared_ptr<ReduceScratch> take() {
        return idle_.take([this] { return std::make_unique<ReduceScratch>(context_); });
    }

private:
    ContextView context_;
    IdleObjects<ReduceScratch> idle_;
};

}  // namespace cupool::detail
