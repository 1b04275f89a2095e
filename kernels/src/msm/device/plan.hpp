#pragma once

#include <cstddef>
#include <cstdint>

#include "msm/device/digits.hpp"
#include "msm/device/kernel_params.hpp"
#include "msm/device/rounds.hpp"
#include "msm/scalar_range.hpp"

namespace cupool::detail {

/// What decides the plan of a chunk.
struct MsmProblem {
    std::uint32_t msm_count = 1;
    std::uint32_t scalar_count = 0;    ///< of one MSM: from 1 to 2^30 with all tables, to 2^29 if they are split
    std::uint32_t carried_points = 0;  ///< that an earlier chunk may have left in a row
    BucketRemainder remainder = BucketRemainder::accumulated;
    ScalarRange scalars;
    DigitChoice choice{};
    std::uint32_t base_count = 0;  ///< of a table; required if scalars are split
    unsigned tables = 1;           ///< of prepared multiples of the points
    bool splits_weights = false;   ///< remainders that are not accumulated end in weight splitting; the same in all chunks
    /// The digit partition that is summed here, if other devices sum the rest of one MSM with one table. Partitions are equal.
    unsigned partition = 0;
    unsigned partition_count = 1;
    unsigned multiprocessors = 1;
    std::uint64_t rounds_budget = 0;   ///< bytes of workspace for rounds; if they take more, they go over the rows in several turns
    std::size_t coordinate_bytes = 0;  ///< of one coordinate of a point

    bool operator==(const MsmProblem&) const = default;
};

/// The plan of a chunk on the host: the parameter of its kernels, and what only the host needs.
struct MsmPlan {
    MsmKernelParams params;
    std::uint32_t rows_at_once = 1;  ///< rows that rounds and accumulation work on at a time
};

/// The plan without pointers: see workspace_layout.hpp.
MsmPlan make_msm_plan(const MsmProblem& problem);

/// The plan of weight splitting: it sums the bucket remainders that `terms` left. It has two rows for each row of `terms`, one for the low
/// `low_bits` bits of the weights and one for the others. \param problem  of `terms`
MsmPlan make_weight_split_plan(const MsmKernelParams& terms, unsigned low_bits, MsmProblem problem);

}  // namespace cupool::detail
