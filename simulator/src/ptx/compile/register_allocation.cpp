#include "ptx/compile/register_allocation.hpp"

#include <algorithm>
#include <queue>

namespace cupool::ptx {
namespace {

constexpr std::uint32_t none = 0xffffffff;

struct Interval {
    std::uint32_t begin = none;
    std::uint32_t end = 0;

    void cover(std::uint32_t from, std::uint32_t to) {
        begin = std::min(begin, from);
        end = std::max(end, to);
    }
    bool empty() const { return begin == none; }
    bool from_start = false;  ///< live at the start of the code
};

/// Computes the live interval of each register by walking back from its reads to the reaching writes.
class Liveness {
public:
    Liveness(const std::vector<RegisterAccess>& code, std::size_t registers)
        : code_(code), blocks_(find_basic_blocks(code)), intervals_(registers), uses_(registers), stamp_(blocks_.size(), none) {}

    std::vector<Interval> run() {
        for (std::uint32_t b = 0; b < blocks_.size(); ++b) scan(b);
        for (std::uint32_t reg = 0; reg < intervals_.size(); ++reg) spread(reg);
        return std::move(intervals_);
    }

private:
    // Extends intervals within the block and records which registers are live at its start.
    void scan(std::uint32_t block) {
        for (std::uint32_t i = blocks_[block].begin; i < blocks_[block].end; ++i) {
            for (const std::uint32_t reg : code_[i].reads) note_read(reg, block, i);
            for (const std::uint32_t reg : code_[i].writes) {
                intervals_[reg].cover(2 * i + 1, 2 * i + 1);
                if (code_[i].guarded) {
                    note_read(reg, block, i);
                } else {
                    define(reg, block);
                }
            }
        }
    }

    void note_read(std::uint32_t reg, std::uint32_t block, std::uint32_t position) {
        intervals_[reg].cover(2 * position, 2 * position);
        Uses& uses = uses_[reg];
        if (uses.defined_in.empty() || uses.defined_in.back() != block) {
            if (uses.entering.empty() || uses.entering.back() != block) uses.entering.push_back(block);
        }
    }

    void define(std::uint32_t reg, std::uint32_t block) {
        Uses& uses = uses_[reg];
        if (uses.defined_in.empty() || uses.defined_in.back() != block) uses.defined_in.push_back(block);
    }

    void spread(std::uint32_t reg) {
        const Uses& uses = uses_[reg];
        std::vector<std::uint32_t> work;
        for (const std::uint32_t block : uses.entering) enter(reg, block, work);
        while (!work.empty()) {
            const std::uint32_t block = work.back();
            work.pop_back();
            for (const std::uint32_t before : blocks_[block].predecessors) {
                intervals_[reg].cover(2 * blocks_[before].end - 1, 2 * blocks_[before].end - 1);
                if (!std::binary_search(uses.defined_in.begin(), uses.defined_in.end(), before)) enter(reg, before, work);
            }
        }
    }

    // The register is live at the start of the block.
    void enter(std::uint32_t reg, std::uint32_t block, std::vector<std::uint32_t>& work) {
        if (stamp_[block] == reg) return;
        stamp_[block] = reg;
        if (block == 0) intervals_[reg].from_start = true;
        intervals_[reg].cover(2 * blocks_[block].begin, 2 * blocks_[block].begin);
        work.push_back(block);
    }

    struct Uses {
        std::vector<std::uint32_t> entering;    ///< blocks that read it before they write it
        std::vector<std::uint32_t> defined_in;  ///< blocks that write it, ascending
    };

    const std::vector<RegisterAccess>& code_;
    std::vector<BasicBlock> blocks_;
    std::vector<Interval> intervals_;
    std::vector<Uses> uses_;
    std::vector<std::uint32_t> stamp_;
};

}  // namespace

Allocation allocate_registers(const std::vector<RegisterAccess>& code, const std::vector<RegisterClass>& classes) {
    const std::vector<Interval> intervals = Liveness(code, classes.size()).run();
    std::vector<std::uint32_t> order;
    for (std::uint32_t reg = 0; reg < classes.size(); ++reg)
        if (!intervals[reg].empty()) order.push_back(reg);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return intervals[a].begin != intervals[b].begin ? intervals[a].begin < intervals[b].begin : a < b;
    });

    Allocation allocation;
    allocation.slots.assign(classes.size(), 0);
    for (const Interval& interval : intervals) allocation.live_at_start.push_back(interval.from_start);
    struct Active {
        std::uint32_t end;
        std::uint32_t slot;
        bool operator<(const Active& other) const { return end > other.end; }
    };
    struct Slots {
        std::priority_queue<Active> active;
        std::vector<std::uint32_t> free;
    };
    std::array<Slots, static_cast<std::size_t>(RegisterClass::count)> slots;
    const auto live = [&](RegisterClass of) { return static_cast<std::uint32_t>(slots[static_cast<std::size_t>(of)].active.size()); };
    for (const std::uint32_t reg : order) {
        for (Slots& each : slots) {
            while (!each.active.empty() && each.active.top().end < intervals[reg].begin) {
                each.free.push_back(each.active.top().slot);
                each.active.pop();
            }
        }
        const auto own = static_cast<std::size_t>(classes[reg]);
        std::uint32_t slot = 0;
        if (slots[own].free.empty()) {
            slot = allocation.used[own]++;
        } else {
            slot = slots[own].free.back();
            slots[own].free.pop_back();
        }
        allocation.slots[reg] = slot;
        slots[own].active.push({intervals[reg].end, slot});
        allocation.max_live = std::max(allocation.max_live, live(RegisterClass::narrow) + 2 * live(RegisterClass::wide));
    }
    return allocation;
}

}  // namespace cupool::ptx
