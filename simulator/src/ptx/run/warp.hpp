#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/parse/special_registers.hpp"
#include "ptx/run/aligned_bytes.hpp"
#include "ptx/run/launch_state.hpp"

namespace cupool::ptx {

class Block;

inline constexpr std::uint32_t all_lanes = 0xffffffff;

/// Thrown by a handler if a lane cannot continue.
struct LaneFault {
    Fault fault;
    unsigned lane;
    std::uint64_t address;
    std::string what;
    std::string_view space = {};  ///< address space
    bool is_finding = false;      ///< of Checks: a GPU would have continued
};

/// A call in progress: the offsets of its frame in each bank, and where to return.
struct Frame {
    std::uint32_t return_position = 0;
    std::uint32_t call = 0;  ///< index into Module::calls
    std::uint32_t function = 0;
    std::uint32_t frame32 = 0;
    std::uint32_t frame64 = 0;
    std::uint32_t frame_predicate = 0;
    std::uint32_t local = 0;
    std::uint32_t stack = 0;  ///< bytes of CU_LIMIT_STACK_SIZE in use, including this call

    bool operator==(const Frame&) const = default;
};

/// Converged lanes of a warp: same position and same call frames.
struct LaneGroup {
    enum class State : std::uint8_t {
        ready,
        at_barrier,       ///< a block barrier; `position` is the one after it
        at_warp_sync,     ///< at an instruction for which further lanes must arrive
        at_warp_barrier,  ///< bar.warp.sync; `position` is the one after it
    };

    std::uint32_t lanes = 0;
    std::uint32_t position = 0;
    State state = State::ready;
    std::uint8_t barrier = 0;                ///< at_barrier: its number
    const Instruction* reduction = nullptr;  ///< at_barrier: the bar.red that needs a result
    std::uint32_t members = 0;               ///< at_warp_sync, at_warp_barrier: the member mask
    std::uint64_t last_turn = 0;             ///< when it last ran
    std::vector<Frame> frames;               ///< of the active calls, innermost last

    bool meets(const LaneGroup& other) const { return position == other.position && frames == other.frames; }
};

/// 32 lanes and their registers. Diverged lanes run in groups: the deepest call first, then the lowest position, so that they reconverge.
/// No group starves the others, so spin locks between lanes make progress.
class Warp {
public:
    Warp(Block& block, LaunchState& launch, std::uint32_t index);

    /// Resets the warp for a new block; `lanes` are the lanes that exist.
    void start(std::uint32_t lanes);
    /// Runs until `budget` instructions are executed, no group can continue or a lane sleeps. Throws LaneFault.
    void run(std::uint64_t budget);
    bool finished() const { return alive_ == 0; }
    bool runnable() const;

    // Operands.
    template <class Slot>
    Slot* slots(std::uint32_t operand) const {
        return std::assume_aligned<64>(reinterpret_cast<Slot*>(address_of(operand)));
    }
    std::uint32_t predicate(std::uint32_t operand) const {
        std::uint32_t word = 0;
        std::memcpy(&word, address_of(operand), sizeof word);
        return (operand & negated_predicate) != 0 ? ~word : word;
    }
    void set_predicate(std::uint32_t operand, std::uint32_t value, std::uint32_t mask) {
        const std::uint32_t word = (predicate(operand) & ~mask) | (value & mask);
        std::memcpy(address_of(operand), &word, sizeof word);
    }
    /// A lane's value of a register of either width.
    std::uint64_t value(std::uint32_t operand, unsigned lane) const {
        return is_wide(operand) ? slots<std::uint64_t>(operand)[lane] : slots<std::uint32_t>(operand)[lane];
    }
    void set_value(std::uint32_t operand, unsigned lane, std::uint64_t bits) {
        if (is_wide(operand)) {
            slots<std::uint64_t>(operand)[lane] = bits;
        } else {
            slots<std::uint32_t>(operand)[lane] = static_cast<std::uint32_t>(bits);
        }
    }
    /// The lanes to write for `mask`: includes exited lanes, whose registers are never read, because full warps are faster.
    std::uint32_t writable(std::uint32_t mask) const { return mask | ~alive_; }
    /// CC.CF: 0 or 1 for each lane.
    std::uint32_t* carry() { return carry_.data(); }

    // Control flow of the running group.
    std::uint32_t active() const { return running_.lanes; }
    std::uint32_t alive() const { return alive_; }
    const std::vector<Frame>& frames() const { return running_.frames; }
    /// Offset of the running function's frame in local memory.
    std::uint32_t local_frame() const { return running_.frames.empty() ? 0 : running_.frames.back().local; }
    /// Moves the lanes of `mask` to another position; the others continue.
    void branch(std::uint32_t mask, std::uint32_t position);
    /// Exits the lanes of `mask`.
    void exit(std::uint32_t mask);
    /// Restricts the current instruction to the lanes of `mask`; the others will execute it separately.
    void narrow(std::uint32_t mask);
    void call(std::uint32_t mask, std::uint32_t call);
    void return_from(std::uint32_t mask);
    /// Suspends the group in `state`.
    void wait(LaneGroup::State state);
    void wait_at_barrier(std::uint8_t barrier, const Instruction* reduction);
    /// For aligned barriers, which all lanes of a warp must reach together. Throws LaneFault if other lanes of this warp wait at another
    /// barrier.
    void check_aligned(const Instruction& barrier, std::uint32_t mask) const;
    /// Resumes the groups that wait at a block barrier. `reduced` writes the result of a bar.red.
    template <class Reduce>
    void release_barrier(std::uint8_t barrier, const Reduce& reduced);
    /// Writes the result of a bar.red for a group of this warp that waits at its barrier.
    void write_reduction(const LaneGroup& group, std::uint32_t true_predicates, std::uint32_t predicates);
    void sleep();
    /// For launches with the race check: records that the lanes access memory.
    void note_accesses(std::uint32_t mask) { accessing_lanes_ |= mask; }

