#include <algorithm>
#include <cmath>
#include <cupool/pool/temperature_ladder.hpp>
#include <functional>
#include <string>

namespace cupool {

namespace {

void require(bool holds, const std::string& otherwise, const SourceLocation& where) {
    if (!holds) throw Error(ErrorCategory::invalid_argument, "temperatures: " + otherwise, where);
}

/// Replaces each run of values that rises by its mean: the nearest sequence that never rises (pool adjacent violators).
std::vector<double> without_rises(std::span<const double> values) {
    struct Run {
        double sum;
        std::size_t count;
        double mean() const { return sum / static_cast<double>(count); }
    };
    std::vector<Run> runs;
    for (const double value : values) {
        runs.push_back({value, 1});
        while (runs.size() > 1 && runs[runs.size() - 2].mean() < runs.back().mean()) {
            runs[runs.size() - 2].sum += runs.back().sum;
            runs[runs.size() - 2].count += runs.back().count;
            runs.pop_back();
        }
    }
    std::vector<double> smooth;
    for (const Run& run : runs) smooth.insert(smooth.end(), run.count, run.mean());
    return smooth;
}

}  // namespace

bool detail::is_ladder(std::span<const double> temperatures) {
    const auto is_temperature = [](double temperature) { return std::isfinite(temperature) && temperature > 0; };
    return !temperatures.empty() && std::ranges::all_of(temperatures, is_temperature) &&
           std::ranges::adjacent_find(temperatures, std::greater_equal<>()) == temperatures.end();
}

void detail::require_ladder(std::span<const double> ladder, const SourceLocation& where) {
    require(!ladder.empty(), "there must be one at least", where);
    for (std::size_t i = 0; i < ladder.size(); ++i) {
        require(std::isfinite(ladder[i]) && ladder[i] > 0, "number " + std::to_string(i) + " is not a number above 0", where);
        require(i == 0 || ladder[i] > ladder[i - 1], "number " + std::to_string(i) + " is not above the one before", where);
    }
}

std::vector<double> geometric_ladder(double lowest, double ratio, std::size_t count, SourceLocation where) {
    require(std::isfinite(lowest) && lowest > 0, "the lowest must be above 0", where);
    require(std::isfinite(ratio) && ratio > 1, "the ratio of neighbours must be above 1", where);
    std::vector<double> ladder;
    for (std::size_t i = 0; i < count; ++i) ladder.push_back(lowest * std::pow(ratio, static_cast<double>(i)));
    require(ladder.empty() || std::isfinite(ladder.back()), "the highest of so many is too large for a double", where);
    return ladder;
}

std::vector<double> ladder_for_acceptance(std::span<const double> ladder, std::span<const double> acceptances, double target,
                                          SourceLocation where) {
    detail::require_ladder(ladder, where);
    require(acceptances.size() + 1 == ladder.size(), "there must be an acceptance for each pair of neighbours", where);
    require(target > 0 && target < 1, "the target must lie between 0 and 1", where);
    std::vector<double> adapted{ladder.front()};
    for (std::size_t i = 0; i < acceptances.size(); ++i) {
        require(acceptances[i] >= 0 && acceptances[i] <= 1, "acceptance " + std::to_string(i) + " does not lie between 0 and 1", where);
        const double ratio = std::log(target) / std::log(std::clamp(acceptances[i], 1e-6, 1 - 1e-6));
        const double factor = std::clamp(std::sqrt(ratio), 0.5, 2.0);
        adapted.push_back(adapted.back() * std::pow(ladder[i + 1] / ladder[i], factor));
    }
    return adapted;
}

std::vector<double> ladder_for_round_trips(std::span<const double> ladder, std::span<const double> upward, SourceLocation where) {
    detail::require_ladder(ladder, where);
    require(ladder.size() >= 3, "feedback needs three at least", where);
    require(upward.size() == ladder.size(), "there must be an upward fraction for each", where);
    for (const double fraction : upward) require(fraction >= 0 && fraction <= 1, "a fraction does not lie between 0 and 1", where);
    // The density of temperatures between two neighbours is proportional to sqrt(-df/dT / dT). A flat stretch keeps a little of it, so that
    // no temperature runs away.
    const std::vector<double> smooth = without_rises(upward);
    const std::size_t pairs = ladder.size() - 1;
    std::vector<double> reached{0};  // the integral of the density up to each temperature
    for (std::size_t i = 0; i < pairs; ++i) {
        const double drop = std::max(smooth[i] - smooth[i + 1], 0.01 / static_cast<double>(pairs));
        reached.push_back(reached.back() + std::sqrt(drop));  // sqrt(drop / dT / dT) * dT
    }
    std::vector<double> adapted{ladder.front()};
    for (std::size_t i = 1; i < pairs; ++i) {
        const double wanted = reached.back() * static_cast<double>(i) / static_cast<double>(pairs);
        const auto after = static_cast<std::size_t>(std::upper_bound(reached.begin(), reached.end(), wanted) - reached.begin());
        const double part = (wanted - reached[after - 1]) / (reached[after] - reached[after - 1]);
        adapted.push_back(ladder[after - 1] + part * (ladder[after] - ladder[after - 1]));
    }
    adapted.push_back(ladder.back());
    return adapted;
}

}  // namespace cupool
