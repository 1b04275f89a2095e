#pragma once

/// \file
/// What reductions keep in a context between calls.

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <memory>

#include "reduce/device_reduce.hpp"
#include "reduce/order.hpp"
#include "support/idle_objects.hpp"

namespace cupool::detail {

/// For one reduction at a time whose result goes to the host: page-locked memory that a kernel writes the result into, and a workspace
/// whose count of finished blocks is 0 between launches.
class ReduceScratch {
public:
    explicit ReduceScratch(ContextView context)
        : readback_(readback_bytes, context),
          readback_on_device_(readback_.device_span().pointer()),
          workspace_(workspace_bytes, DeviceContext::in(context).with_memory_pool({})) {
        fill_bytes_async(workspace_.span(), 0, workspace_.stream());
        workspace_.stream().synchronize();  // reductions run on other streams
    }

    abi::DevicePointer readback_on_device() const { return readback_on_device_; }
    const std::byte* readback() const { return readback_.data(); }
    DeviceSpan<std::byte> workspace() { return workspace_.span(); }

private:
    static constexpr std::size_t readback_bytes = 64;
    static constexpr std::size_t workspace_bytes = reduce_counter_bytes + reduce_max_tiles * reduce_accumulator_bytes;

    PinnedBuffer<std::byte> readback_;
    abi::DevicePointer readback_on_device_;
    DeviceBuffer<std::byte> workspace_;
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
