#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/driver/context.hpp>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/stream.hpp>
#include <memory>
#include <utility>

namespace cupool {

/// When a pool may give memory that one stream has freed to another stream.
struct ReusePolicy {
    bool follows_event_dependencies = true;     ///< where events order the other stream after the free
    bool is_opportunistic = true;               ///< where the free is seen to be done
    bool inserts_internal_dependencies = true;  ///< by making the other stream wait
};

/// A pool for stream-ordered allocation that someone else owns. Trivially copyable. May be empty: the device has no pools.
class MemoryPoolView {
public:
    MemoryPoolView() = default;
    MemoryPoolView(ContextView context, abi::MemoryPool handle) noexcept : context_(context), handle_(handle) {}

    /// The pool that the device has by itself; empty where the device or the driver has none.
    static MemoryPoolView default_of(ContextView context, SourceLocation where = SourceLocation::current());

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /// The context that it is in.
    ContextView context() const noexcept { return context_; }
    /// The driver's own handle.
    abi::MemoryPool handle() const noexcept { return handle_; }

    /// How many bytes of freed memory the pool keeps, rather than give it back to the device at the next synchronisation. A pool starts
    /// with 0, which makes an allocation hundreds of times slower than one from kept memory.
    std::uint64_t release_threshold(SourceLocation where = SourceLocation::current()) const;
    /// Sets what release_threshold() tells.
    void set_release_threshold(std::uint64_t bytes, SourceLocation where = SourceLocation::current()) const;
    /// Bytes allocated from the pool now.
    std::uint64_t used(SourceLocation where = SourceLocation::current()) const;
    /// Bytes the pool holds now, used or kept.
    std::uint64_t reserved(SourceLocation where = SourceLocation::current()) const;
    /// The most bytes that were allocated, and held, at once since the pool was made or these marks were reset.
    std::uint64_t used_high(SourceLocation where = SourceLocation::current()) const;
    /// The same of bytes held.
    std::uint64_t reserved_high(SourceLocation where = SourceLocation::current()) const;
    /// Lets both begin anew at what is used and held now.
    void reset_high_marks(SourceLocation where = SourceLocation::current()) const;
    /// When freed memory may be given to another stream.
    ReusePolicy reuse_policy(SourceLocation where = SourceLocation::current()) const;
    /// Sets what reuse_policy() tells.
    void set_reuse_policy(ReusePolicy policy, SourceLocation where = SourceLocation::current()) const;
    /// Gives kept memory back until `bytes_to_keep` are left, or no more can be.
    void trim_to(std::size_t bytes_to_keep, SourceLocation where = SourceLocation::current()) const;
    /// Lets another device's kernels and copies reach the pool's memory, present and future.
    void allow_access(int ordinal, abi::MemoryAccess access = abi::MemoryAccess::read_write,
                      SourceLocation where = SourceLocation::current()) const;

    /// What a device's kernels and copies may do with the pool's memory.
    abi::MemoryAccess access(int ordinal, SourceLocation where = SourceLocation::current()) const;

    /// A file descriptor that lets another process import the pool, which must have been made shareable; the caller closes it.
    /// \throws Error unsupported, invalid_argument (the pool is not shareable)
    int export_file_descriptor(SourceLocation where = SourceLocation::current()) const;

    friend bool operator==(MemoryPoolView left, MemoryPoolView right) noexcept { return left.handle_ == right.handle_; }

private:
    ContextView context_;
    abi::MemoryPool handle_ = nullptr;
};

/// How a MemoryPool is made.
struct MemoryPoolOptions {
    /// The most bytes it may hold; 0 means no limit of its own. Anything else needs a driver of CUDA 12.2.
    std::size_t max_bytes = 0;
    /// Whether other processes can import it: see MemoryPoolView::export_file_descriptor().
    bool is_shareable = false;
};

/// A pool of its own on a context's device. Move-only. Memory still allocated from it when it is destroyed stays valid until freed.
class MemoryPool {
public:
    /// \throws Error unsupported where the device has no pools
    explicit MemoryPool(ContextView context, MemoryPoolOptions options = {}, SourceLocation where = SourceLocation::current());
    /// A pool of another process, by the file descriptor it exported, on the context's device. Nothing can be allocated from it here:
    /// ImportedMemory opens what the other process has allocated.
    static MemoryPool import_file_descriptor(ContextView context, int file_descriptor, SourceLocation where = SourceLocation::current());
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

    /// What does not own it.
    MemoryPoolView view() const noexcept { return MemoryPoolView(context_.get(), handle_); }
    operator MemoryPoolView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor): owners stand for their views

private:
    MemoryPool(detail::Shared<const detail::ContextState> context, abi::MemoryPool handle) noexcept
        : context_(std::move(context)), handle_(handle) {}

    void release() noexcept;

    detail::Shared<const detail::ContextState> context_;
    abi::MemoryPool handle_ = nullptr;
};

/// What another process needs to open memory of a pool that it has imported: plain bytes. The memory must be allocated, and awaited, before
/// it is opened. \throws Error invalid_argument where the pointer is no such memory's, unsupported
abi::MemoryPoolPointerExport export_pointer(ContextView context, abi::DevicePointer pointer,
                                            SourceLocation where = SourceLocation::current());

/// Memory of an imported pool, open in this process. Move-only. Closed, ordered on its stream, before the other process frees it.
class ImportedMemory {
public:
    /// \param stream  of the pool's context, kept alive by its owner
    ImportedMemory(MemoryPoolView pool, const abi::MemoryPoolPointerExport& exported, StreamView stream,
                   SourceLocation where = SourceLocation::current());
    ~ImportedMemory() { release(); }
    ImportedMemory(ImportedMemory&& other) noexcept;
    ImportedMemory& operator=(ImportedMemory&& other) noexcept;

    /// Where it begins, for devices.
    abi::DevicePointer pointer() const noexcept { return pointer_; }
    /// Its first `count` elements, if it has as many: what was exported does not tell.
    template <class T>
    DeviceSpan<T> span(std::size_t count, SourceLocation where = SourceLocation::current()) const {
        const ContextView context(context_.get());
        detail::require_context(context, where);
        return {pointer_, count, context.ordinal()};
    }

private:
    void release() noexcept;

    detail::Shared<const detail::ContextState> context_;
    StreamView stream_;
    abi::DevicePointer pointer_ = 0;
};

}  // namespace cupool
