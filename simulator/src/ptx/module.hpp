#pragma once

/// \file
/// A compiled module.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ptx/checks/inspection.hpp"
#include "ptx/instruction.hpp"
#include "ptx/parse/syntax.hpp"
#include "ptx/ptx.hpp"

namespace cupool::ptx {

/// An argument or result of a call: in the caller a register, a constant or a variable of the frame; in the callee always in the frame.
struct Transfer {
    bool in_register = false;
    std::uint32_t operand = no_operand;  ///< the register or constant
    std::uint32_t caller_offset = 0;     ///< of the variable
    std::uint32_t callee_offset = 0;
    std::uint32_t size = 0;  ///< bytes
};

struct CallSite {
    std::uint32_t function = 0;
    std::vector<Transfer> arguments;
    std::vector<Transfer> results;
};

/// Frames are padded to a multiple of this. It is also the largest alignment of a local variable.
inline constexpr std::uint32_t frame_alignment = 128;
/// Frame alignment of a GPU's compiler.
inline constexpr std::uint32_t stack_alignment = 16;
/// Maximum call depth, whatever the stack limit.
inline constexpr std::uint32_t max_calls = 4096;

struct Function {
    std::string name;
    bool is_entry = false;
    std::uint32_t first_instruction = 0;
    std::uint32_t frame32_bytes = 0;  ///< of each register bank
    std::uint32_t frame64_bytes = 0;
    std::uint32_t frame_predicate_bytes = 0;
    std::uint32_t first_flag = 0;  ///< in the predicate bank: flags of registers that may be read before they are written
    std::uint32_t flag_count = 0;
    std::uint32_t local_bytes = 0;  ///< local variables of a lane, padded
    std::uint32_t local_used = 0;   ///< the same without padding
    std::uint32_t stack_bytes = 0;  ///< bytes of CU_LIMIT_STACK_SIZE that a call uses
    std::uint32_t registers = 0;    ///< maximum number of live 32-bit registers
    std::vector<std::uint32_t> callees;
};

/// A constant that is known at launch: the address of a variable, or the offset of a shared variable in the block.
struct PoolAddress {
    enum class Kind : std::uint8_t { variable, shared };
    Kind kind = Kind::variable;
    bool wide = true;         ///< in pool64
    std::uint32_t slot = 0;   ///< index in its pool
    std::uint32_t index = 0;  ///< of Program::variables() or of EntryPoint::shared_offsets
    std::uint64_t addend = 0;
};

struct EntryPoint {
    std::uint32_t function = 0;
    std::map<std::uint32_t, std::uint32_t> shared_offsets;  ///< of the shared variables that the entry uses
    std::uint32_t frame32_bytes = 0;                        ///< of the deepest call chain
    std::uint32_t frame64_bytes = 0;
    std::uint32_t frame_predicate_bytes = 0;
    std::uint32_t local_bytes = 0;
    bool recursive = false;  ///< if set, the sizes above are those of the entry alone
};

struct Module {
    int version_major = 0;
    int version_minor = 0;
    std::string target;
    std::vector<Entry> entries;
    std::vector<EntryPoint> entry_points;  ///< parallel to `entries`
    std::vector<Variable> variables;

    std::vector<Instruction> code;            ///< of all functions, concatenated
    std::vector<Instruction> inspected_code;  ///< the same, for launches with checks
    std::vector<Inspection> inspections;
    std::vector<syntax::Location> locations;     ///< of the instructions of `code`
    std::map<std::uint32_t, std::string> files;  ///< by their number in `locations`
    std::vector<Function> functions;
    std::vector<CallSite> calls;
    std::vector<std::vector<std::uint32_t>> branch_tables;
    std::vector<std::uint32_t> pool32;  ///< one value per slot
    std::vector<std::uint64_t> pool64;
    std::vector<PoolAddress> pool_addresses;
    std::vector<std::string> opcode_texts;
};

}  // namespace cupool::ptx
