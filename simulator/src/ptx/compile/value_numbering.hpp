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

/// The value of a register at some point: the result of an instruction, or a merge (phi) at the beginning of a block.
struct Value {
    std::uint32_t time = 0;  ///< order of definition: 2i + 1 for instruction i, 2i for a merge at a block that begins at i
    std::uint32_t reg = 0;

    bool operator==(const Value&) const = default;
    bool is_merged() const { return time % 2 == 0; }
    std::uint32_t writer() const { return time / 2; }
};

struct ValueHash {
    std::size_t operator()(Value value) const { return std::hash<std::uint64_t>()(std::uint64_t{value.time} << 32 | value.reg); }
};

/// Determines which value each instruction reads from each register and which instructions are live. A `mov` creates no value: its register
/// holds the value of its source. The values are those of static single assignment form (Cytron et al., "Efficiently Computing Static
/// Single Assignment Form and the Control Dependence Graph", 1991), computed by iteration over tables of the registers that are live into a
/// block.
class ValueNumbering {
public:
    /// Limit on (blocks + edges) * (registers that some block reads before it writes them). The memory of `of` is proportional to this
    /// number: about 64 MiB at the limit.
    static constexpr std::size_t max_table_entries = std::size_t{1} << 23;

    /// Returns nullopt for a function that exceeds `max_table_entries`. `code` must outlive the result.
    static std::optional<ValueNumbering> of(const std::vector<DecodedInstruction>& code, std::size_t registers);

    /// The value that an instruction reads from `reg`, one of its RegisterAccess::reads.
    Value read(std::uint32_t position, std::uint32_t reg) const;
    /// Whether the result of the instruction can affect memory, another lane or a branch.
    bool is_live(std::uint32_t position) const { return live_[position]; }
    /// The live instructions that read the value, except moves, in ascending order; an instruction that reads it twice appears twice.
    const std::vector<std::uint32_t>& readers(Value value) const;
    /// Whether the value is an input of a merge that is read.
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
    std::vector<std::uint32_t> entering_registers_;  ///< by column: a register that is live into some block
    std::vector<std::uint32_t> column_;              ///< by register
    std::vector<State> leaving_;                     ///< by block
    std::vector<std::vector<Value>>
        reads_;  ///< by instruction: parallel to RegisterAccess::reads, then the previous values of guarded writes
    std::vector<bool> live_;
    std::unordered_map<Value, std::vector<std::uint32_t>, ValueHash> readers_;
    std::unordered_set<Value, ValueHash> merged_;
};

}  // namespace cupool::ptx
