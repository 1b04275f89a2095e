#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace cupool::detail {

/// Intrusive reference count: a copy is one atomic add.
class ReferenceCounted {
public:
    ReferenceCounted() = default;
    virtual ~ReferenceCounted() = default;
    ReferenceCounted(const ReferenceCounted&) = delete;
    ReferenceCounted& operator=(const ReferenceCounted&) = delete;

    void acquire() const noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
    /// The last owner destroys the object.
    void release() const noexcept {
        if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) [[unlikely]] {
            delete this;
        }
    }

private:
    mutable std::atomic<std::size_t> owners_{0};
};

/// A possibly empty owner of a ReferenceCounted object.
template <class T>
class Shared {
public:
    Shared() = default;
    Shared(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as a pointer has it
    explicit Shared(T* object) noexcept : object_(object) {
        if (object_ != nullptr) object_->acquire();
    }
    ~Shared() {
        if (object_ != nullptr) object_->release();
    }
    template <class Other>
    Shared(Shared<Other> other) noexcept  // NOLINT(google-explicit-constructor): as pointers convert
        requires(std::is_convertible_v<Other*, T*> && !std::is_same_v<Other, T>)
        : Shared(other.get()) {}
    Shared(const Shared& other) noexcept : Shared(other.object_) {}
    Shared(Shared&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Shared& operator=(Shared other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }

    T* get() const noexcept { return object_; }
    T* operator->() const noexcept { return object_; }
    T& operator*() const noexcept { return *object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    T* object_ = nullptr;
};

}  // namespace cupool::detail
