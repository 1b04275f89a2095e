#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/compile/decoded_instruction.hpp"

namespace cupool::ptx {

/// What a register holds at some point: what one instruction wrote, or what the ways into a block bring together.
struct Value {
    std::uint32_t time = 0;  ///< grows in the order of definitions: 2i + 1 for instruction i, 2i where a block begins at i
    std::uint32_t reg = 0;

    bool operator==(const Value&) const = default;
    bool is_merged() const { return time % 2 == 0; }
    std::uint32_t writer() const { return time / 2; }
};

struct ValueHash {
    std::size_t operator()(Value value) const { return std::hash<std::uint64_t>()(std::uint64_t{value.time} << 32 | value.reg); }
};

/// Which value each instruction of a function reads from each register, and which instructions have an effect. `mov` makes no value: its
/// register holds that of its source. (The values are those of static single assignment form: Cytron et al., "Efficiently Computing Static
/// Single Assignment Form and the Control Dependence Graph", 1991; here by iteration over tables of the registers that some block reads
/// from before.)
class ValueNumbering {
public:
    /// Blocks and edges between them, times registers that some block reads before it writes them. What `of` takes for a function grows
    /// with this number: at most some 64 MiB of memory.
    static constexpr std::size_t max_table_entries = std::size_t{1} << 23;

    /// Nothing for a function with more than `max_table_entries`. `code` must outlive the result.
    static std::optional<ValueNumbering> of(const std::vector<DecodedInstruction>& code, std::size_t registers);

    /// The value that an instruction reads from `reg`, one of its RegisterAccess::reads.
    Value read(std::uint32_t position, std::uint32_t reg) const;
    /// Whether the result of the instruction can reach memory, another lane or a branch.
    bool is_live(std::uint32_t position) const { return live_[position]; }
    /// All live instructions that read the value, moves aside, in ascending order; one that reads it twice stands there twice.
    const std::vector<std::uint32_t>& readers(Value value) const;
    /// Whether the value is one of those that meet where a block begins, and is read from there.
    bool is_merged_into_another(Value value) const { return merged_.contains(value); }
    /// The block of an instruction.
    std::uint32_t block(std::uint32_t position) const { return block_of_[position]; }

private:
    using State = std::vector<Value>;  ///< by column, or by register

    ValueNumbering(const std::vector<DecodedInstruction>& code, std::size_t registers);

    void order_blocks();
    void find_entering_registers();
    std::size_t table_entries() const;
    void number();
    State merged_state(std::uint32_t block, const State& before) const;
    void pass(std::uint32_t block, const State& entering, State& current, bool record);
    void find_live();

    const std::vector<DecodedInstruction>& code_;
    std::vector<BasicBlock> blocks_;
    std::vector<std::uint32_t> block_of_;
    std::vector<std::uint32_t> order_;               ///< of blocks
    std::vector<std::uint32_t> entering_registers_;  ///< by column: a register that some block reads before it writes it
    std::vector<std::uint32_t> column_;              ///< by register
    std::vector<State> leaving_;                     ///< by block
    std::vector<std::vector<Value>> reads_;          ///< by instruction, beside RegisterAccess::reads, then what a guarded write leaves
    std::vector<bool> live_;
    std::unordered_map<Value, std::vector<std::uint32_t>, ValueHash> readers_;
    std::unordered_set<Value, ValueHash> merged_;
};

}  // namespace cupool::ptx
