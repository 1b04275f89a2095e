#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "msm/device/chunks.hpp"
#include "msm/device/cost_model.hpp"
#include "msm/device/kernel_params.hpp"
#include "msm/scalar_range.hpp"

namespace cupool::detail {

/// From where on copies are hidden behind work, how much is done together, and from where on weights are split.
struct DeviceMsmLimits {
    /// Copies of fewer bytes are not worth a stream of their own.
    std::size_t min_fed_bytes = std::size_t{1} << 20;
    std::size_t min_chunk_terms = MsmCut{}.min_terms;
    /// With those of all tables, and with images: a term's index shares 32 bits with its sign and carried_bit.
    std::size_t max_chunk_terms = carried_bit;
    /// MSMs of a job that are done with one allocation, which holds the sums of all their rows.
    std::size_t max_msms_of_a_run = 8192;
    /// Of all rows that are summed together.
    std::uint64_t min_weight_split_buckets = detail::min_weight_split_buckets;
};

/// Small MSMs are done so many at a time as make up this many terms: enough to fill the device.
inline constexpr std::size_t terms_of_a_batch = std::size_t{1} << 21;

/// Everything but the digits and the chunks that decides how equal MSMs are planned on a device,
/// and how much memory they take.
struct MsmWork {
    std::size_t msm_count = 1;
    std::size_t term_count = 0;          ///< of each MSM, at least 1
    bool have_own_bases = false;         ///< each MSM has its own bases
    bool brings_bases = false;           ///< bases are copied or converted into memory of the work
    bool brings_scalars = false;         ///< scalars are copied into memory of the work
    bool can_join_msms = false;          ///< the operands lie so that a chunk can have several MSMs
    bool always_joins_bit_sums = false;  ///< the device joins the sums of each window, however few there are
    unsigned tables = 1;                 ///< of prepared multiples
    unsigned width = 0;                  ///< bits of a digit if that is fixed, or 0
    unsigned partition = 0;              ///< as in MsmProblem
    unsigned partition_count = 1;
    ScalarRange scalars{};
    std::size_t coordinate_bytes = 0;  ///< of one coordinate of a point
    unsigned multiprocessors = 1;
    std::uint64_t rounds_budget = 0;  ///< as in MsmProblem
    DeviceMsmLimits limits{};

    /// How many MSMs a chunk may have, as long as a grid has enough rows.
    std::size_t max_joined_msms() const { return can_join_msms ? std::clamp<std::size_t>(terms_of_a_batch / term_count, 1, msm_count) : 1; }
};

}  // namespace cupool::detail
