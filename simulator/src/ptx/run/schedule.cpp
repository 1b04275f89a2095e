#include "ptx/run/schedule.hpp"

#include <algorithm>
#include <numeric>

#include "ptx/parse/types.hpp"

namespace cupool::ptx {
namespace {

/// Length of a block's first turn, before further blocks become resident: enough for nearly all blocks to finish.
constexpr std::uint64_t long_block_turn = 4'000'000;
/// Total length of a round of turns when several blocks are resident. Short, since time that a block spends spinning is lost.
constexpr std::uint64_t long_round = 1'000'000;
constexpr std::uint64_t cooperative_round = 200'000;
constexpr std::uint64_t long_warp_turn = 20'000;

/// With a seed, maximum lengths of turns, which are log-uniform.
constexpr std::uint64_t seeded_block_turn = 1 << 16;
constexpr std::uint64_t seeded_warp_turn = 1 << 12;

/// With a seed, maximum number of initially resident blocks.
constexpr std::uint64_t max_first_resident = 64;
/// Shorter turns cost more to start than they save.
constexpr std::uint64_t shortest_block_turn = 10'000;

}  // namespace

Schedule::Schedule(const Launch& launch)
    : cooperative_(launch.cooperative),
      blocks_(launch.grid.count()),
      max_resident_(launch.cooperative ? blocks_ : std::min(blocks_, launch.resident_blocks)) {
    if (launch.seed != 0) {
        random_.emplace(launch.seed);
        do {
            stride_ = 1 + random_->below(blocks_);
        } while (std::gcd(stride_, blocks_) != 1);
        offset_ = random_->below(blocks_);
        first_resident_ = 1 + random_->below(std::min(max_resident_, max_first_resident));
    }
    if (cooperative_) first_resident_ = blocks_;
}

std::uint64_t Schedule::block(std::uint64_t position) const {
    __extension__ using Product = unsigned __int128;
    return static_cast<std::uint64_t>((Product{stride_} * position + offset_) % blocks_);
}

std::size_t Schedule::next(std::size_t last, std::size_t count) {
    return random_ ? static_cast<std::size_t>(random_->below(count)) : (last + 1) % count;
}

std::uint64_t Schedule::block_turn(std::uint64_t resident) {
    if (random_) return turn(seeded_block_turn);
    if (resident == 1) return long_block_turn;
    return std::max(shortest_block_turn, (cooperative_ ? cooperative_round : long_round) / resident);
}

std::uint64_t Schedule::warp_turn() { return random_ ? turn(seeded_warp_turn) : long_warp_turn; }

std::uint64_t Schedule::turn(std::uint64_t longest) {
    const auto doublings = static_cast<std::uint64_t>(std::bit_width(longest));
    return 1 + random_->next() % (std::uint64_t{1} << random_->below(doublings));
}

}  // namespace cupool::ptx
