#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ptx/ptx.hpp"
#include "ptx/random.hpp"

namespace cupool::ptx {

/// Whose turn it is, and for how long: by rote without a seed, else as the seed says.
class Schedule {
public:
    explicit Schedule(const Launch& launch);

    /// The block that starts as the `position`-th.
    std::uint64_t block(std::uint64_t position) const;
    /// How many blocks are resident from the start; as many again join in whenever all of
    /// them have had a turn and none has finished.
    std::uint64_t first_resident() const { return first_resident_; }
    std::uint64_t max_resident() const { return max_resident_; }

    /// Which of `count` that take turns is next, after the one that was last.
    std::size_t next(std::size_t last, std::size_t count);
    /// For how many instructions a block or a warp runs, where it does not wait by itself.
    std::uint64_t block_turn(std::uint64_t resident);
    std::uint64_t warp_turn();

private:
    std::uint64_t turn(std::uint64_t longest);

    std::optional<Random> random_;
    bool cooperative_;
    std::uint64_t blocks_;
    std::uint64_t stride_ = 1;  ///< without a common divisor with blocks_
    std::uint64_t offset_ = 0;
    std::uint64_t first_resident_ = 1;
    std::uint64_t max_resident_;
};

}  // namespace cupool::ptx
