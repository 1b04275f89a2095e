#include "scheduling/work_queues.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace cupool::detail {

WorkQueues::WorkQueues(std::size_t members, OnMove on_move, LoadBalancer::Clock clock)
    : on_move_(std::move(on_move)), clock_(std::move(clock)), queues_(members), running_(members), is_served_(members), works_(members) {}

bool WorkQueues::is_empty() const {
    return std::all_of(queues_.begin(), queues_.end(), [](const Queue& queue) { return queue.empty(); });
}

bool WorkQueues::has_movable(std::size_t member) const {
    return may_move() && std::any_of(queues_[member].begin(), queues_[member].end(), is_movable);
}

bool WorkQueues::may_take_over(std::size_t member) const { return !movable_.empty() && may_move() && balancer_->loads()[member].available; }

void WorkQueues::push(std::size_t member, QueuedTask task) {
    Queue& queue = queues_[member];
    queue.push_back(std::move(task));
    queue.back().number = pushed_++;
    if (!is_movable(queue.back())) return;
    try {
        movable_.emplace(key_of(queue.back()), Place{member, std::prev(queue.end())});
    } catch (...) {
        queue.pop_back();
        throw;
    }
    movable_work_ += queue.back().lease->work();
}

std::optional<QueuedTask> WorkQueues::next(std::size_t member) {
    const Queue& own = queues_[member];
    if (movable_.empty() || !may_move() || (own.empty() && !works_[member]) || (!own.empty() && !is_movable(own.front())))
        return pop(member);
    const Estimate before = estimate();
    if (!before.loads[member].available) return pop(member);
    if (const auto place = long_task(before, member)) return take(before, member, *place);
    if (const auto place = own_task(before, member)) return take(before, member, *place);
    if (!works_[member]) return std::nullopt;
    const Estimate after = estimate();  // own tasks may have moved
    const auto place = task_of_others(after, member);
    return place ? std::optional(take(after, member, *place)) : std::nullopt;
}

std::optional<QueuedTask> WorkQueues::pop(std::size_t member) {
    if (queues_[member].empty()) return std::nullopt;
    return begin(member, {member, queues_[member].begin()});
}

std::optional<QueuedTask> WorkQueues::remove_oldest(std::size_t member) {
    if (queues_[member].empty()) return std::nullopt;
    return remove({member, queues_[member].begin()});
}

/// The task that is expected to take as long as all others on all devices, if there is one and no other device would end it sooner.
std::optional<WorkQueues::Place> WorkQueues::long_task(const Estimate& estimate, std::size_t member) {
    double speed = 0;
    std::size_t available = 0;
    for (const DeviceLoad& load : estimate.loads) {
        if (!load.available) continue;
        speed += load.speed;
        ++available;
    }
    const Place longest = movable_.rbegin()->second;
    const double own_speed = estimate.loads[member].speed;
    if (available < 2 || longest.task->lease->work() / own_speed < movable_work_ / speed) return std::nullopt;
    if (longest.member != member && !is_blocked(estimate, longest.member)) return std::nullopt;
    if (sooner_elsewhere(estimate, member, *longest.task)) return std::nullopt;
    const auto would_pass = [&](const Queue& queue) { return !queue.empty() && queue.begin() != longest.task; };
    const Queue& own = queues_[member];
    const Queue& home = queues_[longest.member];
    for (const Queue* const queue : {&own, &home}) {
        if (would_pass(*queue) && queue->front().overtaken >= max_overtakings) return std::nullopt;
    }
    if (would_pass(own)) ++queues_[member].front().overtaken;
    if (longest.member != member && would_pass(home)) ++queues_[longest.member].front().overtaken;
    return longest;
}

/// The oldest task of the member's own queue. Tasks that another device would end sooner move there first.
std::optional<WorkQueues::Place> WorkQueues::own_task(const Estimate& estimate, std::size_t member) {
    Queue& own = queues_[member];
    Estimate current = estimate;
    while (!own.empty()) {
        const Place first{member, own.begin()};
        const auto other = is_movable(own.front()) ? sooner_elsewhere(current, member, own.front()) : std::nullopt;
        if (!other) return first;
        ++own.front().moves;
        own.front().lease->move_to(current.loads[*other].device);
        transfer(first, *other);
        current = this->estimate();
    }
    return std::nullopt;
}

/// A task of another member that would end here no later than there, or no later than the others end all their tasks.
std::optional<WorkQueues::Place> WorkQueues::task_of_others(const Estimate& estimate, std::size_t member) {
    const double drain = drain_time_without(estimate, member);
    const double own_speed = estimate.loads[member].speed;
    std::optional<Place> oldest;
    double latest = -1;
    for (std::size_t other = 0; other < queues_.size(); ++other) {
        const std::optional<Place> place = other == member ? std::nullopt : oldest_movable(other);
        if (!place || !is_blocked(estimate, other)) continue;
        const double work = place->task->lease->work();
        const double there = time_left_of_running(estimate, other) + work / estimate.loads[other].speed;
        const double finish = finish_time(estimate, other);
        if (finish <= latest || work / own_speed > std::max(there, drain)) continue;
        oldest = place;
        latest = finish;
    }
    if (oldest) return oldest;
    // The oldest ones do not suit a device as slow as this. The longest one that does:
    for (auto entry = movable_.upper_bound({drain * own_speed, 0}); entry != movable_.begin();) {
        --entry;
        if (entry->second.member != member && is_blocked(estimate, entry->second.member)) return entry->second;
    }
    return std::nullopt;
}

