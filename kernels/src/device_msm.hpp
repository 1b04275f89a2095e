#pragma once

#include <cupool/kernels/msm.hpp>

#include "msm_layout.hpp"
#include "msm_portions.hpp"
#include "msm_results.hpp"

namespace cupool::detail {

/// Equal MSMs on one device.
template <Curve C>
struct DeviceMsmJob {
    Operand<Scalar> scalars;        ///< of each MSM those of its terms, `scalars_stride` behind those of the MSM before it
    Operand<AffinePoint<C>> bases;  ///< [table][term], or [msm][term] where each MSM has its own
    std::size_t msm_count = 1;
    std::size_t term_count = 0;      ///< of each MSM, at least 1
    std::size_t scalars_stride = 0;  ///< from the first scalar of one MSM to that of the next; 0 where there are none between
    std::size_t table_stride = 0;    ///< from one table of bases to the next
    bool have_own_bases = false;     ///< there is a run of bases for each MSM
    bool are_bases_in_montgomery_form = false;
    unsigned tables = 1;  ///< of prepared multiples: bases that lie on the device, in Montgomery form
    unsigned width = 0;   ///< bits of a digit; 0 chooses by size
};

/// From where on copies are hidden behind work, and how much is done together.
struct DeviceMsmLimits {
    /// Copies of fewer bytes are not worth a stream of their own.
    std::size_t least_fed_bytes = std::size_t{1} << 20;
    std::size_t least_portion_terms = MsmCut{}.least_terms;
    /// With those of all tables: a term's index shares 32 bits with its sign and carried_bit.
    std::size_t most_portion_terms = carried_bit;
    /// MSMs of a job that are done with one allocation, which holds the sums of all their rows.
    std::size_t most_msms_of_a_run = 8192;
};

/// cupool::msm() on config.ctx's device, after validation: sizes are right, operands and results lie where they must. One result an MSM.
/// With config.is_async, which asks for results on the device, it returns once the work is queued: no promise about scalars is looked
/// after.
template <Curve C>
RunReport msm_on_device(const DeviceMsmJob<C>& job, const MsmConfig& config, const MsmResults<C>& results,
                        const DeviceMsmLimits& limits = {});

}  // namespace cupool::detail
