#include "ptx/run/warp.hpp"

#include <algorithm>

#include "ptx/report.hpp"
#include "ptx/run/block.hpp"

namespace cupool::ptx {
namespace {

/// Maximum length of a turn of one lane group while others of its warp wait.
constexpr std::uint64_t turn_instructions = 2000;

constexpr std::uint32_t no_stop = 0xffffffff;

// The stack limit counts frames with the sizes that they have on a GPU; here they are padded.
std::uint32_t local_bytes_of_lane(const LaunchState& launch) {
    const EntryPoint& entry = launch.entry_point;
    if (!entry.recursive) return entry.local_bytes;
    const std::uint32_t limit = launch.limits.device_stack_bytes;
    const std::uint32_t frames = std::min(limit / stack_alignment, max_calls + 1);
    return std::max(entry.local_bytes,
                    static_cast<std::uint32_t>(align_up(limit, frame_alignment)) + frames * (frame_alignment - stack_alignment));
}

}  // namespace

Warp::Warp(Block& block, LaunchState& launch, std::uint32_t index)
    : block_(block),
      launch_(launch),
      index_(index),
      local_stride_(local_bytes_of_lane(launch)),
      frame32_(launch.entry_point.frame32_bytes),
      frame64_(launch.entry_point.frame64_bytes),
      frame_predicate_(launch.entry_point.frame_predicate_bytes),
      special_(static_cast<std::size_t>(Special::constant_count) * slot32_bytes),
      local_(std::size_t{local_stride_} * warp_size),
      local_initialised_(launch.launch.checks.initialisation ? local_.size() : 0) {
    banks_[static_cast<std::size_t>(Bank::pool32)] = launch.pool32.data();
    banks_[static_cast<std::size_t>(Bank::pool64)] = launch.pool64.data();
    banks_[static_cast<std::size_t>(Bank::special32)] = special_.data();
    fill_thread_registers();
}

void Warp::start(std::uint32_t lanes) {
    first_lanes_ = alive_ = lanes;
    waiting_.clear();
    running_ = LaneGroup{};
    running_.lanes = lanes;
    position_ = running_.position = launch_.module.functions[launch_.entry_point.function].first_instruction;
    rotate_ = false;
    use_frame();
    forget_frame({}, all_lanes);
    fill_block_registers();
}

template <class Value>
void Warp::fill_special(Special special, const Value& value_of_lane) {
    auto* slot = slots<std::uint32_t>(operand_in(Bank::special32, static_cast<std::uint32_t>(special) * slot32_bytes));
    for (unsigned lane = 0; lane < warp_size; ++lane) slot[lane] = value_of_lane(lane);
}

// Special registers that are equal in all blocks.
void Warp::fill_thread_registers() {
    const Dimensions& block = launch_.launch.block;
    const Dimensions& grid = launch_.launch.grid;
    const auto same = [this](Special special, std::uint32_t value) { fill_special(special, [value](unsigned) { return value; }); };
    fill_special(Special::tid_x, [this](unsigned lane) { return block_.thread(*this, lane).x; });
    fill_special(Special::tid_y, [this](unsigned lane) { return block_.thread(*this, lane).y; });
    fill_special(Special::tid_z, [this](unsigned lane) { return block_.thread(*this, lane).z; });
    same(Special::ntid_x, block.x);
    same(Special::ntid_y, block.y);
    same(Special::ntid_z, block.z);
    same(Special::nctaid_x, grid.x);
    same(Special::nctaid_y, grid.y);
    same(Special::nctaid_z, grid.z);
    fill_special(Special::laneid, [](unsigned lane) { return lane; });
    same(Special::warpid, index_);
    same(Special::nwarpid, static_cast<std::uint32_t>(align_up(block.count(), warp_size) / warp_size));
    same(Special::nsmid, launch_.limits.multiprocessors);
    fill_special(Special::lanemask_eq, [](unsigned lane) { return 1u << lane; });
    fill_special(Special::lanemask_lt, [](unsigned lane) { return (1u << lane) - 1; });
    fill_special(Special::lanemask_le, [](unsigned lane) { return (2u << lane) - 1; });
    fill_special(Special::lanemask_gt, [](unsigned lane) { return ~((2u << lane) - 1); });
    fill_special(Special::lanemask_ge, [](unsigned lane) { return ~((1u << lane) - 1); });
    same(Special::dynamic_smem_size, launch_.launch.dynamic_shared_bytes);
    same(Special::total_smem_size, launch_.shared_bytes);
}

void Warp::fill_block_registers() {
    const auto same = [this](Special special, std::uint32_t value) { fill_special(special, [value](unsigned) { return value; }); };
    same(Special::ctaid_x, block_.index().x);
    same(Special::ctaid_y, block_.index().y);
    same(Special::ctaid_z, block_.index().z);
    same(Special::smid, static_cast<std::uint32_t>(block_.linear_index() % launch_.limits.multiprocessors));
}

bool Warp::runnable() const {
    if (running_.lanes != 0 && running_.state == LaneGroup::State::ready) return true;
    return std::any_of(waiting_.begin(), waiting_.end(), [](const LaneGroup& group) { return group.state == LaneGroup::State::ready; });
}

void Warp::run(std::uint64_t budget) {
    const std::uint64_t end = executed_ + budget;
    const Instruction* const code = launch_.code;
    slept_ = false;
    while (executed_ < end && !slept_ && choose_group()) {
        const std::uint64_t limit = std::min(end, turn_end_);
        while (position_ < stop_position_ && executed_ < limit) {
            const Instruction* next = code + position_;
            const Instruction* const run_end = next + next->straight;
            const std::uint32_t lanes = running_.lanes;
            for (; next != run_end; ++next) {
                const std::uint32_t mask = lanes & predicate(next->guard);
                current_ = next;
                if (mask != 0) next->handler(*this, *next, mask);
            }
            std::uint64_t count = static_cast<std::uint64_t>(run_end - code) - position_;
            position_ = static_cast<std::uint32_t>(run_end - code);
            if (next->straight == 0) {
                ++count;
                ++position_;
                const std::uint32_t mask = lanes & predicate(next->guard);
                current_ = next;
                if (mask != 0) next->handler(*this, *next, mask);
            }
            executed_ += count;
            lanes_executed_ += count * static_cast<unsigned>(std::popcount(lanes));
        }
        if (executed_ >= turn_end_) rotate_ = true;
    }
    if (!runnable()) {
        // The last lane of a reconvergence may have arrived with the last instruction of the turn.
        park_running();
        merge_groups();
    }
}

// Moves the running group to the waiting groups.
void Warp::park_running() {
    if (running_.lanes == 0) return;
    running_.position = position_;
    running_.last_turn = executed_;
    waiting_.push_back(std::move(running_));
    running_ = LaneGroup{};
}

bool Warp::choose_group() {
    if (waiting_.empty() && running_.lanes != 0 && running_.state == LaneGroup::State::ready) {
        stop_position_ = no_stop;
        turn_end_ = ~std::uint64_t{0};
        rotate_ = false;
        return true;
    }
    park_running();
    merge_groups();
    const LaneGroup* chosen = nullptr;
    std::size_t ready = 0;
    for (const LaneGroup& group : waiting_) {
        if (group.state != LaneGroup::State::ready) continue;
        ++ready;
        const auto goes_first = [this](const LaneGroup& a, const LaneGroup& b) {
            if (rotate_) return a.last_turn < b.last_turn;
            if (a.frames.size() != b.frames.size()) return a.frames.size() > b.frames.size();
            return a.position < b.position;
        };
        if (chosen == nullptr || goes_first(group, *chosen)) chosen = &group;
    }
    if (chosen == nullptr) return false;
    const auto index = chosen - waiting_.data();
    running_ = std::move(waiting_[static_cast<std::size_t>(index)]);
    waiting_.erase(waiting_.begin() + index);
    position_ = running_.position;
    turn_end_ = ready > 1 ? executed_ + turn_instructions : ~std::uint64_t{0};
    rotate_ = false;
    use_frame();
    set_stop();
    return true;
}

void Warp::merge_groups() {
    const auto may_merge = [](const LaneGroup& group) {
        return group.state == LaneGroup::State::ready || group.state == LaneGroup::State::at_warp_sync;
    };
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        if (!may_merge(waiting_[i])) continue;
        for (std::size_t j = i + 1; j < waiting_.size();) {
            if (!may_merge(waiting_[j]) || !waiting_[i].meets(waiting_[j])) {
                ++j;
                continue;
            }
            waiting_[i].lanes |= waiting_[j].lanes;
            waiting_[i].last_turn = std::min(waiting_[i].last_turn, waiting_[j].last_turn);
            waiting_[i].state = LaneGroup::State::ready;  // a group that waited for these lanes tries again
            waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(j));
        }
    }
}

