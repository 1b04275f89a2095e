#include "msm/device/device_msm.hpp"

#include <cupool/driver/copy.hpp>
#include <utility>

#include "curve/for_each_curve.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

template <Curve C>
DeviceMsm<C>::DeviceMsm(const DeviceMsmJob<C>& job, MsmJobLayout layout, const MsmConfig& config)
    : job_(job),
      config_(config),
      kernels_(config.ctx.resource<MsmKernels<C>>()),
      memory_(std::move(layout), config_),
      chunks_(job_, config_, memory_, *kernels_),
      upload_(job_, config_, memory_, *kernels_),
      readback_(job_, config_, memory_, *kernels_) {}

template <Curve C>
void DeviceMsm<C>::run(const MsmResults<C>& results) {
    try {
        enqueue(results);
    } catch (...) {
        const SynchronizeOnExit wait_for_work(stream());
        throw;
    }
}

template <Curve C>
void DeviceMsm<C>::enqueue(const MsmResults<C>& results) {
    take_chunks(cut(upload_.cost()),
                [this](std::vector<MsmChunk> chunks, bool are_smallest) { return reserve(std::move(chunks), are_smallest); });
    prepare();
    upload_.enqueue_all(chunks_);
    if (results.is_on_device()) {
        readback_.finish_on_device(results.device());
    } else {
        readback_.finish_on_host(results.host());
    }
}

template <Curve C>
void DeviceMsm<C>::prepare() const {
    chunks_.load();
    fill_bytes_async(memory_.oversized(), 0xff, stream());
}

#define CUPOOL_INSTANTIATE(C) template class DeviceMsm<C>;
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
