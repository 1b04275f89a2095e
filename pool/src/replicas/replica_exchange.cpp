#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/pool/replica_exchange.hpp>
#include <limits>
#include <mutex>
#include <string>

#include "checkpoint/checkpoint.hpp"
#include "locked.hpp"
#include "pool_state.hpp"
#include "replicas/exchange_ladder.hpp"
#include "replicas/replica_engine.hpp"

namespace cupool {

namespace detail {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCategory::invalid_argument, "replica exchange: " + why); }

void describe_inverse(double temperature, std::span<std::byte> description) {
    const double inverse = 1 / temperature;
    std::memcpy(description.data(), &inverse, sizeof inverse);
}

ReplicaModel checked(ReplicaModel model) {
    if (model.state_bytes == 0 || model.state_bytes % 16 != 0) refuse("the model's state_bytes must be a multiple of 16, and not 0");
    if (model.temperature_bytes == 0 || model.temperature_bytes % 8 != 0)
        refuse("the model's temperature_bytes must be a multiple of 8, and not 0");
    if (model.replicas_per_block == 0 || model.block_size == 0) refuse("the model has blocks without threads or replicas");
    if (!model.describe_temperature) model.describe_temperature = describe_inverse;
    return model;
}

}  // namespace

/// The state behind a ReplicaExchange.
class ReplicaExchangeState {
public:
    ReplicaExchangeState(const DevicePool& pool, ReplicaModel model, const ReplicaExchangeConfig& config, ExchangeLadder ladder)
        : pool_(pool),
          model_(checked(std::move(model))),
          sweeps_per_round_(config.sweeps_per_round),
          seed_(config.seed),
          ladder_(std::move(ladder)),
          energies_(ladder_.replicas().size()) {
        constexpr std::size_t most_replicas = std::size_t{1} << 24;  // random_words() tells so many apart
        if (sweeps_per_round_ == 0) refuse("sweeps_per_round is 0");
        if (energies_.size() > most_replicas) refuse("there are more than 2^24 temperatures");
        if (model_.state_bytes > std::numeric_limits<std::uint32_t>::max()) refuse("the model's state_bytes must be below 2^32");
        engine_ = make_engine();
        describe_temperatures();
    }

    /// Gives all replicas their first states.
    void initialise() {
        if (!model_.initialise) return;
        std::vector<std::byte> state(model_.state_bytes);
        for (std::uint32_t replica = 0; replica < energies_.size(); ++replica) {
            std::fill(state.begin(), state.end(), std::byte{0});
            model_.initialise(replica, seed_, state);
            engine_->write_state(replica, state);
        }
    }

    RunReport run(std::uint64_t rounds, std::optional<double> target) {
        const auto start = std::chrono::steady_clock::now();
        const std::uint64_t bytes_before = engine_->bytes();
        for (std::uint64_t i = 0; i < rounds; ++i) {
            change([&] { make_round(); });
            if (target && *std::ranges::min_element(energies_) <= *target) break;
        }
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        return {.engine = pool().is_host() ? Engine::host : Engine::gpu,
                .devices = engine_->devices(),
                .milliseconds = time.count(),
                .bytes = engine_->bytes() - bytes_before};
    }
    void advance(std::uint32_t sweeps) {
        change([&] { make_sweeps(sweeps); });
    }
    void attempt_exchanges() {
        require_whole();
        require_energies();
        ladder_.attempt(energies_, seed_);
    }

    std::uint64_t rounds() const { return rounds_; }
    const std::vector<double>& energies() const {
        require_energies();
        return energies_;
    }
    ExchangeLadder& ladder() { return ladder_; }
    void set_temperatures(std::vector<double> temperatures, const SourceLocation& where) {
        require_ladder(temperatures, where);
        if (temperatures.size() != energies_.size())
            refuse(std::to_string(temperatures.size()) + " temperatures for " + std::to_string(energies_.size()) + " replicas");
        change([&] {
            ladder_.set_temperatures(std::move(temperatures));
            describe_temperatures();
        });
    }
    std::vector<std::byte> state(std::uint32_t replica) {
        if (replica >= energies_.size())
            refuse("there is no replica " + std::to_string(replica) + "; there are " + std::to_string(energies_.size()));
        std::vector<std::byte> state(model_.state_bytes);
        engine_->read_state(replica, state);
        return state;
    }
    BestReplica best() const {
        if (best_.state.empty())
            throw Error(ErrorCategory::not_ready, "replica exchange: no round has ended yet, so no replica is the best");
        return best_;
    }

