#include "msm/device/msm_on_device.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>

#include "curve/for_each_curve.hpp"
#include "msm/device/budget.hpp"
#include "msm/device/device_msm.hpp"
#include "msm/oversized_scalar.hpp"

namespace cupool::detail {

namespace {

/// Does a sub-batch: as many of the MSMs from number `first` on as one allocation holds. \return their number
template <Curve C>
std::size_t do_sub_batch(const DeviceMsmJob<C>& job, std::size_t first, MsmWork work, UploadCost upload, const MsmConfig& config,
                         const MsmResults<C>& results, RunReport& report) {
    try {
        const SubBatch sub_batch = choose_sub_batch(work, config.memory_budget, upload);
        work.msm_count = sub_batch.msm_count;
        DeviceMsm<C> msm(job.msms(first, work.msm_count), MsmJobLayout(work, sub_batch.digits), config);
        msm.run(results.subspan(first, work.msm_count));
        report.bytes += msm.bytes();
        report.device_bytes = std::max(report.device_bytes, msm.device_bytes());
        return work.msm_count;
    } catch (const OversizedScalar& error) {
        throw_oversized_scalar(first * job.stride() + error.index(), error.bits());
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
    const double copy_rate = config.ctx.resource<UploadStagers>()->rate().nanoseconds_per_byte();
    const UploadCost upload{.copy = copy_rate * static_cast<double>(job.copied_bytes_per_term())};
    MsmWork work = work_of(job, config, limits);
    work.msm_count = std::min(job.msm_count, limits.max_msms_per_allocation);
    for (std::size_t first = 0; first < job.msm_count; first += work.msm_count) {
        work.msm_count = std::min(work.msm_count, job.msm_count - first);
        work.msm_count = do_sub_batch(job, first, work, upload, config, results, report);
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    report.milliseconds = elapsed.count();
    return report;
}

#define CUPOOL_INSTANTIATE(C) \
    template RunReport msm_on_device<C>(const DeviceMsmJob<C>&, const MsmConfig&, const MsmResults<C>&, const DeviceMsmLimits&);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
