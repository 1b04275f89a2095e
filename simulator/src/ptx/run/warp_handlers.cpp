#include <algorithm>

#include "ptx/run/block.hpp"
#include "ptx/run/handlers.hpp"

namespace cupool::ptx {
namespace {

template <class Function>
void for_each_lane(std::uint32_t mask, const Function& function) {
    for (; mask != 0; mask &= mask - 1) function(static_cast<unsigned>(std::countr_zero(mask)));
}

// "PTX ISA", shfl.sync: the operand c packs a clamp (bits 0-4) and a segment mask (bits 8-12).
void shuffle(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const auto gathered = warp.gather(instruction.operands[5], mask);
    if (!gathered) return;
    std::uint32_t source[warp_size];
    std::copy_n(warp.slots<std::uint32_t>(instruction.operands[2]), warp_size, source);
    const auto* amounts = warp.slots<std::uint32_t>(instruction.operands[3]);
    const auto* controls = warp.slots<std::uint32_t>(instruction.operands[4]);
    auto* results = warp.slots<std::uint32_t>(instruction.operands[0]);
    std::uint32_t in_range = 0;
    std::uint32_t shuffled[warp_size];
    for_each_lane(gathered->lanes, [&](unsigned lane) {
        const unsigned amount = amounts[lane] & 31;
        const unsigned clamp = controls[lane] & 31;
        const unsigned segment = controls[lane] >> 8 & 31;
        const unsigned last = (lane & segment) | (clamp & ~segment);
        const unsigned first = lane & segment;
        unsigned from = 0;
        bool valid = false;
        switch (static_cast<Shuffle>(instruction.choice)) {
            case Shuffle::up:
                from = lane - amount;
                valid = static_cast<int>(from) >= static_cast<int>(last);
                break;
            case Shuffle::down:
                from = lane + amount;
                valid = from <= last;
                break;
            case Shuffle::butterfly:
                from = lane ^ amount;
                valid = from <= last;
                break;
            case Shuffle::index:
                from = first | (amount & ~segment);
                valid = from <= last;
                break;
        }
        if (!valid) from = lane;
        in_range |= static_cast<std::uint32_t>(valid) << lane;
        shuffled[lane] = source[from];
    });
    for_each_lane(gathered->lanes, [&](unsigned lane) { results[lane] = shuffled[lane]; });
    if (instruction.operands[1] != no_operand) warp.set_predicate(instruction.operands[1], in_range, gathered->lanes);
}

void vote(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const auto gathered = warp.gather(instruction.operands[2], mask);
    if (!gathered) return;
    const std::uint32_t lanes = gathered->lanes;
    const std::uint32_t ballot = warp.predicate(instruction.operands[1]) & lanes;
    switch (static_cast<Vote>(instruction.choice)) {
        case Vote::all: warp.set_predicate(instruction.operands[0], ballot == lanes ? all_lanes : 0, lanes); break;
        case Vote::any: warp.set_predicate(instruction.operands[0], ballot != 0 ? all_lanes : 0, lanes); break;
        case Vote::uniform: warp.set_predicate(instruction.operands[0], ballot == 0 || ballot == lanes ? all_lanes : 0, lanes); break;
        case Vote::ballot: for_each_lane(lanes, [&](unsigned lane) { warp.set_value(instruction.operands[0], lane, ballot); }); break;
    }
}

void match_any(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const auto gathered = warp.gather(instruction.operands[2], mask);
    if (!gathered) return;
    std::uint32_t matches[warp_size] = {};
    for_each_lane(gathered->lanes, [&](unsigned lane) {
        const std::uint64_t value = warp.value(instruction.operands[1], lane);
        for_each_lane(gathered->lanes, [&](unsigned other) {
            matches[lane] |= static_cast<std::uint32_t>(warp.value(instruction.operands[1], other) == value) << other;
        });
    });
    for_each_lane(gathered->lanes, [&](unsigned lane) { warp.set_value(instruction.operands[0], lane, matches[lane]); });
}

void match_all(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const auto gathered = warp.gather(instruction.operands[3], mask);
    if (!gathered) return;
    const std::uint64_t first = warp.value(instruction.operands[2], static_cast<unsigned>(std::countr_zero(gathered->lanes)));
    bool same = true;
    for_each_lane(gathered->lanes, [&](unsigned lane) { same = same && warp.value(instruction.operands[2], lane) == first; });
    for_each_lane(gathered->lanes, [&](unsigned lane) { warp.set_value(instruction.operands[0], lane, same ? gathered->members : 0); });
    if (instruction.operands[1] != no_operand) warp.set_predicate(instruction.operands[1], same ? all_lanes : 0, gathered->lanes);
}

template <class Element, AtomicOperation operation>
void warp_reduce(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const auto gathered = warp.gather(instruction.operands[2], mask);
    if (!gathered) return;
    const auto* values = warp.slots<std::uint32_t>(instruction.operands[1]);
    const auto first = static_cast<unsigned>(std::countr_zero(gathered->lanes));
    std::uint32_t result = values[first];
    for_each_lane(gathered->lanes & ~(1u << first), [&](unsigned lane) {
        const auto a = static_cast<Element>(result);
        const auto b = static_cast<Element>(values[lane]);
        switch (operation) {
            case AtomicOperation::add: result += values[lane]; break;
            case AtomicOperation::minimum: result = static_cast<std::uint32_t>(std::min(a, b)); break;
            case AtomicOperation::maximum: result = static_cast<std::uint32_t>(std::max(a, b)); break;
            case AtomicOperation::conjunction: result &= values[lane]; break;
            case AtomicOperation::disjunction: result |= values[lane]; break;
            default: result ^= values[lane];
        }
    });
    for_each_lane(gathered->lanes, [&](unsigned lane) { warp.set_value(instruction.operands[0], lane, result); });
}

template <class Element>
Handler select_reduction(const Selection& selection) {
    using enum AtomicOperation;
    const bool bits = selection.modifiers.type() == Type::b32;
    switch (static_cast<AtomicOperation>(selection.modifiers.value(Field::atomic))) {
        case add: return bits ? nullptr : warp_reduce<Element, add>;
        case minimum: return bits ? nullptr : warp_reduce<Element, minimum>;
        case maximum: return bits ? nullptr : warp_reduce<Element, maximum>;
        case conjunction: return bits ? warp_reduce<Element, conjunction> : nullptr;
        case disjunction: return bits ? warp_reduce<Element, disjunction> : nullptr;
        case exclusive: return bits ? warp_reduce<Element, exclusive> : nullptr;
        default: return nullptr;
    }
}

void active_mask(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    for_each_lane(mask, [&](unsigned lane) { warp.set_value(instruction.operands[0], lane, mask); });
}

void warp_barrier(Warp& warp, const Instruction& instruction, std::uint32_t mask) { warp.warp_barrier(instruction.operands[1], mask); }

}  // namespace

Handler select_warp(const Selection& selection) {
    switch (selection.operation) {
        case Operation::shuffle: return shuffle;
        case Operation::vote: {
            const bool ballot = static_cast<Vote>(selection.modifiers.value(Field::vote)) == Vote::ballot;
            return ballot == (selection.modifiers.type() == Type::b32) ? vote : nullptr;
        }
        case Operation::match_any: return match_any;
        case Operation::match_all: return match_all;
        case Operation::warp_reduce:
            return selection.modifiers.type() == Type::s32 ? select_reduction<std::int32_t>(selection)
                                                           : select_reduction<std::uint32_t>(selection);
        case Operation::active_mask: return active_mask;
        case Operation::warp_barrier: return warp_barrier;
        default: return nullptr;
    }
}

}  // namespace cupool::ptx
