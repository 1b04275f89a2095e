#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/vector_clock.hpp"

namespace cupool::ptx {

/// What each thread of a block knows to lie in the past, of its own block and of others. The block's clock ticks whenever some of its
/// threads synchronise or publish; a deed has the tick at which it was done.
///
/// Barriers and warps' synchronisation hand on what their threads know; fences and atomics do as the memory model of the PTX ISA says. It
/// is generous in one thing: what a thread has fenced may be published by another that met it at a barrier later.
class ThreadClocks {
public:
    ThreadClocks(std::uint32_t block, std::uint32_t threads);

    std::uint32_t tick() const { return tick_; }
    bool knows(std::uint32_t thread, std::uint32_t other_block, std::uint32_t other_thread, std::uint32_t tick) const;

    /// Threads of a warp meet; `first` is the warp's first thread.
    void synchronise(std::uint32_t first, std::uint32_t lanes);
    /// They come to a barrier, to wait there or just to be counted.
    void arrive(std::uint32_t barrier, std::uint32_t first, std::uint32_t lanes, bool wait);
    /// All have come for whom the barrier is: `everybody` who has not exited, or those who have arrived.
    void complete(std::uint32_t barrier, bool everybody);

    void fence(std::uint32_t thread);
    /// What a write of the thread publishes: with `release` all that it knows, else what it knew at its last fence.
    Knowledge published(std::uint32_t thread, bool release);
    /// The thread reads what another published: with `acquire` it knows that at once, else from its next fence on.
    void observe(std::uint32_t thread, const Knowledge& published, bool acquire);

private:
    using Row = std::shared_ptr<std::vector<std::uint32_t>>;
    struct Thread {
        Row row;             ///< ticks of the block's threads that it knows, besides floor_; shared by those who know the same
        Knowledge foreign;   ///< of other blocks
        Knowledge fenced;    ///< what it knew at its last fence
        Knowledge observed;  ///< waits for its next fence
    };
    struct Arrival {
        std::uint32_t thread;
        std::uint32_t tick;
        bool waits;
    };

    void meet(const std::vector<Arrival>& arrivals);
    void share_knowledge(const std::vector<Arrival>& arrivals);
    Row joined_rows(const std::vector<Arrival>& arrivals) const;
    void learn(std::uint32_t thread, const Knowledge& knowledge);
    Knowledge all_known(std::uint32_t thread);

    std::uint32_t block_;
    std::uint32_t tick_ = 1;
    std::uint32_t floor_ = 0;  ///< all know of all up to here
    bool shares_ = false;      ///< some thread knows of other blocks, or has fenced
    std::vector<Thread> threads_;
    std::array<std::vector<Arrival>, 16> arrivals_;  ///< by barrier
};

}  // namespace cupool::ptx
