#pragma once

#include <cstdint>
#include <string>

#include "ptx/checks/access_history.hpp"
#include "ptx/checks/block_races.hpp"
#include "ptx/checks/inspection.hpp"

namespace cupool::ptx {

class Warp;
struct LaunchState;
struct AccessedBytes;

/// Detects data races: two threads access the same bytes of shared or global memory, at least one writes, not both atomically, and nothing
/// orders the accesses (no barrier, no warp synchronisation, no release and acquire).
class RaceDetector {
public:
    explicit RaceDetector(const LaunchState& launch) : launch_(launch) {}

    /// Records an access of a lane. Throws LaneFault if it races with an earlier one.
    void access(Warp& warp, unsigned lane, const AccessedBytes& accessed, const MemoryEffect& effect);
    /// Lanes of one store must not write different values to the same bytes. Returns the lanes to record: one of those that write the same
    /// value to the same address.
    std::uint32_t check_overlaps(const Warp& warp, const Instruction& instruction, const std::uint64_t (&addresses)[32],
                                 const MemoryEffect& effect, std::uint32_t mask) const;
    void fence(Warp& warp, std::uint32_t mask, const MemoryEffect& effect);

private:
    struct Access;
    void check(const Access& access, AccessCell& cell) const;
    void check(const Access& access, const AccessRecord& earlier, bool earlier_writes) const;
    std::string describe(const AccessRecord& record, bool writes) const;

    const LaunchState& launch_;
    AccessHistory global_;
    Publications global_publications_;
};

}  // namespace cupool::ptx
