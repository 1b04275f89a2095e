#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "ptx/checks/block_races.hpp"
#include "ptx/run/warp.hpp"

namespace cupool::ptx {

/// All threads of a block that are left wait for others that never come: this is one of them.
struct Deadlock {
    const Warp* warp;
    unsigned lane;
    const Instruction* instruction;
};

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
    /// Memory that its threads' registers and local memory and its shared memory take.
    std::uint64_t bytes() const;
    std::uint64_t lanes_executed() const;
    /// Which lanes wait, and where; which have exited.
    std::string describe_waiting() const;
    std::string describe_barrier(std::uint32_t barrier) const;

    /// Lanes of `warp` come to a barrier, to wait there or not. `count`: how many threads it is for, 0: all of the block that have not
    /// exited.
    struct Arrival {
        std::uint32_t barrier = 0;
        std::uint32_t count = 0;
        std::uint32_t lanes = 0;
        std::uint32_t predicate = 0;
        bool waits = true;
    };
    void arrive(Warp& warp, const Arrival& arrival);
    /// Threads have exited: barriers that waited for them alone are complete.
    void complete_barriers();
    /// Lanes of a warp have met.
    void synchronise(const Warp& warp, std::uint32_t lanes) {
        if (races_) races_->clocks.synchronise(warp.index() * warp_size, lanes);
    }
    std::optional<BlockRaces>& races() { return races_; }
    /// For each byte of shared memory one that tells whether it has been written; null: not to be checked.
    std::byte* shared_initialised() const { return shared_initialised_.data(); }

    static constexpr std::uint32_t barrier_count = 16;

private:
    struct Barrier {
        std::uint32_t arrived = 0;
        std::uint32_t expected = 0;
        std::uint32_t true_predicates = 0;
        std::uint32_t predicates = 0;
    };
    Warp* next_warp();
    [[noreturn]] void throw_deadlock() const;
    void complete(std::uint32_t barrier);
    std::uint32_t alive() const;

    LaunchState& launch_;
    std::uint64_t linear_index_ = 0;
    Dimensions index_{0, 0, 0};
    AlignedBytes shared_;
    AlignedBytes shared_initialised_;
    std::optional<BlockRaces> races_;
    std::vector<std::unique_ptr<Warp>> warps_;
    std::array<Barrier, barrier_count> barriers_{};
    std::size_t last_warp_ = 0;
    const Warp* faulty_ = nullptr;
};

}  // namespace cupool::ptx
