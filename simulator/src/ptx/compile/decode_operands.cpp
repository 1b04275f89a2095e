#include <bit>

#include "ptx/compile/decode.hpp"

namespace cupool::ptx {
namespace {

std::uint64_t truncated(std::uint64_t value, unsigned bits) { return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1); }

}  // namespace

std::uint32_t FunctionDecoder::encode_value(const syntax::Instruction& at, const Operand& operand, Type type, DecodedInstruction& pending,
                                            bool written) {
    using Kind = Operand::Kind;
    if (written && operand.kind != Kind::reg && operand.kind != Kind::sink) fail(at, "result argument must be a register");
    switch (operand.kind) {
        case Kind::reg: return encode_register(operand.index, pending, written);
        case Kind::sink:
            if (!written) fail(at, "'_' has no value to read");
            return encode_sink(type, pending);
        case Kind::special: return encode_special(at, operand);
        case Kind::symbol: return encode_symbol(at, operand, bits_of(type) == 64);
        default: return encode_number(at, operand, type);
    }
}

std::uint32_t FunctionDecoder::encode_register(std::uint32_t reg, DecodedInstruction& pending, bool written) {
    (written ? pending.access.writes : pending.access.reads).push_back(reg);
    return operand_in(Bank::unallocated, reg);
}

// A new register for a result that is not read.
std::uint32_t FunctionDecoder::encode_sink(Type type, DecodedInstruction& pending) {
    types_.push_back(type);
    return encode_register(static_cast<std::uint32_t>(types_.size() - 1), pending, true);
}

std::uint32_t FunctionDecoder::encode_predicate(const syntax::Instruction& at, const Operand& operand, DecodedInstruction& pending,
                                                bool written) {
    using Kind = Operand::Kind;
    if (operand.kind == Kind::sink && written) return encode_sink(Type::pred, pending);
    if (written && (operand.kind != Kind::reg || operand.negated)) fail(at, "result argument must be a register");
    const std::uint32_t negation = operand.negated ? negated_predicate : 0;
    if (operand.kind == Kind::reg) return encode_register(operand.index, pending, written) | negation;
    if (operand.kind != Kind::integer) fail(at, "expected a predicate");
    return always | (operand.value != 0 ? negation : negation ^ negated_predicate);
}

std::uint32_t FunctionDecoder::encode_special(const syntax::Instruction& at, const Operand& operand) {
    const auto special = static_cast<Special>(operand.index);
    if (is_clock(special)) refuse(at, "clocks are read by mov alone");
    if (special == Special::gridid) return pool_.number64(1);
    return operand_in(Bank::special32, operand.index * slot32_bytes);
}

std::uint32_t FunctionDecoder::encode_symbol(const syntax::Instruction& at, const Operand& operand, bool wide) {
    const syntax::Symbol& symbol = source_.symbols[operand.index];
    switch (symbol.space) {
        case Space::global:
        case Space::constant:
            if (!wide) fail(at, "an address needs 64 bits");
            return pool_.address(PoolAddress::Kind::variable, true, symbol_indices_.variable[operand.index], operand.value);
        case Space::shared:
            shared_symbols_.push_back(operand.index);
            return pool_.address(PoolAddress::Kind::shared, wide, symbol_indices_.shared[operand.index], operand.value);
        case Space::parameter:
            if (const auto formal = parameter_offsets_.find(operand.index); formal != parameter_offsets_.end()) {
                const std::uint64_t address = formal->second + operand.value;
                return wide ? pool_.number64(address) : pool_.number32(static_cast<std::uint32_t>(address));
            }
            [[fallthrough]];
        default: refuse(at, "the address of a local variable is taken by mov alone");
    }
}

std::uint32_t FunctionDecoder::encode_number(const syntax::Instruction& at, const Operand& operand, Type type) {
    using Kind = Operand::Kind;
    std::uint64_t value = operand.value;
    if (operand.kind == Kind::float64 && type == Type::f32) {
        value = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
    } else if (operand.kind == Kind::float64 && bits_of(type) != 64) {
        fail(at, "a number of 64 bits does not fit the instruction's type");
    } else if (operand.kind == Kind::float32 && bits_of(type) != 32) {
        fail(at, "a number of 32 bits does not fit the instruction's type");
    } else if (operand.kind == Kind::integer && is_float(type)) {
        fail(at, "an integer does not fit the instruction's type");
    }
    if (bits_of(type) == 64) return pool_.number64(value);
    return pool_.number32(static_cast<std::uint32_t>(truncated(value, bits_of(type))));
}

void FunctionDecoder::encode_vector(const syntax::Instruction& at, const Operand& operand, Type type, std::size_t first,
                                    DecodedInstruction& pending, bool written) {
    // Elements of a pack or unpack divide the bits of its type; each element of a load or store has the type.
    const bool shares = first == 1 || at.opcode == "mov";
    const unsigned bits = shares ? bits_of(type) / static_cast<unsigned>(operand.elements.size()) : bits_of(type);
    const Type element_type = bits == 64 ? Type::b64 : bits == 32 ? Type::b32 : bits == 16 ? Type::b16 : Type::b8;
    for (std::size_t i = 0; i < operand.elements.size(); ++i)
        pending.instruction.operands[first + i] = encode_value(at, operand.elements[i], shares ? element_type : type, pending, written);
}

