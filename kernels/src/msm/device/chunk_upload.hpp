#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/kernels/msm.hpp>
#include <memory>

#include "msm/device/chunk_kernels.hpp"
#include "msm/device/device_msm_job.hpp"
#include "msm/device/device_msm_memory.hpp"
#include "msm/device/kernels.hpp"
#include "transfer/upload_stager.hpp"

namespace cupool::detail {

/// Uploads the operands of a job chunk by chunk, converts bases to Montgomery form, and enqueues the kernels of each chunk.
template <Curve C>
class ChunkUpload {
public:
    /// The references outlive this.
    ChunkUpload(const DeviceMsmJob<C>& job, const MsmConfig& config, const DeviceMsmMemory& memory, MsmKernels<C>& kernels);

    /// Estimated time to upload a term, by what earlier uploads took.
    UploadCost cost() const;

    /// Enqueues all chunks, in one stream if copies are too small to overlap with kernels.
    void enqueue_all(const ChunkKernels<C>& chunks);

    /// Enqueues the conversion of bases on the device to Montgomery form, in place.
    void enqueue_conversion(DeviceSpan<AffinePoint<C>> bases, StreamView stream) const { enqueue_conversion(bases, bases, stream); }

    /// Bytes copied so far.
    std::uint64_t bytes() const { return bytes_; }

private:
    class Pipeline;

    bool is_small() const;
    void enqueue_in_one_stream(const ChunkKernels<C>& chunks);
    void enqueue_pipelined(const ChunkKernels<C>& chunks);

    template <class Copy>
    void copy_operands(std::size_t i, const Copy& copy);
    template <class Copy>
    void copy_counted(std::uint64_t to, const StridedHostSpan& from, const Copy& copy);
    void convert_bases(std::size_t i, StreamView stream) const;
    void enqueue_conversion(DeviceSpan<const AffinePoint<C>> from, DeviceSpan<AffinePoint<C>> to, StreamView stream) const;

    const DeviceMsmJob<C>& job_;
    const MsmConfig& config_;
    const DeviceMsmMemory& memory_;
    MsmKernels<C>& kernels_;
    StreamView stream_;
    std::shared_ptr<UploadStagers> stagers_;
    std::uint64_t bytes_ = 0;
};

}  // namespace cupool::detail
