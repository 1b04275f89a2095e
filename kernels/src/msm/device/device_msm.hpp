#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/kernels/msm.hpp>
#include <memory>
#include <span>
#include <vector>

#include "msm/device/chunk_kernels.hpp"
#include "msm/device/chunk_upload.hpp"
#include "msm/device/device_msm_job.hpp"
#include "msm/device/device_msm_memory.hpp"
#include "msm/device/job_layout.hpp"
#include "msm/device/kernels.hpp"
#include "msm/device/msm_readback.hpp"
#include "msm/results.hpp"

namespace cupool::detail {

/// The MSMs of one job that use one allocation, in as many chunks as overlap with uploads and device memory require.
///
/// run() does everything. Callers that upload the operands of one MSM themselves give the job empty spans of host memory and use the
/// steps: reserve(), prepare(), for each chunk enqueue_chunk(), enqueue_readback(), and sums() when stream() is done. They wait for
/// stream() also if a step throws.
template <Curve C>
class DeviceMsm {
public:
    /// \param layout  of work_of(job, ...), with the digits chosen for it
    DeviceMsm(const DeviceMsmJob<C>& job, MsmJobLayout layout, const MsmConfig& config);
    DeviceMsm(const DeviceMsm&) = delete;
    DeviceMsm& operator=(const DeviceMsm&) = delete;

    /// Returns when the results are there; with config.is_async when the work that writes them on the device is enqueued. If it throws,
    /// no work is under way.
    void run(const MsmResults<C>& results);

    /// How to cut the job into chunks.
    MsmCut cut(UploadCost upload) const { return layout().cut(upload); }

    /// As DeviceMsmMemory does.
    bool reserve(std::vector<MsmChunk> chunks, bool are_smallest) { return memory_.reserve(std::move(chunks), are_smallest); }
    void release() { memory_.release(); }

    /// Loads the kernels that are not loaded yet, and enqueues what comes before the first chunk.
    void prepare() const;

    /// Where callers upload the bases and scalars of a chunk to.
    std::uint64_t bases_slot(std::size_t i) const { return memory_.bases_slot(i); }
    std::uint64_t scalars_slot(std::size_t i) const { return memory_.scalars_slot(i); }

    /// Enqueues the conversion of bases on the device to Montgomery form, in place.
    void enqueue_conversion(DeviceSpan<AffinePoint<C>> bases, StreamView stream) const { upload_.enqueue_conversion(bases, stream); }

    /// Enqueues the kernels of a chunk whose operands are uploaded.
    void enqueue_chunk(std::size_t i) const { chunks_.enqueue(i); }

    /// Enqueues the copy of the windows' sums and of the oversized scalars to the host.
    void enqueue_readback() { readback_.enqueue(); }

    /// As MsmReadback does, for combine_windows().
    std::span<const HostXyzz<C>> sums() const { return readback_.sums(); }
    std::uint32_t first_oversized(std::size_t chunk) const { return readback_.first_oversized(chunk); }
    /// The index of the first of sums() among the sums of all windows of an MSM, and how many those are.
    unsigned first_sum() const { return layout().windows().first * sums_per_window(); }
    unsigned all_sums() const { return layout().all_windows() * sums_per_window(); }
    unsigned sums_per_window() const { return layout().sums_per_window(); }
    /// Bits of a digit.
    unsigned width() const { return layout().choice().width; }

    /// Bytes that were copied between host and device, and bytes of device memory.
    std::uint64_t bytes() const { return upload_.bytes() + readback_.bytes(); }
    std::uint64_t device_bytes() const { return memory_.size_bytes(); }
    StreamView stream() const { return config_.ctx.stream(); }

private:
    void enqueue(const MsmResults<C>& results);
    const MsmJobLayout& layout() const { return memory_.layout(); }

    // The members below refer to those above them.
    DeviceMsmJob<C> job_;
    MsmConfig config_;
    std::shared_ptr<MsmKernels<C>> kernels_;
    DeviceMsmMemory memory_;
    ChunkKernels<C> chunks_;
    ChunkUpload<C> upload_;
    MsmReadback<C> readback_;
};

}  // namespace cupool::detail
