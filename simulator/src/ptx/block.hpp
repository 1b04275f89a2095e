#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ptx/warp.hpp"

namespace cupool::ptx {

/// All threads of a block that are left wait for others that never come.
struct Deadlock {};

/// A block of threads: its warps, shared memory and barriers.
class Block {
public:
    explicit Block(LaunchState& launch);

    /// Begins the block of this index of the grid.
    void start(std::uint64_t index);
    /// Runs until `budget` warp instructions are spent or all threads have exited. Throws LaneFault, of faulty_warp(), or
    /// Deadlock.
    void run(std::uint64_t budget);
    bool finished() const;

    const Dimensions& index() const { return index_; }
    std::uint64_t linear_index() const { return linear_index_; }
    Dimensions thread(const Warp& warp, unsigned lane) const;
    const Warp* faulty_warp() const { return faulty_; }
    std::byte* shared() const { return shared_.data(); }
    std::uint64_t executed() const;
    std::uint64_t lanes_executed() const;
    /// Which lanes wait, and where.
    std::string describe_waiting() const;

    /// The running lanes of `warp` come to a barrier. `count`: how many threads it is for, 0: all of the block that have not exited.
    void arrive(Warp& warp, std::uint32_t barrier, std::uint32_t count, std::uint32_t lanes, std::uint32_t predicate);
    /// Threads have exited: barriers that waited for them alone are complete.
    void complete_barriers();

    static constexpr std::uint32_t barrier_count = 16;

private:
    struct Barrier {
        std::uint32_t arrived = 0;
        std::uint32_t expected = 0;
        std::uint32_t true_predicates = 0;
        std::uint32_t predicates = 0;
    };
    void complete(std::uint32_t barrier);
    std::uint32_t alive() const;

    LaunchState& launch_;
    std::uint64_t linear_index_ = 0;
    Dimensions index_{0, 0, 0};
    AlignedBytes shared_;
    std::vector<std::unique_ptr<Warp>> warps_;
    std::array<Barrier, barrier_count> barriers_{};
    std::size_t next_warp_ = 0;
    const Warp* faulty_ = nullptr;
};

}  // namespace cupool::ptx
