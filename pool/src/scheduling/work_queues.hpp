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

/// A piece of work for a member of a pool.
struct PieceOfWork {
    /// Does it on the worker of a member. Must not throw. \return whether it succeeded
    std::function<bool(std::size_t member)> run;
    /// Of the balancer that chose the member; null where the program chose it, and the piece must stay there.
    std::shared_ptr<LoadBalancer::Lease> lease;
    /// How many pieces that came later began before it.
    unsigned overtaken = 0;
    /// How often it went to another member that would end it sooner.
    unsigned moves = 0;
    /// How many pieces were given before it.
    std::int64_t number = 0;
};

/// What waits for the members of a pool, and which of it a member that is free begins. Each member does its own pieces in order. Pieces
/// that a balancer chose the member for may go elsewhere before they begin, where the balancing policy allows it:
///
/// - A member with nothing to do takes over what waits behind another one's work, the oldest piece first.
/// - A piece that would take as long as all that waits takes on all devices begins at once: if it began last, everything would wait for it.
///   No piece is overtaken so more than max_overtakings times.
/// - A slow device leaves a piece to the device that would end it sooner in spite of what waits there.
/// - What waits for a quarantined device goes to the others.
///
/// Not thread-safe: Workers guards it. Tests drive it with a virtual clock.
class WorkQueues {
public:
    /// Called for a piece that goes from one member to another before it begins.
    using OnMove = std::function<void(std::size_t from, std::size_t to)>;

    WorkQueues(std::size_t members, OnMove on_move, LoadBalancer::Clock clock);

    /// Whose leases the pieces have; its devices are the members, in order.
    void set_balancer(LoadBalancer& balancer) { balancer_ = &balancer; }

    /// The member has a worker, so that work may be moved to it.
    void serve(std::size_t member) { is_served_[member] = true; }

    /// Whether the member's device is known to work. Only then does work come to it that others might do, unless those are quarantined.
    void set_works(std::size_t member, bool works) { works_[member] = works; }
    bool works(std::size_t member) const { return works_[member]; }

    void push(std::size_t member, PieceOfWork piece);

    /// What a free member begins now; nothing where nothing is for it.
    std::optional<PieceOfWork> next(std::size_t member);
    /// The piece that the member began has ended.
    void end(std::size_t member) { running_[member].reset(); }

    /// When next() may have something for a free member, by the clock, though nothing else happens: another device has been at a piece for
    /// so long that what waits behind it should not wait any longer. Nothing where that cannot come.
    std::optional<double> retry_time(std::size_t member) const;

    /// Gives what may move of a member's pieces to the members that the balancer chooses now.
    void redistribute(std::size_t member);

    /// Begins a member's oldest piece, whatever it is.
    std::optional<PieceOfWork> pop(std::size_t member);
    /// Takes a member's oldest piece away, for somebody else to end.
    std::optional<PieceOfWork> remove_oldest(std::size_t member);

    bool is_at_work(std::size_t member) const { return running_[member].has_value(); }
    bool has_waiting(std::size_t member) const { return !queues_[member].empty(); }
    /// Whether a piece waits for the member that may go to another one.
    bool has_movable(std::size_t member) const;
    bool is_empty() const;
    /// Whether there is work that a member with nothing to do may have, as far as policy and quarantine say.
    bool may_take_over(std::size_t member) const;
    bool may_move() const { return balancer_ != nullptr && balancer_->allows_takeover(); }

private:
    static constexpr unsigned max_overtakings = 16;
    static constexpr unsigned max_moves = 4;

    using Queue = std::list<PieceOfWork>;
    struct Place {
        std::size_t member;
        Queue::iterator piece;
    };
    /// By work; of equal ones the oldest is last, as if it were the longest.
    using Key = std::pair<double, std::int64_t>;

    struct Running {
        double began;
        double work;
    };

    /// The members' loads, and what follows from them for all pieces.
    struct Estimate {
        std::vector<DeviceLoad> loads;
        double now = 0;
    };

    static bool is_movable(const PieceOfWork& piece) { return piece.lease != nullptr; }
    static Key key_of(const PieceOfWork& piece) { return {piece.lease->work(), -piece.number}; }

    Estimate estimate() const;
    double time_left_of_running(const Estimate& estimate, std::size_t member) const;
    double finish_time(const Estimate& estimate, std::size_t member) const;
    double drain_time_without(const Estimate& estimate, std::size_t member) const;
    std::optional<std::size_t> sooner_elsewhere(const Estimate& estimate, std::size_t member, const PieceOfWork& piece) const;
    std::optional<Place> oldest_movable(std::size_t member);
    bool is_blocked(const Estimate& estimate, std::size_t member) const;

    std::optional<Place> long_piece(const Estimate& estimate, std::size_t member);
    std::optional<Place> own_piece(const Estimate& estimate, std::size_t member);
    std::optional<Place> piece_of_others(const Estimate& estimate, std::size_t member);
    PieceOfWork take(const Estimate& estimate, std::size_t member, const Place& place);
    PieceOfWork begin(std::size_t member, const Place& place);
    PieceOfWork remove(const Place& place);
    void transfer(const Place& place, std::size_t to);

    OnMove on_move_;
    LoadBalancer::Clock clock_;
    LoadBalancer* balancer_ = nullptr;
    std::vector<Queue> queues_;
    std::vector<std::optional<Running>> running_;
    std::vector<bool> is_served_;
    std::vector<bool> works_;
    std::map<Key, Place> movable_;  ///< all pieces that wait and may move
    double movable_work_ = 0;       ///< of all of them
    std::int64_t pushed_ = 0;
};

}  // namespace cupool::detail
