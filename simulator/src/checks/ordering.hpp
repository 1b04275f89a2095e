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
/// The ordering check: memory must be freed after its last use, ordered by streams, events or a waiting host rather than by chance.
///
/// Vector clocks record the happens-before relation. All host threads count as one, since the driver does not see how they synchronise, and
/// so do streams with the same device and number; both can hide errors. For stream waits on memory values, the check sees values that
/// streams write; if no stream wrote the value, it assumes that the host did. It does not see values that kernels write: uses that only
/// such a value orders are reported as unordered.

struct Allocation;
class Operation;

/// A vector clock: for each stream, how many of its operations happened before.
class Clock {
public:
    /// The operations of one stream on one device: nodes of a graph can run on other devices than the stream that launches it.
    struct Lane {
        int device = 0;
        int device_of_stream = 0;
        unsigned stream = 0;

        friend auto operator<=>(const Lane&, const Lane&) = default;
    };
    /// The clock of a memory value that a stream waits for; known only after the wait.
    using Pending = std::shared_ptr<std::optional<Clock>>;

    void join(const Clock& other);
    void join(const Pending& pending);
    void advance(Lane lane, std::uint64_t count);
    bool has_reached(Lane lane, std::uint64_t count) const;
    /// Whether the clock depends on waits that are not over.
    bool is_pending() const;

private:
    std::map<Lane, std::uint64_t> counts_;
    std::set<Pending> pending_;
};

/// The position of an operation in the happens-before order.
struct Order {
    Clock::Lane lane{};
    std::uint64_t count = 0;  ///< index in its lane; 0: queued while the check was off
    Clock clock;              ///< covers all predecessors and the operation itself
    Clock::Pending pending;   ///< set if it waits for a value; part of the clock
};

/// The recorded uses of an allocation.
struct OrderedUses {
    struct Use {
        Clock::Lane lane;
        std::uint64_t count;
        std::string what;
    };
    std::vector<Use> uses;  ///< the last use by each lane
    std::optional<Clock> freed;
    std::map<std::size_t, Clock> values;  ///< by offset: clock of the operations that wrote a value there for streams to wait for
};

/// Switches the check for operations queued from now on. Discards all recorded state.
void set_ordering_check(bool checks);

/// Determines the order of an operation that is being queued.
void assign_order(Operation& operation, const std::vector<std::shared_ptr<Operation>>& predecessors);

/// The host has observed that the operation is done.
void note_seen_by_host(const Operation& operation) noexcept;

/// Attributes memory uses by this thread to the operation for the lifetime of this object.
class RunningOperation {
public:
    explicit RunningOperation(const Operation& operation);
    ~RunningOperation();
    RunningOperation(const RunningOperation&) = delete;
    RunningOperation& operator=(const RunningOperation&) = delete;
};

/// The running operation uses the memory. If a free is not ordered after this use, raises a device fault with a report.
void note_use(Allocation& allocation);

/// The running operation is about to write a value for which streams may wait.
void note_value_written(Allocation& allocation, std::size_t offset);

/// The running operation has waited for a value: it and its successors are ordered after the writer.
void note_value_seen(const Allocation& allocation, std::size_t offset);

/// The memory is freed by the operation `by`, or now by the host if `by` is null. Raises a device fault if a recorded use is not ordered
/// before the free. If the order of `by` depends on waits that are not over, note_free_done() decides.
void note_free(Allocation& allocation, const Operation* by) noexcept;
/// The running operation, which note_free() announced, frees the memory.
void note_free_done(Allocation& allocation);

}  // namespace cupool::simulator
