#include "replicas/exchange_ladder.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "replicas/philox.hpp"

namespace cupool::detail {

namespace {

/// A number above 0 and below 1 for an attempt of a pair.
double uniform(std::uint64_t seed, std::uint64_t attempt, std::uint32_t pair) {
    const RandomWords random = random_words(seed, RandomStream::exchanges, pair, attempt, 0);
    const std::uint64_t bits = std::uint64_t{random.words[0]} << 20 | random.words[1] >> 12;
    return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace

ExchangeLadder::ExchangeLadder(std::vector<double> temperatures)
    : temperatures_(std::move(temperatures)), places_(temperatures_.size()), replicas_(temperatures_.size()), journeys_(places_.size()) {
    std::iota(places_.begin(), places_.end(), 0U);
    std::iota(replicas_.begin(), replicas_.end(), 0U);
    reset_statistics();
}

void ExchangeLadder::attempt(std::span<const double> energies, std::uint64_t seed) {
    for (std::size_t i = attempts_ % 2; i + 1 < replicas_.size(); i += 2) {
        const std::uint32_t colder = replicas_[i];
        const std::uint32_t hotter = replicas_[i + 1];
        const double exponent = (1 / temperatures_[i] - 1 / temperatures_[i + 1]) * (energies[colder] - energies[hotter]);
        ++pairs_[i].attempts;
        if (exponent < 0 && uniform(seed, attempts_, static_cast<std::uint32_t>(i)) >= std::exp(exponent)) continue;
        ++pairs_[i].accepted;
        std::swap(replicas_[i], replicas_[i + 1]);
        std::swap(places_[colder], places_[hotter]);
    }
    ++attempts_;
}

void ExchangeLadder::count_round(std::span<const double> energies) {
    ++rounds_;
    for (std::size_t place = 0; place < replicas_.size(); ++place) {
        energy_sums_[place] += energies[replicas_[place]];
        follow(replicas_[place], place);
    }
}

void ExchangeLadder::follow(std::uint32_t replica, std::size_t place) {
    Journey& journey = journeys_[replica];
    if (place == 0) {
        if (journey.was_at_highest != 0) {
            ++round_trips_;
            round_trip_rounds_ += rounds_ - journey.began;
        }
        if (journey.last_end != End::lowest) journey = {End::lowest, 0, rounds_};
    } else if (place + 1 == replicas_.size()) {
        journey.was_at_highest |= journey.last_end == End::lowest ? 1 : 0;
        journey.last_end = End::highest;
    }
    if (journey.last_end == End::none) return;
    ++seen_[place];
    if (journey.last_end == End::lowest) ++seen_upward_[place];
}

bool ExchangeLadder::is_consistent() const {
    const std::size_t count = temperatures_.size();
    if (count == 0 || places_.size() != count || replicas_.size() != count || pairs_.size() + 1 != count || energy_sums_.size() != count ||
        seen_.size() != count || seen_upward_.size() != count || journeys_.size() != count) {
        return false;
    }
    for (std::size_t place = 0; place < count; ++place) {
        if (replicas_[place] >= count || places_[replicas_[place]] != place) return false;
    }
    return true;
}

ExchangeStatistics ExchangeLadder::statistics() const {
    ExchangeStatistics statistics{.pairs = pairs_, .mean_energies = {}, .upward = {}, .rounds = rounds_, .round_trips = round_trips_};
    const auto ratio = [](double part, std::uint64_t all) { return all == 0 ? 0 : part / static_cast<double>(all); };
    for (std::size_t place = 0; place < replicas_.size(); ++place) {
        statistics.mean_energies.push_back(ratio(energy_sums_[place], rounds_));
        statistics.upward.push_back(ratio(static_cast<double>(seen_upward_[place]), seen_[place]));
    }
    statistics.mean_round_trip = ratio(static_cast<double>(round_trip_rounds_), round_trips_);
    return statistics;
}

void ExchangeLadder::reset_statistics() {
    pairs_.assign(temperatures_.size() - 1, {});
    energy_sums_.assign(temperatures_.size(), 0);
    seen_.assign(temperatures_.size(), 0);
    seen_upward_.assign(temperatures_.size(), 0);
    for (Journey& journey : journeys_) journey = {};
    rounds_ = 0;
    round_trips_ = 0;
    round_trip_rounds_ = 0;
}

}  // namespace cupool::detail