void FunctionDecoder::encode_address(const syntax::Instruction& at, const Operand& address, Selection& selection,
                                     DecodedInstruction& pending) {
    using Kind = Operand::Kind;
    const Operand& base = address.elements[0];
    Instruction& instruction = pending.instruction;
    instruction.immediate = address.value;
    if (base.kind == Kind::symbol) {
        place_address_symbol(at, base, selection, pending);
        return;
    }
    const Space space = selection.modifiers.get(Field::space, Space::generic);
    switch (space) {
        case Space::global:
        case Space::constant: selection.access = Access::global; break;
        case Space::shared: selection.access = Access::shared; break;
        case Space::local: selection.access = Access::local; break;
        case Space::parameter: selection.access = function_.is_entry ? Access::parameter : Access::local; break;
        case Space::generic: selection.access = Access::generic; break;
    }
    if (base.kind == Kind::integer) {
        instruction.operands[address_operand] = pool_.number64(base.value);
        return;
    }
    if (base.kind != Kind::reg) fail(at, "an address is a register, a variable or a number");
    const unsigned bits = bits_of(types_[base.index]);
    const bool has_short_addresses = space != Space::generic && space != Space::global && space != Space::constant;
    if (bits != 64 && !(bits == 32 && has_short_addresses)) fail(at, "an address needs 64 bits");
    instruction.operands[address_operand] = encode_register(base.index, pending, false);
}

void FunctionDecoder::place_address_symbol(const syntax::Instruction& at, const Operand& base, Selection& selection,
                                           DecodedInstruction& pending) {
    Instruction& instruction = pending.instruction;
    const syntax::Symbol& symbol = source_.symbols[base.index];
    const Space space = selection.modifiers.get(Field::space, Space::generic);
    const bool generic_will_do = space == Space::generic && (symbol.space == Space::global || symbol.space == Space::constant);
    if (space != symbol.space && !generic_will_do) fail(at, "'" + symbol.name + "' is not in the state space of the instruction");
    if (const auto variable = frame_offsets_.find(base.index); variable != frame_offsets_.end()) {
        selection.access = Access::frame;
        instruction.operands[address_operand] = pool_.number64(0);
        instruction.immediate += variable->second;
        return;
    }
    selection.access = symbol.space == Space::shared      ? Access::shared
                       : symbol.space == Space::parameter ? Access::parameter
                                                          : Access::global;
    instruction.operands[address_operand] = encode_symbol(at, base, true);
}

Transfer FunctionDecoder::encode_transfer(const syntax::Instruction& at, const Operand& operand, const FormalLayout::Slot& formal,
                                          DecodedInstruction& pending, bool written) {
    using Kind = Operand::Kind;
    Transfer transfer;
    transfer.callee_offset = formal.offset;
    transfer.size = formal.size;
    if (operand.kind == Kind::symbol) {
        const auto variable = frame_offsets_.find(operand.index);
        if (variable == frame_offsets_.end()) fail(at, "a call's argument is in .param space, a register or a number");
        if (source_.symbols[operand.index].size != formal.size)
            fail(at, "size of '" + source_.symbols[operand.index].name + "' does not match its formal");
        transfer.caller_offset = variable->second;
        return transfer;
    }
    const Type type = formal.size == 8 ? Type::b64 : formal.size == 4 ? Type::b32 : formal.size == 2 ? Type::b16 : Type::b8;
    if (bits_of(type) != 8 * formal.size || !fits_value(type, false, operand)) fail(at, "argument does not match its formal");
    transfer.in_register = true;
    transfer.operand = encode_value(at, operand, type, pending, written);
    return transfer;
}

void FunctionDecoder::encode_call(const syntax::Instruction& at, const Operand& results, const Operand& callee, const Operand& arguments,
                                  DecodedInstruction& pending) {
    const syntax::Function& called = source_.functions[callee.index];
    if (!called.defined) {
        const std::string feature = missing_feature(called.name);
        if (feature.empty()) fail(at, "unresolved extern function '" + called.name + "'");
        refuse(at, "function '" + called.name + "' is not supported" + feature);
    }
    if (called.is_entry) fail(at, "an entry cannot be called");
    const FormalLayout formals = lay_out_formals(source_, called);
    if (results.elements.size() != formals.results.size() || arguments.elements.size() != formals.parameters.size())
        fail(at, "call of '" + called.name + "' does not match its parameters");
    CallSite site;
    site.function = callee.index;
    for (std::size_t i = 0; i < formals.parameters.size(); ++i)
        site.arguments.push_back(encode_transfer(at, arguments.elements[i], formals.parameters[i], pending, false));
    for (std::size_t i = 0; i < formals.results.size(); ++i)
        site.results.push_back(encode_transfer(at, results.elements[i], formals.results[i], pending, true));
    pending.instruction.immediate = module_.calls.size();
    module_.calls.push_back(std::move(site));
    result_.callees.push_back(callee.index);
}

// A label becomes the position of an instruction or the index of a branch table, both relative until the final layout.
std::uint32_t FunctionDecoder::encode_target(const syntax::Instruction& at, std::uint32_t label, DecodedInstruction& pending) {
    const syntax::Label& named = function_.label(label);
    const bool wants_table = at.opcode == "brx";
    if (wants_table != named.targets.has_value()) fail(at, "'" + std::string(named.name) + "' is not what the branch needs");
    if (!wants_table) {
        pending.access.targets.push_back(*named.position);
        return *named.position;
    }
    std::vector<std::uint32_t> table;
    for (const std::uint32_t target : *named.targets) {
        const syntax::Label& entry = function_.label(target);
        if (!entry.position) fail(at, "'" + std::string(entry.name) + "' is not the label of an instruction");
        table.push_back(*entry.position);
    }
    pending.access.targets = table;
    module_.branch_tables.push_back(std::move(table));
    return static_cast<std::uint32_t>(module_.branch_tables.size() - 1);
}

}  // namespace cupool::ptx
