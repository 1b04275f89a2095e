#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/pool/load_balancer.hpp>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace cupool::detail {

/// A task in the queue of a member.
struct QueuedTask {
    /// Runs the task on the thread of a member. Must not throw. \return whether it succeeded
    std::function<bool(std::size_t member)> run;
    /// The lease of the balancer that chose the member; null if the program chose it, and the task must stay there.
    std::shared_ptr<LoadBalancer::Lease> lease;
    /// How many later tasks started before this one.
    unsigned overtaken = 0;
    /// How often it moved to a member that would end it sooner.
    unsigned moves = 0;
    /// How many tasks were queued before this one.
    std::int64_t number = 0;
};

/// The queues of a pool's members, and the choice of the task that a free member starts next. Each member runs the tasks of its queue in
/// order. A task whose member was chosen by a balancer may move to another member before it starts, if the balancing policy allows it:
///
/// - An idle member takes over tasks that wait behind a running one, the oldest first.
/// - A task that is expected to take as long as all queued tasks on all devices together starts at once, because everything would wait for
///   it at the end. No task is overtaken in this way more than max_overtakings times.
/// - A slow device leaves a task to a device that would end it sooner in spite of the queue there.
/// - The queue of a quarantined device moves to the others.
///
/// Not thread-safe: DeviceThreads guards it. Tests drive it with a virtual clock.
class WorkQueues {
public:
    /// Called when a task moves from one member to another.
    using OnMove = std::function<void(std::size_t from, std::size_t to)>;

    WorkQueues(std::size_t members, OnMove on_move, LoadBalancer::Clock clock);

    /// \param balancer  gives the tasks' leases; its devices are the members, in order
    void set_balancer(LoadBalancer& balancer) { balancer_ = &balancer; }

    /// Notes that the member has a thread, so that tasks may move to it.
    void serve(std::size_t member) { is_served_[member] = true; }

    /// Notes whether the member's device is known to work. Only such members get tasks that others could run, unless those are quarantined.
    void set_works(std::size_t member, bool works) { works_[member] = works; }
    bool works(std::size_t member) const { return works_[member]; }

    void push(std::size_t member, QueuedTask task);

    /// The task that a free member starts now; nullopt if there is none for it.
    std::optional<QueuedTask> next(std::size_t member);
    /// Notes that the member's running task has ended.
    void end(std::size_t member) { running_[member].reset(); }

    /// The time at which next() may return a task for a free member although no event occurs: the running task of another device is then so
    /// late that the tasks behind it should move. nullopt if there is no such time.
    std::optional<double> retry_time(std::size_t member) const;

    /// Moves the movable tasks of a member to the members that the balancer chooses now.
    void redistribute(std::size_t member);

    /// Starts the oldest task of a member.
    std::optional<QueuedTask> pop(std::size_t member);
    /// Removes the oldest task of a member, which the caller runs.
    std::optional<QueuedTask> remove_oldest(std::size_t member);

    bool is_at_work(std::size_t member) const { return running_[member].has_value(); }
    bool has_waiting(std::size_t member) const { return !queues_[member].empty(); }
    /// Whether the member's queue has a task that may move.
    bool has_movable(std::size_t member) const;
    bool is_empty() const;
    /// Whether policy and quarantine allow an idle member to take over a queued task.
    bool may_take_over(std::size_t member) const;
    bool may_move() const { return balancer_ != nullptr && balancer_->allows_takeover(); }

private:
    static constexpr unsigned max_overtakings = 16;
    static constexpr unsigned max_moves = 4;

    using Queue = std::list<QueuedTask>;
    struct Place {
        std::size_t member;
        Queue::iterator task;
    };
    /// Orders tasks by work; among equal ones the oldest is last, as if it were the longest.
    using Key = std::pair<double, std::int64_t>;

    struct Running {
        double began;
        double work;
    };

    /// The loads of the members at one time.
    struct Estimate {
        std::vector<DeviceLoad> loads;
        double now = 0;
    };

    static bool is_movable(const QueuedTask& task) { return task.lease != nullptr; }
    static Key key_of(const QueuedTask& task) { return {task.lease->work(), -task.number}; }

    Estimate estimate() const;
    double time_left_of_running(const Estimate& estimate, std::size_t member) const;
    double finish_time(const Estimate& estimate, std::size_t member) const;
    double drain_time_without(const Estimate& estimate, std::size_t member) const;
    std::optional<std::size_t> sooner_elsewhere(const Estimate& estimate, std::size_t member, const QueuedTask& task) const;
    std::optional<Place> oldest_movable(std::size_t member);
    bool is_blocked(const Estimate& estimate, std::size_t member) const;

    std::optional<Place> long_task(const Estimate& estimate, std::size_t member);
    std::optional<Place> own_task(const Estimate& estimate, std::size_t member);
    std::optional<Place> task_of_others(const Estimate& estimate, std::size_t member);
    QueuedTask take(const Estimate& estimate, std::size_t member, const Place& place);
    QueuedTask begin(std::size_t member, const Place& place);
    QueuedTask remove(const Place& place);
    void transfer(const Place& place, std::size_t to);

    OnMove on_move_;
    LoadBalancer::Clock clock_;
    LoadBalancer* balancer_ = nullptr;
    std::vector<Queue> queues_;
    std::vector<std::optional<Running>> running_;
    std::vector<bool> is_served_;
    std::vector<bool> works_;
    std::map<Key, Place> movable_;  ///< all queued tasks that may move
    double movable_work_ = 0;       ///< the sum over movable_
    std::int64_t pushed_ = 0;
};

}  // namespace cupool::detail
