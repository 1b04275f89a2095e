#pragma once

#include <cstddef>
#include <cupool/driver/detail/page_locked_memory.hpp>
#include <cupool/driver/device_span.hpp>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace cupool {

/// Options of a RegisteredHost.
struct RegistrationOptions {
    /// Devices only read the memory, so that read-only memory of the program can be registered. The
    /// device must support it (attribute read_only_host_register_supported).
    bool is_read_only = false;
};

namespace detail {

/// The registration of a RegisteredHost.
class HostRegistration : public PageLockedMemory<&EntryPoints::host_unregister> {
public:
    HostRegistration(void* pointer, std::size_t bytes, ContextView context, RegistrationOptions options, const SourceLocation& where);
};

}  // namespace detail

/// Memory of the program that is page-locked as long as the object lives: all devices copy to and
/// from it asynchronously and at full speed, and kernels access it over the bus. Move-only. Keeps
/// its context alive; the memory must outlive it.
template <class T>
class RegisteredHost {
    static_assert(std::is_trivially_copyable_v<T>, "devices see bytes: T must be trivially copyable");

public:
    /// \throws Error invalid_argument if the memory is empty or already registered, out_of_memory
    /// if no more memory can be locked, unsupported
    explicit RegisteredHost(std::span<T> memory, ContextView context, RegistrationOptions options = {},
                            SourceLocation where = SourceLocation::current())
        : registration_(const_cast<std::remove_const_t<T>*>(memory.data()), memory.size_bytes(), context, options, where),
          size_(memory.size()) {}

    /// A view of all elements.
    std::span<T> span() const noexcept { return {static_cast<T*>(registration_.pointer()), size_}; }
    /// The memory as the device of the context accesses it.
    DeviceSpan<T> device_span(SourceLocation where = SourceLocation::current()) const {
        return registration_.template device_span<T>(size_, where);
    }

    /// Announces that work queued on `stream` so far uses the memory, so that the destructor waits
    /// for it. Not thread-safe.
    void record_use(StreamView stream, SourceLocation where = SourceLocation::current()) { registration_.record_use(stream, where); }

private:
    detail::HostRegistration registration_;
    std::size_t size_;
};

}  // namespace cupool
