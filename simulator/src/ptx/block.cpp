#include "ptx/block.hpp"

#include <algorithm>
#include <cstring>

namespace cupool::ptx {
namespace {

/// How long one warp runs before the next has its turn, where it does not wait by itself.
constexpr std::uint64_t warp_turn = 20'000;

/// What uninitialised shared memory reads as: no kernel works by luck.
constexpr int shared_poison = 0xcb;

}  // namespace

Block::Block(LaunchState& launch) : launch_(launch), shared_(launch.shared_bytes) {
    const std::uint64_t threads = launch.launch.block.count();
    for (std::uint32_t i = 0; i < align_up(threads, warp_size) / warp_size; ++i) warps_.push_back(std::make_unique<Warp>(*this, launch, i));
}

void Block::start(std::uint64_t index) {
    const Dimensions& grid = launch_.launch.grid;
    linear_index_ = index;
    index_ = {static_cast<std::uint32_t>(index % grid.x), static_cast<std::uint32_t>(index / grid.x % grid.y),
              static_cast<std::uint32_t>(index / grid.x / grid.y)};
    if (shared_.size() != 0) std::memset(shared_.data(), shared_poison, shared_.size());
    barriers_ = {};
    next_warp_ = 0;
    std::uint64_t threads = launch_.launch.block.count();
    for (const auto& warp : warps_) {
        warp->start(threads >= warp_size ? all_lanes : (1u << threads) - 1);
        threads -= std::min<std::uint64_t>(threads, warp_size);
    }
}

Dimensions Block::thread(const Warp& warp, unsigned lane) const {
    const Dimensions& block = launch_.launch.block;
    const std::uint32_t linear = warp.index() * warp_size + lane;
    return {linear % block.x, linear / block.x % block.y, linear / block.x / block.y};
}

bool Block::finished() const {
    return std::all_of(warps_.begin(), warps_.end(), [](const auto& warp) { return warp->finished(); });
}

void Block::run(std::uint64_t budget) {
    const std::uint64_t end = executed() + budget;
    std::size_t idle = 0;
    while (idle < warps_.size() && executed() < end) {
        Warp& warp = *warps_[next_warp_];
        next_warp_ = (next_warp_ + 1) % warps_.size();
        if (!warp.runnable()) {
            ++idle;
            continue;
        }
        idle = 0;
        faulty_ = &warp;
        warp.run(warp_turn);
    }
    faulty_ = nullptr;
    if (idle == warps_.size() && !finished()) throw Deadlock{};
}

void Block::arrive(Warp& warp, std::uint32_t barrier, std::uint32_t count, std::uint32_t lanes, std::uint32_t predicate) {
    Barrier& state = barriers_[barrier];
    state.arrived += static_cast<std::uint32_t>(std::popcount(lanes));
    // A count is in whole warps: lanes that never were come along with the first one of a last, partial warp.
    if (count != 0 && (lanes & 1) != 0) state.arrived += warp_size - static_cast<std::uint32_t>(std::popcount(warp.first_lanes()));
    state.expected = count;
    state.predicates += static_cast<std::uint32_t>(std::popcount(lanes));
    state.true_predicates += static_cast<std::uint32_t>(std::popcount(predicate));
    if (state.arrived >= (count != 0 ? count : alive())) complete(barrier);
}

void Block::complete_barriers() {
    for (std::uint32_t i = 0; i < barrier_count; ++i)
        if (barriers_[i].arrived != 0 && barriers_[i].expected == 0 && barriers_[i].arrived >= alive()) complete(i);
}

void Block::complete(std::uint32_t barrier) {
    const Barrier state = barriers_[barrier];
    barriers_[barrier] = {};
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

std::uint64_t Block::lanes_executed() const {
    std::uint64_t sum = 0;
    for (const auto& warp : warps_) sum += warp->lanes_executed();
    return sum;
}

std::string Block::describe_waiting() const {
    std::string text;
    for (const auto& warp : warps_) text += warp->describe_waiting();
    return text;
}

}  // namespace cupool::ptx
