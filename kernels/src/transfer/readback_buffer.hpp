#pragma once

/// \file
/// The host memory that results of a job are copied to.

#include <cstddef>
#include <cupool/driver/pinned_buffer.hpp>
#include <memory>
#include <span>
#include <vector>

#include "support/idle_objects.hpp"

namespace cupool::detail {

/// Page-locked memory for the results of one job: a driver copies to pageable memory through a
/// buffer of its own, which takes a small MSM 10 us longer (measured on an H200).
class ReadbackBuffer {
public:
    explicit ReadbackBuffer(ContextView context) : context_(context) {}

    /// Memory for `bytes` bytes, valid until the next call. \param otherwise is used if results are
    /// large, or there is no page-locked memory
    std::span<std::byte> memory(std::size_t bytes, std::vector<std::byte>& otherwise);

private:
    bool has_pinned(std::size_t bytes);

    ContextView context_;
    PinnedBuffer<std::byte> pinned_;
};

/// The idle read-back buffers of a context.
class ReadbackBuffers {
public:
    explicit ReadbackBuffers(ContextView context) : context_(context) {}

    /// A read-back buffer for one job, which comes back when the pointer is destroyed: no copy into it may be under way then.
    std::shared_ptr<ReadbackBuffer> take() {
        return idle_.take([this] { return std::make_unique<ReadbackBuffer>(context_); });
    }

private:
    ContextView context_;
    IdleObjects<ReadbackBuffer> idle_;
};

}  // namespace cupool::detail
