#include <cupool/driver/detail/stream_uses.hpp>

namespace cupool::detail {

void StreamUses::record(StreamView stream, const SourceLocation& where) {
    try {
        mark(stream, where);
    } catch (...) {
        wait_for(stream);
        throw;
    }
}

// Otherwise a free would not wait for the use, which may be in progress.
void StreamUses::wait_for(StreamView stream) noexcept {
    try {
        stream.synchronize(SourceLocation{});
    } catch (...) {
        log_current_exception();
    }
}

void StreamUses::mark(StreamView stream, const SourceLocation& where) {
    for (Use& use : uses_) {
        if (use.stream == stream.handle() && use.event.context() == stream.context()) {
            use.event.record(stream, where);
            return;
        }
    }
    Event event(stream.context(), {}, where);
    event.record(stream, where);
    uses_.push_back({stream.handle(), stream.share(), std::move(event)});
}

void StreamUses::order_before(StreamView stream) noexcept {
    for (const Use& use : uses_) {
        try {
            stream.wait(use.event, SourceLocation{});
        } catch (...) {
            log_current_exception();
            wait_for(use);
        }
    }
    uses_.clear();
}

void StreamUses::synchronize() noexcept {
    for (const Use& use : uses_) wait_for(use);
    uses_.clear();
}

void StreamUses::wait_for(const Use& use) noexcept {
    try {
        use.event.synchronize(SourceLocation{});
    } catch (...) {
        log_current_exception();
    }
}

}  // namespace cupool::detail
