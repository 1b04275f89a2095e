#include "ptx/checks/race_detector.hpp"

#include "ptx/report.hpp"
#include "ptx/run/address.hpp"
#include "ptx/run/block.hpp"

namespace cupool::ptx {
namespace {

// The distance of two threads: different blocks, different warps, or the same warp.
int distance(const AccessRecord& a, const AccessRecord& b) {
    if (a.block != b.block) return 2;
    return a.thread / warp_size != b.thread / warp_size ? 1 : 0;
}

Strength strength_of(const MemoryEffect& effect) {
    if (!effect.strong) return Strength::weak;
    return effect.scope == Scope::device ? Strength::device : Strength::block;
}

// "PTX ISA", morally strong operations: the scope of each includes the other's thread.
bool may_coincide(const AccessRecord& a, const AccessRecord& b) {
    const Strength least = std::min(a.strength, b.strength);
    return least == Strength::device || (least == Strength::block && a.block == b.block);
}

}  // namespace

struct RaceDetector::Access {
    const ThreadClocks& clocks;
    AccessRecord record;
    unsigned lane;
    const AccessedBytes& accessed;
    bool writes;
    bool non_coherent;

    bool follows(const AccessRecord& earlier) const { return clocks.knows(record.thread, earlier.block, earlier.thread, earlier.tick); }
};

void RaceDetector::access(Warp& warp, unsigned lane, const AccessedBytes& accessed, const MemoryEffect& effect) {
    if (!accessed.writable || accessed.access == ptx::Access::local) return;
    BlockRaces& block = *warp.block().races();
    const std::uint32_t thread = warp.index() * warp_size + lane;
    const bool in_shared = accessed.access == ptx::Access::shared;
    Publications& publications = in_shared ? block.shared_publications : global_publications_;
    const bool writes = effect.kind != MemoryEffect::Kind::load;
    if (effect.strong && effect.kind != MemoryEffect::Kind::store && !publications.empty()) {
        const auto found = publications.find(accessed.address);
        if (found != publications.end()) block.clocks.observe(thread, found->second, effect.scope, effect.acquires);
    }

    const Access access{
        block.clocks,
        {static_cast<std::uint32_t>(warp.block().linear_index()), block.clocks.tick(),
         static_cast<std::uint32_t>(warp.current() - launch_.code), static_cast<std::uint16_t>(thread), strength_of(effect)},
        lane,
        accessed,
        writes,
        effect.non_coherent};
    (in_shared ? block.shared : global_).visit(accessed.address, accessed.bytes, [&](AccessCell& cell) { check(access, cell); });

    if (!effect.strong || !writes) return;
    const Publication published = block.clocks.published(thread, effect.scope, effect.releases);
    if (effect.kind == MemoryEffect::Kind::store) {
        publications[accessed.address] = published;
    } else if (published.in_block || published.sequential) {
        publications[accessed.address].add(published);
    }
}

void RaceDetector::check(const Access& access, AccessCell& cell) const {
    check(access, cell.write, true);
    if (access.non_coherent && !cell.write.none() && !launch_.suppresses(launch_.code[access.record.position])) {
        throw LaneFault{Fault::launch_failed,
                        access.lane,
                        access.accessed.address,
                        "race: read of " + bytes_text(access.accessed.bytes, access.accessed.access) +
                            " as if nobody wrote them (.nc), after the " + describe(cell.write, true),
                        name_of(access.accessed.access),
                        true};
    }
    if (access.writes) {
        for (AccessRecord& read : cell.reads) {
            check(access, read, false);
            if (!read.none() && access.follows(read)) read = {};
        }
        cell.write = access.record;
        return;
    }
    for (AccessRecord& read : cell.reads) {
        if (!read.none() && !access.follows(read)) continue;
        read = access.record;
        return;
    }
    const bool first_is_nearer = distance(access.record, cell.reads[0]) < distance(access.record, cell.reads[1]);
    cell.reads[first_is_nearer ? 0 : 1] = access.record;
}

void RaceDetector::check(const Access& access, const AccessRecord& earlier, bool earlier_writes) const {
    if (earlier.none() || may_coincide(earlier, access.record) || access.follows(earlier)) return;
    if (launch_.suppresses(launch_.code[access.record.position])) return;
    throw LaneFault{Fault::launch_failed,
                    access.lane,
                    access.accessed.address,
                    std::string("race: ") + (access.writes ? "write" : "read") + " of " +
                        bytes_text(access.accessed.bytes, access.accessed.access) + ", unordered with the " +
                        describe(earlier, earlier_writes),
                    name_of(access.accessed.access),
                    true};
}

std::string RaceDetector::describe(const AccessRecord& record, bool writes) const {
    const Dimensions& grid = launch_.launch.grid;
    const Dimensions& block = launch_.launch.block;
    const Instruction& instruction = launch_.code[record.position];
    return std::string(writes ? "write" : "read") + " by thread " + to_text(position_in(block, record.thread)) + " of block " +
           to_text(position_in(grid, record.block)) + " at " + location_text(launch_.module, launch_.code, instruction) + ",";
}

std::uint32_t RaceDetector::check_overlaps(const Warp& warp, const Instruction& instruction, const std::uint64_t (&addresses)[32],
                                           const MemoryEffect& effect, std::uint32_t mask) const {
    const auto same_values = [&](unsigned a, unsigned b) {
        for (unsigned i = 0; i < instruction.width; ++i) {
            const std::uint64_t difference = warp.value(instruction.operands[i], a) ^ warp.value(instruction.operands[i], b);
            if (difference << (64 - 8 * effect.bytes / instruction.width) != 0) return false;
        }
        return true;
    };
    std::uint32_t left = mask;
    std::uint64_t end = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        // Local memory has the same addresses in each thread.
        if (effect.access == ptx::Access::generic && is_in_window(addresses[lane], local_window)) continue;
        // Fast path: addresses usually ascend.
        if (addresses[lane] >= end) {
            end = addresses[lane] + effect.bytes;
            continue;
        }
        // Accesses are aligned and of equal size, so they either coincide or are disjoint.
        for (std::uint32_t before = mask & ((1u << lane) - 1); before != 0; before &= before - 1) {
            const auto other = static_cast<unsigned>(std::countr_zero(before));
            if (addresses[other] != addresses[lane]) continue;
            if (!same_values(lane, other) && !launch_.suppresses(*warp.current())) {
                const Dimensions thread = warp.block().thread(warp, other);
                throw LaneFault{Fault::launch_failed,
                                lane,
                                addresses[lane],
                                "race: write of " + bytes_text(effect.bytes, effect.access) + ", to which thread " + to_text(thread) +
                                    " writes another value by the same instruction,",
                                name_of(effect.access),
                                true};
            }
            left &= ~(1u << lane);
            break;
        }
    }
    return left;
}

void RaceDetector::fence(Warp& warp, std::uint32_t mask, const MemoryEffect& effect) {
    for (; mask != 0; mask &= mask - 1)
        warp.block().races()->clocks.fence(warp.index() * warp_size + static_cast<std::uint32_t>(std::countr_zero(mask)), effect.scope,
                                           effect.fence);
}

}  // namespace cupool::ptx
