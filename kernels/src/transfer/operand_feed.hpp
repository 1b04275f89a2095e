#pragma once

/// \file
/// Bringing a job's operands to its device while the device works on those it has.

#include <cstddef>
#include <cupool/driver/event.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <memory>
#include <vector>

#include "support/idle_objects.hpp"
#include "transfer/copy_rate.hpp"
#include "transfer/host_runs.hpp"

namespace cupool::detail {

/// How pageable memory is copied.
struct StagingSizes {
    std::size_t chunk_bytes = std::size_t{2} << 20;
    std::size_t chunks_a_thread = 2;
    unsigned max_threads = 8;
    /// Copies of fewer bytes are left to the driver.
    std::size_t min_bytes = std::size_t{4} << 20;
};

/// A stream for copies, and page-locked memory through which pageable memory passes, filled by several threads: the driver's own way takes
/// one, and a fifth of the bus. One job's at a time.
class OperandFeed {
public:
    explicit OperandFeed(ContextView context, const StagingSizes& sizes = {});

    StreamView stream() const { return stream_; }

    /// Copies host memory of any kind to the device, ordered on stream(). Pageable memory has been read when it returns; page-locked memory
    /// must stay as it is until the stream is done. \param threads  how many may be used
    void copy(abi::DevicePointer to, const HostRuns& from, unsigned threads);
    /// Whether copy() reads it by threads: pageable memory that is not small.
    bool is_staged(const HostRuns& from) const;

private:
    /// One thread's share of the page-locked memory.
    struct Lane {
        PinnedBuffer<std::byte> memory;
        std::vector<Event> emptied;  ///< of its chunks
        std::size_t next = 0;
    };

    /// \return whether there was page-locked memory for it
    bool stage(abi::DevicePointer to, const HostRuns& from, unsigned threads);
    /// \param first  of the chunk's bytes, counted over all runs
    void stage_chunk(Lane& lane, abi::DevicePointer to, const HostRuns& from, std::size_t first);
    bool has_lanes(unsigned count);

    StagingSizes sizes_;
    Stream stream_;
    std::vector<Lane> lanes_;
};

/// The feeds of a context that no job is using.
class OperandFeeds {
public:
    explicit OperandFeeds(ContextView context) : context_(context) {}

    /// A feed for one job, which comes back when the pointer goes: its stream must be idle then.
    std::shared_ptr<OperandFeed> take() {
        return idle_.take([this] { return std::make_unique<OperandFeed>(context_); });
    }
    /// Of all feeds.
    CopyRate& rate() { return rate_; }

private:
    ContextView context_;
    CopyRate rate_;
    IdleObjects<OperandFeed> idle_;
};

}  // namespace cupool::detail
