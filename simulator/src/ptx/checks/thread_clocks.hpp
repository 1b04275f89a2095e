#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/checks/publication.hpp"
#include "ptx/parse/opcode_table.hpp"

namespace cupool::ptx {

/// The vector clocks of the threads of a block: which accesses, of its own block and of others, happened before. The block's clock ticks
/// whenever some of its threads synchronise or publish; an access carries the tick at which it happened.
///
/// Barriers and warp synchronisation merge the clocks of their threads. Fences and atomics follow the memory model of the PTX ISA, with
/// scopes and the total order of all `fence.sc`. Two such fences, one before a write and one after a read of it, order their blocks even if
/// the writing and reading threads are others that synchronised with the fencing ones at a barrier. Acquire and release fences do not.
class ThreadClocks {
public:
    ThreadClocks(std::uint32_t block, std::uint32_t threads);

    std::uint32_t tick() const { return tick_; }
    bool knows(std::uint32_t thread, std::uint32_t other_block, std::uint32_t other_thread, std::uint32_t tick) const;

    /// Threads of a warp synchronise; `first` is the warp's first thread.
    void synchronise(std::uint32_t first, std::uint32_t lanes);
    /// Threads arrive at a barrier, with or without waiting.
    void arrive(std::uint32_t barrier, std::uint32_t first, std::uint32_t lanes, bool wait);
    /// The barrier completes for all threads that have not exited (`everybody`), or for those that have arrived.
    void complete(std::uint32_t barrier, bool everybody);

    void fence(std::uint32_t thread, Scope scope, Fence kind);
    /// The clocks that a strong write of the thread publishes.
    Publication published(std::uint32_t thread, Scope scope, bool release);
    /// The thread reads a publication. With `acquire` it merges the clocks at once, otherwise at its next fence of sufficient scope.
    void observe(std::uint32_t thread, const Publication& published, Scope scope, bool acquire);

private:
    using Row = std::shared_ptr<std::vector<std::uint32_t>>;
    struct Thread {
        Row row;                        ///< ticks of the block's threads above floor_; shared by threads with equal rows
        SharedClock foreign;            ///< of other blocks
        SharedClock fenced;             ///< its clock at its last fence of device scope
        SharedClock fenced_in_block;    ///< its clock at its last fence of any scope
        SharedClock sequential;         ///< the clock at the last fence.sc of this thread or of one that it synchronised with
        SharedClock observed;           ///< merged at its next fence of device scope
        SharedClock observed_in_block;  ///< merged at its next fence of any scope
        SharedClock pending;            ///< merged at a fence.sc of this thread or of one that it will synchronise with
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
    std::uint32_t floor_ = 0;  ///< all threads know all ticks up to here
    bool shares_ = false;      ///< some thread has clocks of other blocks, or has fenced
    std::vector<Thread> threads_;
    std::array<std::vector<Arrival>, 16> arrivals_;  ///< by barrier
};

}  // namespace cupool::ptx
