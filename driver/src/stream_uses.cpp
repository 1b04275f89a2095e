#include <cupool/driver/stream_uses.hpp>

namespace cupool::detail {

void StreamUses::record(StreamView stream, const SourceLocation& where) {
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
        }
    }
    uses_.clear();
}

void StreamUses::synchronize() noexcept {
    for (const Use& use : uses_) {
        try {
            use.event.synchronize(SourceLocation{});
        } catch (...) {
            log_current_exception();
        }
    }
    uses_.clear();
}

}  // namespace cupool::detail
