#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cupool::detail {

/// Takes turns over a fixed list, exactly evenly over any window. Lock-free; safe from any thread.
///
/// A lap is the list as often as fits into a small table, in which tickets are looked up. Whoever draws a whole number of laps takes one
/// off the counter again. What a ticket is beyond whole laps decides whose turn it is, and a lap less does not change that: turns are even
/// whenever it is taken off. It is taken off often enough: the counter is as many whole laps ahead as there are threads between such a draw
/// and their subtraction, and one more while it stands where a lap ends. For the draw that brings it there adds a lap, the next draw such a
/// thread, and a subtraction removes one of both. So however long threads are held up, the counter neither overflows nor falls below 0,
/// and with no call under way it is not beyond the end of the first lap.
class RoundRobin {
public:
    /// \param members       not empty
    /// \param first_ticket  beyond the first lap's end it is as if threads were held up for ever
    explicit RoundRobin(std::vector<int> members, std::uint64_t first_ticket = 0)
        : members_(std::move(members)), turns_(lap_of(members_)), counter_(first_ticket) {}

    const std::vector<int>& members() const noexcept { return members_; }
    /// How many turns a lap has.
    std::size_t lap() const noexcept { return turns_.size(); }
    /// What the next call draws.
    std::uint64_t ticket() const noexcept { return counter_.load(std::memory_order_relaxed); }

    int next() noexcept {
        // Read before the ticket is drawn: processors begin nothing behind a locked addition until it is done.
        const int* const turns = turns_.data();
        const std::size_t lap = turns_.size();
        const std::uint64_t ticket = counter_.fetch_add(1, std::memory_order_relaxed);
        if (ticket >= lap) [[unlikely]] {
            return turn_beyond(ticket);
        }
        return turns[ticket];
    }

private:
    /// Turns that the table has where the list is no longer: 1 KiB, in which every 256th ticket costs a second addition.
    static constexpr std::size_t most_turns = 256;

    static std::vector<int> lap_of(const std::vector<int>& members) {
        std::vector<int> turns;
        const std::size_t repetitions = std::max<std::size_t>(1, most_turns / members.size());
        turns.reserve(repetitions * members.size());
        for (std::size_t i = 0; i < repetitions; ++i) turns.insert(turns.end(), members.begin(), members.end());
        return turns;
    }

    /// Whose turn a ticket is that lies beyond the first lap.
    [[gnu::noinline, gnu::cold]] int turn_beyond(std::uint64_t ticket) noexcept {
        const std::size_t place = ticket % turns_.size();
        if (place == 0) counter_.fetch_sub(turns_.size(), std::memory_order_relaxed);
        return turns_[place];
    }

    std::vector<int> members_;
    std::vector<int> turns_;  ///< of a lap
    /// By itself: processors fetch lines of 64 bytes in pairs.
    alignas(128) std::atomic<std::uint64_t> counter_;
};

}  // namespace cupool::detail
