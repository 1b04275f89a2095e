#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/driver/context.hpp>
#include <memory>

namespace cupool {

/// A pool for stream-ordered allocation that someone else owns. Trivially copyable. May be empty: the device has no pools.
class MemoryPoolView {
public:
    MemoryPoolView() = default;
    MemoryPoolView(ContextView context, abi::MemoryPool handle) noexcept : context_(context), handle_(handle) {}

    /// The pool that the device has by itself; empty where the device or the driver has none.
    static MemoryPoolView default_of(ContextView context, SourceLocation where = SourceLocation::current());

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    ContextView context() const noexcept { return context_; }
    abi::MemoryPool handle() const noexcept { return handle_; }

    /// How many bytes of freed memory the pool keeps, rather than give it back to the device at the next synchronisation. A pool starts
    /// with 0, which makes an allocation hundreds of times slower than one from kept memory.
    std::uint64_t release_threshold(SourceLocation where = SourceLocation::current()) const;
    void set_release_threshold(std::uint64_t bytes, SourceLocation where = SourceLocation::current()) const;
    /// Bytes allocated from the pool now.
    std::uint64_t used(SourceLocation where = SourceLocation::current()) const;
    /// Bytes the pool holds now, used or kept.
    std::uint64_t reserved(SourceLocation where = SourceLocation::current()) const;
    /// Gives kept memory back until `bytes_to_keep` are left, or no more can be.
    void trim_to(std::size_t bytes_to_keep, SourceLocation where = SourceLocation::current()) const;
    /// Lets another device's kernels and copies reach the pool's memory, present and future.
    void allow_access(int ordinal, abi::MemoryAccess access = abi::MemoryAccess::read_write,
                      SourceLocation where = SourceLocation::current()) const;

    friend bool operator==(MemoryPoolView left, MemoryPoolView right) noexcept { return left.handle_ == right.handle_; }

private:
    ContextView context_;
    abi::MemoryPool handle_ = nullptr;
};

/// A pool of its own on a context's device. Move-only. Memory still allocated from it when it is destroyed stays valid until freed.
class MemoryPool {
public:
    /// \throws Error unsupported where the device has no pools
    explicit MemoryPool(ContextView context, SourceLocation where = SourceLocation::current());
    ~MemoryPool() { release(); }
    MemoryPool(MemoryPool&& other) noexcept : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}
    MemoryPool& operator=(MemoryPool&& other) noexcept {
        if (this != &other) {
            release();
            context_ = std::move(other.context_);
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }

    MemoryPoolView view() const noexcept { return MemoryPoolView(context_.get(), handle_); }
    operator MemoryPoolView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor): owners stand for their views

private:
    void release() noexcept;

    std::shared_ptr<const detail::ContextState> context_;
    abi::MemoryPool handle_ = nullptr;
};

}  // namespace cupool
