#pragma once

#include <cupool/driver/context.hpp>
#include <utility>

namespace cupool::detail {

/// Owns a handle in a context, which it keeps alive; the destructor calls the entry point in that
/// context. Move-only.
template <class Handle, auto Destroy>
class OwnedHandle {
public:
    /// Owns no handle yet: see take().
    explicit OwnedHandle(Shared<const ContextState> context) noexcept : context_(std::move(context)) {}
    OwnedHandle(Shared<const ContextState> context, Handle handle) noexcept : context_(std::move(context)), handle_(handle) {}
    ~OwnedHandle() { release(); }
    OwnedHandle(OwnedHandle&& other) noexcept : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, Handle{})) {}
    OwnedHandle& operator=(OwnedHandle&& other) noexcept {
        if (this != &other) {
            release();
            context_ = std::move(other.context_);
            handle_ = std::exchange(other.handle_, Handle{});
        }
        return *this;
    }

    ContextView context() const noexcept { return context_.get(); }
    Handle get() const noexcept { return handle_; }
    /// Takes ownership of a new handle. \pre it owns none
    void take(Handle handle) noexcept { handle_ = handle; }

private:
    void release() noexcept {
        if (handle_ != Handle{}) destroy_in<Destroy>(context(), handle_);
    }

    Shared<const ContextState> context_;
    Handle handle_{};
};

}  // namespace cupool::detail
