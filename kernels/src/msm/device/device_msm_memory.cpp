#include "msm/device/device_msm_memory.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace cupool::detail {

DeviceMsmMemory::DeviceMsmMemory(MsmJobLayout layout, const MsmConfig& config) : config_(config), layout_(std::move(layout)) {}

bool DeviceMsmMemory::reserve(std::vector<MsmChunk> chunks, bool are_smallest) {
    layout_.lay_out(std::move(chunks));
    const std::size_t bytes = layout_.bytes();
    if (config_.memory_budget != 0 && bytes > config_.memory_budget) {
        if (are_smallest) throw_budget_too_small(bytes);
        return false;
    }
    auto block = DeviceBuffer<std::byte>::try_allocate(bytes, config_.ctx);
    if (!block) {
        if (block.error().category() != ErrorCategory::out_of_memory || are_smallest) throw block.error();
        return false;
    }
    block_ = std::move(block).value();
    return true;
}

void DeviceMsmMemory::throw_budget_too_small(std::size_t bytes) const {
    std::size_t terms = 0;
    for (const MsmChunk& chunk : layout_.chunks()) terms = std::max(terms, chunk.msm_count * chunk.term_count);
    throw Error(ErrorCategory::invalid_argument, "msm: memory_budget is " + std::to_string(config_.memory_budget) + " bytes, but even " +
                                                     std::to_string(terms) + " terms at a time take " + std::to_string(bytes) +
                                                     " on the device; raise memory_budget, or set it to 0 for no limit");
}

std::uint64_t DeviceMsmMemory::bit_sums_of(const MsmChunk& chunk) const {
    const std::size_t first = layout_.joins_bit_sums() ? 0 : chunk.first_msm * layout_.window_count() * layout_.weight_bits();
    return address(layout_.places().bit_sums) + first * layout_.sum_bytes();
}

DeviceSpan<std::byte> DeviceMsmMemory::window_sums(std::size_t first_msm, std::size_t msm_count) const {
    const std::size_t msm_bytes = layout_.window_count() * layout_.sum_bytes();
    return {address(layout_.places().sums_for_host) + first_msm * msm_bytes, msm_count * msm_bytes, config_.ctx.device()};
}

DeviceSpan<std::uint32_t> DeviceMsmMemory::oversized() const {
    return {address(layout_.places().oversized), chunk_count(), config_.ctx.device()};
}

DeviceSpan<const std::byte> DeviceMsmMemory::results() const { return from_to_end_of_oversized(layout_.places().sums_for_host); }

DeviceSpan<const std::byte> DeviceMsmMemory::oversized_bytes() const { return from_to_end_of_oversized(layout_.places().oversized); }

DeviceSpan<const std::byte> DeviceMsmMemory::from_to_end_of_oversized(std::size_t begin) const {
    return {address(begin), layout_.places().oversized + oversized().size_bytes() - begin, config_.ctx.device()};
}

}  // namespace cupool::detail
