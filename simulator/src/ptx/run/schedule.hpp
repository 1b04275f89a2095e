#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ptx/ptx.hpp"
#include "ptx/random.hpp"

namespace cupool::ptx {

/// The order and length of turns of blocks and warps: round robin without a seed, otherwise random.
class Schedule {
public:
    explicit Schedule(const Launch& launch);

    /// The index of the block that starts at `position`.
    std::uint64_t block(std::uint64_t position) const;
    /// Number of initially resident blocks. As many more join whenever all resident blocks have had a turn and none has finished.
    std::uint64_t first_resident() const { return first_resident_; }
    std::uint64_t max_resident() const { return max_resident_; }

    /// Which of `count` participants has the next turn, after `last`.
    std::size_t next(std::size_t last, std::size_t count);
    /// Length of a turn of a block or warp in instructions, unless it waits earlier.
    std::uint64_t block_turn(std::uint64_t resident);
    std::uint64_t warp_turn();

private:
    std::uint64_t turn(std::uint64_t longest);

    std::optional<Random> random_;
    bool cooperative_;
    std::uint64_t blocks_;
    std::uint64_t stride_ = 1;  ///< coprime to blocks_
    std::uint64_t offset_ = 0;
    std::uint64_t first_resident_ = 1;
    std::uint64_t max_resident_;
};

}  // namespace cupool::ptx
