#include "ptx/checks/vector_clock.hpp"

#include <algorithm>

namespace cupool::ptx {
namespace {

bool covers_all(const VectorClock::Ticks& a, const VectorClock::Ticks& b) {
    return a == b || std::equal(a->begin(), a->end(), b->begin(), [](std::uint32_t x, std::uint32_t y) { return x >= y; });
}

VectorClock::Ticks later(const VectorClock::Ticks& a, const VectorClock::Ticks& b) {
    if (covers_all(a, b)) return a;
    if (covers_all(b, a)) return b;
    auto ticks = std::make_shared<std::vector<std::uint32_t>>(*a);
    std::transform(a->begin(), a->end(), b->begin(), ticks->begin(), [](std::uint32_t x, std::uint32_t y) { return std::max(x, y); });
    return ticks;
}

}  // namespace

std::vector<VectorClock::Entry>::const_iterator VectorClock::find(std::uint32_t block) const {
    return std::lower_bound(entries_.begin(), entries_.end(), block, [](const Entry& entry, std::uint32_t of) { return entry.block < of; });
}

VectorClock::Ticks VectorClock::of(std::uint32_t block) const {
    const auto entry = find(block);
    return entry != entries_.end() && entry->block == block ? entry->ticks : nullptr;
}

bool VectorClock::covers(std::uint32_t block, std::uint32_t thread, std::uint32_t tick) const {
    const auto entry = find(block);
    return entry != entries_.end() && entry->block == block && (*entry->ticks)[thread] >= tick;
}

bool VectorClock::covers(const VectorClock& other) const {
    auto mine = entries_.begin();
    for (const Entry& entry : other.entries_) {
        while (mine != entries_.end() && mine->block < entry.block) ++mine;
        if (mine == entries_.end() || mine->block != entry.block || !covers_all(mine->ticks, entry.ticks)) return false;
    }
    return true;
}

void VectorClock::set(std::uint32_t block, Ticks ticks) {
    const auto entry = entries_.begin() + (find(block) - entries_.cbegin());
    if (entry != entries_.end() && entry->block == block) {
        entry->ticks = std::move(ticks);
    } else {
        entries_.insert(entry, {block, std::move(ticks)});
    }
}

void VectorClock::join(const VectorClock& other) {
    std::vector<Entry> all;
    all.reserve(entries_.size() + other.entries_.size());
    auto mine = entries_.begin();
    for (const Entry& theirs : other.entries_) {
        while (mine != entries_.end() && mine->block < theirs.block) all.push_back(std::move(*mine++));
        if (mine != entries_.end() && mine->block == theirs.block) {
            all.push_back({theirs.block, later(mine->ticks, theirs.ticks)});
            ++mine;
        } else {
            all.push_back(theirs);
        }
    }
    all.insert(all.end(), mine, entries_.end());
    entries_ = std::move(all);
}

SharedClock joined(const SharedClock& a, const SharedClock& b) {
    if (!b || a == b || (a && a->covers(*b))) return a;
    if (!a || b->covers(*a)) return b;
    auto both = std::make_shared<VectorClock>(*a);
    both->join(*b);
    return both;
}

}  // namespace cupool::ptx
