#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace cupool::ptx {

/// Up to which tick of its block's clock the deeds of each thread of a grid are known to lie in the past. Blocks of which nothing is
/// known take no room. (Vector clocks, as FastTrack has them: Flanagan and Freund, PLDI 2009.)
class VectorClock {
public:
    /// By thread of a block.
    using Ticks = std::shared_ptr<const std::vector<std::uint32_t>>;

    bool covers(std::uint32_t block, std::uint32_t thread, std::uint32_t tick) const;
    bool covers(const VectorClock& other) const;
    /// Null: of nobody in it.
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

/// A clock that is shared, so never changed. Null: nothing is known.
using SharedClock = std::shared_ptr<const VectorClock>;

/// What either knows: one of the two themselves, where it knows all.
SharedClock joined(const SharedClock& a, const SharedClock& b);

}  // namespace cupool::ptx
