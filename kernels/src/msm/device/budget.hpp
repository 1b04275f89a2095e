#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "msm/device/job_layout.hpp"

namespace cupool::detail {

/// The MSMs of a batch that use one allocation, and the digits of their scalars.
struct SubBatch {
    std::size_t msm_count = 0;
    DigitChoice digits{};
};

/// Chooses the first sub-batch of the work, so that some cut of it into chunks fits the budget.
///
/// Without a budget (0), or with one that is large enough, the sub-batch has all MSMs, and the digits of
/// least cost. Otherwise digits and chunks are chosen together: narrow digits have fewer buckets, which
/// leaves room for larger and so fewer chunks. If nothing fits, the sub-batch is one MSM with the digits
/// that need the least memory: the error of its allocation then names the least budget that is enough.
SubBatch choose_sub_batch(MsmWork work, std::uint64_t budget, UploadCost upload);

/// Chooses the digits of one MSM in the same way, for devices that share its digits and have equal
/// budgets. \param works one for each device, at least one
DigitChoice choose_shared_digits(std::span<const MsmWork> works, std::uint64_t budget, UploadCost upload);

}  // namespace cupool::detail
