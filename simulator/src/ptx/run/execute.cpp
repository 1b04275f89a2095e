#include <time.h>

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "ptx/ptx.hpp"
#include "ptx/report.hpp"
#include "ptx/run/block.hpp"

namespace cupool::ptx {
namespace {

constexpr std::uint64_t max_threads = 1024;

/// Limit on the memory of resident blocks, beyond which no further blocks become resident.
constexpr std::uint64_t max_resident_bytes = 256 << 20;

/// Reading the clock is a system call, so it is read once per this many instructions. Starting a turn of a block counts as some of them.
constexpr std::uint64_t instructions_between_readings = 1'000'000;
constexpr std::uint64_t instructions_of_turn_start = 1000;

// Shared variables that the entry does not use have no address.
std::uint32_t shared_offset(const EntryPoint& entry_point, std::uint32_t index) {
    const auto found = entry_point.shared_offsets.find(index);
    return found == entry_point.shared_offsets.end() ? 0 : found->second;
}

void check(bool fits, const char* message) {
    if (!fits) throw std::invalid_argument(message);
}

template <class Value>
void splat(AlignedBytes& slots, std::size_t index, Value value) {
    auto* lanes = reinterpret_cast<Value*>(slots.data()) + index * warp_size;
    std::fill_n(lanes, warp_size, value);
}

// Processor time of the calling thread, so that a busy host does not end kernels early.
double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Runs the blocks of a launch: resident blocks take turns; others start when these finish or take too long.
class Grid {
public:
    Grid(LaunchState& launch) : launch_(launch), blocks_(launch.launch.grid.count()) {}

    Outcome run() {
        Schedule& schedule = launch_.schedule;
        std::uint64_t wanted = schedule.first_resident();
        std::size_t last = none;
        std::size_t idle_turns = 0;  // turns since the last block finished or started
        for (;;) {
            while (next_ < blocks_ && resident_.size() < wanted) admit();
            if (resident_.empty()) break;
            last = schedule.next(last, resident_.size());
            const Outcome outcome = run(*resident_[last], schedule.block_turn(resident_.size()));
            if (!outcome) return outcome;
            if (resident_[last]->finished()) {
                retire(last--);
                wanted = schedule.first_resident();
                idle_turns = 0;
            } else if (++idle_turns >= resident_.size()) {
                wanted = std::min<std::uint64_t>(2 * resident_.size(), max_resident());
                idle_turns = 0;
            }
        }
        Outcome outcome;
        count_work(outcome);
        return outcome;
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};  // precedes the first index

    // The initially resident blocks may always run.
    std::uint64_t max_resident() const {
        const std::uint64_t fit = max_resident_bytes / std::max<std::uint64_t>(resident_.front()->bytes(), 1);
        return std::min(launch_.schedule.max_resident(), std::max(launch_.schedule.first_resident(), fit));
    }

    // Whether the launch has exceeded its time limit.
    bool is_late(std::uint64_t instructions) {
        since_reading_ += instructions + instructions_of_turn_start;
        if (since_reading_ < instructions_between_readings) return false;
        since_reading_ = 0;
        return processor_seconds() - began_ > launch_.limits.seconds;
    }

    void admit() {
        std::unique_ptr<Block> block;
        if (spare_.empty()) {
            block = std::make_unique<Block>(launch_);
        } else {
            block = std::move(spare_.back());
            spare_.pop_back();
        }
        block->start(launch_.schedule.block(next_++));
        resident_.push_back(std::move(block));
    }

    void retire(std::size_t index) {
        spare_.push_back(std::move(resident_[index]));
        resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(index));
    }

    Outcome run(Block& block, std::uint64_t turn) {
        Outcome outcome;
        const std::uint64_t before = block.executed();
        try {
            block.run(std::min(turn, launch_.limits.warp_instructions - launch_.executed));
            launch_.executed += block.executed() - before;
        } catch (const LaneFault& fault) {
            return describe(block, fault);
        } catch (const Deadlock& deadlock) {
            outcome.fault = Fault::launch_timeout;
            locate(outcome, block);
            outcome.thread = block.thread(*deadlock.warp, deadlock.lane);
            name(outcome, *deadlock.instruction);
            outcome.report = "deadlock in kernel '" + outcome.kernel + "', block " + to_text(outcome.block) +
                             ": all threads wait for others that never come: " + block.describe_waiting();
            return outcome;
        }
        const bool cancelled = launch_.limits.cancel != nullptr && launch_.limits.cancel->load(std::memory_order_relaxed);
        const bool late = is_late(block.executed() - before);
        if (!cancelled && !late && launch_.executed < launch_.limits.warp_instructions) return outcome;
        if (!cancelled && block.finished() && resident_.size() == 1 && next_ == blocks_) return outcome;
        outcome.fault = Fault::launch_timeout;
        locate(outcome, block);
        outcome.report = "kernel '" + outcome.kernel +
                         (cancelled ? "' was cancelled"
                          : late    ? "' ran past its limit of seconds"
                                    : "' ran past its limit of instructions") +
                         waiting_blocks() + " in block " + to_text(outcome.block) + ": " + block.describe_waiting();
        return outcome;
    }

