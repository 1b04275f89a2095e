#include "ptx/checks/thread_clocks.hpp"

#include <algorithm>
#include <bit>

namespace cupool::ptx {

ThreadClocks::ThreadClocks(std::uint32_t block, std::uint32_t threads) : block_(block), threads_(threads) {}

bool ThreadClocks::knows(std::uint32_t thread, std::uint32_t other_block, std::uint32_t other_thread, std::uint32_t tick) const {
    const Thread& own = threads_[thread];
    if (other_block != block_) return own.foreign && own.foreign->covers(other_block, other_thread, tick);
    return thread == other_thread || tick <= floor_ || (own.row && (*own.row)[other_thread] >= tick);
}

void ThreadClocks::synchronise(std::uint32_t first, std::uint32_t lanes) {
    std::vector<Arrival> arrivals;
    for (; lanes != 0; lanes &= lanes - 1) arrivals.push_back({first + static_cast<std::uint32_t>(std::countr_zero(lanes)), tick_, true});
    meet(arrivals);
}

void ThreadClocks::arrive(std::uint32_t barrier, std::uint32_t first, std::uint32_t lanes, bool wait) {
    for (; lanes != 0; lanes &= lanes - 1)
        arrivals_[barrier].push_back({first + static_cast<std::uint32_t>(std::countr_zero(lanes)), tick_, wait});
    if (!wait) ++tick_;  // the thread continues: its next accesses are not covered
}

void ThreadClocks::complete(std::uint32_t barrier, bool everybody) {
    std::vector<Arrival> arrivals = std::move(arrivals_[barrier]);
    arrivals_[barrier].clear();
    const bool all_wait = std::all_of(arrivals.begin(), arrivals.end(), [](const Arrival& arrival) { return arrival.waits; });
    if ((everybody || arrivals.size() == threads_.size()) && all_wait) {
        share_knowledge(arrivals);
        floor_ = tick_++;
    } else {
        meet(arrivals);
    }
}

void ThreadClocks::meet(const std::vector<Arrival>& arrivals) {
    const Row row = joined_rows(arrivals);
    for (const Arrival& arrival : arrivals) {
        std::uint32_t& known = (*row)[arrival.thread];
        known = std::max(known, arrival.tick);
    }
    for (const Arrival& arrival : arrivals)
        if (arrival.waits) threads_[arrival.thread].row = row;
    share_knowledge(arrivals);
    ++tick_;
}

// A writable row: the common row of these threads if nobody else shares it, otherwise a new one.
ThreadClocks::Row ThreadClocks::joined_rows(const std::vector<Arrival>& arrivals) const {
    const Row& first = threads_[arrivals.front().thread].row;
    const bool alike = first && std::all_of(arrivals.begin(), arrivals.end(),
                                            [&](const Arrival& arrival) { return threads_[arrival.thread].row == first && arrival.waits; });
    if (alike && static_cast<std::size_t>(first.use_count()) == arrivals.size()) return first;
    auto row = std::make_shared<std::vector<std::uint32_t>>(threads_.size());
    const Row* last = nullptr;
    for (const Arrival& arrival : arrivals) {
        const Row& known = threads_[arrival.thread].row;
        if (!known || (last != nullptr && *last == known)) continue;
        std::transform(row->begin(), row->end(), known->begin(), row->begin(),
                       [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
        last = &known;
    }
    return row;
}

void ThreadClocks::share_knowledge(const std::vector<Arrival>& arrivals) {
    if (!shares_) return;
    for (const auto what : {&Thread::foreign, &Thread::sequential, &Thread::pending}) {
        SharedClock all;
        for (const Arrival& arrival : arrivals) all = joined(all, threads_[arrival.thread].*what);
        for (const Arrival& arrival : arrivals)
            if (arrival.waits) threads_[arrival.thread].*what = all;
    }
}

void ThreadClocks::learn(std::uint32_t thread, const SharedClock& knowledge) {
    Thread& own = threads_[thread];
    if (own.foreign && own.foreign->covers(*knowledge)) return;
    own.foreign = joined(own.foreign, knowledge);
    const VectorClock::Ticks ticks = knowledge->of(block_);
    if (!ticks) return;
    auto row =
        own.row ? std::make_shared<std::vector<std::uint32_t>>(*own.row) : std::make_shared<std::vector<std::uint32_t>>(threads_.size());
    std::transform(row->begin(), row->end(), ticks->begin(), row->begin(), [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    own.row = std::move(row);
}

// The thread's clock including its own accesses. The block's clock ticks, so that the thread's next accesses are not covered.
SharedClock ThreadClocks::all_known(std::uint32_t thread) {
    const Thread& own = threads_[thread];
    auto ticks = std::make_shared<std::vector<std::uint32_t>>(threads_.size(), floor_);
    if (own.row) {
        std::transform(ticks->begin(), ticks->end(), own.row->begin(), ticks->begin(),
                       [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    }
    (*ticks)[thread] = tick_++;
    auto clock = own.foreign ? std::make_shared<VectorClock>(*own.foreign) : std::make_shared<VectorClock>();
    clock->set(block_, std::move(ticks));
    return clock;
}

void ThreadClocks::fence(std::uint32_t thread, Scope scope, Fence kind) {
    shares_ = true;
    const auto take = [&](SharedClock Thread::*what) {
        if (threads_[thread].*what) learn(thread, threads_[thread].*what);
        threads_[thread].*what = nullptr;
    };
    take(&Thread::observed_in_block);
    if (scope == Scope::device) take(&Thread::observed);
    const bool sequential = scope == Scope::device && kind == Fence::sequential;
    if (sequential) take(&Thread::pending);
    Thread& own = threads_[thread];
    own.fenced_in_block = all_known(thread);
    if (scope == Scope::device) own.fenced = own.fenced_in_block;
    if (sequential) own.sequential = own.fenced_in_block;
}

Publication ThreadClocks::published(std::uint32_t thread, Scope scope, bool release) {
    const Thread& own = threads_[thread];
    const SharedClock all = release ? all_known(thread) : nullptr;
    Publication publication{nullptr, nullptr, release ? all : own.fenced_in_block, block_};
    if (scope == Scope::device) {
        publication.device = release ? all : own.fenced;
        publication.sequential = own.sequential;
    }
    return publication;
}

void ThreadClocks::observe(std::uint32_t thread, const Publication& published, Scope scope, bool acquire) {
    Thread& own = threads_[thread];
    const auto take = [&](const SharedClock& knowledge, SharedClock Thread::*until_fence) {
        if (!knowledge) return;
        if (acquire) {
            shares_ = true;
            learn(thread, knowledge);
        } else {
            own.*until_fence = joined(own.*until_fence, knowledge);
        }
    };
    if (published.block == block_) take(published.in_block, &Thread::observed_in_block);
    if (scope != Scope::device) return;
    take(published.device, &Thread::observed);
    if (!published.sequential) return;
    shares_ = true;
    own.pending = joined(own.pending, published.sequential);
}

}  // namespace cupool::ptx
