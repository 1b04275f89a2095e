#pragma once

/// \file
/// What launches with checks do besides an instruction's own work. Their code has, in place of an instruction's handler, one that inspects
/// first; code without checks knows nothing of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/instruction.hpp"

namespace cupool::ptx {

/// What an instruction does to memory that other threads may see, or that may be uninitialised.
struct MemoryEffect {
    enum class Kind : std::uint8_t { none, load, store, update, fence };

    Kind kind = Kind::none;
    Access access = Access::generic;
    std::uint8_t bytes = 0;  ///< a lane
    bool reads = false;      ///< the bytes need to have been written
    bool strong = false;     ///< no race with others that are: volatile, relaxed and up, atomics
    bool acquires = false;
    bool releases = false;
    bool non_coherent = false;             ///< `ld.global.nc`
    Scope scope = Scope::device;           ///< of a strong access or a fence
    Fence fence = Fence::acquire_release;  ///< of a fence
};

MemoryEffect memory_effect(const Selection& selection, const Instruction& instruction);

/// A register that may be read before it is written: its flag tells for which lanes it has been.
struct FlaggedRegister {
    std::uint32_t flag = no_operand;
    std::string name;
};

struct Inspection {
    Handler handler = nullptr;  ///< of the instruction itself
    std::uint32_t guard = always;
    MemoryEffect memory;
    std::optional<FlaggedRegister> flagged_guard;
    std::vector<FlaggedRegister> reads;
    std::vector<std::uint32_t> written_flags;

    bool needed() const { return memory.kind != MemoryEffect::Kind::none || flagged_guard || !reads.empty() || !written_flags.empty(); }
};

/// The handler of inspected instructions. Their own guard is `always`.
void inspect(Warp& warp, const Instruction& instruction, std::uint32_t mask);

}  // namespace cupool::ptx
