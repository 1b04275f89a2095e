#pragma once

/// \file
/// Instrumentation of launches with checks. Their code replaces the handler of an instruction by one that runs the checks first; code
/// without checks has no overhead.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/instruction.hpp"

namespace cupool::ptx {

/// The memory access of an instruction, as the race and initialisation checks need it.
struct MemoryEffect {
    enum class Kind : std::uint8_t { none, load, store, update, fence };

    Kind kind = Kind::none;
    Access access = Access::generic;
    std::uint8_t bytes = 0;  ///< per lane
    bool reads = false;      ///< the bytes must have been written
    bool strong = false;     ///< volatile, relaxed or stronger, or atomic: no race with other strong accesses
    bool acquires = false;
    bool releases = false;
    bool non_coherent = false;             ///< `ld.global.nc`
    Scope scope = Scope::device;           ///< of a strong access or a fence
    Fence fence = Fence::acquire_release;  ///< of a fence
};

MemoryEffect memory_effect(const Selection& selection, const Instruction& instruction);

/// A register that may be read before it is written; its flag has a bit for each lane that has written it.
struct FlaggedRegister {
    std::uint32_t flag = no_operand;
    std::string name;
};

struct Inspection {
    Handler handler = nullptr;  ///< of the original instruction
    std::uint32_t guard = always;
    MemoryEffect memory;
    std::optional<FlaggedRegister> flagged_guard;
    std::vector<FlaggedRegister> reads;
    std::vector<std::uint32_t> written_flags;

    bool needed() const { return memory.kind != MemoryEffect::Kind::none || flagged_guard || !reads.empty() || !written_flags.empty(); }
};

/// The handler of inspected instructions, whose own guard is `always`.
void inspect(Warp& warp, const Instruction& instruction, std::uint32_t mask);

}  // namespace cupool::ptx