    void save(const std::filesystem::path& file) {
        require_whole();
        CheckpointWriter writer("replicas");
        writer(model_.name);
        writer(std::uint64_t{model_.state_bytes});
        writer(hash_of(model_.data));
        writer(sweeps_per_round_);
        writer(seed_);
        ladder_.archive(writer);
        writer(rounds_);
        writer(sweeps_);
        writer(are_energies_known_);
        writer(energies_);
        writer(best_.replica);
        writer(best_.energy);
        writer(best_.round);
        writer(best_.state);
        for (std::uint32_t replica = 0; replica < energies_.size(); ++replica) writer(state(replica));
        writer.write(file);
    }
    static std::shared_ptr<ReplicaExchangeState> resumed(const DevicePool& pool, ReplicaModel model, const std::filesystem::path& file);

    /// Held by every call.
    std::mutex mutex;
    PoolState& pool() const { return PoolStateAccess::state(pool_, SourceLocation::current()); }

private:
    /// Changes the replicas. If that fails midway, they are broken.
    template <class Function>
    void change(const Function& function) {
        require_whole();
        engine_->require_ready();
        is_broken_ = true;
        function();
        is_broken_ = false;
    }
    void make_round() {
        make_sweeps(sweeps_per_round_);
        ++rounds_;
        ladder_.count_round(energies_);
        keep_best();
        ladder_.attempt(energies_, seed_);
    }
    void make_sweeps(std::uint32_t sweeps) {
        engine_->advance(sweeps, sweeps_, ladder_.places(), energies_);
        sweeps_ += sweeps;
        are_energies_known_ = 1;
        const auto wrong = std::ranges::find_if(energies_, [](double energy) { return !std::isfinite(energy); });
        if (wrong != energies_.end())
            refuse("the model gave replica " + std::to_string(wrong - energies_.begin()) + " an energy that is no finite number");
    }

    std::unique_ptr<ReplicaEngine> make_engine() {
        PoolState& state = pool();
        if (state.is_host()) {
            if (!model_.advance_on_host)
                throw Error(ErrorCategory::unsupported,
                            "replica exchange: the pool is the host, and the model " + model_.name + " has no host function");
            return make_host_replicas(state, model_, energies_.size(), seed_);
        }
        if (model_.ptx.empty() && model_.shipped_code == nullptr)
            throw Error(ErrorCategory::unsupported, "replica exchange: the model " + model_.name + " has no kernel for devices");
        return make_device_replicas(state, model_, energies_.size(), seed_);
    }
    void describe_temperatures() {
        std::vector<std::byte> descriptions(ladder_.temperatures().size() * model_.temperature_bytes);
        for (std::size_t i = 0; i < ladder_.temperatures().size(); ++i) {
            model_.describe_temperature(ladder_.temperatures()[i],
                                        std::span(descriptions).subspan(i * model_.temperature_bytes, model_.temperature_bytes));
        }
        engine_->set_temperatures(descriptions);
    }
    /// \throws Error device_fault after one, invalid_argument after another error midway
    void require_whole() const {
        pool().faults().check();
        if (!is_broken_) return;
        refuse("an earlier call failed midway, so the states of the replicas are unknown; resume a checkpoint");
    }
    void require_energies() const {
        if (are_energies_known_ == 0)
            throw Error(ErrorCategory::not_ready, "replica exchange: no sweep was made yet, so no energy is known");
    }
    void keep_best() {
        const auto lowest = std::ranges::min_element(energies_);
        if (!best_.state.empty() && *lowest >= best_.energy) return;
        const auto replica = static_cast<std::uint32_t>(lowest - energies_.begin());
        best_ = {.replica = replica, .energy = *lowest, .round = rounds_, .state = state(replica)};
    }

    DevicePool pool_;
    ReplicaModel model_;
    std::uint32_t sweeps_per_round_;
    std::uint64_t seed_;
    ExchangeLadder ladder_;
    std::vector<double> energies_;
    std::uint8_t are_energies_known_ = 0;  // a bool as a checkpoint has it
    std::unique_ptr<ReplicaEngine> engine_;
    std::uint64_t rounds_ = 0;
    std::uint64_t sweeps_ = 0;
    BestReplica best_;
    bool is_broken_ = false;  // a change failed midway
};

