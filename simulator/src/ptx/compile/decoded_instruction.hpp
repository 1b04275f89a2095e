#pragma once

#include <cstdint>
#include <optional>

#include "ptx/checks/inspection.hpp"
#include "ptx/compile/basic_blocks.hpp"
#include "ptx/instruction.hpp"
#include "ptx/parse/syntax.hpp"

namespace cupool::ptx {

/// Intermediate form of an instruction: registers are virtual (Bank::unallocated), and targets are positions in the function.
struct DecodedInstruction {
    Instruction instruction;
    RegisterAccess access;
    std::optional<std::uint32_t> guard;  ///< a register
    Operation operation = Operation::nothing;
    Modifiers modifiers;
    MemoryEffect memory;
    syntax::Location location;
};

}  // namespace cupool::ptx
