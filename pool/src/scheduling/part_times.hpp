#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "scheduling/relative_speeds.hpp"

namespace cupool::detail {

/// Collects the time of each part of a job. When the last part ends, RelativeSpeeds learns from all of them; if a part failed, it learns
/// nothing. Thread-safe.
class PartTimes {
public:
    PartTimes(std::size_t parts, RelativeSpeeds& speeds) : speeds_(speeds), left_(parts) {}

    void end_part(std::size_t member, std::uint64_t items, std::chrono::steady_clock::duration took) {
        const double microseconds = std::chrono::duration<double, std::micro>(took).count();
        const std::lock_guard lock(mutex_);
        if (items != 0 && microseconds > 0) parts_.push_back({member, static_cast<double>(items), microseconds});
        if (--left_ == 0) speeds_.learn(parts_);
    }

private:
    RelativeSpeeds& speeds_;
    std::mutex mutex_;
    std::size_t left_;
    std::vector<RelativeSpeeds::Part> parts_;
};

}  // namespace cupool::detail
