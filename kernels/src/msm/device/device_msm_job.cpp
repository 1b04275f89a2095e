#include "msm/device/device_msm_job.hpp"

#include "curve/for_each_curve.hpp"
#include "curve/host_curve.hpp"

namespace cupool::detail {

template <Curve C>
StridedHostSpan DeviceMsmJob<C>::host_scalars_of(const MsmChunk& chunk) const {
    const std::span<const Scalar> from_first = scalars.host().subspan(first_scalar_of(chunk));
    if (stride() == term_count) return std::as_bytes(from_first.first(chunk.msm_count * chunk.term_count));
    return {std::as_bytes(from_first.first(chunk.term_count)), chunk.msm_count, stride() * sizeof(Scalar)};
}

template <Curve C>
Operand<AffinePoint<C>> DeviceMsmJob<C>::bases_of(const MsmChunk& chunk) const {
    if (!have_own_bases) return bases.subspan(chunk.first_term, chunk.term_count);
    return bases.subspan(chunk.first_msm * term_count + chunk.first_term, chunk.msm_count * chunk.term_count);
}

template <Curve C>
DeviceMsmJob<C> DeviceMsmJob<C>::msms(std::size_t first, std::size_t count) const {
    DeviceMsmJob part = *this;
    part.msm_count = count;
    part.scalars = scalars.subspan(first * stride(), (count - 1) * stride() + term_count);
    if (have_own_bases) part.bases = bases.subspan(first * term_count, count * term_count);
    return part;
}

template <Curve C>
MsmWork work_of(const DeviceMsmJob<C>& job, const MsmConfig& config, const DeviceMsmLimits& limits) {
    static_assert(sizeof(AffinePoint<C>) == 2 * sizeof(BaseFieldElement<C>) && sizeof(HostXyzz<C>) == 4 * sizeof(BaseFieldElement<C>));
    const Device device = config.ctx.context().device();
    const bool uploads_bases = !job.bases.is_on_device() || !job.are_bases_in_montgomery_form;
    return {.msm_count = job.msm_count,
            .term_count = job.term_count,
            .have_own_bases = job.have_own_bases,
            .uploads_bases = uploads_bases,
            .uploads_scalars = !job.scalars.is_on_device(),
            // A chunk uploads the bases of its terms: those of several MSMs are contiguous only if each MSM has its own. Scalars on the
            // device are read in place, where kernels expect those of a chunk's MSMs without gaps.
            .can_join_msms = (!uploads_bases || job.have_own_bases) && (!job.scalars.is_on_device() || job.stride() == job.term_count),
            .always_joins_bit_sums = config.are_results_on_device,
            .tables = job.tables,
            .width = job.width,
            .partition = job.partition,
            .partition_count = job.partition_count,
            .scalars = scalar_range<C>(config.bitsize),
            .coordinate_bytes = sizeof(BaseFieldElement<C>),
            .multiprocessors = static_cast<unsigned>(device.multiprocessor_count()),
            .rounds_budget = device.total_memory() / 8,
            .limits = limits};
}

#define CUPOOL_INSTANTIATE(C)        \
    template struct DeviceMsmJob<C>; \
    template MsmWork work_of<C>(const DeviceMsmJob<C>&, const MsmConfig&, const DeviceMsmLimits&);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
