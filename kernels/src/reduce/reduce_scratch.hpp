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
        : context_(context),
          readback_(readback_bytes, context),
          readback_on_device_(readback_.device_span().pointer()),
          workspace_(workspace_bytes, DeviceContext::in(context).with_memory_pool({})) {
        fill_bytes_async(workspace_.span(), 0, workspace_.stream());
        workspace_.stream().synchronize();  // reductions run on other streams
    }

    abi::DevicePointer readback_on_device() const { return readback_on_device_; }
    const std::byte* readback() const { return readback_.data(); }
    DeviceSpan<std::byte> workspace() { return workspace_.span(); }
    /// Page-locked memory for a value of each tile of a sum, which is allocated when first used.
    std::byte* tile_values() {
        if (tile_values_.empty()) tile_values_ = PinnedBuffer<std::byte>(reduce_max_tiles * sizeof(double), context_);
        return tile_values_.data();
    }

private:
    static constexpr std::size_t readback_bytes = 64;
    static constexpr std::size_t workspace_bytes = reduce_counter_bytes + reduce_max_tiles * reduce_accumulator_bytes;

    ContextView context_;
    PinnedBuffer<std::byte> readback_;
    abi::DevicePointer readback_on_device_;
    DeviceBuffer<std::byte> workspace_;
    PinnedBuffer<std::byte> tile_values_;
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
