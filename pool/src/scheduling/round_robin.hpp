#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cupool::detail {

/// Round-robin selection over a fixed list, exactly even over any window. Lock-free and thread-safe.
///
/// The counter is how much of a round is over, in parts of 2^64, and wraps where the next one begins. A turn takes s = ceil(2^64 / n) of
/// it, that is (2^64 + e) / n with an e below n, 0 where n is a power of two. So turn number k = q n + r begins at k s = q e + r s modulo
/// 2^64, and n times that, r 2^64 + k e, is r whole parts of 2^64 as long as k is below 2^64 / e: with up to 16 members, and a turn a
/// nanosecond, for 41 years and more. Behind that one turn in 2^64 / e is left out, and nothing else happens.
class RoundRobin {
public:
    /// \param members     not empty
    /// \param first_turn  the number of turns already taken
    explicit RoundRobin(std::vector<int> members, std::uint64_t first_turn = 0)
        : members_(std::move(members)),
          size_(members_.size()),
          step_(~std::uint64_t{0} / size_ + 1),
          are_packed_(can_pack(members_)),
          packed_(are_packed_ ? pack(members_) : 0),
          counter_(first_turn * step_) {}

    const std::vector<int>& members() const noexcept { return members_; }

    int next() noexcept {
        // Memory is read before the locked addition: behind it reads begin when that is done. One that waited for the turn would cost as
        // much again as the addition where threads contend, so short lists are kept in a register.
        const std::uint64_t size = size_;
        const std::uint64_t packed = packed_;
        const bool are_packed = are_packed_;
        const std::uint64_t begin = counter_.fetch_add(step_, std::memory_order_relaxed);
        const auto index = static_cast<std::size_t>(Wide{begin} * size >> 64);
        return are_packed ? static_cast<int>(packed >> (bits * index) & most) : members_[index];
    }

private:
    __extension__ using Wide = unsigned __int128;

    static constexpr unsigned bits = 4;  ///< of a packed member
    static constexpr int most = (1 << bits) - 1;

    static bool can_pack(const std::vector<int>& members) {
        return members.size() <= 64 / bits &&
               std::all_of(members.begin(), members.end(), [](int member) { return 0 <= member && member <= most; });
    }
    static std::uint64_t pack(const std::vector<int>& members) {
        std::uint64_t packed = 0;
        for (std::size_t i = 0; i < members.size(); ++i) packed |= static_cast<std::uint64_t>(members[i]) << (bits * i);
        return packed;
    }

    std::vector<int> members_;
    std::uint64_t size_;
    std::uint64_t step_;  ///< of the counter: 0 for one member
    bool are_packed_;
    std::uint64_t packed_;  ///< the first member in the lowest bits
    /// By itself: processors fetch lines of 64 bytes in pairs.
    alignas(128) std::atomic<std::uint64_t> counter_;
};

}  // namespace cupool::detail
