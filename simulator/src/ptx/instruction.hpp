#pragma once

#include <cstdint>

#include "ptx/parse/opcode_table.hpp"

namespace cupool::ptx {

class Warp;
struct Instruction;

/// Executes an instruction for the lanes of `mask`, a non-empty subset of the running group.
using Handler = void (*)(Warp& warp, const Instruction& instruction, std::uint32_t mask);

/// Encoding of an operand: a bank in the upper bits and a byte offset in the lower ones. A slot holds 32 lanes of 32 or 64 bits; narrower
/// registers use the low bits of 32-bit lanes, whose other bits are undefined. A predicate is one word with a bit per lane.
enum class Bank : std::uint32_t { frame32, frame64, frame_predicate, pool32, pool64, special32, unallocated, count };

inline constexpr unsigned bank_shift = 29;
inline constexpr std::uint32_t negated_predicate = 1u << 28;  ///< of a predicate operand that is read inverted
inline constexpr std::uint32_t offset_mask = negated_predicate - 1;
inline constexpr std::uint32_t slot32_bytes = warp_size * 4;
inline constexpr std::uint32_t slot64_bytes = warp_size * 8;
inline constexpr std::uint32_t predicate_bytes = 4;

constexpr std::uint32_t operand_in(Bank bank, std::uint32_t offset) { return static_cast<std::uint32_t>(bank) << bank_shift | offset; }
constexpr Bank bank_of(std::uint32_t operand) { return static_cast<Bank>(operand >> bank_shift); }
constexpr bool is_wide(std::uint32_t operand) { return bank_of(operand) == Bank::frame64 || bank_of(operand) == Bank::pool64; }

/// The first slot of pool32 is all ones, which is true as a predicate.
inline constexpr std::uint32_t always = operand_in(Bank::pool32, 0);
inline constexpr std::uint32_t no_operand = always;

/// Memory instructions keep data in operands 0 to 3 and their address here.
inline constexpr unsigned address_operand = 4;

/// The address space of a memory instruction; `frame` is a variable in the frame of the running function.
enum class Access : std::uint8_t { global, shared, local, frame, parameter, generic };

struct Instruction {
    Handler handler = nullptr;
    std::uint32_t operands[6] = {no_operand, no_operand, no_operand, no_operand, no_operand, no_operand};
    std::uint32_t guard = always;
    std::uint32_t straight = 0;   ///< length of the straight-line run that begins here; 0: this instruction changes control flow
    std::uint64_t immediate = 0;  ///< address offset, branch target, index of a call or table, lop3's table
    std::uint32_t line = 0;
    std::uint32_t text = 0;        ///< index into Module::opcode_texts
    std::uint8_t choice = 0;       ///< rounding, comparison, atomic operation...: depends on the operation
    std::uint8_t choice2 = 0;      ///< a second one: combine, space...
    std::uint8_t width = 1;        ///< elements of a vector access
    std::uint32_t inspection = 0;  ///< for inspected code: index into Module::inspections
};

static_assert(sizeof(Instruction) == 64, "one cache line");

/// Whether a barrier is `bar`, or `barrier` with `.aligned`: the lanes of a warp must execute it together.
inline bool is_aligned_barrier(const Instruction& barrier) { return barrier.choice2 != 0; }

/// The properties of an instruction that determine its handler.
struct Selection {
    Operation operation = Operation::nothing;
    Modifiers modifiers;
    Access access = Access::generic;
    bool wide_destination = false;  ///< first destination: a 64-bit register
    bool wide_source = false;       ///< first source: a 64-bit register
};

}  // namespace cupool::ptx
