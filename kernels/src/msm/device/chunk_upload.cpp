#include "msm/device/chunk_upload.hpp"

#include <array>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/event.hpp>

#include "curve/for_each_curve.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

template <Curve C>
ChunkUpload<C>::ChunkUpload(const DeviceMsmJob<C>& job, const MsmConfig& config, const DeviceMsmMemory& memory, MsmKernels<C>& kernels)
    : job_(job),
      config_(config),
      memory_(memory),
      kernels_(kernels),
      stream_(config.ctx.stream()),
      stagers_(config.ctx.resource<UploadStagers>()) {}

template <Curve C>
UploadCost ChunkUpload<C>::cost() const {
    return {stagers_->rate().nanoseconds_per_byte() * static_cast<double>(job_.copied_bytes_per_term())};
}

template <Curve C>
bool ChunkUpload<C>::is_small() const {
    return job_.msm_count * job_.term_count * job_.copied_bytes_per_term() < memory_.layout().work().limits.min_pipelined_bytes;
}

template <Curve C>
void ChunkUpload<C>::enqueue_all(const ChunkKernels<C>& chunks) {
    if (is_small()) {
        enqueue_in_one_stream(chunks);
    } else {
        enqueue_pipelined(chunks);
    }
}

/// Uploads and sums one chunk after the other.
template <Curve C>
void ChunkUpload<C>::enqueue_in_one_stream(const ChunkKernels<C>& chunks) {
    const auto copy = [this](std::uint64_t to, const StridedHostSpan& from) { copy_strided_async(to, from, stream_); };
    for (std::size_t i = 0; i < memory_.chunk_count(); ++i) {
        copy_operands(i, copy);
        convert_bases(i, stream_);
        chunks.enqueue(i);
    }
}

/// The upload stream of a job and its events. There are two upload slots, which chunks use alternately.
template <Curve C>
class ChunkUpload<C>::Pipeline {
public:
    Pipeline(ChunkUpload& upload, UploadStager& stager)
        : upload_(upload), stager_(stager), last_begun_(context(), {.timing = true}), last_copied_(context(), {.timing = true}) {}

    /// Enqueues the upload of a chunk in the upload stream.
    void enqueue_upload(std::size_t i) {
        const bool is_last = i + 1 == upload_.memory_.chunk_count();
        const std::uint64_t earlier_bytes = upload_.bytes_;
        if (is_last) last_begun_.record(stager_.stream());
        upload_.copy_operands(
            i, [this](std::uint64_t to, const StridedHostSpan& from) { stager_.copy(to, from, upload_.config_.ctx.host_threads()); });
        if (is_last) last_copied_.record(stager_.stream());
        upload_.convert_bases(i, stager_.stream());
        uploaded_[i % 2].record(stager_.stream());
        last_bytes_ = upload_.bytes_ - earlier_bytes;
    }

    /// Lets the stream of the kernels wait for the upload of a chunk.
    void wait_for_upload(std::size_t i) { upload_.stream_.wait(uploaded_[i % 2]); }

    /// Marks the end of the kernels of a chunk, after which its upload slot is free.
    void mark_summed(std::size_t i) { summed_[i % 2].record(upload_.stream_); }

    /// Lets the upload stream wait until the slot of a chunk is free. An event that was never recorded is not waited for: the slot is
    /// unused.
    void wait_for_slot(std::size_t i) { stager_.stream().wait(summed_[i % 2]); }

    /// Waits for the last copy and takes note of how long it took.
    void learn_rate() {
        last_copied_.synchronize();
        upload_.stagers_->rate().learn(last_bytes_, elapsed_milliseconds(last_begun_, last_copied_));
    }

private:
    ContextView context() const { return upload_.stream_.context(); }

    ChunkUpload& upload_;
    UploadStager& stager_;
    Event last_begun_;   // of the copies of the last chunk
    Event last_copied_;  // likewise
    std::array<Event, 2> uploaded_{Event(context()), Event(context())};
    std::array<Event, 2> summed_{Event(context()), Event(context())};
    std::uint64_t last_bytes_ = 0;
};

/// Uploads each chunk while the chunk before it is summed.
template <Curve C>
void ChunkUpload<C>::enqueue_pipelined(const ChunkKernels<C>& chunks) {
    const auto stager = stagers_->take();
    const SynchronizeOnExit wait_for_copies(stager->stream());
    // Earlier work of the stream may write the host memory, and the allocation of device memory is ordered on it.
    stream_.synchronize();
    Pipeline pipeline(*this, *stager);
    pipeline.enqueue_upload(0);
    for (std::size_t i = 0; i < memory_.chunk_count(); ++i) {
        pipeline.wait_for_upload(i);
        chunks.enqueue(i);
        pipeline.mark_summed(i);
        if (i + 1 == memory_.chunk_count()) break;
        pipeline.wait_for_slot(i + 1);
        pipeline.enqueue_upload(i + 1);
    }
    pipeline.learn_rate();
}

/// \param copy  called as copy(to, span) for operands in host memory
template <Curve C>
template <class Copy>
void ChunkUpload<C>::copy_operands(std::size_t i, const Copy& copy) {
    const MsmChunk& chunk = memory_.chunk(i);
    if (!job_.scalars.is_on_device()) copy_counted(memory_.scalars_slot(i), job_.host_scalars_of(chunk), copy);
    if (!job_.bases.is_on_device()) copy_counted(memory_.bases_slot(i), std::as_bytes(job_.bases_of(chunk).host()), copy);
}

template <Curve C>
template <class Copy>
void ChunkUpload<C>::copy_counted(std::uint64_t to, const StridedHostSpan& from, const Copy& copy) {
    copy(to, from);
    bytes_ += from.size_bytes();
}

/// Converts the bases of a chunk to Montgomery form, unless they are in it.
template <Curve C>
void ChunkUpload<C>::convert_bases(std::size_t i, StreamView stream) const {
    if (job_.are_bases_in_montgomery_form) return;
    const Operand<AffinePoint<C>> bases = job_.bases_of(memory_.chunk(i));
    const DeviceSpan<AffinePoint<C>> slot(memory_.bases_slot(i), bases.size(), config_.ctx.device());
    enqueue_conversion(bases.is_on_device() ? bases.device() : DeviceSpan<const AffinePoint<C>>(slot), slot, stream);
}

template <Curve C>
void ChunkUpload<C>::enqueue_conversion(DeviceSpan<const AffinePoint<C>> from, DeviceSpan<AffinePoint<C>> to, StreamView stream) const {
    kernels_.bases->points_to_montgomery_form.launch({blocks_for(from.size(), change_block_size), change_block_size}, stream, from, to,
                                                     static_cast<std::uint32_t>(from.size()));
}

#define CUPOOL_INSTANTIATE(C) template class ChunkUpload<C>;
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
