#include "msm_on_device.hpp"

#include <chrono>
#include <new>

namespace cupool::detail {

namespace {

/// Some of the MSMs of a job.
template <Curve C>
DeviceMsmJob<C> part_of(const DeviceMsmJob<C>& job, std::size_t first, std::size_t count) {
    DeviceMsmJob<C> part = job;
    part.msm_count = count;
    part.scalars = job.scalars.subspan(first * stride_of(job), (count - 1) * stride_of(job) + job.term_count);
    if (job.have_own_bases) part.bases = job.bases.subspan(first * job.term_count, count * job.term_count);
    return part;
}

/// \param first  the number of the part's first MSM in the whole
template <Curve C>
void run_part(const DeviceMsmJob<C>& part, std::size_t first, const MsmConfig& config, const DeviceMsmLimits& limits,
              const MsmResults<C>& results, RunReport& report) {
    try {
        DeviceMsm<C> msm(part, config, limits);
        msm.run(results.subspan(first, part.msm_count));
        report.bytes += msm.bytes();
        report.device_bytes = std::max(report.device_bytes, msm.device_bytes());
    } catch (const OversizedScalar& error) {
        throw_oversized_scalar(first * stride_of(part) + error.index(), error.bits());
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory,
                    "msm: the host has not enough memory for the sums of " + std::to_string(part.msm_count) + " MSMs");
    }
}

}  // namespace

template <Curve C>
RunReport msm_on_device(const DeviceMsmJob<C>& job, const MsmConfig& config, const MsmResults<C>& results, const DeviceMsmLimits& limits) {
    const auto start = std::chrono::steady_clock::now();
    RunReport report{.engine = Engine::gpu, .devices = {config.ctx.device()}, .milliseconds = 0, .bytes = 0};
    for (std::size_t first = 0; first < job.msm_count; first += limits.most_msms_of_a_run)
        run_part(part_of(job, first, std::min(limits.most_msms_of_a_run, job.msm_count - first)), first, config, limits, results, report);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    report.milliseconds = elapsed.count();
    return report;
}

#define CUPOOL_INSTANTIATE(C)    \
    template class DeviceMsm<C>; \
    template RunReport msm_on_device<C>(const DeviceMsmJob<C>&, const MsmConfig&, const MsmResults<C>&, const DeviceMsmLimits&);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
