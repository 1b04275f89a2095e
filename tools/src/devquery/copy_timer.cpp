#include "devquery/copy_timer.hpp"

#include <algorithm>
#include <chrono>
#include <cupool/driver/event.hpp>

namespace cupool::tools {
namespace {

/// Enough for the gap between the event and the first copy not to matter.
constexpr int copies_of_run = 4;

CopyTimes sorted(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return {std::move(seconds)};
}

/// The events of a run. The first lane has the clock: the others begin after its start, and its end comes after theirs.
class Run {
public:
    explicit Run(const std::vector<CopyLane>& lanes)
        : lanes_(lanes), start_(lanes.front().stream.context(), {.timing = true}), end_(lanes.front().stream.context(), {.timing = true}) {
        for (const auto& lane : lanes) done_.emplace_back(lane.stream.context());
    }

    double seconds_of_copy() {
        const auto& clock = lanes_.front().stream;
        start_.record(clock);
        for (const auto& lane : lanes_) lane.stream.wait(start_);
        for (int copy = 0; copy < copies_of_run; ++copy) {
            for (const auto& lane : lanes_) lane.enqueue();
        }
        for (std::size_t i = 1; i < lanes_.size(); ++i) {
            done_[i].record(lanes_[i].stream);
            clock.wait(done_[i]);
        }
        end_.record(clock);
        end_.synchronize();
        constexpr double milliseconds_of_second = 1000;
        return static_cast<double>(elapsed_milliseconds(start_, end_)) / milliseconds_of_second / copies_of_run;
    }

private:
    const std::vector<CopyLane>& lanes_;
    Event start_;
    Event end_;
    std::vector<Event> done_;
};

}  // namespace

double CopyTimes::median() const { return (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2; }

CopyTimes time_by_events(const std::vector<CopyLane>& lanes, int runs) {
    Run run(lanes);
    run.seconds_of_copy();
    std::vector<double> seconds;
    for (int i = 0; i < runs; ++i) seconds.push_back(run.seconds_of_copy());
    return sorted(std::move(seconds));
}

CopyTimes time_by_clock(const CopyLane& lane, int runs) {
    const auto timed = [&lane] {
        const auto start = std::chrono::steady_clock::now();
        lane.enqueue();
        lane.stream.synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    timed();
    std::vector<double> seconds;
    for (int i = 0; i < runs; ++i) seconds.push_back(timed());
    return sorted(std::move(seconds));
}

}  // namespace cupool::tools
