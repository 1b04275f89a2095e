#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "msm/device/job_layout.hpp"

namespace cupool::detail {

/// MSMs of a job that are done with one allocation, and the digits of their scalars.
struct MsmRun {
    std::size_t msm_count = 0;
    DigitChoice digits{};
};

/// Chooses the first run of the work, so that it fits the budget in some chunks.
///
/// Without a budget (0), or with one that is large enough, the run has all MSMs, and the digits of least
/// cost. Else digits and chunks are weighed against each other: narrow digits have fewer buckets, which
/// leaves room for larger and so fewer chunks. If nothing fits, the run is one MSM with the digits that
/// need the least memory: the error of its allocation then names the least budget that would do.
MsmRun choose_run(MsmWork work, std::uint64_t budget, FeedCost feed);

/// Chooses the digits of one MSM in the same way, for devices that share its digits and have as large a
/// budget each. \param works  the devices' parts of it, at least one
DigitChoice choose_shared_digits(std::span<const MsmWork> works, std::uint64_t budget, FeedCost feed);

}  // namespace cupool::detail