    // A grid-wide barrier deadlocks if not all blocks are resident.
    std::string waiting_blocks() const {
        if (next_ == blocks_) return "";
        return ", " + std::to_string(blocks_ - next_) + " of its " + std::to_string(blocks_) + " blocks not yet begun (at most " +
               std::to_string(max_resident()) + " are resident at once),";
    }

    void locate(Outcome& outcome, const Block& block) {
        outcome.kernel = launch_.entry.name;
        outcome.block = block.index();
        count_work(outcome);
    }

    void count_work(Outcome& outcome) const {
        const auto add = [&](const std::vector<std::unique_ptr<Block>>& blocks) {
            for (const auto& block : blocks) {
                outcome.warp_instructions += block->executed();
                outcome.lane_instructions += block->lanes_executed();
            }
        };
        add(resident_);
        add(spare_);
    }

    Outcome describe(const Block& block, const LaneFault& fault) {
        Outcome outcome;
        locate(outcome, block);
        const Warp& warp = *block.faulty_warp();
        outcome.fault = fault.fault;
        outcome.is_finding = fault.is_finding;
        outcome.thread = block.thread(warp, fault.lane);
        name(outcome, *warp.current());
        outcome.address = fault.address;
        outcome.space = fault.space;
        outcome.report = fault.what + (fault.space.empty() ? "" : " at " + hexadecimal(fault.address)) + " in kernel '" + outcome.kernel +
                         "', " + location_text(launch_.module, launch_.code, *warp.current()) + ", block " + to_text(outcome.block) +
                         ", thread " + to_text(outcome.thread);
        const bool in_memory = fault.space == name_of(Access::global) || fault.space == name_of(Access::generic);
        const std::string known = in_memory ? launch_.memory.describe(fault.address) : "";
        if (!known.empty()) outcome.report += ": " + known;
        return outcome;
    }

    void name(Outcome& outcome, const Instruction& instruction) const {
        outcome.line = static_cast<int>(instruction.line);
        outcome.opcode = launch_.module.opcode_texts[instruction.text];
    }

    LaunchState& launch_;
    std::uint64_t blocks_;
    double began_ = processor_seconds();
    std::uint64_t since_reading_ = 0;
    std::uint64_t next_ = 0;
    std::vector<std::unique_ptr<Block>> resident_;
    std::vector<std::unique_ptr<Block>> spare_;
};

}  // namespace

LaunchState::LaunchState(const Module& the_module, const Launch& the_launch, GlobalMemory& global, const Limits& the_limits)
    : module(the_module),
      launch(the_launch),
      limits(the_limits),
      entry(the_module.entries[the_launch.entry]),
      entry_point(the_module.entry_points[the_launch.entry]),
      code((the_launch.checks.initialisation || the_launch.checks.races ? the_module.inspected_code : the_module.code).data()),
      memory(global),
      parameters(align_up(entry.parameter_bytes, 16)),
      pool32(the_module.pool32.size() * slot32_bytes),
      pool64(the_module.pool64.size() * slot64_bytes),
      shared_bytes(entry.shared_bytes + the_launch.dynamic_shared_bytes),
      schedule(the_launch) {
    if (the_launch.checks.races) races.emplace(*this);
    if (entry.parameter_bytes != 0) std::memcpy(parameters.data(), the_launch.parameters.data(), entry.parameter_bytes);
    for (std::size_t i = 0; i < module.pool32.size(); ++i) splat(pool32, i, module.pool32[i]);
    for (std::size_t i = 0; i < module.pool64.size(); ++i) splat(pool64, i, module.pool64[i]);
    for (const PoolAddress& address : module.pool_addresses) {
        const std::uint64_t base = address.kind == PoolAddress::Kind::variable ? launch.variable_addresses[address.index]
                                                                               : shared_offset(entry_point, address.index);
        if (address.wide) {
            splat(pool64, address.slot, base + address.addend);
        } else {
            splat(pool32, address.slot, static_cast<std::uint32_t>(base + address.addend));
        }
    }
}

bool LaunchState::suppresses(const Instruction& instruction) const {
    return launch.suppressions != nullptr &&
           launch.suppressions->suppress(entry.name, static_cast<int>(instruction.line), source_line(module, code, instruction));
}

Outcome execute(const Program& program, const Launch& launch, GlobalMemory& memory, const Limits& limits) {
    const Module& module = program.module();
    check(launch.entry < module.entries.size(), "no such entry");
    const Entry& entry = module.entries[launch.entry];
    check(entry.refusal.empty(), entry.refusal.c_str());
    check(launch.grid.count() != 0 && launch.block.count() != 0, "a grid or block without threads");
    check(launch.block.count() <= max_threads, "more threads in a block than 1024");
    check(launch.parameters.size() >= entry.parameter_bytes, "fewer parameter bytes than the entry has");
    check(launch.variable_addresses.size() == module.variables.size(), "an address for each variable of the module");
    check(limits.multiprocessors != 0, "at least one multiprocessor");
    check(entry.shared_bytes + std::uint64_t{launch.dynamic_shared_bytes} <= window_bytes / 2, "too much shared memory");
    LaunchState state(module, launch, memory, limits);
    return Grid(state).run();
}

}  // namespace cupool::ptx
