#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "io/progress.hpp"
#include "io/report_json.hpp"

namespace cupool::tools {

/// Wall-clock times of one job, in milliseconds.
struct Timing {
    double first = 0;  ///< the warm-up run, which creates everything that is created lazily
    double median = 0;
    double minimum = 0;
};

/// Runs a job once to warm up and then `runs` times. `run` is timed; `check`, which follows it, is not.
template <class Run, class Check>
Timing measure(int runs, Progress& progress, const Run& run, const Check& check) {
    const auto timed = [&] {
        const auto start = std::chrono::steady_clock::now();
        run();
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
        check();
        return elapsed.count();
    };
    Timing timing;
    timing.first = timed();
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        progress.update(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(runs));
        times.push_back(timed());
    }
    std::sort(times.begin(), times.end());
    timing.minimum = times.front();
    timing.median = (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
    return timing;
}

}  // namespace cupool::tools
