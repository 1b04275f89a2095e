#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/checks/inspection.hpp"
#include "ptx/compile/constant_pool.hpp"
#include "ptx/compile/decoded_instruction.hpp"
#include "ptx/compile/register_allocation.hpp"
#include "ptx/module.hpp"
#include "ptx/parse/syntax.hpp"

namespace cupool::ptx {

/// Indices of the module's symbols in the compiled module.
struct SymbolIndices {
    std::vector<std::uint32_t> variable;  ///< by symbol: index into Module::variables
    std::vector<std::uint32_t> shared;    ///< by symbol: index into EntryPoint::shared_offsets
};

/// Layout of the results and parameters, with which the local frame of a function begins.
struct FormalLayout {
    struct Slot {
        std::uint32_t offset = 0;
        std::uint32_t size = 0;
    };
    std::vector<Slot> results;
    std::vector<Slot> parameters;
    std::uint32_t bytes = 0;
};

FormalLayout lay_out_formals(const syntax::Module& module, const syntax::Function& function);

/// Compiles one function to the executable form and appends it to the module's code.
class FunctionDecoder {
public:
    FunctionDecoder(const syntax::Module& source, const syntax::Function& function, const SymbolIndices& symbol_indices, Module& module,
                    ConstantPool& pool, bool contract);

    Function decode();
    /// Symbol indices of the shared variables that the decoded function references, ascending.
    const std::vector<std::uint32_t>& shared_symbols() const { return shared_symbols_; }

private:
    using Operand = syntax::Operand;

    [[noreturn]] void fail(const syntax::Instruction& at, const std::string& message) const;
    [[noreturn]] void refuse(const syntax::Instruction& at, const std::string& message) const;

    // Rows of the opcode table (decode.cpp).
    void decode_instruction(const syntax::Instruction& source);
    const OpcodeRow& choose_row(const syntax::Instruction& source, Modifiers& modifiers) const;
    bool fits(const OpcodeRow& row, const Modifiers& modifiers, const syntax::Instruction& source) const;
    bool fits(char letter, const Modifiers& modifiers, const Operand& operand) const;
    bool fits_value(Type type, bool wider, const Operand& operand) const;
    void encode_operands(const OpcodeRow& row, const syntax::Instruction& source, Selection& selection, DecodedInstruction& pending);
    void encode_choices(const Selection& selection, Instruction& instruction) const;
    void append_prologue();
    void append_results(const syntax::Instruction& source);
    void append_frame_move(const syntax::Instruction& at, bool load, std::uint32_t reg, std::uint32_t offset);
    void append_end();
    void append(DecodedInstruction pending, const Selection& selection, const syntax::Instruction& source);

    // Operands (decode_operands.cpp).
    std::uint32_t encode_value(const syntax::Instruction& at, const Operand& operand, Type type, DecodedInstruction& pending, bool written);
    std::uint32_t encode_predicate(const syntax::Instruction& at, const Operand& operand, DecodedInstruction& pending, bool written);
    std::uint32_t encode_register(std::uint32_t reg, DecodedInstruction& pending, bool written);
    std::uint32_t encode_sink(Type type, DecodedInstruction& pending);
    std::uint32_t encode_special(const syntax::Instruction& at, const Operand& operand);
    std::uint32_t encode_symbol(const syntax::Instruction& at, const Operand& operand, bool wide);
    std::uint32_t encode_number(const syntax::Instruction& at, const Operand& operand, Type type);
    void encode_vector(const syntax::Instruction& at, const Operand& operand, Type type, std::size_t first, DecodedInstruction& pending,
                       bool written);
    void encode_address(const syntax::Instruction& at, const Operand& address, Selection& selection, DecodedInstruction& pending);
    void place_address_symbol(const syntax::Instruction& at, const Operand& base, Selection& selection, DecodedInstruction& pending);
    void encode_call(const syntax::Instruction& at, const Operand& results, const Operand& callee, const Operand& arguments,
                     DecodedInstruction& pending);
    Transfer encode_transfer(const syntax::Instruction& at, const Operand& operand, const FormalLayout::Slot& formal,
                             DecodedInstruction& pending, bool written);
    std::uint32_t encode_target(const syntax::Instruction& at, std::uint32_t label, DecodedInstruction& pending);

    // Layout (decode_layout.cpp).
    void lay_out_frame();
    void resolve_targets();
    void allocate();
    void flag_registers(const Allocation& allocation);
    void mark_straight_runs();
    void append_code();
    Instruction inspected(const DecodedInstruction& pending);
    std::uint32_t opcode_text(const syntax::Instruction& source);

    const syntax::Module& source_;
    const syntax::Function& function_;
    const SymbolIndices& symbol_indices_;
    Module& module_;
    ConstantPool& pool_;
    bool contract_;

    Function result_;
    FormalLayout formals_;
    std::vector<DecodedInstruction> code_;
    std::vector<std::uint32_t> positions_;                            ///< by source instruction: its index in code_; then the end
    std::vector<Type> types_;                                         ///< of virtual registers: those of the function, then sinks
    std::unordered_map<std::uint32_t, std::uint32_t> frame_offsets_;  ///< by symbol: offset in the frame
    std::unordered_map<std::uint32_t, std::uint32_t>
        parameter_offsets_;  ///< by symbol: offset of an entry's formal in the parameter buffer
    std::unordered_map<std::string, std::uint32_t> texts_;
    std::vector<std::uint32_t> shared_symbols_;
    std::unordered_map<std::uint32_t, std::uint32_t>
        flags_;  ///< operand of the flag, for registers that may be read before they are written
    std::size_t first_table_ = 0;
    std::size_t first_call_ = 0;
};

}  // namespace cupool::ptx
