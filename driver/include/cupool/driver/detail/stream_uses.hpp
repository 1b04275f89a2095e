#pragma once

#include <cupool/driver/event.hpp>
#include <vector>

namespace cupool::detail {

/// The streams that use a piece of memory besides its own: one event each, marking the last use told of.
class StreamUses {
public:
    /// Where it throws, it has waited for the stream.
    void record(StreamView stream, const SourceLocation& where);

    /// Waits for a use that could not be recorded. Failures are logged.
    static void wait_for(StreamView stream) noexcept;

    /// Makes the stream wait for all of them, or the calling thread where the driver refuses that. Failures are logged.
    void order_before(StreamView stream) noexcept;
    /// Makes the calling thread wait for all of them. Failures are logged.
    void synchronize() noexcept;

    /// Waits, and then calls an entry point that frees, with the context current. Where the driver refuses that, nobody can have waited:
    /// the memory is leaked, and that logged.
    template <auto Member, class... Arguments>
    void synchronize_and_free(ContextView context, Arguments... arguments) noexcept {
        if (must_leak()) {
            return;
        }
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
        Shared<const StreamState> state;  ///< keeps the handle from being used for another stream
        Event event;
    };

    void mark(StreamView stream, const SourceLocation& where);
    static void wait_for(const Use& use) noexcept;

    std::vector<Use> uses_;
};

}  // namespace cupool::detail
