#include "scheduling/relative_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cupool::detail {

namespace {

/// After a job of this many microseconds, earlier measurements count half. A short job, which is mostly overhead, changes little.
constexpr double half_life = 1e5;
/// The maximum weight of one job relative to earlier measurements.
constexpr double max_weight = 0.5;
/// The minimum speed of a device relative to its capability.
constexpr double min_speed = 1.0 / 16;
/// The maximum deviation from the mean, relative to it, at which devices of one model count as equal.
constexpr double tolerance = 0.1;

bool are_close(const std::vector<double>& values, double mean) {
    return std::all_of(values.begin(), values.end(), [=](double value) { return std::abs(value - mean) <= tolerance * mean; });
}

}  // namespace

RelativeSpeeds::RelativeSpeeds(std::vector<double> capabilities)
    : capabilities_(std::move(capabilities)), measured_(capabilities_), is_warm_(capabilities_.size(), false) {}

void RelativeSpeeds::learn(const std::vector<Part>& parts) {
    const std::lock_guard lock(mutex_);
    bool are_all_warm = true;
    double rates = 0;
    double speeds = 0;
    double longest = 0;
    for (const Part& part : parts) {
        if (!is_warm_[part.member]) are_all_warm = false;
        is_warm_[part.member] = true;
        rates += part.items / part.microseconds;
        speeds += measured_[part.member];
        longest = std::max(longest, part.microseconds);
    }
    if (!are_all_warm || parts.size() < 2) return;
    const double weight = std::min(max_weight, 1 - std::exp2(-longest / half_life));
    for (const Part& part : parts) {
        double& speed = measured_[part.member];
        speed += weight * (part.items / part.microseconds * speeds / rates - speed);
        speed = std::max(speed, min_speed * capabilities_[part.member]);
    }
}

std::vector<double> RelativeSpeeds::speeds() const {
    const std::lock_guard lock(mutex_);
    std::vector<double> all = measured_;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<double> alike;
        double sum = 0;
        for (std::size_t other = 0; other < all.size(); ++other) {
            if (capabilities_[other] != capabilities_[i]) continue;
            alike.push_back(measured_[other]);
            sum += measured_[other];
        }
        const double mean = sum / static_cast<double>(alike.size());
        if (are_close(alike, mean)) all[i] = mean;
    }
    return all;
}

}  // namespace cupool::detail
