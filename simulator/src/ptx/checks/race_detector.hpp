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

/// Looks for threads of a launch that touch the same bytes of shared or global memory, at least one to write, not both atomically, with
/// nothing in between that orders them: no barrier, no synchronisation of the warp, no release and acquire.
class RaceDetector {
public:
    explicit RaceDetector(const LaunchState& launch) : launch_(launch) {}

    /// One lane's access. Throws LaneFault where it races with an earlier one.
    void access(Warp& warp, unsigned lane, const AccessedBytes& accessed, const MemoryEffect& effect);
    /// What the lanes of one store write must not lie over each other, unless it is the same. Answers the lanes that matter: of those that
    /// write the same to the same accessed, one.
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
