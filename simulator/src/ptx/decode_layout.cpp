#include "ptx/decode.hpp"
#include "ptx/handlers.hpp"

namespace cupool::ptx {
namespace {

constexpr std::uint64_t largest_frame = std::uint64_t{1} << 24;

}  // namespace

FormalLayout lay_out_formals(const syntax::Module& module, const syntax::Function& function) {
    FormalLayout layout;
    std::uint64_t bytes = 0;
    const auto place = [&](const syntax::Formal& formal) {
        const std::uint64_t register_bytes = formal.in_register ? bits_of(function.registers[formal.index].type) / 8 : 0;
        if (formal.in_register && register_bytes == 0)
            throw ParseError(ParseError::Kind::unsupported, function.line, function.name, "parameters of type .pred are not supported");
        const std::uint64_t size = formal.in_register ? register_bytes : module.symbols[formal.index].size;
        bytes = align_up(bytes, formal.in_register ? register_bytes : module.symbols[formal.index].alignment);
        const std::uint64_t offset = bytes;
        bytes += size;
        if (bytes > largest_frame)
            throw ParseError(ParseError::Kind::unsupported, function.line, function.name, "parameters are too large");
        return FormalLayout::Place{static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)};
    };
    for (const syntax::Formal& formal : function.results) layout.results.push_back(place(formal));
    for (const syntax::Formal& formal : function.parameters) layout.parameters.push_back(place(formal));
    layout.bytes = static_cast<std::uint32_t>(bytes);
    return layout;
}

void FunctionDecoder::lay_out_frame() {
    const auto name_formals = [this](const std::vector<syntax::Formal>& formals, const std::vector<FormalLayout::Place>& places) {
        for (std::size_t i = 0; i < formals.size(); ++i) {
            if (formals[i].in_register) continue;
            (function_.is_entry ? parameter_offsets_ : frame_offsets_)[formals[i].index] = places[i].offset;
        }
    };
    name_formals(function_.results, formals_.results);
    name_formals(function_.parameters, formals_.parameters);
    std::uint64_t bytes = function_.is_entry ? 0 : formals_.bytes;
    for (const std::uint32_t index : function_.local_symbols) {
        const syntax::Symbol& symbol = source_.symbols[index];
        if (symbol.space != Space::local && symbol.space != Space::parameter) continue;
        if (frame_offsets_.contains(index) || parameter_offsets_.contains(index)) continue;
        if (symbol.alignment > frame_alignment)
            throw ParseError(ParseError::Kind::unsupported, symbol.line, symbol.name, "alignment of a local variable is above 128");
        bytes = align_up(bytes, symbol.alignment);
        frame_offsets_[index] = static_cast<std::uint32_t>(bytes);
        bytes += symbol.size;
        if (bytes > largest_frame) throw ParseError(ParseError::Kind::unsupported, symbol.line, symbol.name, "local memory is too large");
    }
    result_.local_bytes = static_cast<std::uint32_t>(align_up(bytes, frame_alignment));
}

// From positions in the source to positions in the module's code.
void FunctionDecoder::resolve_targets() {
    const auto base = static_cast<std::uint32_t>(module_.code.size());
    for (Pending& pending : code_) {
        for (std::uint32_t& target : pending.access.targets) target = positions_[target];
        if (pending.operation == Operation::branch) pending.instruction.immediate = base + positions_[pending.instruction.immediate];
        const bool always_leaves = pending.operation == Operation::branch || pending.operation == Operation::branch_indexed ||
                                   pending.operation == Operation::return_from || pending.operation == Operation::exit ||
                                   pending.operation == Operation::trap;
        pending.access.falls_through = !always_leaves || pending.access.guarded;
    }
    for (std::size_t i = first_table_; i < module_.branch_tables.size(); ++i)
        for (std::uint32_t& target : module_.branch_tables[i]) target = base + positions_[target];
}

// Predicates take a word each; other registers share slots by liveness.
void FunctionDecoder::allocate() {
    std::vector<RegisterAccess> accesses;
    for (Pending& pending : code_) accesses.push_back(std::move(pending.access));
    std::vector<bool> wide;
    for (const Type type : types_) wide.push_back(bits_of(type) == 64);
    const Allocation allocation = allocate_registers(accesses, wide);

    std::vector<std::uint32_t> predicates(types_.size(), 0);
    std::uint32_t predicate_count = 0;
    for (std::size_t reg = 0; reg < types_.size(); ++reg)
        if (types_[reg] == Type::pred) predicates[reg] = predicate_count++;

    const auto rewrite = [&](std::uint32_t& operand) {
        if (bank_of(operand) != Bank::unallocated) return;
        const std::uint32_t reg = operand & offset_mask;
        if (types_[reg] == Type::pred) {
            operand = operand_in(Bank::frame_predicate, predicates[reg] * 4) | (operand & negated_predicate);
        } else if (wide[reg]) {
            operand = operand_in(Bank::frame64, allocation.slots[reg] * slot64_bytes);
        } else {
            operand = operand_in(Bank::frame32, allocation.slots[reg] * slot32_bytes);
        }
    };
    for (Pending& pending : code_) {
        rewrite(pending.instruction.guard);
        for (std::uint32_t& operand : pending.instruction.operands) rewrite(operand);
    }
    for (std::size_t i = first_call_; i < module_.calls.size(); ++i) {
        for (Transfer& transfer : module_.calls[i].arguments) rewrite(transfer.operand);
        for (Transfer& transfer : module_.calls[i].results) rewrite(transfer.operand);
    }
    result_.frame32_bytes = allocation.slots32 * slot32_bytes;
    result_.frame64_bytes = allocation.slots64 * slot64_bytes;
    result_.frame_predicate_bytes = static_cast<std::uint32_t>(align_up(predicate_count * 4, 64));
    result_.registers = allocation.most_live;
    for (std::size_t i = 0; i < code_.size(); ++i) code_[i].access = std::move(accesses[i]);
}

void FunctionDecoder::mark_straight_runs() {
    std::vector<bool> leads(code_.size() + 1, false);
    for (const Pending& pending : code_)
        for (const std::uint32_t target : pending.access.targets) leads[target] = true;
    std::uint32_t run = 0;
    for (std::size_t i = code_.size(); i-- > 0;) {
        if (is_control(code_[i].operation)) {
            run = 0;
        } else {
            run = leads[i + 1] ? 1 : run + 1;
        }
        code_[i].instruction.straight = run;
    }
}

std::uint32_t FunctionDecoder::opcode_text(const syntax::Instruction& source) {
    const auto [known, added] = texts_.emplace(source.text(), static_cast<std::uint32_t>(module_.opcode_texts.size()));
    if (added) module_.opcode_texts.push_back(known->first);
    return known->second;
}

}  // namespace cupool::ptx
