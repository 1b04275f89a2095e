#pragma once

#include <cupool/driver/stream.hpp>
#include <functional>
#include <vector>

namespace cupool::tools {

/// One direction of a copy.
struct CopyLane {
    StreamView stream;              ///< on which it is queued
    std::function<void()> enqueue;  ///< queues one copy
};

/// Times of one copy in seconds, ascending, at least one.
struct CopyTimes {
    std::vector<double> seconds;

    double median() const;
    double shortest() const { return seconds.front(); }
    double longest() const { return seconds.back(); }
};

/// Times copies that all lanes make at the same time by events of their devices, so that launches
/// and waits of the host do not count. Each run queues several copies on each lane, one after the
/// other; one run goes before the first that counts.
CopyTimes time_by_events(const std::vector<CopyLane>& lanes, int runs);

/// Times one copy after the other by the clock of the host, from the call to its completion.
CopyTimes time_by_clock(const CopyLane& lane, int runs);

}  // namespace cupool::tools
