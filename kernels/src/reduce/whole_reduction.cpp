#include "reduce/whole_reduction.hpp"

#include <algorithm>
#include <cstring>
#include <cupool/driver/copy.hpp>

#include "reduce/host_chunks.hpp"
#include "reduce/order.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

WholeReduction::WholeReduction(const ReduceArithmetic& arithmetic, const OperandBytes& input, const ReduceConfig& config)
    : arithmetic_(arithmetic),
      input_(input),
      context_(config.ctx),
      stream_(config.ctx.stream()),
      kernels_(config.ctx.resource<ReduceKernels>()),
      kernel_(kernels_->get(arithmetic, "whole")),
      tile_elements_(reduce_tile_elements(input.count, arithmetic.element_bytes)),
      tiles_(reduce_tiles(input.count, arithmetic.element_bytes)),
      workspace_(config.workspace) {}

WholeReduction::~WholeReduction() {
    if (scratch_ == nullptr) return;
    const SynchronizeOnExit wait_for_work(stream_);
}

void WholeReduction::start(std::size_t result_bytes) {
    scratch_ = context_.resource<ReduceScratches>()->take();
    const abi::DevicePointer counter = scratch_->workspace().pointer();
    if (workspace_.empty()) workspace_ = scratch_->workspace();
    enqueue({scratch_->readback_on_device(), static_cast<std::uint32_t>(result_bytes)}, counter);
}

void WholeReduction::finish(std::span<std::byte> result) {
    stream_.synchronize();
    std::memcpy(result.data(), scratch_->readback(), result.size());
    scratch_ = nullptr;
}

void WholeReduction::run_async(abi::DevicePointer result, std::size_t result_bytes) {
    if (workspace_.empty()) {
        own_workspace_ = DeviceBuffer<std::byte>(reduce_counter_bytes + tiles_ * arithmetic_.accumulator_bytes, context_);
        workspace_ = own_workspace_.span();
        device_bytes_ += own_workspace_.size();
    }
    const DeviceSpan<std::uint32_t> counter(workspace_.pointer(), 1, context_.device());
    fill_async(counter, 0u, stream_);
    enqueue({result, static_cast<std::uint32_t>(result_bytes)}, counter.pointer());
}

void WholeReduction::enqueue(const ResultPlace& result, abi::DevicePointer counter) {
    if (input_.is_on_device) return launch(input_.device, input_.count, 0, blocks_for(tiles_), result, counter);
    const std::uint64_t tile_bytes = tile_elements_ * arithmetic_.element_bytes;
    const unsigned blocks = blocks_for(std::min(tiles_, host_chunk_tiles(tile_bytes)));
    device_bytes_ += host_chunk_bytes(input_.host.size(), tile_bytes);
    bytes_ += input_.host.size();
    for_each_host_chunk(input_.host, tile_bytes, context_, [&](DeviceSpan<std::byte> chunk, std::uint64_t first_tile) {
        const std::uint64_t count = chunk.size() / arithmetic_.element_bytes;
        const bool is_last = first_tile * tile_elements_ + count == input_.count;
        launch(chunk.pointer(), count, first_tile, blocks, result, is_last ? counter : 0);
    });
}

/// Reduces tiles, and with a counter the values of all.
/// \param blocks  the same for all launches of a reduction
void WholeReduction::launch(abi::DevicePointer input, std::uint64_t count, std::uint64_t first_tile, unsigned blocks, ResultPlace result,
                            abi::DevicePointer counter) {
    const std::uint64_t tiles = (count - 1) / tile_elements_ + 1;
    std::uint64_t last_tile = first_tile + tiles;
    abi::DevicePointer values = workspace_.pointer() + reduce_counter_bytes;
    void* parameters[] = {&input,  &count,   &tile_elements_, &first_tile,   &last_tile,
                          &values, &counter, &result.pointer, &result.bytes, &arithmetic_.flip};
    kernel_.launch_raw({.grid = blocks, .block = reduce_lanes}, stream_, parameters);
}

unsigned WholeReduction::blocks_for(std::uint64_t tiles) const {
    return static_cast<unsigned>(std::min<std::uint64_t>(tiles, kernel_.resident_blocks));
}

}  // namespace cupool::detail
