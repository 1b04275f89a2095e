#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cupool::simulator {

/// \file
/// The check that memory is freed after its last use: not by luck, but because streams, events or a host that waited say so.
///
/// Vector clocks tell what has happened before what. All host threads count as one, since the driver does not see how they synchronise, and
/// streams that share a device and a number count as one, too: so something may go unnoticed. Of values that
/// streams wait for, those that streams write are seen; where none has, the host is taken to have. A kernel's are not seen: what they
/// alone put in order is reported as if nothing did.

struct Allocation;
class Operation;

/// How far each stream had come before something: of how many of its operations that comes after.
class Clock {
public:
    /// What one stream gives to one device: a graph's work may be of other devices than the stream that it is launched in.
    struct Lane {
        int device = 0;
        int device_of_stream = 0;
        unsigned stream = 0;

        friend auto operator<=>(const Lane&, const Lane&) = default;
    };
    /// The clock of a value that a stream waits for: known only once the wait is over.
    using Pending = std::shared_ptr<std::optional<Clock>>;

    void join(const Clock& other);
    void join(const Pending& pending);
    void advance(Lane lane, std::uint64_t count);
    bool has_reached(Lane lane, std::uint64_t count) const;
    /// Whether it depends on values that are still waited for.
    bool is_pending() const;

private:
    std::map<Lane, std::uint64_t> counts_;
    std::set<Pending> pending_;
};

/// An operation's place among all others.
struct Order {
    Clock::Lane lane{};
    std::uint64_t count = 0;  ///< which of its lane's; 0: it was queued while nobody asked
    Clock clock;              ///< of what comes before it, and itself
    Clock::Pending pending;   ///< where it waits for a value; part of the clock
};

/// What is known of an allocation: who has used it, and when it may be freed.
struct OrderedUses {
    struct Use {
        Clock::Lane lane;
        std::uint64_t count;
        std::string what;
    };
    std::vector<Use> uses;  ///< the last of each lane
    std::optional<Clock> freed;
    std::map<std::size_t, Clock> values;  ///< by offset: of the operations that have written one there for streams to wait for
};

/// For what is queued from now on. Forgets what was known.
void set_ordering_check(bool checks);

/// Gives an operation that is being queued its place.
void assign_order(Operation& operation, const std::vector<std::shared_ptr<Operation>>& predecessors);

/// The host knows from now on that the operation is done.
void note_seen_by_host(const Operation& operation) noexcept;

/// While it lives, what this thread does is the operation's doing.
class RunningOperation {
public:
    explicit RunningOperation(const Operation& operation);
    ~RunningOperation();
    RunningOperation(const RunningOperation&) = delete;
    RunningOperation& operator=(const RunningOperation&) = delete;
};

/// The running operation uses the memory. Is it freed, and not after that, the devices die of it with a report.
void note_use(Allocation& allocation);

/// The running operation is about to write a value that streams may wait for.
void note_value_written(Allocation& allocation, std::size_t offset);

/// The running operation has waited for a value: it, and what comes after it, come after whoever wrote that.
void note_value_seen(const Allocation& allocation, std::size_t offset);

/// The memory is freed by an operation, or (null) by the host, now. The same holds for uses that come not before that.
/// Where the operation comes after values that are still waited for, nothing is known yet: note_free_done() will tell.
void note_free(Allocation& allocation, const Operation* by) noexcept;
/// The running operation frees the memory, as note_free() was told of.
void note_free_done(Allocation& allocation);

}  // namespace cupool::simulator
