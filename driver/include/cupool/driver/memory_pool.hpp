#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/driver/context.hpp>
#include <cupool/driver/detail/owned_handle.hpp>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/stream.hpp>
#include <memory>
#include <utility>

namespace cupool {

/// When a pool may reuse memory that one stream has freed for another stream.
struct ReusePolicy {
    bool follows_event_dependencies = true;     ///< if events order the other stream after the free
    bool is_opportunistic = true;               ///< if the free happens to be complete
    bool inserts_internal_dependencies = true;  ///< by a dependency that makes the other stream wait
};

/// A non-owning view of a pool for stream-ordered allocation. Trivially copyable. Empty if the
/// device has no pools.
class MemoryPoolView {
public:
    MemoryPoolView() = default;
    MemoryPoolView(ContextView context, abi::MemoryPool handle) noexcept : context_(context), handle_(handle) {}

    /// The default pool of the device; empty if the device or the driver supports no pools.
    static MemoryPoolView default_of(ContextView context, SourceLocation where = SourceLocation::current());

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /// The context to which it belongs.
    ContextView context() const noexcept { return context_; }
    /// The handle of the driver.
    abi::MemoryPool handle() const noexcept { return handle_; }

    /// The number of bytes that the pool keeps instead of releasing free memory to the device at
    /// the next synchronisation. The default is 0, which makes an allocation hundreds of times
    /// slower than one from kept memory.
    std::uint64_t release_threshold(SourceLocation where = SourceLocation::current()) const;
    /// Sets the value of release_threshold().
    void set_release_threshold(std::uint64_t bytes, SourceLocation where = SourceLocation::current()) const;
    /// Bytes that are allocated from the pool.
    std::uint64_t used(SourceLocation where = SourceLocation::current()) const;
    /// Bytes that the pool holds, allocated or free.
    std::uint64_t reserved(SourceLocation where = SourceLocation::current()) const;
    /// The maximum of used() since the creation of the pool or the last reset_high_marks().
    std::uint64_t used_high(SourceLocation where = SourceLocation::current()) const;
    /// The maximum of reserved() since then.
    std::uint64_t reserved_high(SourceLocation where = SourceLocation::current()) const;
    /// Resets both maxima to the present values.
    void reset_high_marks(SourceLocation where = SourceLocation::current()) const;
    /// When the pool may reuse freed memory for another stream.
    ReusePolicy reuse_policy(SourceLocation where = SourceLocation::current()) const;
    /// Sets the value of reuse_policy().
    void set_reuse_policy(ReusePolicy policy, SourceLocation where = SourceLocation::current()) const;
    /// Releases free memory until `bytes_to_keep` bytes are left or nothing more can be released.
    void trim_to(std::size_t bytes_to_keep, SourceLocation where = SourceLocation::current()) const;
    /// Lets kernels and copies of another device access the memory of the pool, present and future.
    void allow_access(int ordinal, abi::MemoryAccess access = abi::MemoryAccess::read_write,
                      SourceLocation where = SourceLocation::current()) const;

    /// The access that kernels and copies of a device have to the memory of the pool.
    abi::MemoryAccess access(int ordinal, SourceLocation where = SourceLocation::current()) const;

    /// A file descriptor by which another process can import the pool; the caller closes it. The
    /// pool must be shareable (MemoryPoolOptions).
    /// \throws Error unsupported, invalid_argument (the pool is not shareable)
    int export_file_descriptor(SourceLocation where = SourceLocation::current()) const;

    friend bool operator==(MemoryPoolView left, MemoryPoolView right) noexcept { return left.handle_ == right.handle_; }

private:
    ContextView context_;
    abi::MemoryPool handle_ = nullptr;
};

/// Options of a MemoryPool.
struct MemoryPoolOptions {
    /// The maximum number of bytes; 0 means no limit. Other values need a driver of CUDA 12.2.
    std::size_t max_bytes = 0;
    /// Whether other processes can import it: see MemoryPoolView::export_file_descriptor().
    bool is_shareable = false;
};

/// Owns a pool on the device of a context. Move-only. Memory that is still allocated from it when
/// it is destroyed stays valid until it is freed.
class MemoryPool {
public:
    /// \throws Error unsupported if the device has no pools
    explicit MemoryPool(ContextView context, MemoryPoolOptions options = {}, SourceLocation where = SourceLocation::current());
    /// Imports a pool of another process on the context's device, by the exported file descriptor.
    /// This process cannot allocate from it: ImportedMemory opens allocations of the other process.
    static MemoryPool import_file_descriptor(ContextView context, int file_descriptor, SourceLocation where = SourceLocation::current());

    /// A non-owning view.
    MemoryPoolView view() const noexcept { return MemoryPoolView(handle_.context(), handle_.get()); }
    operator MemoryPoolView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor): owners stand for their views

private:
    MemoryPool(detail::Shared<const detail::ContextState> context, abi::MemoryPool handle) noexcept : handle_(std::move(context), handle) {}

    detail::OwnedHandle<abi::MemoryPool, &EntryPoints::memory_pool_destroy> handle_;
};

/// Exports an allocation of a pool as plain bytes, by which a process that has imported the pool
/// opens it. The stream-ordered allocation must be complete before that. \throws Error
/// invalid_argument if the pointer does not belong to such memory, unsupported
abi::MemoryPoolPointerExport export_pointer(ContextView context, abi::DevicePointer pointer,
                                            SourceLocation where = SourceLocation::current());

/// Memory of an imported pool that is open in this process. Move-only. The destructor closes it,
/// ordered on its stream; this must happen before the other process frees it.
class ImportedMemory {
public:
    /// \param stream  of the pool's context; its owner must keep it alive
    ImportedMemory(MemoryPoolView pool, const abi::MemoryPoolPointerExport& exported, StreamView stream,
                   SourceLocation where = SourceLocation::current());
    ~ImportedMemory() { release(); }
    ImportedMemory(ImportedMemory&& other) noexcept;
    ImportedMemory& operator=(ImportedMemory&& other) noexcept;

    /// The device address of the first element.
    abi::DevicePointer pointer() const noexcept { return pointer_; }
    /// A view of the first `count` elements. The program must know the size, which the exported
    /// bytes do not contain.
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
