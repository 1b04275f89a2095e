#include "ptx/run/block.hpp"
#include "ptx/run/handlers.hpp"

namespace cupool::ptx {
namespace {

void branch(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    warp.branch(mask, static_cast<std::uint32_t>(instruction.immediate));
}

void branch_indexed(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const std::vector<std::uint32_t>& table = warp.launch().module.branch_tables[instruction.immediate];
    const auto* indices = warp.slots<std::uint32_t>(instruction.operands[1]);
    while (mask != 0) {
        const auto first = static_cast<unsigned>(std::countr_zero(mask));
        const std::uint32_t index = indices[first];
        if (index >= table.size())
            throw LaneFault{Fault::launch_failed, first, index, "branch index " + std::to_string(index) + " outside its table"};
        std::uint32_t alike = 0;
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            if (indices[lane] == index) alike |= 1u << lane;
        }
        warp.branch(alike, table[index]);
        mask &= ~alike;
    }
}

void call(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    warp.call(mask, static_cast<std::uint32_t>(instruction.immediate));
}

void return_from(Warp& warp, const Instruction&, std::uint32_t mask) { warp.return_from(mask); }

void exit(Warp& warp, const Instruction&, std::uint32_t mask) { warp.exit(mask); }

void trap(Warp&, const Instruction&, std::uint32_t mask) {
    throw LaneFault{Fault::launch_failed, static_cast<unsigned>(std::countr_zero(mask)), 0, "trap"};
}

void sleep(Warp& warp, const Instruction&, std::uint32_t) { warp.sleep(); }

void nothing(Warp&, const Instruction&, std::uint32_t) {}

// Barrier numbers and counts are uniform within a warp, so one lane is read.
std::uint32_t uniform(const Warp& warp, std::uint32_t operand, std::uint32_t mask) {
    return operand == no_operand ? 0 : warp.slots<std::uint32_t>(operand)[std::countr_zero(mask)];
}

std::uint32_t checked_barrier(const Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const std::uint32_t barrier = uniform(warp, instruction.operands[1], mask);
    if (barrier >= Block::barrier_count)
        throw LaneFault{Fault::illegal_instruction, static_cast<unsigned>(std::countr_zero(mask)), barrier,
                        "barrier number " + std::to_string(barrier) + " above 15"};
    return barrier;
}

void barrier(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const std::uint32_t barrier = checked_barrier(warp, instruction, mask);
    warp.check_aligned(instruction, mask);
    warp.narrow(mask);
    warp.wait_at_barrier(static_cast<std::uint8_t>(barrier), nullptr);
    warp.block().arrive(warp, {barrier, uniform(warp, instruction.operands[2], mask), mask, 0, true});
}

void barrier_reduce(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const std::uint32_t barrier = checked_barrier(warp, instruction, mask);
    const std::uint32_t predicate = warp.predicate(instruction.operands[3]) & mask;
    warp.check_aligned(instruction, mask);
    warp.narrow(mask);
    warp.wait_at_barrier(static_cast<std::uint8_t>(barrier), &instruction);
    warp.block().arrive(warp, {barrier, uniform(warp, instruction.operands[2], mask), mask, predicate, true});
}

void barrier_arrive(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const std::uint32_t barrier = checked_barrier(warp, instruction, mask);
    warp.block().arrive(warp, {barrier, uniform(warp, instruction.operands[2], mask), mask, 0, false});
}

}  // namespace

bool is_control(Operation operation) {
    switch (operation) {
        case Operation::branch:
        case Operation::branch_indexed:
        case Operation::call:
        case Operation::return_from:
        case Operation::exit:
        case Operation::trap:
        case Operation::sleep:
        case Operation::barrier:
        case Operation::barrier_arrive:
        case Operation::barrier_reduce:
        case Operation::warp_barrier:
        case Operation::shuffle:
        case Operation::vote:
        case Operation::match_any:
        case Operation::match_all:
        case Operation::warp_reduce: return true;
        default: return false;
    }
}

Handler select_control(const Selection& selection) {
    switch (selection.operation) {
        case Operation::branch: return branch;
        case Operation::branch_indexed: return branch_indexed;
        case Operation::call: return call;
        case Operation::return_from: return return_from;
        case Operation::exit: return exit;
        case Operation::trap: return trap;
        case Operation::sleep: return sleep;
        case Operation::nothing: return nothing;
        case Operation::barrier: return barrier;
        case Operation::barrier_arrive: return barrier_arrive;
        case Operation::barrier_reduce: return barrier_reduce;
        default: return nullptr;
    }
}

Handler select_handler(const Selection& selection) {
    for (const auto family : {select_arithmetic, select_float_conversion, select_memory, select_atomic, select_warp, select_control})
        if (const Handler handler = family(selection)) return handler;
    return nullptr;
}

}  // namespace cupool::ptx