// The running group stops where it would reconverge with another.
void Warp::set_stop() {
    stop_position_ = no_stop;
    for (const LaneGroup& group : waiting_) {
        const bool may_meet = group.state == LaneGroup::State::ready || group.state == LaneGroup::State::at_warp_sync;
        if (may_meet && group.position >= position_ && group.position < stop_position_ && group.frames == running_.frames)
            stop_position_ = group.position;
    }
}

void Warp::branch(std::uint32_t mask, std::uint32_t position) {
    if (mask == running_.lanes) {
        const bool back = position < position_;
        position_ = position;
        if (back && stop_position_ != 0 && !waiting_.empty()) set_stop();
        return;
    }
    LaneGroup other;
    other.lanes = mask;
    other.position = position;
    other.frames = running_.frames;
    other.last_turn = executed_;
    running_.lanes &= ~mask;
    waiting_.push_back(std::move(other));
    stop_position_ = 0;
}

void Warp::exit(std::uint32_t mask) {
    check_skipped(mask & accessing_lanes_);
    alive_ &= ~mask;
    running_.lanes &= ~mask;
    if (running_.lanes == 0) stop_position_ = 0;
    for (LaneGroup& group : waiting_)
        if (group.state == LaneGroup::State::at_warp_sync) group.state = LaneGroup::State::ready;
    release_warp_barriers();
    block_.complete_barriers();
}

