#include "ptx/value_numbering.hpp"

#include <algorithm>

namespace cupool::ptx {
namespace {

constexpr Value unknown{0xffffffff, 0xffffffff};

bool copies(const DecodedInstruction& decoded) {
    return decoded.operation == Operation::move && !decoded.access.guarded && decoded.access.reads.size() == 1 &&
           decoded.access.writes.size() == 1;
}

// Arithmetic has no effect but its result; that of the carry flag is not followed.
bool has_effect(const DecodedInstruction& decoded) { return decoded.operation >= Operation::load || decoded.modifiers.has(Field::carry); }

}  // namespace

ValueNumbering::ValueNumbering(const std::vector<DecodedInstruction>& code, std::size_t registers)
    : code_(code), block_of_(code.size()), reads_(code.size()), live_(code.size()) {
    std::vector<RegisterAccess> accesses;
    for (const DecodedInstruction& decoded : code) accesses.push_back(decoded.access);
    blocks_ = find_basic_blocks(accesses);
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
        for (std::uint32_t i = blocks_[b].begin; i < blocks_[b].end; ++i) block_of_[i] = b;

    std::vector<State> entering(blocks_.size(), State(registers, unknown));
    for (std::uint32_t reg = 0; reg < registers; ++reg) entering[0][reg] = {0, reg};
    leaving_ = entering;
    bool changed = true;
    bool first = true;
    while (changed) {
        changed = false;
        for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
            State state = merged_state(b, entering[b], leaving_);
            if (!first && state == entering[b]) continue;
            changed = true;
            entering[b] = state;
            pass(b, state, false);
            leaving_[b] = std::move(state);
        }
        first = false;
    }
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) pass(b, entering[b], true);
    find_live();
}

// Where values have once been found to meet, they go on to: the iteration ends.
ValueNumbering::State ValueNumbering::merged_state(std::uint32_t block, const State& before, const std::vector<State>& leaving) const {
    const std::uint32_t time = 2 * blocks_[block].begin;
    State state = before;
    for (Value& value : state)
        if (value.time != time) value = unknown;
    for (const std::uint32_t predecessor : blocks_[block].predecessors) {
        for (std::uint32_t reg = 0; reg < state.size(); ++reg) {
            const Value value = leaving[predecessor][reg];
            if (value == unknown || value == state[reg] || state[reg].time == time) continue;
            state[reg] = state[reg] == unknown ? value : Value{time, reg};
        }
    }
    return state;
}

void ValueNumbering::pass(std::uint32_t block, State& state, bool record) {
    for (std::uint32_t i = blocks_[block].begin; i < blocks_[block].end; ++i) {
        const RegisterAccess& access = code_[i].access;
        if (record) {
            for (const std::uint32_t reg : access.reads) reads_[i].push_back(state[reg]);
            if (access.guarded)
                for (const std::uint32_t reg : access.writes) reads_[i].push_back(state[reg]);
        }
        if (copies(code_[i])) {
            state[access.writes[0]] = state[access.reads[0]];
        } else {
            for (const std::uint32_t reg : access.writes) state[reg] = {2 * i + 1, reg};
        }
    }
}

void ValueNumbering::find_live() {
    std::vector<Value> work;
    const auto keep = [&](std::uint32_t i) {
        if (live_[i]) return;
        live_[i] = true;
        if (!copies(code_[i])) work.insert(work.end(), reads_[i].begin(), reads_[i].end());
    };
    std::unordered_map<Value, bool, ValueHash> seen;
    for (std::uint32_t i = 0; i < code_.size(); ++i)
        if (has_effect(code_[i])) keep(i);
    while (!work.empty()) {
        const Value value = work.back();
        work.pop_back();
        if (value == unknown || !seen.emplace(value, true).second) continue;
        if (!value.is_merged()) {
            keep(value.writer());
        } else if (!blocks_.empty()) {
            for (const std::uint32_t predecessor : blocks_[block_of_[value.writer()]].predecessors) {
                merged_.emplace(leaving_[predecessor][value.reg], true);
                work.push_back(leaving_[predecessor][value.reg]);
            }
        }
    }
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (!live_[i] || copies(code_[i])) continue;
        for (const Value value : reads_[i]) readers_[value].push_back(i);
    }
}

Value ValueNumbering::read(std::uint32_t position, std::uint32_t reg) const {
    const std::vector<std::uint32_t>& reads = code_[position].access.reads;
    return reads_[position][static_cast<std::size_t>(std::find(reads.begin(), reads.end(), reg) - reads.begin())];
}

const std::vector<std::uint32_t>& ValueNumbering::readers(Value value) const {
    static const std::vector<std::uint32_t> nobody;
    const auto found = readers_.find(value);
    return found == readers_.end() ? nobody : found->second;
}

}  // namespace cupool::ptx
