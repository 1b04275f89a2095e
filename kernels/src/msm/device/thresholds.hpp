#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "msm/device/chunks.hpp"
#include "msm/device/cost_model.hpp"
#include "msm/device/kernel_params.hpp"
#include "msm/device/plan.hpp"
#include "msm/scalar_range.hpp"

namespace cupool::detail {

/// From which sizes on copies overlap with kernels and buckets are reduced by weight splitting, and how much is done at a time.
struct DeviceMsmLimits {
    /// Copies of fewer bytes are not worth a stream of their own.
    std::size_t min_pipelined_bytes = std::size_t{1} << 20;
    std::size_t min_chunk_terms = MsmCut{}.min_terms;
    /// Counting those of all tables and images: the index of a term shares 32 bits with its sign and carried_bit.
    std::size_t max_chunk_terms = carried_bit;
    /// MSMs of a job that use one allocation, which holds the sums of all their windows.
    std::size_t max_msms_per_allocation = 8192;
    /// Of all window instances of a chunk.
    std::uint64_t min_weight_split_buckets = detail::min_weight_split_buckets;
};

/// So many small MSMs are summed at a time as have this many terms together: enough to fill the device.
inline constexpr std::size_t terms_of_a_batch = std::size_t{1} << 21;

/// Everything except digits and chunks that determines the plans of equal MSMs on a device, and how
/// much memory these take.
struct MsmWork {
    std::size_t msm_count = 1;
    std::size_t term_count = 0;          ///< of each MSM, at least 1
    bool have_own_bases = false;         ///< each MSM has its own bases
    bool uploads_bases = false;          ///< bases are copied or converted into memory of the work
    bool uploads_scalars = false;        ///< scalars are copied into memory of the work
    bool can_join_msms = false;          ///< the operands lie so that a chunk can have several MSMs
    bool always_joins_bit_sums = false;  ///< the device joins the bit sums of each window, however few windows there are
    unsigned tables = 1;                 ///< tables of prepared bases
    unsigned width = 0;                  ///< bits of a digit if it is fixed, or 0
    unsigned partition = 0;              ///< as in DeviceMsmJob
    unsigned partition_count = 1;
    ScalarRange scalars{};
    std::size_t coordinate_bytes = 0;  ///< bytes of one coordinate of a point
    unsigned multiprocessors = 1;
    std::uint64_t rounds_budget = 0;  ///< as in MsmProblem
    DeviceMsmLimits limits{};

    /// How many MSMs a chunk may have, as far as a grid has enough rows.
    std::size_t max_joined_msms() const { return can_join_msms ? std::clamp<std::size_t>(terms_of_a_batch / term_count, 1, msm_count) : 1; }
};

}  // namespace cupool::detail