std::shared_ptr<ReplicaExchangeState> ReplicaExchangeState::resumed(const DevicePool& pool, ReplicaModel model,
                                                                    const std::filesystem::path& file) {
    CheckpointReader reader(file, "replicas");
    std::string name;
    std::uint64_t state_bytes = 0;
    std::uint64_t data_hash = 0;
    reader(name);
    reader(state_bytes);
    reader(data_hash);
    if (name != model.name) reader.refuse("is a checkpoint of the model " + name + ", not of " + model.name);
    if (state_bytes != model.state_bytes) {
        reader.refuse("is a checkpoint of states of " + std::to_string(state_bytes) + " bytes; those of the model " + name + " have " +
                      std::to_string(model.state_bytes));
    }
    if (data_hash != hash_of(model.data)) reader.refuse("is a checkpoint of the model " + name + " with other data");
    ReplicaExchangeConfig config;
    ExchangeLadder ladder;
    reader(config.sweeps_per_round);
    reader(config.seed);
    ladder.archive(reader);
    if (!ladder.is_consistent()) reader.throw_damaged();
    if (!is_ladder(ladder.temperatures()) || state_bytes > reader.rest() / ladder.temperatures().size()) reader.throw_damaged();
    auto state = make_shared_unless_forked<ReplicaExchangeState>(pool, std::move(model), config, std::move(ladder));
    reader(state->rounds_);
    reader(state->sweeps_);
    const std::size_t replicas = state->energies_.size();
    reader(state->are_energies_known_);
    reader(state->energies_);
    if (state->energies_.size() != replicas) reader.throw_damaged();
    reader(state->best_.replica);
    reader(state->best_.energy);
    reader(state->best_.round);
    reader(state->best_.state);
    if (!state->best_.state.empty() && (state->best_.state.size() != state_bytes || state->best_.replica >= replicas))
        reader.throw_damaged();
    for (std::uint32_t replica = 0; replica < replicas; ++replica) {
        std::vector<std::byte> bytes;
        reader(bytes);
        const ReplicaModel& own = state->model_;
        if (bytes.size() != state_bytes || (own.accepts_state && !own.accepts_state(bytes))) reader.throw_damaged();
        state->engine_->write_state(replica, bytes);
    }
    reader.expect_end();
    return state;
}

}  // namespace detail

ReplicaExchange::ReplicaExchange(const DevicePool& pool, ReplicaModel model, ReplicaExchangeConfig config, SourceLocation where) {
    detail::require_ladder(config.temperatures, where);
    detail::PoolStateAccess::state(pool, where);  // refuses a pool that was moved from, and in a forked child
    detail::report_at(where, [&] {
        state_ = detail::make_shared_unless_forked<detail::ReplicaExchangeState>(pool, std::move(model), config,
                                                                                 detail::ExchangeLadder(config.temperatures));
        state_->initialise();
    });
}

ReplicaExchange ReplicaExchange::resume(const DevicePool& pool, ReplicaModel model, const std::filesystem::path& checkpoint,
                                        SourceLocation where) {
    detail::PoolStateAccess::state(pool, where);
    return detail::report_at(where,
                             [&] { return ReplicaExchange(detail::ReplicaExchangeState::resumed(pool, std::move(model), checkpoint)); });
}

detail::ReplicaExchangeState& ReplicaExchange::own(const SourceLocation& where) const {
    if (state_ == nullptr) throw Error(ErrorCategory::wrong_context, "replica exchange: the object has been moved from", where);
    detail::report_at(where, [&] { state_->pool(); });  // refuses in a forked child
    return *state_;
}

RunReport ReplicaExchange::run(std::uint64_t rounds, std::optional<double> target, SourceLocation where) {
    return detail::locked(own(where), where, [&](auto& state) { return state.run(rounds, target); });
}

void ReplicaExchange::advance(std::uint32_t sweeps, SourceLocation where) {
    detail::locked(own(where), where, [&](auto& state) { state.advance(sweeps); });
}

void ReplicaExchange::attempt_exchanges(SourceLocation where) {
    detail::locked(own(where), where, [](auto& state) { state.attempt_exchanges(); });
}

std::uint64_t ReplicaExchange::rounds(SourceLocation where) const {
    return detail::locked(own(where), where, [](auto& state) { return state.rounds(); });
}

std::vector<double> ReplicaExchange::energies(SourceLocation where) const {
    return detail::locked(own(where), where, [](auto& state) { return state.energies(); });
}

std::vector<std::uint32_t> ReplicaExchange::replicas(SourceLocation where) const {
    return detail::locked(own(where), where, [](auto& state) { return state.ladder().replicas(); });
}

std::vector<double> ReplicaExchange::temperatures(SourceLocation where) const {
    return detail::locked(own(where), where, [](auto& state) { return state.ladder().temperatures(); });
}

void ReplicaExchange::set_temperatures(std::vector<double> temperatures, SourceLocation where) {
    detail::locked(own(where), where, [&](auto& state) { state.set_temperatures(std::move(temperatures), where); });
}

std::vector<std::byte> ReplicaExchange::state(std::uint32_t replica, SourceLocation where) const {
    return detail::locked(own(where), where, [&](auto& state) { return state.state(replica); });
}

BestReplica ReplicaExchange::gather_best(SourceLocation where) const {
    return detail::locked(own(where), where, [](auto& state) { return state.best(); });
}

ExchangeStatistics ReplicaExchange::statistics(SourceLocation where) const {
    return detail::locked(own(where), where, [](auto& state) { return state.ladder().statistics(); });
}

void ReplicaExchange::reset_statistics(SourceLocation where) {
    detail::locked(own(where), where, [](auto& state) { state.ladder().reset_statistics(); });
}

void ReplicaExchange::save(const std::filesystem::path& checkpoint, SourceLocation where) const {
    detail::locked(own(where), where, [&](auto& state) { state.save(checkpoint); });
}

}  // namespace cupool
