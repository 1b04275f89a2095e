#include "ptx/checks/inspection.hpp"

#include <algorithm>

#include "ptx/checks/initialisation.hpp"
#include "ptx/report.hpp"
#include "ptx/run/address.hpp"
#include "ptx/run/block.hpp"

namespace cupool::ptx {
namespace {

void check_registers(const Warp& warp, const FlaggedRegister& reg, std::uint32_t mask) {
    const std::uint32_t unwritten = mask & ~warp.predicate(reg.flag);
    if (unwritten == 0 || warp.launch().suppresses(*warp.current())) return;
    throw LaneFault{Fault::launch_failed,
                    static_cast<unsigned>(std::countr_zero(unwritten)),
                    0,
                    "read of register " + reg.name + ", which was never written,",
                    {},
                    true};
}

// Frames are padded: bytes after the variables of the frame that contains the address belong to no variable.
void check_frame(const Warp& warp, unsigned lane, const AccessedBytes& accessed, bool writes) {
    const Module& module = warp.launch().module;
    std::uint32_t base = 0;
    std::uint32_t function = warp.launch().entry_point.function;
    for (const Frame& frame : warp.frames()) {
        if (accessed.address < frame.local) break;
        base = frame.local;
        function = frame.function;
    }
    if (accessed.address + accessed.bytes <= base + module.functions[function].local_used) return;
    if (warp.launch().suppresses(*warp.current())) return;
    throw LaneFault{Fault::launch_failed,
                    lane,
                    accessed.address,
                    std::string(writes ? "write" : "read") + " of " + bytes_text(accessed.bytes, accessed.access) +
                        " past the variables of '" + module.functions[function].name + "', which end at " +
                        std::to_string(base + module.functions[function].local_used) + ",",
                    name_of(accessed.access),
                    true};
}

void inspect_memory(Warp& warp, const Instruction& instruction, const MemoryEffect& effect, std::uint32_t mask) {
    const bool writes = effect.kind != MemoryEffect::Kind::load;
    std::uint64_t addresses[warp_size];
    effective_addresses(warp, instruction, addresses);
    std::optional<RaceDetector>& races = warp.launch().races;
    const bool stores_plainly = effect.kind == MemoryEffect::Kind::store && !effect.strong;
    std::uint32_t racing = mask;
    if (races && stores_plainly && effect.access != Access::local && effect.access != Access::frame)
        racing = races->check_overlaps(warp, instruction, addresses, effect, mask);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const AccessedBytes accessed = locate(warp, lane, addresses[lane], effect.bytes, effect.access, writes);
        if (accessed.access == Access::local) check_frame(warp, lane, accessed, writes);
        if (accessed.initialised != nullptr) {
            if (effect.reads && !is_initialised(accessed) && !warp.launch().suppresses(*warp.current()))
                report_uninitialised(lane, accessed);
            if (writes) mark_initialised(accessed);
        }
        if (races && (racing >> lane & 1) != 0) races->access(warp, lane, accessed, effect);
    }
}

}  // namespace

MemoryEffect memory_effect(const Selection& selection, const Instruction& instruction) {
    using Kind = MemoryEffect::Kind;
    MemoryEffect effect;
    const Modifiers& modifiers = selection.modifiers;
    const auto ordering = modifiers.get(Field::ordering, Ordering::weak);
    effect.access = selection.access;
    effect.bytes = static_cast<std::uint8_t>(bits_of(modifiers.type()) / 8 * instruction.width);
    effect.strong = ordering != Ordering::weak;
    effect.acquires = ordering == Ordering::acquire || ordering == Ordering::acquire_release;
    effect.releases = ordering == Ordering::release || ordering == Ordering::acquire_release;
    effect.non_coherent = modifiers.has(Field::non_coherent);
    effect.scope = modifiers.get(Field::scope, Scope::device);
    switch (selection.operation) {
        case Operation::load:
            // An entry's parameters always exist and are read-only.
            effect.kind = selection.access == Access::parameter ? Kind::none : Kind::load;
            effect.reads = true;
            break;
        case Operation::store: effect.kind = Kind::store; break;
        case Operation::atomic:
        case Operation::atomic_compare_exchange:
        case Operation::reduce:
            effect.kind = Kind::update;
            effect.strong = true;
            effect.reads = static_cast<AtomicOperation>(modifiers.value(Field::atomic)) != AtomicOperation::exchange;
            break;
        case Operation::fence:
            effect.kind = Kind::fence;
            effect.scope = modifiers.get(Field::level, Scope::device);
            effect.fence = modifiers.get(Field::fence, Fence::acquire_release);
            break;
        case Operation::sequential_fence:
            effect.kind = Kind::fence;
            effect.scope = modifiers.get(Field::level, Scope::device);
            effect.fence = Fence::sequential;
            break;
        default: break;
    }
    return effect;
}

void inspect(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const LaunchState& launch = warp.launch();
    const Inspection& inspection = launch.module.inspections[instruction.inspection];
    const bool initialisation = launch.launch.checks.initialisation;
    if (initialisation && inspection.flagged_guard) check_registers(warp, *inspection.flagged_guard, mask);
    mask &= warp.predicate(inspection.guard);
    if (mask == 0) return;
    if (initialisation) {
        for (const FlaggedRegister& reg : inspection.reads) check_registers(warp, reg, mask);
        for (const std::uint32_t flag : inspection.written_flags) warp.set_predicate(flag, all_lanes, mask);
    }
    if (inspection.memory.kind == MemoryEffect::Kind::fence) {
        if (launch.races) warp.launch().races->fence(warp, mask, inspection.memory);
    } else if (inspection.memory.kind != MemoryEffect::Kind::none) {
        if (launch.races) warp.note_accesses(mask);
        inspect_memory(warp, instruction, inspection.memory, mask);
    }
    inspection.handler(warp, instruction, mask);
}

}  // namespace cupool::ptx
