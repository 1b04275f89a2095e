#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/kernels/msm.hpp>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "curve/host_curve.hpp"
#include "msm/device/device_msm_job.hpp"
#include "msm/device/device_msm_memory.hpp"
#include "msm/device/kernels.hpp"
#include "transfer/readback_buffer.hpp"

namespace cupool::detail {

/// The value of MsmReadback::first_oversized() if all scalars keep the promise of bitsize.
inline constexpr std::uint32_t no_scalar = std::numeric_limits<std::uint32_t>::max();

/// Reads back the sums of a job's windows and what its kernels found out about scalars, and completes the results.
template <Curve C>
class MsmReadback {
public:
    /// The references outlive this.
    MsmReadback(const DeviceMsmJob<C>& job, const MsmConfig& config, const DeviceMsmMemory& memory, MsmKernels<C>& kernels);

    /// Enqueues the copy of sums and oversized scalars to the host.
    void enqueue() { enqueue_copy(memory_.results()); }

    /// What enqueue() copied, once the stream is done: [msm][window][sum] of the windows that this device has digits of.
    std::span<const HostXyzz<C>> sums() const;
    /// Likewise: the lowest index in a chunk of a scalar that breaks the promise of bitsize, or no_scalar.
    std::uint32_t first_oversized(std::size_t chunk) const;

    /// Reads back, joins the windows of each MSM on the host and writes the results. \throws OversizedScalar
    void finish_on_host(std::span<JacobianPoint<C>> results);
    /// Joins the windows of each MSM on the device; waits for that unless config.is_async. \throws OversizedScalar, unless is_async
    void finish_on_device(DeviceSpan<JacobianPoint<C>> results);

    /// Bytes copied so far.
    std::uint64_t bytes() const { return bytes_; }

private:
    void enqueue_copy(DeviceSpan<const std::byte> from);
    void wait_and_check_scalars();
    void require_promise() const;

    const DeviceMsmJob<C>& job_;
    const MsmConfig& config_;
    const DeviceMsmMemory& memory_;
    MsmKernels<C>& kernels_;
    StreamView stream_;
    std::shared_ptr<ReadbackBuffers> buffers_;
    std::shared_ptr<ReadbackBuffer> buffer_;
    std::vector<std::byte> pageable_;  // instead of buffer_ if that cannot hold the results
    std::span<const std::byte> copied_;
    std::uint64_t bytes_ = 0;
};

}  // namespace cupool::detail
