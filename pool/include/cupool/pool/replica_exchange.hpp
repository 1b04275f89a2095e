#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/replica_model.hpp>
#include <cupool/pool/temperature_ladder.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cupool {

namespace detail {
class ReplicaExchangeState;
}

/// How a ReplicaExchange runs.
struct ReplicaExchangeConfig {
    std::vector<double> temperatures;    ///< increasing; there is one replica for each
    std::uint32_t sweeps_per_round = 1;  ///< that each replica makes between two attempts to exchange
    std::uint64_t seed = 0;              ///< runs with the same seed have the same trajectory, on any number of devices
};

/// What happened between two neighbouring temperatures.
struct PairStatistics {
    std::uint64_t attempts = 0;  ///< to exchange
    std::uint64_t accepted = 0;  ///< of those
    /// accepted / attempts, or 0 before the first attempt.
    double acceptance() const noexcept { return attempts == 0 ? 0 : static_cast<double>(accepted) / static_cast<double>(attempts); }
};

/// What happened since the beginning, or since ReplicaExchange::reset_statistics().
struct ExchangeStatistics {
    std::vector<PairStatistics> pairs;  ///< [i]: of temperatures i and i + 1
    std::vector<double> mean_energies;  ///< [i]: at temperature i, over the ends of rounds
    std::vector<double> upward;         ///< [i]: of the replicas seen at temperature i and at an end before, the fraction that was at the
                                        ///< lowest temperature more recently than at the highest
    std::uint64_t rounds = 0;           ///< counted
    std::uint64_t round_trips = 0;      ///< of all replicas: from the lowest temperature to the highest and back
    double mean_round_trip = 0;         ///< rounds that one took; 0 if there was none
};

/// The replica with the lowest energy that was seen at the end of a round.
struct BestReplica {
    std::uint32_t replica = 0;     ///< its number
    double energy = 0;             ///< of the state
    std::uint64_t round = 0;       ///< after so many rounds
    std::vector<std::byte> state;  ///< copied to the host
};

/// Replica exchange (parallel tempering): one replica of a system for each temperature of a ladder, advanced by a Markov chain at that
/// temperature. After each round of sweeps, neighbours in the ladder exchange their temperatures with the probability
/// min(1, exp((1/T_a - 1/T_b) (E_a - E_b))), which keeps the joint distribution (Earl and Deem, Phys. Chem. Chem. Phys. 7, 3910, 2005,
/// DOI 10.1039/B509983H): pairs (0, 1), (2, 3) ... after even rounds, (1, 2), (3, 4) ... after odd ones.
///
/// Replica r lives on device r modulo the number of the pool's devices that were not quarantined when the object was made, or on the host
/// if the pool is the host, and stays there: temperatures are exchanged, not states. Between rounds a device sends 8 bytes and receives 4
/// for each of its replicas, through page-locked memory of the host, which decides for all devices.
///
/// Movable. Thread-safe: calls run one after the other. In a forked child every member throws forked, and after a move from it
/// wrong_context. If a device faults, calls throw device_fault from then on; after another error midway through sweeps, calls that need the
/// states throw invalid_argument. A checkpoint of before can be resumed, after a fault in another process.
class ReplicaExchange {
public:
    /// Makes the replicas. Replica r begins at temperature r. \throws Error invalid_argument (the temperatures do not increase; a size of
    /// the model is 0 or no multiple of its unit), unsupported (the pool is the host, but the model has no host function; or the other way
    /// round), jit_failure, no_device, out_of_memory
    ReplicaExchange(const DevicePool& pool, ReplicaModel model, ReplicaExchangeConfig config,
                    SourceLocation where = SourceLocation::current());

    /// The same from a file that save() wrote: the trajectory goes on as if it had not been interrupted, on any number of devices.
    /// \throws Error io (the file cannot be read), invalid_argument (it is no checkpoint, is damaged, or is one of another model or other
    /// data), and what the constructor throws
    static ReplicaExchange resume(const DevicePool& pool, ReplicaModel model, const std::filesystem::path& checkpoint,
                                  SourceLocation where = SourceLocation::current());

    /// Makes rounds of sweeps_per_round sweeps and an attempt of exchange each. \param target  if given, stops after the first round at
    /// whose end a replica has this energy or a lower one \throws Error device_fault, no_device (one of its devices was quarantined since),
    /// invalid_argument (the model's energy is not a number), and any error of the driver
    RunReport run(std::uint64_t rounds, std::optional<double> target = std::nullopt, SourceLocation where = SourceLocation::current());
    /// Advances each replica by so many sweeps. \throws Error as run()
    void advance(std::uint32_t sweeps, SourceLocation where = SourceLocation::current());
    /// One attempt of exchange for every other pair of neighbours. \throws Error not_ready before the first sweep, and as run()
    void attempt_exchanges(SourceLocation where = SourceLocation::current());

    /// How many rounds there were, advance() and attempt_exchanges() not counted.
    std::uint64_t rounds(SourceLocation where = SourceLocation::current()) const;
    /// The energies of the replicas after their last sweeps, by replica. \throws Error not_ready before the first sweep
    std::vector<double> energies(SourceLocation where = SourceLocation::current()) const;
    /// The replica at each temperature.
    std::vector<std::uint32_t> replicas(SourceLocation where = SourceLocation::current()) const;
    std::vector<double> temperatures(SourceLocation where = SourceLocation::current()) const;  ///< the ladder
    /// Replaces the temperatures by as many others. Each replica keeps its place in the ladder. \throws Error invalid_argument, and as
    /// run()
    void set_temperatures(std::vector<double> temperatures, SourceLocation where = SourceLocation::current());
    /// The state of a replica, copied. \throws Error invalid_argument (no such replica)
    std::vector<std::byte> state(std::uint32_t replica, SourceLocation where = SourceLocation::current()) const;
    /// The best replica of all rounds. \throws Error not_ready before the first round
    BestReplica gather_best(SourceLocation where = SourceLocation::current()) const;

    ExchangeStatistics statistics(SourceLocation where = SourceLocation::current()) const;  ///< a copy
    void reset_statistics(SourceLocation where = SourceLocation::current());                ///< sets all counts to 0

    /// Writes everything that resume() needs to a file, which appears whole or not at all. \throws Error io, and as run()
    void save(const std::filesystem::path& checkpoint, SourceLocation where = SourceLocation::current()) const;

private:
    explicit ReplicaExchange(std::shared_ptr<detail::ReplicaExchangeState> state) noexcept : state_(std::move(state)) {}
    detail::ReplicaExchangeState& own(const SourceLocation& where) const;

    std::shared_ptr<detail::ReplicaExchangeState> state_;
};

}  // namespace cupool
