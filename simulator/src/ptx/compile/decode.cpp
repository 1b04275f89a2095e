#include "ptx/compile/decode.hpp"

#include <algorithm>

#include "ptx/compile/compiled_floats.hpp"
#include "ptx/run/handlers.hpp"

namespace cupool::ptx {
namespace {

Type widened(Type type) {
    switch (type) {
        case Type::u16: return Type::u32;
        case Type::s16: return Type::s32;
        case Type::u32: return Type::u64;
        default: return Type::s64;
    }
}

// The type that a letter of OpcodeRow::operands requires.
Type type_of(char letter, const Modifiers& modifiers) {
    switch (letter) {
        case 's':
        case 'S': return modifiers.source_type();
        case 'w': return widened(modifiers.type());
        case 'u':
        case 'R': return Type::u32;
        case 'q': return Type::u64;
        default: return modifiers.type();
    }
}

bool is_block_barrier(Operation operation) { return operation == Operation::barrier || operation == Operation::barrier_reduce; }

bool is_memory(Operation operation) {
    return operation == Operation::load || operation == Operation::store || operation == Operation::reduce ||
           operation == Operation::atomic || operation == Operation::atomic_compare_exchange;
}

}  // namespace

FunctionDecoder::FunctionDecoder(const syntax::Module& source, const syntax::Function& function, const SymbolIndices& symbol_indices,
                                 Module& module, ConstantPool& pool, bool contract)
    : source_(source),
      function_(function),
      symbol_indices_(symbol_indices),
      module_(module),
      pool_(pool),
      contract_(contract),
      formals_(lay_out_formals(source, function)),
      first_table_(module.branch_tables.size()),
      first_call_(module.calls.size()) {
    result_.name = function.name;
    result_.is_entry = function.is_entry;
    for (const syntax::Register& reg : function.registers) types_.push_back(reg.type);
}

void FunctionDecoder::fail(const syntax::Instruction& at, const std::string& message) const {
    throw ParseError(ParseError::Kind::malformed, at.line, at.text(), message);
}

void FunctionDecoder::refuse(const syntax::Instruction& at, const std::string& message) const {
    throw ParseError(ParseError::Kind::unsupported, at.line, at.text(), message);
}

Function FunctionDecoder::decode() {
    lay_out_frame();
    append_prologue();
    for (const syntax::Instruction& source : function_.instructions) {
        positions_.push_back(static_cast<std::uint32_t>(code_.size()));
        decode_instruction(source);
    }
    positions_.push_back(static_cast<std::uint32_t>(code_.size()));
    append_end();
    resolve_targets();
    compile_floats(code_, types_, contract_);
    allocate();
    mark_straight_runs();

    std::sort(shared_symbols_.begin(), shared_symbols_.end());
    shared_symbols_.erase(std::unique(shared_symbols_.begin(), shared_symbols_.end()), shared_symbols_.end());
    std::sort(result_.callees.begin(), result_.callees.end());
    result_.callees.erase(std::unique(result_.callees.begin(), result_.callees.end()), result_.callees.end());
    result_.first_instruction = static_cast<std::uint32_t>(module_.code.size());
    append_code();
    return std::move(result_);
}

const OpcodeRow& FunctionDecoder::choose_row(const syntax::Instruction& source, Modifiers& modifiers) const {
    const std::span<const OpcodeRow> rows = rows_of(source.opcode);
    bool form_known = false;
    for (const OpcodeRow& row : rows) {
        const std::optional<Modifiers> matched = match(row, source.modifiers);
        if (!matched) continue;
        form_known = true;
        if (!fits(row, *matched, source)) continue;
        modifiers = *matched;
        return row;
    }
    if (form_known) fail(source, "arguments mismatch for instruction '" + std::string(source.opcode) + "'");
    refuse(source, "this form of instruction '" + std::string(source.opcode) + "' is not supported by the simulated driver" +
                       missing_feature(source.text()));
}

bool FunctionDecoder::fits(const OpcodeRow& row, const Modifiers& modifiers, const syntax::Instruction& source) const {
    std::size_t next = 0;
    bool optional = false;
    for (const char letter : row.operands) {
        if (letter == '=') continue;
        if (letter == '/') {
            optional = true;
            continue;
        }
        if (next == source.operands.size()) return optional;
        if (!fits(letter, modifiers, source.operands[next])) return false;
        ++next;
    }
    return next == source.operands.size();
}

bool FunctionDecoder::fits(char letter, const Modifiers& modifiers, const Operand& operand) const {
    using Kind = Operand::Kind;
    const auto is_predicate = [this](const Operand& candidate) {
        return (candidate.kind == Kind::reg && types_[candidate.index] == Type::pred) || candidate.kind == Kind::sink;
    };
    const Type type = type_of(letter, modifiers);
    switch (letter) {
        case 'p': return is_predicate(operand) || operand.kind == Kind::integer;
        case 'P':
            if (operand.kind == Kind::pair) return is_predicate(operand.elements[0]) && is_predicate(operand.elements[1]);
            return is_predicate(operand);
        case 'R':
            if (operand.kind == Kind::pair) return fits_value(type, false, operand.elements[0]) && is_predicate(operand.elements[1]);
            return fits_value(type, false, operand);
        case 'i': return operand.kind == Kind::integer;
        case 'a': return operand.kind == Kind::address;
        case 'L':
        case 'B': return operand.kind == Kind::label;
        case 'F': return operand.kind == Kind::function;
        case 'C': return operand.kind == Kind::list;
        case 'v': {
            const std::size_t count = operand.elements.size();
            if (operand.kind != Kind::vector || (count != 2 && count != 4) || bits_of(type) / count < 8) return false;
            return std::all_of(operand.elements.begin(), operand.elements.end(), [&](const Operand& element) {
                return element.kind == Kind::sink ||
                       (element.kind == Kind::reg && bits_of(types_[element.index]) == bits_of(type) / count) ||
                       element.kind == Kind::integer;
            });
        }
        case 'V': {
            if (!modifiers.has(Field::vector)) return fits_value(type, true, operand);
            if (operand.kind != Kind::vector || operand.elements.size() != modifiers.value(Field::vector)) return false;
            return std::all_of(operand.elements.begin(), operand.elements.end(),
                               [&](const Operand& element) { return fits_value(type, true, element); });
        }
        default: return fits_value(type, letter == 'T' || letter == 'S', operand);
    }
}

bool FunctionDecoder::fits_value(Type type, bool wider, const Operand& operand) const {
    using Kind = Operand::Kind;
    switch (operand.kind) {
        case Kind::sink:
        case Kind::integer:
        case Kind::float32:
        case Kind::float64: return !operand.negated;
        case Kind::reg: {
            const unsigned bits = bits_of(types_[operand.index]);
            return !operand.negated && bits != 1 && (bits == bits_of(type) || (wider && bits > bits_of(type)));
        }
        case Kind::special: return bits_of(special_registers[operand.index].type) == bits_of(type);
        case Kind::symbol: return bits_of(type) == 64 || bits_of(type) == 32;
        default: return false;
    }
}

void FunctionDecoder::decode_instruction(const syntax::Instruction& source) {
    Selection selection;
    const OpcodeRow& row = choose_row(source, selection.modifiers);
    selection.operation = row.operation;
    if (row.operation == Operation::return_from && !function_.is_entry) append_results(source);

    DecodedInstruction pending;
    if (source.guard) {
        pending.access.guarded = true;
        pending.guard = source.guard;
        Operand guard;
        guard.kind = Operand::Kind::reg;
        guard.index = *source.guard;
        guard.negated = source.guard_negated;
        pending.instruction.guard = encode_predicate(source, guard, pending, false);
    }
    encode_operands(row, source, selection, pending);
    encode_choices(selection, pending.instruction);
    if (is_block_barrier(row.operation)) pending.instruction.choice2 = row.name == "bar" || selection.modifiers.has(Field::aligned);
    append(std::move(pending), selection, source);
}

void FunctionDecoder::append(DecodedInstruction pending, const Selection& selection, const syntax::Instruction& source) {
    pending.operation = selection.operation;
    pending.modifiers = selection.modifiers;
    pending.memory = memory_effect(selection, pending.instruction);
    pending.instruction.handler = select_handler(selection);
    if (pending.instruction.handler == nullptr)
        refuse(source,
               "this combination of types and modifiers of '" + std::string(source.opcode) + "' is not supported by the simulated driver");
    pending.instruction.line = static_cast<std::uint32_t>(source.line);
    pending.instruction.text = opcode_text(source);
    pending.location = source.location;
    code_.push_back(std::move(pending));
}

void FunctionDecoder::encode_operands(const OpcodeRow& row, const syntax::Instruction& source, Selection& selection,
                                      DecodedInstruction& pending) {
    Instruction& instruction = pending.instruction;
    const Operation operation = row.operation;
    if (operation == Operation::call) {
        const Operand nothing;
        const bool has_results = row.operands[0] == 'C';
        const bool has_arguments = row.operands.back() == 'C';
        encode_call(source, has_results ? source.operands.front() : nothing, source.operands[has_results ? 1 : 0],
                    has_arguments ? source.operands.back() : nothing, pending);
        return;
    }
    // Sources begin at index 1 even without a destination, except for stores, whose data begin at 0.
    bool written = true;
    std::size_t slot = row.operands[0] == '=' && operation != Operation::store ? 1 : 0;
    std::size_t next = 0;
    for (const char letter : row.operands) {
        if (letter == '=') written = false;
        if (letter == '=' || letter == '/' || next == source.operands.size()) continue;
        const Operand& operand = source.operands[next++];
        const Type type = type_of(letter, selection.modifiers);
        switch (letter) {
            case 'a': encode_address(source, operand, selection, pending); break;
            case 'i': instruction.immediate = operand.value; break;
            case 'L':
            case 'B': instruction.immediate = encode_target(source, operand.index, pending); break;
            case 'p':
                if (operation == Operation::barrier_reduce && !written) slot = 3;
                instruction.operands[slot++] = encode_predicate(source, operand, pending, written);
                break;
            case 'P':
                // The second predicate follows all sources.
                if (operand.kind == Operand::Kind::pair) {
                    instruction.operands[4] = encode_predicate(source, operand.elements[1], pending, written);
                    instruction.operands[slot++] = encode_predicate(source, operand.elements[0], pending, written);
                } else {
                    instruction.operands[slot++] = encode_predicate(source, operand, pending, written);
                }
                break;
            case 'R':
                if (operand.kind == Operand::Kind::pair) {
                    instruction.operands[slot++] = encode_value(source, operand.elements[0], type, pending, written);
                    instruction.operands[slot++] = encode_predicate(source, operand.elements[1], pending, written);
                } else {
                    instruction.operands[slot] = encode_value(source, operand, type, pending, written);
                    slot += 2;
                }
                break;
            case 'v':
                instruction.width = static_cast<std::uint8_t>(operand.elements.size());
                encode_vector(source, operand, type, written ? 0 : 1, pending, written);
                slot = written ? 4 : 0;
                break;
            case 'V':
                if (operand.kind == Operand::Kind::vector) {
                    instruction.width = static_cast<std::uint8_t>(operand.elements.size());
                    encode_vector(source, operand, type, 0, pending, written);
                } else {
                    instruction.operands[0] = encode_value(source, operand, type, pending, written);
                }
                break;
            default:
                if (operation == Operation::move && operand.kind == Operand::Kind::special &&
                    is_clock(static_cast<Special>(operand.index))) {
                    selection.operation = Operation::read_clock;
                    instruction.choice = static_cast<std::uint8_t>(operand.index);
                } else if (operation == Operation::move && operand.kind == Operand::Kind::symbol &&
                           frame_offsets_.contains(operand.index)) {
                    selection.operation = Operation::frame_address;
                    instruction.immediate = frame_offsets_[operand.index] + operand.value;
                } else {
                    instruction.operands[slot++] = encode_value(source, operand, type, pending, written);
                }
        }
    }
    selection.wide_destination = is_wide(instruction.operands[0]);
    selection.wide_source = is_wide(instruction.operands[1]);
    if (pending.instruction.operands[0] >> bank_shift == static_cast<std::uint32_t>(Bank::unallocated))
        selection.wide_destination = bits_of(types_[instruction.operands[0] & offset_mask]) == 64;
    if (pending.instruction.operands[1] >> bank_shift == static_cast<std::uint32_t>(Bank::unallocated))
        selection.wide_source = bits_of(types_[instruction.operands[1] & offset_mask]) == 64;
    if (is_memory(operation) && instruction.width > 1) {
        // All elements of a vector have the same type: one handler moves them.
        const auto wide = [&](std::uint32_t operand) {
            return bank_of(operand) == Bank::unallocated ? bits_of(types_[operand & offset_mask]) == 64 : is_wide(operand);
        };
        for (std::size_t i = 1; i < instruction.width; ++i)
            if (wide(instruction.operands[i]) != selection.wide_destination) refuse(source, "a vector's elements differ in width");
    }
}

void FunctionDecoder::encode_choices(const Selection& selection, Instruction& instruction) const {
    const Modifiers& modifiers = selection.modifiers;
    const auto choose = [&](Field field) {
        if (modifiers.has(field)) instruction.choice = modifiers.value(field);
    };
    for (const Field field : {Field::rounding, Field::integral, Field::shuffle, Field::vote, Field::atomic, Field::reduction,
                              Field::permute, Field::ordering, Field::shift_amount})
        choose(field);
    const bool is_set = selection.operation == Operation::set_value || selection.operation == Operation::set_value_combined;
    if (is_set) instruction.choice = modifiers.type() == Type::f32 ? 1 : 0;
    if (modifiers.has(Field::space)) instruction.choice2 = modifiers.value(Field::space);
    if (modifiers.has(Field::combine)) instruction.choice2 = modifiers.value(Field::combine);
    if (selection.operation == Operation::convert) instruction.choice2 = conversion_flags(modifiers);
}

// Loads formals in registers from the frame, where the caller stored them.
void FunctionDecoder::append_prologue() {
    if (function_.is_entry) return;
    syntax::Instruction at;
    at.line = function_.line;
    at.opcode = "ld.param";
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
        if (function_.parameters[i].in_register) append_frame_move(at, true, function_.parameters[i].index, formals_.parameters[i].offset);
    }
}

