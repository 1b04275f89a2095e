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
    static constexpr std::uint64_t last_ticket = std::uint64_t{1} << 63;

    /// \param members  not empty
    explicit RoundRobin(std::vector<int> members, std::uint64_t first_ticket = 0)
        : members_(std::move(members)), limit_(last_ticket / members_.size() * members_.size()), counter_(first_ticket) {}

    int next() noexcept {
        const std::uint64_t ticket = counter_.fetch_add(1, std::memory_order_relaxed);
        // One thread alone draws this ticket. Those that draw the next ones before it has subtracted still get the right remainder.
        if (ticket == limit_) [[unlikely]] {
            counter_.fetch_sub(limit_, std::memory_order_relaxed);
        }
        return members_[ticket % members_.size()];
    }

private:
    std::vector<int> members_;
    std::uint64_t limit_;
    alignas(64) std::atomic<std::uint64_t> counter_;
};

}  // namespace cupool::detail