    /// For a `.sync` instruction: the lanes that can execute it now (all members of their common mask have arrived), and that mask.
    /// nullopt: the group waits for other lanes and will execute the instruction again.
    struct Gathered {
        std::uint32_t lanes = 0;
        std::uint32_t members = 0;
    };
    std::optional<Gathered> gather(std::uint32_t members_operand, std::uint32_t mask);
    void warp_barrier(std::uint32_t members_operand, std::uint32_t mask);

    // State.
    Block& block() const { return block_; }
    LaunchState& launch() const { return launch_; }
    std::uint32_t index() const { return index_; }
    std::uint32_t first_lanes() const { return first_lanes_; }
    std::byte* local(unsigned lane) const { return local_.data() + std::size_t{lane} * local_stride_; }
    /// Shadow memory of the lane's local memory; null: not checked.
    std::byte* local_initialised(unsigned lane) const {
        return local_initialised_.size() == 0 ? nullptr : local_initialised_.data() + std::size_t{lane} * local_stride_;
    }
    std::uint32_t local_stride() const { return local_stride_; }
    const Instruction* current() const { return current_; }
    std::uint64_t executed() const { return executed_; }
    /// Host memory of registers and local memory.
    std::uint64_t bytes() const {
        return frame32_.size() + frame64_.size() + frame_predicate_.size() + special_.size() + local_.size() + local_initialised_.size();
    }
    std::uint64_t lanes_executed() const { return lanes_executed_; }
    /// The instruction count of the warp, exact even within the current straight-line run.
    std::uint64_t clock() const { return launch_.executed + executed_ + static_cast<std::uint64_t>(current_ - launch_.code) - position_; }
    /// Describes the waiting lanes: where and for what they wait.
    std::string describe_waiting() const;
    /// Any lane that has not exited, and its instruction.
    std::pair<unsigned, const Instruction*> any_lane() const;
    /// The instruction at which a group waits, or the one before its next instruction.
    const Instruction& instruction_of(const LaneGroup& group) const;

private:
    template <class Visit>
    void for_each_group(const Visit& visit) const;
    std::byte* address_of(std::uint32_t operand) const { return banks_[operand >> bank_shift] + (operand & offset_mask); }
    bool choose_group();
    void merge_groups();
    void set_stop();
    void park_running();
    void use_frame() { use_frame(running_.frames); }
    void use_frame(const std::vector<Frame>& frames);
    Frame frame_after(std::uint32_t call) const;
    void reserve(const Frame& frame);
    void forget_frame(const Frame& frame, std::uint32_t mask);
    void copy_arguments(const Frame& callee, std::uint32_t mask);
    void copy_local(unsigned lane, std::uint32_t to, std::uint32_t from, std::uint32_t bytes);
    void copy_results(const Frame& callee, std::uint32_t mask);
    void release_warp_barriers();
    void check_skipped(std::uint32_t mask) const;
    template <class Value>
    void fill_special(Special special, const Value& value_of_lane);
    void fill_thread_registers();
    void fill_block_registers();

    std::byte* banks_[8] = {};
    std::uint32_t position_ = 0;       ///< of the next instruction
    std::uint32_t stop_position_ = 0;  ///< where the running group may reconverge with another; 0: its turn is over
    std::uint64_t turn_end_ = 0;
    std::uint64_t executed_ = 0;
    std::uint64_t lanes_executed_ = 0;
    std::uint32_t alive_ = 0;
    const Instruction* current_ = nullptr;
    LaneGroup running_;  ///< has no lanes if no group runs
    std::vector<LaneGroup> waiting_;
    std::uint32_t accessing_lanes_ = 0;  ///< lanes that have accessed memory since the first lane of the warp began to wait
    bool rotate_ = false;                ///< the next turn goes to the group that waited longest
    bool slept_ = false;

    alignas(64) std::array<std::uint32_t, warp_size> carry_{};
    Block& block_;
    LaunchState& launch_;
    std::uint32_t index_;
    std::uint32_t first_lanes_ = 0;
    std::uint32_t local_stride_;
    AlignedBytes frame32_;
    AlignedBytes frame64_;
    AlignedBytes frame_predicate_;
    AlignedBytes special_;
    AlignedBytes local_;
    AlignedBytes local_initialised_;
};

template <class Reduce>
void Warp::release_barrier(std::uint8_t barrier, const Reduce& reduced) {
    const auto release = [&](LaneGroup& group) {
        if (group.state != LaneGroup::State::at_barrier || group.barrier != barrier) return;
        if (group.reduction != nullptr) reduced(*this, group);
        group.state = LaneGroup::State::ready;
        group.reduction = nullptr;
    };
    release(running_);
    for (LaneGroup& group : waiting_) release(group);
}

}  // namespace cupool::ptx
