#pragma once

#include <cstddef>
#include <cupool/kernels/msm.hpp>

#include "msm/device/chunks.hpp"
#include "msm/device/thresholds.hpp"
#include "transfer/strided_host_span.hpp"

namespace cupool::detail {

/// MSMs of equal size on one device: their operands, and how these lie in memory.
template <Curve C>
struct DeviceMsmJob {
    Operand<Scalar> scalars;        ///< the scalars of each MSM begin `scalars_stride` after those of the MSM before it
    Operand<AffinePoint<C>> bases;  ///< [table][term], or [msm][term] if each MSM has its own
    std::size_t msm_count = 1;
    std::size_t term_count = 0;      ///< terms (a scalar and a point each) of each MSM, at least 1
    std::size_t scalars_stride = 0;  ///< in scalars; 0 means term_count
    std::size_t table_stride = 0;    ///< points from the beginning of one table to the beginning of the next
    bool have_own_bases = false;     ///< each MSM has its own bases
    bool are_bases_in_montgomery_form = false;
    unsigned tables = 1;  ///< tables of prepared bases; several only on the device, in Montgomery form
    unsigned width = 0;   ///< bits of a digit; 0 chooses it by size
    /// The digit partition that this device sums, if several devices share the digits of one MSM over one table.
    unsigned partition = 0;
    unsigned partition_count = 1;

    std::size_t stride() const { return scalars_stride != 0 ? scalars_stride : term_count; }

    /// Bytes of a term that are copied from the host.
    std::size_t copied_bytes_per_term() const {
        return (scalars.is_on_device() ? 0 : sizeof(Scalar)) + (bases.is_on_device() ? 0 : sizeof(AffinePoint<C>));
    }

    /// The index in `scalars` of the first scalar of a chunk.
    std::size_t first_scalar_of(const MsmChunk& chunk) const { return chunk.first_msm * stride() + chunk.first_term; }

    /// The scalars of a chunk. \pre they are in host memory
    StridedHostSpan host_scalars_of(const MsmChunk& chunk) const;

    /// The bases of a chunk, in the first table.
    Operand<AffinePoint<C>> bases_of(const MsmChunk& chunk) const;

    /// `count` MSMs of the job from number `first` on.
    DeviceMsmJob msms(std::size_t first, std::size_t count) const;
};

/// What planning needs to know of a job. \param config  config.ctx is the device that does the work
template <Curve C>
MsmWork work_of(const DeviceMsmJob<C>& job, const MsmConfig& config, const DeviceMsmLimits& limits);

}  // namespace cupool::detail
