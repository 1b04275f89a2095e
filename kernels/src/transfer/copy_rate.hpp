#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace cupool::detail {

/// How long a context's copies take, by the last ones: that depends on the bus, on what kind of memory it is, and on how many devices copy
/// at once. Safe from any thread.
class CopyRate {
public:
    double nanoseconds_a_byte() const { return nanoseconds_a_byte_.load(std::memory_order_relaxed); }

    /// Takes note of copies: half way, by no more than a quarter down or a half up, since what delays one copy need not delay the next.
    /// Few bytes tell nothing.
    void learn(std::size_t bytes, double milliseconds) {
        constexpr std::size_t min_bytes = std::size_t{4} << 20;
        if (bytes < min_bytes) return;
        const double known = nanoseconds_a_byte();
        const double measured = std::clamp(milliseconds * 1e6 / static_cast<double>(bytes), known / 2, known * 2);
        nanoseconds_a_byte_.store(std::clamp((known + measured) / 2, fastest, slowest), std::memory_order_relaxed);
    }

private:
    static constexpr double fastest = 1.0 / 1000;
    static constexpr double slowest = 10;

    /// At first what an H200 takes where two or three copy at once (measured).
    std::atomic<double> nanoseconds_a_byte_{1.0 / 50};
};

}  // namespace cupool::detail