// Lanes may return early and leave a barrier or shuffle to the others. Lanes that continue and access memory while others wait for them are
// taken to have skipped it.
void Warp::check_skipped(std::uint32_t mask) const {
    if (mask == 0) return;
    for (const LaneGroup& group : waiting_) {
        const bool at_barrier = group.state == LaneGroup::State::at_barrier && is_aligned_barrier(instruction_of(group));
        const bool at_sync = group.state == LaneGroup::State::at_warp_sync && (group.members & mask) != 0;
        if ((!at_barrier && !at_sync) || launch_.suppresses(*current_)) continue;
        const std::uint32_t absent = at_sync ? mask & group.members : mask;
        throw LaneFault{Fault::launch_failed,
                        static_cast<unsigned>(std::countr_zero(absent)),
                        0,
                        std::string(at_barrier ? "barrier" : "member mask") + " skipped: lanes " + lanes_text(absent) + " of warp " +
                            std::to_string(index_) + " exit while lanes " + lanes_text(group.lanes) + " wait for them at " +
                            location_text(launch_.module, launch_.code, instruction_of(group)) + ",",
                        {},
                        true};
    }
}

void Warp::narrow(std::uint32_t mask) {
    const std::uint32_t others = running_.lanes & ~mask;
    if (others == 0) return;
    LaneGroup group;
    group.lanes = others;
    group.position = position_ - 1;
    group.frames = running_.frames;
    group.last_turn = executed_;
    running_.lanes = mask;
    waiting_.push_back(std::move(group));
    stop_position_ = 0;
}

void Warp::wait(LaneGroup::State state) {
    const auto waits = [](const LaneGroup& group) { return group.state != LaneGroup::State::ready; };
    if (std::none_of(waiting_.begin(), waiting_.end(), waits)) accessing_lanes_ = 0;
    running_.state = state;
    stop_position_ = 0;
}

void Warp::wait_at_barrier(std::uint8_t barrier, const Instruction* reduction) {
    running_.barrier = barrier;
    running_.reduction = reduction;
    wait(LaneGroup::State::at_barrier);
}

void Warp::write_reduction(const LaneGroup& group, std::uint32_t true_predicates, std::uint32_t predicates) {
    const Instruction& instruction = *group.reduction;
    use_frame(group.frames);
    switch (static_cast<Reduction>(instruction.choice)) {
        case Reduction::conjunction:
            set_predicate(instruction.operands[0], true_predicates == predicates ? all_lanes : 0, group.lanes);
            break;
        case Reduction::disjunction: set_predicate(instruction.operands[0], true_predicates != 0 ? all_lanes : 0, group.lanes); break;
        case Reduction::population:
            for (std::uint32_t rest = group.lanes; rest != 0; rest &= rest - 1)
                set_value(instruction.operands[0], static_cast<unsigned>(std::countr_zero(rest)), true_predicates);
            break;
    }
    use_frame();
}

void Warp::sleep() {
    slept_ = true;
    rotate_ = true;
    stop_position_ = 0;
}

std::optional<Warp::Gathered> Warp::gather(std::uint32_t members_operand, std::uint32_t mask) {
    const std::uint32_t* members = slots<std::uint32_t>(members_operand);
    std::uint32_t left = mask;
    while (left != 0) {
        Gathered gathered;
        gathered.members = members[std::countr_zero(left)];
        for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            if (members[lane] == gathered.members) gathered.lanes |= 1u << lane;
        }
        if ((gathered.lanes & ~gathered.members) != 0) {
            const auto lane = static_cast<unsigned>(std::countr_zero(gathered.lanes & ~gathered.members));
            throw LaneFault{Fault::launch_failed,
                            lane,
                            gathered.members,
                            "a lane outside its own member mask " + lanes_text(gathered.members),
                            {},
                            true};
        }
        if ((gathered.members & alive_ & ~gathered.lanes) == 0) {
            // Lanes with another mask execute the instruction separately; lanes with a false guard skip it.
            narrow(gathered.lanes | (running_.lanes & ~mask));
            block_.synchronise(*this, gathered.lanes);
            return gathered;
        }
        left &= ~gathered.lanes;
        running_.members = gathered.members;
    }
    --position_;
    wait(LaneGroup::State::at_warp_sync);
    return std::nullopt;
}

