#pragma once

#include <cstddef>
#include <cstdint>

#include "msm/device/plan.hpp"

namespace cupool::detail {

/// Sets the pointers to buckets and their reduction, which outlast a chunk, to memory at `base` (a multiple of 256). Plans of as many MSMs
/// with the same digit width have the same layout. \return bytes
std::size_t place_msm_sums(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base);

/// Sets the pointers to all memory that serves one chunk alone, at `base` (a multiple of 256). \return bytes
std::size_t place_msm_workspace(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base);

/// The words, from large_bucket_count on, that must be zero before a plan's sort: its counters are neighbours.
std::uint64_t cleared_words(const MsmKernelParams& params);

}  // namespace cupool::detail
