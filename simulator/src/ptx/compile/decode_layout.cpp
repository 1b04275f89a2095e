#include <algorithm>

#include "ptx/compile/decode.hpp"
#include "ptx/run/handlers.hpp"

namespace cupool::ptx {
namespace {

constexpr std::uint64_t largest_frame = std::uint64_t{1} << 24;

}  // namespace

FormalLayout lay_out_formals(const syntax::Module& module, const syntax::Function& function) {
    FormalLayout layout;
    std::uint64_t bytes = 0;
    const auto to_slot = [&](const syntax::Formal& formal) {
        const std::uint64_t register_bytes = formal.in_register ? bits_of(function.registers[formal.index].type) / 8 : 0;
        if (formal.in_register && register_bytes == 0)
            throw ParseError(ParseError::Kind::unsupported, function.line, function.name, "parameters of type .pred are not supported");
        const std::uint64_t size = formal.in_register ? register_bytes : module.symbols[formal.index].size;
        bytes = align_up(bytes, formal.in_register ? register_bytes : module.symbols[formal.index].alignment);
        const std::uint64_t offset = bytes;
        bytes += size;
        if (bytes > largest_frame)
            throw ParseError(ParseError::Kind::unsupported, function.line, function.name, "parameters are too large");
        return FormalLayout::Slot{static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)};
    };
    for (const syntax::Formal& formal : function.results) layout.results.push_back(to_slot(formal));
    for (const syntax::Formal& formal : function.parameters) layout.parameters.push_back(to_slot(formal));
    layout.bytes = static_cast<std::uint32_t>(bytes);
    return layout;
}

void FunctionDecoder::lay_out_frame() {
    const auto name_formals = [this](const std::vector<syntax::Formal>& formals, const std::vector<FormalLayout::Slot>& slots) {
        for (std::size_t i = 0; i < formals.size(); ++i) {
            if (formals[i].in_register) continue;
            (function_.is_entry ? parameter_offsets_ : frame_offsets_)[formals[i].index] = slots[i].offset;
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
    result_.local_used = static_cast<std::uint32_t>(bytes);
    result_.stack_bytes = static_cast<std::uint32_t>(align_up(std::max<std::uint64_t>(bytes, 1), stack_alignment));
    result_.local_bytes = static_cast<std::uint32_t>(align_up(bytes, frame_alignment));
}

// Converts positions in the source to positions in the module's code.
void FunctionDecoder::resolve_targets() {
    const auto base = static_cast<std::uint32_t>(module_.code.size());
    for (DecodedInstruction& pending : code_) {
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

// Registers that may be read before they are written get a flag: a predicate word after the predicates.
void FunctionDecoder::flag_registers(const Allocation& allocation) {
    result_.first_flag = allocation.used[static_cast<std::size_t>(RegisterClass::predicate)] * predicate_bytes;
    for (std::uint32_t reg = 0; reg < types_.size(); ++reg) {
        if (!allocation.live_at_start[reg]) continue;
        flags_[reg] = operand_in(Bank::frame_predicate, result_.first_flag + result_.flag_count * predicate_bytes);
        ++result_.flag_count;
    }
}

// Assigns slots to registers by liveness.
void FunctionDecoder::allocate() {
    std::vector<RegisterAccess> accesses;
    for (DecodedInstruction& pending : code_) accesses.push_back(std::move(pending.access));
    std::vector<RegisterClass> classes;
    for (const Type type : types_) {
        classes.push_back(type == Type::pred    ? RegisterClass::predicate
                          : bits_of(type) == 64 ? RegisterClass::wide
                                                : RegisterClass::narrow);
    }
    const Allocation allocation = allocate_registers(accesses, classes);
    flag_registers(allocation);

    const auto rewrite = [&](std::uint32_t& operand) {
        if (bank_of(operand) != Bank::unallocated) return;
        const std::uint32_t reg = operand & offset_mask;
        const std::uint32_t slot = allocation.slots[reg];
        switch (classes[reg]) {
            case RegisterClass::predicate:
                operand = operand_in(Bank::frame_predicate, slot * predicate_bytes) | (operand & negated_predicate);
                break;
            case RegisterClass::wide: operand = operand_in(Bank::frame64, slot * slot64_bytes); break;
            default: operand = operand_in(Bank::frame32, slot * slot32_bytes);
        }
    };
    for (DecodedInstruction& pending : code_) {
        rewrite(pending.instruction.guard);
        for (std::uint32_t& operand : pending.instruction.operands) rewrite(operand);
    }
    for (std::size_t i = first_call_; i < module_.calls.size(); ++i) {
        for (Transfer& transfer : module_.calls[i].arguments) rewrite(transfer.operand);
        for (Transfer& transfer : module_.calls[i].results) rewrite(transfer.operand);
    }
    result_.frame32_bytes = allocation.used[static_cast<std::size_t>(RegisterClass::narrow)] * slot32_bytes;
    result_.frame64_bytes = allocation.used[static_cast<std::size_t>(RegisterClass::wide)] * slot64_bytes;
    result_.frame_predicate_bytes =
        static_cast<std::uint32_t>(align_up(result_.first_flag + result_.flag_count * predicate_bytes, std::uint64_t{64}));
    result_.registers = allocation.max_live;
    for (std::size_t i = 0; i < code_.size(); ++i) code_[i].access = std::move(accesses[i]);
}

void FunctionDecoder::mark_straight_runs() {
    std::vector<bool> leads(code_.size() + 1, false);
    for (const DecodedInstruction& pending : code_)
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

void FunctionDecoder::append_code() {
    for (const DecodedInstruction& pending : code_) {
        module_.code.push_back(pending.instruction);
        module_.locations.push_back(pending.location);
        module_.inspected_code.push_back(inspected(pending));
    }
}

Instruction FunctionDecoder::inspected(const DecodedInstruction& pending) {
    Inspection inspection;
    inspection.handler = pending.instruction.handler;
    inspection.guard = pending.instruction.guard;
    inspection.memory = pending.memory;
    const auto flagged = [this](std::uint32_t reg) -> std::optional<FlaggedRegister> {
        const auto flag = flags_.find(reg);
        if (flag == flags_.end()) return std::nullopt;
        return FlaggedRegister{flag->second, std::string(function_.registers[reg].name)};
    };
    if (pending.guard) inspection.flagged_guard = flagged(*pending.guard);
    for (const std::uint32_t reg : pending.access.reads)
        if (const auto read = flagged(reg); read && reg != pending.guard) inspection.reads.push_back(*read);
    for (const std::uint32_t reg : pending.access.writes)
        if (const auto written = flagged(reg)) inspection.written_flags.push_back(written->flag);
    Instruction instruction = pending.instruction;
    if (!inspection.needed()) return instruction;
    instruction.handler = inspect;
    instruction.guard = always;
    instruction.inspection = static_cast<std::uint32_t>(module_.inspections.size());
    module_.inspections.push_back(std::move(inspection));
    return instruction;
}

std::uint32_t FunctionDecoder::opcode_text(const syntax::Instruction& source) {
    const auto [known, added] = texts_.emplace(source.text(), static_cast<std::uint32_t>(module_.opcode_texts.size()));
    if (added) module_.opcode_texts.push_back(known->first);
    return known->second;
}

}  // namespace cupool::ptx
