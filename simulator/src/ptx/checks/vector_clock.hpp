#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace cupool::ptx {

/// For each thread of the grid, the tick of its block's clock up to which its accesses happened before. Sparse: unknown blocks have no
/// entry. (Vector clocks as in FastTrack: Flanagan and Freund, PLDI 2009.)
class VectorClock {
public:
    /// Ticks by thread of a block.
    using Ticks = std::shared_ptr<const std::vector<std::uint32_t>>;

    bool covers(std::uint32_t block, std::uint32_t thread, std::uint32_t tick) const;
    bool covers(const VectorClock& other) const;
    /// The ticks of a block; null if none is known.
    Ticks of(std::uint32_t block) const;
    void set(std::uint32_t block, Ticks ticks);
    void join(const VectorClock& other);

private:
    struct Entry {
        std::uint32_t block;
        Ticks ticks;
    };
    std::vector<Entry>::const_iterator find(std::uint32_t block) const;

    std::vector<Entry> entries_;  ///< by block, ascending
};

/// An immutable shared clock. Null is the empty clock.
using SharedClock = std::shared_ptr<const VectorClock>;

/// The join of two clocks; returns one of them if it covers the other.
SharedClock joined(const SharedClock& a, const SharedClock& b);

}  // namespace cupool::ptx
