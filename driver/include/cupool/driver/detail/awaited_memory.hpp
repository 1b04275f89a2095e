#pragma once

#include <cupool/driver/detail/stream_uses.hpp>
#include <utility>

namespace cupool::detail {

/// Memory that the destructor frees by an entry point after it has waited for all announced streams.
/// Move-only. Keeps its context alive.
template <class Pointer, auto Free>
class AwaitedMemory {
public:
    AwaitedMemory() = default;
    /// Owns no memory yet: see take().
    AwaitedMemory(ContextView context, const SourceLocation& where) : context_(context.share(where)) {}
    ~AwaitedMemory() { release(); }
    AwaitedMemory(AwaitedMemory&& other) noexcept
        : context_(std::move(other.context_)), pointer_(std::exchange(other.pointer_, Pointer{})), uses_(std::move(other.uses_)) {}
    AwaitedMemory& operator=(AwaitedMemory&& other) noexcept {
        if (this != &other) {
            release();
            context_ = std::move(other.context_);
            pointer_ = std::exchange(other.pointer_, Pointer{});
            uses_ = std::move(other.uses_);
        }
        return *this;
    }

    Pointer pointer() const noexcept { return pointer_; }
    ContextView context() const noexcept { return context_.get(); }
    void record_use(StreamView stream, const SourceLocation& where) { uses_.record(stream, where); }

protected:
    /// Takes ownership of new memory. \pre it owns none
    void take(Pointer pointer) noexcept { pointer_ = pointer; }

private:
    void release() noexcept {
        if (pointer_ != Pointer{}) uses_.synchronize_and_free<Free>(context(), pointer_);
    }

    Shared<const ContextState> context_;
    Pointer pointer_{};
    StreamUses uses_;
};

}  // namespace cupool::detail
