#pragma once

/// \file
/// The upload of a job's operands while the device works on those it already has.

#include <cstddef>
#include <cupool/driver/event.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <memory>
#include <vector>

#include "support/idle_objects.hpp"
#include "transfer/copy_rate.hpp"
#include "transfer/strided_host_span.hpp"

namespace cupool::detail {

/// The sizes of staging buffers, and when they are used.
struct StagingSizes {
    std::size_t chunk_bytes = std::size_t{2} << 20;
    std::size_t chunks_a_thread = 2;
    unsigned max_threads = 8;
    /// The driver copies fewer bytes than this by itself.
    std::size_t min_bytes = std::size_t{4} << 20;
};

/// A stream for copies, and the staging buffers through which pageable memory passes, filled by several
/// threads: the copy of the driver uses one thread and a fifth of the bus. Used by one job at a time.
class UploadStager {
public:
    explicit UploadStager(ContextView context, const StagingSizes& sizes = {});

    StreamView stream() const { return stream_; }

    /// Copies host memory of any kind to the device, ordered on stream(). Pageable memory has been read when it
    /// returns; page-locked memory must not change until the stream is done. \param threads the most that it may use
    void copy(abi::DevicePointer to, const StridedHostSpan& from, unsigned threads);
    /// Whether copy() stages it, with threads: pageable memory that is not small.
    bool is_staged(const StridedHostSpan& from) const;

private:
    /// The staging buffer of one thread.
    struct Lane {
        PinnedBuffer<std::byte> memory;
        std::vector<Event> emptied;  ///< [chunk]: the copy from it is done
        std::size_t next = 0;
    };

    /// \return false if there was no page-locked memory for it
    bool stage(abi::DevicePointer to, const StridedHostSpan& from, unsigned threads);
    /// \param first the number of the first byte of the chunk, counted over all blocks
    void stage_chunk(Lane& lane, abi::DevicePointer to, const StridedHostSpan& from, std::size_t first);
    bool has_lanes(unsigned count);

    StagingSizes sizes_;
    Stream stream_;
    std::vector<Lane> lanes_;
};

/// The idle upload stagers of a context.
class UploadStagers {
public:
    explicit UploadStagers(ContextView context) : context_(context) {}

    /// An upload stager for one job, which comes back when the pointer is destroyed: its stream must be idle then.
    std::shared_ptr<UploadStager> take() {
        return idle_.take([this] { return std::make_unique<UploadStager>(context_); });
    }
    /// The rate of all of them.
    CopyRate& rate() { return rate_; }

private:
    ContextView context_;
    CopyRate rate_;
    IdleObjects<UploadStager> idle_;
};

}  // namespace cupool::detail
