#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "ptx/checks/block_races.hpp"
#include "ptx/run/warp.hpp"

namespace cupool::ptx {

/// Thrown if all remaining threads of a block wait for threads that never arrive; names one of them.
struct Deadlock {
    const Warp* warp;
    unsigned lane;
    const Instruction* instruction;
};

/// A thread block: its warps, shared memory and barriers.
class Block {
public:
    explicit Block(LaunchState& launch);

    /// Starts the block with this index in the grid.
    void start(std::uint64_t index);
    /// Runs until `budget` warp instructions are executed or all threads have exited. Throws Deadlock, or LaneFault of faulty_warp().
    void run(std::uint64_t budget);
    bool finished() const;

    const Dimensions& index() const { return index_; }
    std::uint64_t linear_index() const { return linear_index_; }
    Dimensions thread(const Warp& warp, unsigned lane) const;
    const Warp* faulty_warp() const { return faulty_; }
    std::byte* shared() const { return shared_.data(); }
    std::uint64_t executed() const;
    /// Host memory of the block's registers, local memory and shared memory.
    std::uint64_t bytes() const;
    std::uint64_t lanes_executed() const;
    /// Describes which lanes wait and where, and which have exited.
    std::string describe_waiting() const;
    std::string describe_barrier(std::uint32_t barrier) const;

    /// Arrival of lanes at a barrier. `count` is the number of participating threads; 0 means all threads of the block that have not
    /// exited.
    struct Arrival {
        std::uint32_t barrier = 0;
        std::uint32_t count = 0;
        std::uint32_t lanes = 0;
        std::uint32_t predicate = 0;
        bool waits = true;
    };
    void arrive(Warp& warp, const Arrival& arrival);
    /// Called after threads have exited: completes barriers that waited only for them.
    void complete_barriers();
    /// Called when lanes of a warp have synchronised.
    void synchronise(const Warp& warp, std::uint32_t lanes) {
        if (races_) races_->clocks.synchronise(warp.index() * warp_size, lanes);
    }
    std::optional<BlockRaces>& races() { return races_; }
    /// Shadow memory of shared memory; null: not checked.
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
