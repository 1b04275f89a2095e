#include "ptx/compile/value_numbering.hpp"

#include <algorithm>

namespace cupool::ptx {
namespace {

constexpr Value unknown{0xffffffff, 0xffffffff};
constexpr std::uint32_t no_column = 0xffffffff;

bool copies(const DecodedInstruction& decoded) {
    return decoded.operation == Operation::move && !decoded.access.guarded && decoded.access.reads.size() == 1 &&
           decoded.access.writes.size() == 1;
}

// Arithmetic has no effect besides its result; the carry flag is not tracked.
bool has_effect(const DecodedInstruction& decoded) { return decoded.operation >= Operation::load || decoded.modifiers.has(Field::carry); }

}  // namespace

std::optional<ValueNumbering> ValueNumbering::of(const std::vector<DecodedInstruction>& code, std::size_t registers) {
    ValueNumbering numbering(code, registers);
    if (numbering.table_entries() > max_table_entries) return std::nullopt;
    numbering.number();
    numbering.find_live();
    return numbering;
}

ValueNumbering::ValueNumbering(const std::vector<DecodedInstruction>& code, std::size_t registers)
    : code_(code), block_of_(code.size()), column_(registers, no_column), reads_(code.size()), live_(code.size()) {
    std::vector<RegisterAccess> accesses;
    for (const DecodedInstruction& decoded : code) accesses.push_back(decoded.access);
    blocks_ = find_basic_blocks(accesses);
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
        for (std::uint32_t i = blocks_[b].begin; i < blocks_[b].end; ++i) block_of_[i] = b;
    order_blocks();
    find_entering_registers();
}

// Reverse postorder, so that most values are final when a block is first visited. Unreachable blocks come last and lose their edges: each
// is numbered separately and does not affect reachable blocks.
void ValueNumbering::order_blocks() {
    std::vector<std::vector<std::uint32_t>> successors(blocks_.size());
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
        for (const std::uint32_t predecessor : blocks_[b].predecessors) successors[predecessor].push_back(b);

    struct Visit {
        std::uint32_t block;
        std::size_t next = 0;  ///< successor
    };
    std::vector<bool> reached(blocks_.size());
    std::vector<Visit> path{{0}};
    reached[0] = true;
    while (!path.empty()) {
        Visit& visit = path.back();
        if (visit.next == successors[visit.block].size()) {
            order_.push_back(visit.block);
            path.pop_back();
            continue;
        }
        const std::uint32_t successor = successors[visit.block][visit.next++];
        if (reached[successor]) continue;
        reached[successor] = true;
        path.push_back({successor});
    }
    std::reverse(order_.begin(), order_.end());

    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
        std::erase_if(blocks_[b].predecessors, [&](std::uint32_t predecessor) { return !reached[b] || !reached[predecessor]; });
        if (!reached[b]) order_.push_back(b);
    }
}

// The other registers are written before they are read in each block that reads them, so they are not live across blocks.
void ValueNumbering::find_entering_registers() {
    constexpr std::uint32_t none = 0xffffffff;
    std::vector<std::uint32_t> written_in(column_.size(), none);  // the last block that wrote the register so far
    const auto note_read = [&](std::uint32_t reg, std::uint32_t block) {
        if (written_in[reg] == block || column_[reg] != no_column) return;
        column_[reg] = static_cast<std::uint32_t>(entering_registers_.size());
        entering_registers_.push_back(reg);
    };
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        const RegisterAccess& access = code_[i].access;
        for (const std::uint32_t reg : access.reads) note_read(reg, block_of_[i]);
        for (const std::uint32_t reg : access.writes) {
            if (access.guarded) note_read(reg, block_of_[i]);
            written_in[reg] = block_of_[i];
        }
    }
}

std::size_t ValueNumbering::table_entries() const {
    std::size_t rows = blocks_.size();
    for (const BasicBlock& block : blocks_) rows += block.predecessors.size();
    return rows * entering_registers_.size();
}

void ValueNumbering::number() {
    std::vector<State> entering(blocks_.size(), State(entering_registers_.size(), unknown));
    leaving_ = entering;
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
        if (b != 0 && !blocks_[b].predecessors.empty()) continue;
        for (std::uint32_t c = 0; c < entering_registers_.size(); ++c) entering[b][c] = {2 * blocks_[b].begin, entering_registers_[c]};
    }
    State current(column_.size(), unknown);
    bool changed = true;
    bool first = true;
    while (changed) {
        changed = false;
        for (const std::uint32_t b : order_) {
            State state = merged_state(b, entering[b]);
            if (!first && state == entering[b]) continue;
            changed = true;
            entering[b] = std::move(state);
            pass(b, entering[b], current, false);
            for (std::uint32_t c = 0; c < entering_registers_.size(); ++c) leaving_[b][c] = current[entering_registers_[c]];
        }
        first = false;
    }
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) pass(b, entering[b], current, true);
}

// A merge, once found, remains a merge, so the iteration terminates.
ValueNumbering::State ValueNumbering::merged_state(std::uint32_t block, const State& before) const {
    const std::uint32_t time = 2 * blocks_[block].begin;
    State state = before;
    for (Value& value : state)
        if (value.time != time) value = unknown;
    for (const std::uint32_t predecessor : blocks_[block].predecessors) {
        for (std::uint32_t c = 0; c < state.size(); ++c) {
            const Value value = leaving_[predecessor][c];
            if (value == unknown || value == state[c] || state[c].time == time) continue;
            state[c] = state[c] == unknown ? value : Value{time, entering_registers_[c]};
        }
    }
    return state;
}

void ValueNumbering::pass(std::uint32_t block, const State& entering, State& current, bool record) {
    for (std::uint32_t c = 0; c < entering.size(); ++c) current[entering_registers_[c]] = entering[c];
    for (std::uint32_t i = blocks_[block].begin; i < blocks_[block].end; ++i) {
        const RegisterAccess& access = code_[i].access;
        if (record) {
            for (const std::uint32_t reg : access.reads) reads_[i].push_back(current[reg]);
            if (access.guarded)
                for (const std::uint32_t reg : access.writes) reads_[i].push_back(current[reg]);
        }
        if (copies(code_[i])) {
            current[access.writes[0]] = current[access.reads[0]];
        } else {
            for (const std::uint32_t reg : access.writes) current[reg] = {2 * i + 1, reg};
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
    std::unordered_set<Value, ValueHash> seen;
    for (std::uint32_t i = 0; i < code_.size(); ++i)
        if (has_effect(code_[i])) keep(i);
    while (!work.empty()) {
        const Value value = work.back();
        work.pop_back();
        if (!seen.insert(value).second) continue;
        if (!value.is_merged()) {
            keep(value.writer());
            continue;
        }
        for (const std::uint32_t predecessor : blocks_[block_of_[value.writer()]].predecessors) {
            const Value before = leaving_[predecessor][column_[value.reg]];
            merged_.insert(before);
            work.push_back(before);
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
