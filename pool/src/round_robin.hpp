#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cupool::detail {

/// Takes turns over a fixed list, exactly evenly over any window. Lock-free; safe from any thread.
class RoundRobin {
public:
    /// The counter starts anew at the largest multiple of the list's length not above this, so that no turn is lost or taken twice there.
    /// Until then tickets have 32 bits, whose remainders take two multiplications.
    static constexpr std::uint64_t last_ticket = std::uint64_t{1} << 31;

    /// \param members  not empty
    explicit RoundRobin(std::vector<int> members, std::uint64_t first_ticket = 0)
        : members_(std::move(members)),
          limit_(last_ticket / members_.size() * members_.size()),
          reciprocal_(~std::uint64_t{0} / members_.size() + 1),
          counter_(first_ticket) {}

    const std::vector<int>& members() const noexcept { return members_; }

    int next() noexcept {
        const std::uint64_t ticket = counter_.fetch_add(1, std::memory_order_relaxed);
        // One thread alone draws this ticket. Those that draw the next ones before it has subtracted still get the right remainder.
        if (ticket == limit_) [[unlikely]] {
            counter_.fetch_sub(limit_, std::memory_order_relaxed);
        }
        return members_[remainder(ticket)];
    }

private:
    __extension__ using Wide = unsigned __int128;

    /// ticket % members_.size(), by Lemire, Kaser and Kurz, "Faster remainder by direct computation" (Software: Practice and Experience
    /// 49(6), 2019).
    std::size_t remainder(std::uint64_t ticket) const noexcept {
        return static_cast<std::size_t>(Wide{reciprocal_ * ticket} * members_.size() >> 64);
    }

    std::vector<int> members_;
    std::uint64_t limit_;
    std::uint64_t reciprocal_;  ///< 2^64 / members_.size(), rounded up; 0 for one member
    /// By itself: processors fetch lines of 64 bytes in pairs.
    alignas(128) std::atomic<std::uint64_t> counter_;
};

}  // namespace cupool::detail
