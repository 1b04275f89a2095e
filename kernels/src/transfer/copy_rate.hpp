#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace cupool::detail {

/// The rate of a context's copies, learnt from the last ones: it depends on the bus, on the kind of
/// memory, and on how many devices copy at the same time. Thread-safe.
class CopyRate {
public:
    double nanoseconds_per_byte() const { return nanoseconds_a_byte_.load(std::memory_order_relaxed); }

    /// Learns from copies: moves half way to the measured rate, at most by a quarter down or a half
    /// up, since what delays one copy need not delay the next. Ignores copies of few bytes.
    void learn(std::size_t bytes, double milliseconds) {
        constexpr std::size_t min_bytes = std::size_t{4} << 20;
        if (bytes < min_bytes) return;
        const double known = nanoseconds_per_byte();
        const double measured = std::clamp(milliseconds * 1e6 / static_cast<double>(bytes), known / 2, known * 2);
        nanoseconds_a_byte_.store(std::clamp((known + measured) / 2, fastest, slowest), std::memory_order_relaxed);
    }

private:
    static constexpr double fastest = 1.0 / 1000;
    static constexpr double slowest = 10;

    /// Initially the rate of an H200 while two or three copy at the same time (measured).
    std::atomic<double> nanoseconds_a_byte_{1.0 / 50};
};

}  // namespace cupool::detail
