#include "msm/device/msm_readback.hpp"

#include <cupool/driver/copy.hpp>

#include "curve/for_each_curve.hpp"
#include "msm/oversized_scalar.hpp"
#include "msm/window_sums.hpp"
#include "support/parallel_for.hpp"

namespace cupool::detail {

template <Curve C>
MsmReadback<C>::MsmReadback(const DeviceMsmJob<C>& job, const MsmConfig& config, const DeviceMsmMemory& memory, MsmKernels<C>& kernels)
    : job_(job),
      config_(config),
      memory_(memory),
      kernels_(kernels),
      stream_(config.ctx.stream()),
      buffers_(config.ctx.resource<ReadbackBuffers>()) {}

template <Curve C>
std::span<const HostXyzz<C>> MsmReadback<C>::sums() const {
    return {reinterpret_cast<const HostXyzz<C>*>(copied_.data()), job_.msm_count * memory_.layout().sum_count()};
}

template <Curve C>
std::uint32_t MsmReadback<C>::first_oversized(std::size_t chunk) const {
    return reinterpret_cast<const std::uint32_t*>(copied_.last(memory_.oversized().size_bytes()).data())[chunk];
}

template <Curve C>
void MsmReadback<C>::finish_on_host(std::span<JacobianPoint<C>> results) {
    constexpr std::size_t min_results_for_threads = 8;
    enqueue();
    stream_.synchronize();
    require_promise();
    const MsmJobLayout& layout = memory_.layout();
    const unsigned threads = results.size() < min_results_for_threads ? 1 : config_.ctx.host_threads();
    parallel_for(results.size(), threads, [&](std::size_t msm) {
        const auto own = sums().subspan(msm * layout.sum_count(), layout.sum_count());
        results[msm] =
            store_jacobian<C>(combine_windows(own, layout.choice().width, layout.sums_per_window()), config_.are_points_montgomery_form);
    });
}

template <Curve C>
void MsmReadback<C>::finish_on_device(DeviceSpan<JacobianPoint<C>> results) {
    const MsmJobLayout& layout = memory_.layout();
    if (!layout.work().scalars.spans_all() && !config_.is_async) wait_and_check_scalars();
    const LaunchShape shape{blocks_for(job_.msm_count * lane_group_size, sum_block_size), sum_block_size};
    const DeviceSpan<const std::byte> window_sums = memory_.window_sums(0, job_.msm_count);
    kernels_.windows->join_windows.launch(shape, stream_, window_sums, results, static_cast<std::uint32_t>(job_.msm_count),
                                          layout.window_count(), layout.choice().width, config_.are_points_montgomery_form);
    if (!config_.is_async) stream_.synchronize();
}

template <Curve C>
void MsmReadback<C>::enqueue_copy(DeviceSpan<const std::byte> from) {
    if (buffer_ == nullptr) buffer_ = buffers_->take();
    const std::span<std::byte> to = buffer_->memory(from.size(), pageable_);
    copy_async(to, from, stream_);
    copied_ = to;
    bytes_ += from.size();
}

template <Curve C>
void MsmReadback<C>::wait_and_check_scalars() {
    enqueue_copy(memory_.oversized_bytes());
    stream_.synchronize();
    require_promise();
}

/// \throws OversizedScalar  if a scalar breaks the promise of bitsize
template <Curve C>
void MsmReadback<C>::require_promise() const {
    for (std::size_t i = 0; i < memory_.chunk_count(); ++i) {
        const std::uint32_t found = first_oversized(i);
        if (found == no_scalar) continue;
        const std::size_t terms = memory_.chunk(i).term_count;
        const std::size_t place = found / terms * job_.stride() + found % terms;
        throw_oversized_scalar(job_.first_scalar_of(memory_.chunk(i)) + place, memory_.layout().work().scalars.bits);
    }
}

#define CUPOOL_INSTANTIATE(C) template class MsmReadback<C>;
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
