#include "ptx/run/block.hpp"

#include <algorithm>
#include <cstring>

namespace cupool::ptx {
namespace {

/// Content of uninitialised shared memory, so that kernels do not rely on zeros.
constexpr int shared_poison = 0xcb;

}  // namespace

Block::Block(LaunchState& launch)
    : launch_(launch), shared_(launch.shared_bytes), shared_initialised_(launch.launch.checks.initialisation ? launch.shared_bytes : 0) {
    const std::uint64_t threads = launch.launch.block.count();
    for (std::uint32_t i = 0; i < align_up(threads, warp_size) / warp_size; ++i) warps_.push_back(std::make_unique<Warp>(*this, launch, i));
}

void Block::start(std::uint64_t index) {
    linear_index_ = index;
    index_ = position_in(launch_.launch.grid, index);
    if (shared_.size() != 0) std::memset(shared_.data(), shared_poison, shared_.size());
    if (shared_initialised_.size() != 0) std::memset(shared_initialised_.data(), 0, shared_initialised_.size());
    barriers_ = {};
    last_warp_ = warps_.size() - 1;
    if (launch_.races) races_.emplace(index, launch_.launch.block.count());
    std::uint64_t threads = launch_.launch.block.count();
    for (const auto& warp : warps_) {
        warp->start(threads >= warp_size ? all_lanes : (1u << threads) - 1);
        threads -= std::min<std::uint64_t>(threads, warp_size);
    }
}

Dimensions Block::thread(const Warp& warp, unsigned lane) const {
    return position_in(launch_.launch.block, warp.index() * warp_size + lane);
}

bool Block::finished() const {
    return std::all_of(warps_.begin(), warps_.end(), [](const auto& warp) { return warp->finished(); });
}

void Block::run(std::uint64_t budget) {
    const std::uint64_t end = executed() + budget;
    for (std::uint64_t now = executed(); now < end; now = executed()) {
        Warp* const warp = next_warp();
        if (warp == nullptr) break;
        faulty_ = warp;
        warp->run(std::min(launch_.schedule.warp_turn(), end - now));
    }
    faulty_ = nullptr;
    if (!finished() && std::none_of(warps_.begin(), warps_.end(), [](const auto& warp) { return warp->runnable(); })) throw_deadlock();
}

// The warp whose turn it is, or the next one that does not wait; null if all wait.
Warp* Block::next_warp() {
    const std::size_t first = launch_.schedule.next(last_warp_, warps_.size());
    for (std::size_t i = 0; i < warps_.size(); ++i) {
        last_warp_ = (first + i) % warps_.size();
        if (warps_[last_warp_]->runnable()) return warps_[last_warp_].get();
    }
    return nullptr;
}

void Block::throw_deadlock() const {
    const auto& warp = *std::find_if(warps_.begin(), warps_.end(), [](const auto& candidate) { return !candidate->finished(); });
    const auto [lane, instruction] = warp->any_lane();
    throw Deadlock{warp.get(), lane, instruction};
}

void Block::arrive(Warp& warp, const Arrival& arrival) {
    Barrier& state = barriers_[arrival.barrier];
    state.arrived += static_cast<std::uint32_t>(std::popcount(arrival.lanes));
    // Counts are in whole warps: the missing lanes of a partial last warp arrive with its first lane.
    if (arrival.count != 0 && (arrival.lanes & 1) != 0)
        state.arrived += warp_size - static_cast<std::uint32_t>(std::popcount(warp.first_lanes()));
    state.expected = arrival.count;
    state.predicates += static_cast<std::uint32_t>(std::popcount(arrival.lanes));
    state.true_predicates += static_cast<std::uint32_t>(std::popcount(arrival.predicate));
    if (races_) races_->clocks.arrive(arrival.barrier, warp.index() * warp_size, arrival.lanes, arrival.waits);
    if (state.arrived >= (arrival.count != 0 ? arrival.count : alive())) complete(arrival.barrier);
}

void Block::complete_barriers() {
    for (std::uint32_t i = 0; i < barrier_count; ++i)
        if (barriers_[i].arrived != 0 && barriers_[i].expected == 0 && barriers_[i].arrived >= alive()) complete(i);
}

void Block::complete(std::uint32_t barrier) {
    const Barrier state = barriers_[barrier];
    barriers_[barrier] = {};
    if (races_) races_->clocks.complete(barrier, state.expected == 0);
    const auto write_result = [&state](Warp& warp, const LaneGroup& group) {
        warp.write_reduction(group, state.true_predicates, state.predicates);
    };
    for (const auto& warp : warps_) warp->release_barrier(static_cast<std::uint8_t>(barrier), write_result);
}

std::uint32_t Block::alive() const {
    std::uint32_t count = 0;
    for (const auto& warp : warps_) count += static_cast<std::uint32_t>(std::popcount(warp->alive()));
    return count;
}

std::uint64_t Block::executed() const {
    std::uint64_t sum = 0;
    for (const auto& warp : warps_) sum += warp->executed();
    return sum;
}

std::uint64_t Block::bytes() const {
    std::uint64_t sum = shared_.size() + shared_initialised_.size();
    for (const auto& warp : warps_) sum += warp->bytes();
    return sum;
}

std::uint64_t Block::lanes_executed() const {
    std::uint64_t sum = 0;
    for (const auto& warp : warps_) sum += warp->lanes_executed();
    return sum;
}

std::string Block::describe_barrier(std::uint32_t barrier) const {
    const Barrier& state = barriers_[barrier];
    return " at barrier " + std::to_string(barrier) + ", to which " + std::to_string(state.arrived) + " of " +
           std::to_string(state.expected != 0 ? state.expected : alive()) + " threads have come";
}

std::string Block::describe_waiting() const {
    std::string text;
    for (const auto& warp : warps_) text += warp->describe_waiting();
    return text;
}

}  // namespace cupool::ptx
