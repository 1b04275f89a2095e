#pragma once

/// \file
/// Where what a job copies from its device arrives.

#include <cstddef>
#include <cupool/driver/pinned_buffer.hpp>
#include <memory>
#include <span>
#include <vector>

#include "support/idle_objects.hpp"

namespace cupool::detail {

/// Page-locked memory for one job's results: into ordinary memory a driver copies through memory of its own, which takes a small MSM 10 us
/// more (measured on an H200).
class ResultLanding {
public:
    explicit ResultLanding(ContextView context) : context_(context) {}

    /// Memory for so many bytes, until the next call. \param otherwise  takes them where results are many, or there is no page-locked
    /// memory
    std::span<std::byte> memory(std::size_t bytes, std::vector<std::byte>& otherwise);

private:
    bool has_pinned(std::size_t bytes);

    ContextView context_;
    PinnedBuffer<std::byte> pinned_;
};

/// The landings of a context that no job is using.
class ResultLandings {
public:
    explicit ResultLandings(ContextView context) : context_(context) {}

    /// A landing for one job, which comes back when the pointer goes: no copy into it may be under way then.
    std::shared_ptr<ResultLanding> take() {
        return idle_.take([this] { return std::make_unique<ResultLanding>(context_); });
    }

private:
    ContextView context_;
    IdleObjects<ResultLanding> idle_;
};

}  // namespace cupool::detail
