#include <algorithm>
#include <vector>

#include "replicas/replica_engine.hpp"
#include "support/parallel_for.hpp"

namespace cupool::detail {

namespace {

class HostReplicas final : public ReplicaEngine {
public:
    HostReplicas(PoolState& pool, const ReplicaModel& model, std::size_t replicas, std::uint64_t seed)
        : model_(model),
          seed_(seed),
          threads_(pool.member(0).context().host_threads()),
          states_(replicas * model.state_bytes / sizeof(Block)) {}

    void advance(std::uint32_t sweeps, std::uint64_t first_sweep, std::span<const std::uint32_t> places,
                 std::span<double> energies) override {
        parallel_for(places.size(), threads_, [&](std::size_t replica) {
            const std::span<const std::byte> descriptions = std::as_bytes(std::span(temperatures_));
            energies[replica] = model_.advance_on_host(
                {.state = state_of(replica),
                 .replica = static_cast<std::uint32_t>(replica),
                 .temperature = descriptions.subspan(places[replica] * model_.temperature_bytes, model_.temperature_bytes),
                 .data = model_.data,
                 .sweeps = sweeps,
                 .seed = seed_,
                 .first_sweep = first_sweep});
        });
    }
    void set_temperatures(std::span<const std::byte> descriptions) override {
        temperatures_.resize(descriptions.size() / sizeof(double));
        std::copy(descriptions.begin(), descriptions.end(), std::as_writable_bytes(std::span(temperatures_)).begin());
    }
    void read_state(std::uint32_t replica, std::span<std::byte> state) override { std::ranges::copy(state_of(replica), state.begin()); }
    void write_state(std::uint32_t replica, std::span<const std::byte> state) override {
        std::ranges::copy(state, state_of(replica).begin());
    }
    std::uint64_t bytes() const override { return 0; }
    std::vector<int> devices() const override { return {}; }

private:
    struct alignas(16) Block {
        std::byte bytes[16];
    };

    std::span<std::byte> state_of(std::size_t replica) {
        return std::as_writable_bytes(std::span(states_)).subspan(replica * model_.state_bytes, model_.state_bytes);
    }

    const ReplicaModel& model_;
    std::uint64_t seed_;
    unsigned threads_;
    std::vector<Block> states_;
    std::vector<double> temperatures_;  // in doubles, which align it
};

}  // namespace

std::unique_ptr<ReplicaEngine> make_host_replicas(PoolState& pool, const ReplicaModel& model, std::size_t replicas, std::uint64_t seed) {
    return std::make_unique<HostReplicas>(pool, model, replicas, seed);
}

}  // namespace cupool::detail
