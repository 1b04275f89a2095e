#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/msm.hpp>
#include <vector>

#include "msm/device/job_layout.hpp"

namespace cupool::detail {

/// The one block of device memory that a job uses, and the device addresses of the arrays in it.
class DeviceMsmMemory {
public:
    /// \param config  outlives this
    DeviceMsmMemory(MsmJobLayout layout, const MsmConfig& config);

    /// Plans these chunks and allocates memory for them. \return false if the budget or the device has too little
    /// \throws Error invalid_argument (budget), out_of_memory (device)  if it is too little and chunks cannot be smaller
    bool reserve(std::vector<MsmChunk> chunks, bool are_smallest);

    /// Frees what reserve() allocated.
    void release() { block_ = {}; }

    const MsmJobLayout& layout() const { return layout_; }
    const MsmChunk& chunk(std::size_t i) const { return layout_.chunks()[i]; }
    std::size_t chunk_count() const { return layout_.chunks().size(); }
    std::uint64_t size_bytes() const { return block_.size(); }

    /// The upload slot of a chunk: memory for its bases, then for its scalars, as far as they are uploaded. Chunks alternate between two.
    std::uint64_t bases_slot(std::size_t i) const { return address(layout_.places().upload_slots[i % 2]); }
    std::uint64_t scalars_slot(std::size_t i) const { return bases_slot(i) + layout_.bases_bytes(chunk(i)); }

    /// Memory for bucket sums, and for all that only one chunk at a time needs.
    std::uint64_t sums() const { return address(layout_.places().sums); }
    std::uint64_t workspace() const { return address(layout_.places().workspace); }
    std::uint64_t carried_points() const { return address(layout_.places().carried_points); }
    std::uint64_t carried_starts() const { return address(layout_.places().carried_starts); }

    /// The bit sums of the windows of a chunk's MSMs.
    std::uint64_t bit_sums_of(const MsmChunk& chunk) const;
    /// The sums of the windows of these MSMs. \pre layout().joins_bit_sums()
    DeviceSpan<std::byte> window_sums(std::size_t first_msm, std::size_t msm_count) const;
    /// A word for each chunk: the lowest index in it of a scalar that breaks the promise of bitsize; all ones if there is none.
    DeviceSpan<std::uint32_t> oversized() const;

    /// What the host reads back: sums and then oversized(), in one piece.
    DeviceSpan<const std::byte> results() const;
    DeviceSpan<const std::byte> oversized_bytes() const;

private:
    [[noreturn]] void throw_budget_too_small(std::size_t bytes) const;
    std::uint64_t address(std::size_t offset) const { return block_.span().pointer() + offset; }
    DeviceSpan<const std::byte> from_to_end_of_oversized(std::size_t begin) const;

    const MsmConfig& config_;
    MsmJobLayout layout_;
    DeviceBuffer<std::byte> block_;
};

}  // namespace cupool::detail