void FunctionDecoder::append_results(const syntax::Instruction& source) {
    syntax::Instruction at = source;
    at.opcode = "st.param";
    at.modifiers.clear();
    for (std::size_t i = 0; i < function_.results.size(); ++i) {
        if (function_.results[i].in_register) append_frame_move(at, false, function_.results[i].index, formals_.results[i].offset);
    }
}

void FunctionDecoder::append_frame_move(const syntax::Instruction& at, bool load, std::uint32_t reg, std::uint32_t offset) {
    Selection selection;
    selection.operation = load ? Operation::load : Operation::store;
    selection.access = Access::frame;
    selection.wide_destination = bits_of(types_[reg]) == 64;
    selection.modifiers.set(Field::type, static_cast<std::uint8_t>(types_[reg]));
    DecodedInstruction pending;
    pending.instruction.operands[0] = encode_register(reg, pending, load);
    pending.instruction.operands[address_operand] = pool_.number64(0);
    pending.instruction.immediate = offset;
    append(std::move(pending), selection, at);
}

// A function whose control flow reaches the end returns.
void FunctionDecoder::append_end() {
    syntax::Instruction end;
    end.line = function_.instructions.empty() ? function_.line : function_.instructions.back().line;
    end.opcode = "ret";
    if (!function_.is_entry) append_results(end);
    Selection selection;
    selection.operation = Operation::return_from;
    append({}, selection, end);
}

}  // namespace cupool::ptx