void Warp::warp_barrier(std::uint32_t members_operand, std::uint32_t mask) {
    const std::uint32_t* members = slots<std::uint32_t>(members_operand);
    const std::uint32_t wanted = members[std::countr_zero(mask)];
    std::uint32_t alike = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if (members[lane] == wanted) alike |= 1u << lane;
        if ((members[lane] >> lane & 1) == 0)
            throw LaneFault{
                Fault::launch_failed, lane, members[lane], "a lane outside its own member mask " + lanes_text(members[lane]), {}, true};
    }
    narrow(alike);
    running_.members = wanted;
    wait(LaneGroup::State::at_warp_barrier);
    release_warp_barriers();
}

// Resumes groups whose awaited lanes have all arrived or exited.
void Warp::release_warp_barriers() {
    const auto waits_for = [](const LaneGroup& group, std::uint32_t members) {
        return group.lanes != 0 && group.state == LaneGroup::State::at_warp_barrier && group.members == members;
    };
    const auto release = [&](LaneGroup& candidate) {
        if (candidate.lanes == 0 || candidate.state != LaneGroup::State::at_warp_barrier) return;
        const std::uint32_t members = candidate.members;
        std::uint32_t arrived = waits_for(running_, members) ? running_.lanes : 0;
        for (const LaneGroup& group : waiting_)
            if (waits_for(group, members)) arrived |= group.lanes;
        if ((members & alive_ & ~arrived) != 0) return;
        block_.synchronise(*this, arrived);
        if (waits_for(running_, members)) running_.state = LaneGroup::State::ready;
        for (LaneGroup& group : waiting_)
            if (waits_for(group, members)) group.state = LaneGroup::State::ready;
    };
    release(running_);
    for (LaneGroup& group : waiting_) release(group);
}

template <class Visit>
void Warp::for_each_group(const Visit& visit) const {
    if (running_.lanes != 0) {
        LaneGroup running = running_;
        running.position = position_;
        visit(running);
    }
    for (const LaneGroup& group : waiting_) visit(group);
}

const Instruction& Warp::instruction_of(const LaneGroup& group) const {
    const bool before = group.state == LaneGroup::State::at_warp_sync || group.position == 0;
    return launch_.code[before ? group.position : group.position - 1];
}

void Warp::check_aligned(const Instruction& barrier, std::uint32_t mask) const {
    for_each_group([&](const LaneGroup& group) {
        if (group.state != LaneGroup::State::at_barrier || (group.lanes & mask) != 0) return;
        const Instruction& other = instruction_of(group);
        if (&other == &barrier || (!is_aligned_barrier(barrier) && !is_aligned_barrier(other))) return;
        throw LaneFault{Fault::launch_failed,
                        static_cast<unsigned>(std::countr_zero(mask)),
                        0,
                        "barrier divergence: lanes " + lanes_text(mask) + " of warp " + std::to_string(index_) + " come here while lanes " +
                            lanes_text(group.lanes) + " wait at line " + std::to_string(other.line) + " (" +
                            launch_.module.opcode_texts[other.text] + ")",
                        {},
                        true};
    });
}

std::string Warp::describe_waiting() const {
    std::string text;
    for_each_group([&](const LaneGroup& group) {
        const Instruction& at = instruction_of(group);
        text += "warp " + std::to_string(index_) + " lanes " + lanes_text(group.lanes) + " at line " + std::to_string(at.line) + " (" +
                launch_.module.opcode_texts[at.text] + ")";
        if (group.state == LaneGroup::State::at_barrier) text += block_.describe_barrier(group.barrier);
        if (group.state == LaneGroup::State::at_warp_sync || group.state == LaneGroup::State::at_warp_barrier)
            text += " for lanes " + lanes_text(group.members & alive_ & ~group.lanes) + " of its mask " + lanes_text(group.members);
        text += "; ";
    });
    if ((first_lanes_ & ~alive_) != 0)
        text += "warp " + std::to_string(index_) + " lanes " + lanes_text(first_lanes_ & ~alive_) + " have exited; ";
    return text;
}

std::pair<unsigned, const Instruction*> Warp::any_lane() const {
    std::pair<unsigned, const Instruction*> found{0, nullptr};
    for_each_group([&](const LaneGroup& group) {
        if (found.second == nullptr) found = {static_cast<unsigned>(std::countr_zero(group.lanes)), &instruction_of(group)};
    });
    return found;
}

}  // namespace cupool::ptx
