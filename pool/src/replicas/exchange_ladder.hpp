#pragma once

#include <cstdint>
#include <cupool/pool/replica_exchange.hpp>
#include <span>
#include <vector>

namespace cupool::detail {

/// Which replica is at which temperature, how they exchange, and what is counted of it.
class ExchangeLadder {
public:
    ExchangeLadder() = default;
    /// Replica r begins at temperature r.
    explicit ExchangeLadder(std::vector<double> temperatures);

    const std::vector<double>& temperatures() const { return temperatures_; }
    void set_temperatures(std::vector<double> temperatures) { temperatures_ = std::move(temperatures); }
    /// The place in the ladder of each replica.
    std::span<const std::uint32_t> places() const { return places_; }
    /// The replica at each place.
    const std::vector<std::uint32_t>& replicas() const { return replicas_; }

    /// Attempts to exchange each pair of neighbours that begins at an even place, or at an odd one, in turn. \param energies  by replica
    void attempt(std::span<const double> energies, std::uint64_t seed);
    /// Counts the end of a round. \param energies  by replica
    void count_round(std::span<const double> energies);

    ExchangeStatistics statistics() const;
    void reset_statistics();

    /// Whether the members, read from a file, fit each other: every replica has one place.
    bool is_consistent() const;

    /// Reads or writes all members. \param archive  is called with each of them
    template <class Archive>
    void archive(Archive& archive) {
        archive(temperatures_);
        archive(places_);
        archive(replicas_);
        archive(attempts_);
        archive(pairs_);
        archive(energy_sums_);
        archive(seen_);
        archive(seen_upward_);
        archive(journeys_);
        archive(rounds_);
        archive(round_trips_);
        archive(round_trip_rounds_);
    }

private:
    /// Which end of the ladder a replica visited last.
    enum class End : std::uint32_t { none, lowest, highest };
    struct Journey {
        End last_end = End::none;
        std::uint32_t was_at_highest = 0;  ///< since the trip began
        std::uint64_t began = 0;           ///< the round in which it came to the lowest temperature
    };

    void follow(std::uint32_t replica, std::size_t place);

    std::vector<double> temperatures_;
    std::vector<std::uint32_t> places_;
    std::vector<std::uint32_t> replicas_;
    std::uint64_t attempts_ = 0;
    std::vector<PairStatistics> pairs_;
    std::vector<double> energy_sums_;
    std::vector<std::uint64_t> seen_;  ///< of replicas that had visited an end before
    std::vector<std::uint64_t> seen_upward_;
    std::vector<Journey> journeys_;
    std::uint64_t rounds_ = 0;
    std::uint64_t round_trips_ = 0;
    std::uint64_t round_trip_rounds_ = 0;
};

}  // namespace cupool::detail
