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

/// Where work is to be done: a device, a stream of it and a pool for its memory, or the host's cores. What every kernel's config embeds.
/// Copyable; keeps the context, and a stream of cupool's, alive. The pool, where it is not the device's own, is kept by its owner.
class DeviceContext {
public:
    /// The host, all its cores.
    DeviceContext() = default;

    /// A device of the host's driver, its default stream and its default memory pool. The primary context is retained at the first call for
    /// a device and kept until the process ends, so this is cheap to call again and again. \throws Error driver_unavailable, no_device,
    /// invalid_device, and whatever the driver answers
    static DeviceContext default_for_device(int ordinal, SourceLocation where = SourceLocation::current());

    /// The same for a given driver; the primary context is retained anew, and released with the last copy and the last object made with it.
    ///
    /// The device's default pool is told to keep freed memory (a release threshold of all there is) unless the program has set a threshold
    /// already: memory_pool().trim_to(0) gives it back.
    static DeviceContext for_device(const std::shared_ptr<const Driver>& driver, int ordinal,
                                    SourceLocation where = SourceLocation::current());

    /// In a context the program has made or retained: its default stream and the device's default memory pool, left as it is.
    static DeviceContext in(ContextView context, SourceLocation where = SourceLocation::current());

    /// The host. \param threads  how many cores to use; 0 means all
    static DeviceContext host(unsigned threads = 0);

    /// Whether this is the host, and no device.
    bool is_host() const noexcept { return !context_; }
    /// How many threads host work may use; at least 1. Also holds for the host's share of a device's work.
    unsigned host_threads() const noexcept;

    /// The ordinal; -1 for the host.
    int device() const noexcept { return is_host() ? detail::no_ordinal : context_->device().ordinal(); }

    /// \throws Error unsupported for the host, as the following do
    ContextView context(const SourceLocation& where = SourceLocation::current()) const {
        require_device(where);
        return context_.get();
    }
    /// What work is given to. \throws Error unsupported for the host
    StreamView stream(const SourceLocation& where = SourceLocation::current()) const {
        require_device(where);
        return stream_;
    }
    /// May be empty: the device has no memory pools.
    MemoryPoolView memory_pool(const SourceLocation& where = SourceLocation::current()) const {
        require_device(where);
        return pool_;
    }

    /// The same with another stream. \throws Error wrong_context where the stream is of another context
    DeviceContext with_stream(StreamView stream, SourceLocation where = SourceLocation::current()) const;
    /// The same with another pool; an empty one means plain allocation. \throws Error wrong_context where the pool is of another context
    DeviceContext with_memory_pool(MemoryPoolView pool, SourceLocation where = SourceLocation::current()) const;

    /// For layers above: the object of type T that is kept with this device context and its copies, constructed as T(context()) when first
    /// asked for.
    template <class T>
    std::shared_ptr<T> resource(SourceLocation where = SourceLocation::current()) const {
        require_device(where);
        if (detail::must_leak()) [[unlikely]] {  // the resources' lock may be held for ever in a forked child
            context_->driver().initialize(where);
        }
        return resources_->get<T>(context_.get());
    }

private:
    friend class detail::DeviceAllocation;

    [[noreturn]] static void throw_is_host(const SourceLocation& where);
    void require_device(const SourceLocation& where) const {
        if (is_host()) [[unlikely]] {
            throw_is_host(detail::copy_of(where));
        }
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
