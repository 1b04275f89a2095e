#pragma once

#include <cupool/driver/event.hpp>
#include <vector>

namespace cupool::detail {

/// The other streams that use a block of memory, with one event each after the last announced use.
class StreamUses {
public:
    /// If it throws, it has waited for the stream.
    void record(StreamView stream, const SourceLocation& where);

    /// Waits for a use that could not be recorded. Failures are logged.
    static void wait_for(StreamView stream) noexcept;

    /// Makes the stream wait for all uses, or the calling thread if the driver refuses that.
    /// Failures are logged.
    void order_before(StreamView stream) noexcept;
    /// Makes the calling thread wait for all uses. Failures are logged.
    void synchronize() noexcept;

    /// Waits for all uses and then calls an entry point that frees, with the context current. If
    /// the context cannot be made current, waiting is impossible, so the memory leaks and a log
    /// line says so.
    template <auto Member, class... Arguments>
    void synchronize_and_free(ContextView context, Arguments... arguments) noexcept {
        if (must_leak()) return;
        try {
            const CurrentContext current(context, SourceLocation{});
            synchronize();
            call_from_destructor<Member>(context.driver(), context.ordinal(), arguments...);
        } catch (...) {
            log_current_exception();
        }
    }

private:
    struct Use {
        abi::Stream stream;
        Shared<const StreamState> state;  ///< prevents the reuse of the handle for another stream
        Event event;
    };

    void mark(StreamView stream, const SourceLocation& where);
    static void wait_for(const Use& use) noexcept;

    std::vector<Use> uses_;
};

}  // namespace cupool::detail
