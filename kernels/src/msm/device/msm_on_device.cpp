#include "msm/device/msm_on_device.hpp"

#include <chrono>
#include <new>

#include "msm/device/budget.hpp"

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

/// Does the next MSMs of the job, from number `first` on: as many of `work` as one allocation holds.
/// \return how many they are
template <Curve C>
std::size_t run_next(const DeviceMsmJob<C>& job, std::size_t first, MsmWork work, FeedCost feed, const MsmConfig& config,
                     const MsmResults<C>& results, RunReport& report) {
    try {
        const MsmRun run = choose_run(work, config.memory_budget, feed);
        work.msm_count = run.msm_count;
        DeviceMsm<C> msm(part_of(job, first, run.msm_count), MsmJobLayout(work, run.digits), config);
        msm.run(results.subspan(first, run.msm_count));
        report.bytes += msm.bytes();
        report.device_bytes = std::max(report.device_bytes, msm.device_bytes());
        return run.msm_count;
    } catch (const OversizedScalar& error) {
        throw_oversized_scalar(first * stride_of(job) + error.index(), error.bits());
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory,
                    "msm: the host has not enough memory for the sums of " + std::to_string(work.msm_count) + " MSMs");
    }
}

}  // namespace

template <Curve C>
RunReport msm_on_device(const DeviceMsmJob<C>& job, const MsmConfig& config, const MsmResults<C>& results, const DeviceMsmLimits& limits) {
    const auto start = std::chrono::steady_clock::now();
    RunReport report{.engine = Engine::gpu, .devices = {config.ctx.device()}, .milliseconds = 0, .bytes = 0};
    const double copy_rate = config.ctx.resource<OperandFeeds>()->rate().nanoseconds_a_byte();
    const FeedCost feed{.copy = copy_rate * static_cast<double>(copied_bytes_a_term(job))};
    MsmWork work = work_of(job, config, limits);
    work.msm_count = std::min(job.msm_count, limits.max_msms_of_a_run);
    for (std::size_t first = 0; first < job.msm_count; first += work.msm_count) {
        work.msm_count = std::min(work.msm_count, job.msm_count - first);
        work.msm_count = run_next(job, first, work, feed, config, results, report);
    }
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
