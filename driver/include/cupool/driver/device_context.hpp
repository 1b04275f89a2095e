#pragma once

#include <cupool/driver/detail/device_resources.hpp>
#include <cupool/driver/memory_pool.hpp>
#include <cupool/driver/stream.hpp>
#include <iosfwd>
#include <memory>
#include <string>

namespace cupool {

namespace detail {
class DeviceAllocation;
}

/// Where work runs: on a device, with a stream and a memory pool, or on the cores of the host.
/// Every config of the kernels layer contains one. Copyable. It keeps the context alive, and the
/// stream if cupool owns it; a pool other than the default pool of the device must outlive it.
class DeviceContext {
public:
    /// The host with all its cores.
    DeviceContext() = default;

    /// A device of the system's driver with its default stream and its default memory pool. The
    /// first call for a device retains the primary context until the process ends; later calls are
    /// cheap. \throws Error driver_unavailable, no_device, invalid_device, and any failure of the
    /// driver
    static DeviceContext default_for_device(int ordinal, SourceLocation where = SourceLocation::current());

    /// The same for a given driver. Every call retains the primary context once more; the last copy,
    /// or the last object created in the context, releases it.
    ///
    /// Sets the release threshold of the device's default pool to the maximum, so that the pool
    /// keeps freed memory, unless the program has already set a threshold. memory_pool().trim_to(0)
    /// returns the memory to the device.
    static DeviceContext for_device(const std::shared_ptr<const Driver>& driver, int ordinal,
                                    SourceLocation where = SourceLocation::current());

    /// A context that the program has created or retained, with its default stream and the device's
    /// default memory pool, whose threshold does not change.
    static DeviceContext in(ContextView context, SourceLocation where = SourceLocation::current());

    /// The host. \param threads  the number of cores to use; 0 means all
    static DeviceContext host(unsigned threads = 0);

    /// Whether this is the host.
    bool is_host() const noexcept { return !context_; }
    /// The number of threads that work on the host may use; at least 1. It also applies to the
    /// host's part of work on a device.
    unsigned host_threads() const noexcept;

    /// The ordinal; -1 for the host.
    int device() const noexcept { return is_host() ? detail::no_ordinal : context_->device().ordinal(); }

    /// The context. \throws Error unsupported for the host
    ContextView context(const SourceLocation& where = SourceLocation::current()) const {
        require_device(where);
        return context_.get();
    }
    /// The stream that work is queued on. \throws Error unsupported for the host
    StreamView stream(const SourceLocation& where = SourceLocation::current()) const {
        require_device(where);
        return stream_;
    }
    /// The memory pool; empty if allocations are plain, as on a device without pools. \throws Error
    /// unsupported for the host
    MemoryPoolView memory_pool(const SourceLocation& where = SourceLocation::current()) const {
        require_device(where);
        return pool_;
    }

    /// A copy with another stream. \throws Error wrong_context if the stream belongs to another
    /// context
    DeviceContext with_stream(StreamView stream, SourceLocation where = SourceLocation::current()) const;
    /// A copy with another pool; an empty one means plain allocation. \throws Error wrong_context
    /// if the pool belongs to another context
    DeviceContext with_memory_pool(MemoryPoolView pool, SourceLocation where = SourceLocation::current()) const;

    /// For upper layers: the object of type T that this device context shares with its copies,
    /// constructed as T(context()) on first use.
    template <class T>
    std::shared_ptr<T> resource(SourceLocation where = SourceLocation::current()) const {
        require_device(where);
        if (detail::must_leak()) [[unlikely]] {  // in a forked child the lock of the resources may never be released
            context_->driver().initialize(where);
        }
        return resources_->get<T>(context_.get());
    }

private:
    friend class detail::DeviceAllocation;

    [[noreturn]] static void throw_is_host(const SourceLocation& where);
    void require_device(const SourceLocation& where) const {
        if (is_host()) [[unlikely]]
            throw_is_host(detail::copy_of(where));
    }

    detail::Shared<const detail::ContextState> context_;
    std::shared_ptr<detail::DeviceResources> resources_;
    detail::Shared<const detail::StreamState> stream_state_;
    StreamView stream_;
    MemoryPoolView pool_;
    unsigned host_threads_ = 0;
};

std::string to_string(const DeviceContext& context);
std::ostream& operator<<(std::ostream& out, const DeviceContext& context);

}  // namespace cupool
