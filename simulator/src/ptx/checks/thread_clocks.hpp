#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/checks/publication.hpp"
#include "ptx/parse/opcode_table.hpp"

namespace cupool::ptx {

/// What each thread of a block knows to lie in the past, of its own block and of others. The block's clock ticks whenever some of its
/// threads synchronise or publish; a deed has the tick at which it was done.
///
/// Barriers and warps' synchronisation hand on what their threads know. Fences and atomics do so as the
/// memory model of the PTX ISA says: with scopes, and with the order of all `fence.sc`. Two such fences,
/// one before a write, the other after a read of it, are in that order even where the threads that write
/// and read are others of their blocks, met at a barrier. Fences of acquire and release do not reach so far.
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

    void fence(std::uint32_t thread, Scope scope, Fence kind);
    /// What a strong write of the thread publishes.
    Publication published(std::uint32_t thread, Scope scope, bool release);
    /// The thread reads what another published: with `acquire` it knows that at once, else from its next
    /// fence on that is wide enough.
    void observe(std::uint32_t thread, const Publication& published, Scope scope, bool acquire);

private:
    using Row = std::shared_ptr<std::vector<std::uint32_t>>;
    struct Thread {
        Row row;                        ///< ticks of the block's threads that it knows, besides floor_; shared by those who know the same
        SharedClock foreign;            ///< of other blocks
        SharedClock fenced;             ///< what it knew at its last fence of the device
        SharedClock fenced_in_block;    ///< at its last fence of any scope
        SharedClock sequential;         ///< what it, or a thread that it has met, knew at its last fence.sc
        SharedClock observed;           ///< waits for its next fence of the device
        SharedClock observed_in_block;  ///< waits for its next fence of any scope
        SharedClock pending;            ///< waits for a fence.sc, its own or of a thread that it will meet
    };
    struct Arrival {
        std::uint32_t thread;
        std::uint32_t tick;
        bool waits;
    };

    void meet(const std::vector<Arrival>& arrivals);
    void share_knowledge(const std::vector<Arrival>& arrivals);
    Row joined_rows(const std::vector<Arrival>& arrivals) const;
    void learn(std::uint32_t thread, const SharedClock& knowledge);
    SharedClock all_known(std::uint32_t thread);

    std::uint32_t block_;
    std::uint32_t tick_ = 1;
    std::uint32_t floor_ = 0;  ///< all know of all up to here
    bool shares_ = false;      ///< some thread knows of other blocks, or has fenced
    std::vector<Thread> threads_;
    std::array<std::vector<Arrival>, 16> arrivals_;  ///< by barrier
};

}  // namespace cupool::ptx