/// Starts a task of any member on this one.
QueuedTask WorkQueues::take(const Estimate& estimate, std::size_t member, const Place& place) {
    if (place.member != member) {
        place.task->lease->move_to(estimate.loads[member].device);
        transfer(place, member);
    }
    return begin(member, {member, place.task});
}

std::optional<double> WorkQueues::retry_time(std::size_t member) const {
    if (movable_.empty() || !may_move()) return std::nullopt;
    const Estimate estimate = this->estimate();
    if (!estimate.loads[member].available) return std::nullopt;
    std::optional<double> earliest;
    for (std::size_t other = 0; other < queues_.size(); ++other) {
        const auto task = std::find_if(queues_[other].begin(), queues_[other].end(), is_movable);
        if (other == member || !running_[other] || task == queues_[other].end()) continue;
        // From then on the running task is late by as much as the queued one would take longer here than there.
        const double speed = estimate.loads[other].speed;
        const double work = task->lease->work();
        const double longer = work / estimate.loads[member].speed - work / speed;
        const double time = running_[other]->began + running_[other]->work / speed + std::max(longer, 0.0);
        earliest = std::min(time, earliest.value_or(time));
    }
    return earliest;
}

void WorkQueues::redistribute(std::size_t member) {
    if (!may_move()) return;
    const std::vector<DeviceLoad> loads = balancer_->loads();
    if (std::none_of(loads.begin(), loads.end(), [](const DeviceLoad& load) { return load.available; })) return;
    for (auto next = queues_[member].begin(); next != queues_[member].end();) {
        const auto task = next++;
        if (!is_movable(*task)) continue;
        LoadBalancer::Lease lease = balancer_->select_device(task->lease->work());
        const auto taker = std::find_if(loads.begin(), loads.end(), [&](const DeviceLoad& load) { return load.device == lease.device(); });
        const auto to = static_cast<std::size_t>(taker - loads.begin());
        if (to == member || !is_served_[to]) continue;
        *task->lease = std::move(lease);
        transfer({member, task}, to);
    }
}

WorkQueues::Estimate WorkQueues::estimate() const { return {balancer_->loads(), clock_()}; }

/// The remaining time of a late task is estimated as the time by which it is late.
double WorkQueues::time_left_of_running(const Estimate& estimate, std::size_t member) const {
    const std::optional<Running>& running = running_[member];
    if (!running) return 0;
    const double expected_end = running->began + running->work / estimate.loads[member].speed;
    return expected_end > estimate.now ? expected_end - estimate.now : estimate.now - expected_end;
}

/// When a member has done what it has, from now.
double WorkQueues::finish_time(const Estimate& estimate, std::size_t member) const {
    const DeviceLoad& load = estimate.loads[member];
    const double running = running_[member] ? running_[member]->work : 0;
    return time_left_of_running(estimate, member) + std::max(0.0, load.outstanding - running) / load.speed;
}

/// When all devices but one have done what all of them have, if they share it as they can.
double WorkQueues::drain_time_without(const Estimate& estimate, std::size_t member) const {
    double work = 0;
    double speed = 0;
    for (std::size_t other = 0; other < estimate.loads.size(); ++other) {
        const DeviceLoad& load = estimate.loads[other];
        if (other == member || !load.available) continue;
        work += finish_time(estimate, other) * load.speed;
        speed += load.speed;
    }
    return speed > 0 ? work / speed : std::numeric_limits<double>::infinity();
}

/// The member that would end a task sooner than this one, if this one started it now.
std::optional<std::size_t> WorkQueues::sooner_elsewhere(const Estimate& estimate, std::size_t member, const QueuedTask& task) const {
    if (task.moves >= max_moves) return std::nullopt;
    const double work = task.lease->work();
    double soonest = work / estimate.loads[member].speed;
    std::optional<std::size_t> found;
    for (std::size_t other = 0; other < estimate.loads.size(); ++other) {
        if (other == member || !works_[other] || !estimate.loads[other].available) continue;
        const double there = finish_time(estimate, other) + work / estimate.loads[other].speed;
        if (there >= soonest) continue;
        soonest = there;
        found = other;
    }
    return found;
}

/// Whether a member cannot begin what waits for it: it is at other work, or is to have none.
bool WorkQueues::is_blocked(const Estimate& estimate, std::size_t member) const {
    return is_at_work(member) || !estimate.loads[member].available;
}

std::optional<WorkQueues::Place> WorkQueues::oldest_movable(std::size_t member) {
    const auto found = std::find_if(queues_[member].begin(), queues_[member].end(), is_movable);
    return found == queues_[member].end() ? std::nullopt : std::optional(Place{member, found});
}

QueuedTask WorkQueues::begin(std::size_t member, const Place& place) {
    running_[member] = Running{clock_(), is_movable(*place.task) ? place.task->lease->work() : 0};
    return remove(place);
}

QueuedTask WorkQueues::remove(const Place& place) {
    if (is_movable(*place.task)) {
        movable_.erase(key_of(*place.task));
        // Not by subtraction alone, whose rounding errors would add up.
        movable_work_ = movable_.empty() ? 0 : movable_work_ - place.task->lease->work();
    }
    QueuedTask task = std::move(*place.task);
    queues_[place.member].erase(place.task);
    return task;
}

/// Moves a task to the end of another member's queue. Allocates nothing, so that no task can be lost.
void WorkQueues::transfer(const Place& place, std::size_t to) {
    movable_.find(key_of(*place.task))->second.member = to;
    queues_[to].splice(queues_[to].end(), queues_[place.member], place.task);
    on_move_(place.member, to);
}

}  // namespace cupool::detail
