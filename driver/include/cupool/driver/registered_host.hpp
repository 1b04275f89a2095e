#pragma once

#include <cstddef>
#include <cupool/driver/detail/stream_uses.hpp>
#include <cupool/driver/device_span.hpp>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace cupool {

/// How a RegisteredHost is made.
struct RegistrationOptions {
    /// The devices only read it, so that memory which the program may only read can be registered; where the device can do that
    /// (attribute read_only_host_register_supported).
    bool is_read_only = false;
};

namespace detail {

/// The bytes of a RegisteredHost.
class HostRegistration {
public:
    HostRegistration(void* pointer, std::size_t bytes, ContextView context, RegistrationOptions options, const SourceLocation& where);
    ~HostRegistration() { release(); }
    HostRegistration(HostRegistration&& other) noexcept;
    HostRegistration& operator=(HostRegistration&& other) noexcept;

    void* pointer() const noexcept { return pointer_; }
    ContextView context() const noexcept { return context_.get(); }
    void record_use(StreamView stream, const SourceLocation& where) { uses_.record(stream, where); }

private:
    void release() noexcept;

    Shared<const ContextState> context_;
    void* pointer_ = nullptr;
    StreamUses uses_;
};

/// What a context's device calls page-locked host memory by. \throws Error invalid_argument where it is not page-locked
abi::DevicePointer device_pointer_of(ContextView context, void* pointer, const SourceLocation& where);

}  // namespace detail

/// The program's own memory, page-locked for as long as this lives: every device copies to and from it at full speed and asynchronously,
/// and kernels reach it over the bus. Move-only. Keeps its context alive; the memory must outlive it.
template <class T>
class RegisteredHost {
    static_assert(std::is_trivially_copyable_v<T>, "devices see bytes: T must be trivially copyable");

public:
    /// \throws Error invalid_argument where the memory is empty or already registered, out_of_memory where no more can be locked,
    /// unsupported
    explicit RegisteredHost(std::span<T> memory, ContextView context, RegistrationOptions options = {},
                            SourceLocation where = SourceLocation::current())
        : registration_(const_cast<std::remove_const_t<T>*>(memory.data()), memory.size_bytes(), context, options, where),
          size_(memory.size()) {}

    /// All of it.
    std::span<T> span() const noexcept { return {static_cast<T*>(registration_.pointer()), size_}; }
    /// The memory as the context's device reaches it.
    DeviceSpan<T> device_span(SourceLocation where = SourceLocation::current()) const {
        return {detail::device_pointer_of(registration_.context(), registration_.pointer(), where), size_,
                registration_.context().ordinal()};
    }

    /// Says that work given to `stream` so far uses the memory: the destructor will wait for it. Not safe from two threads at once.
    void record_use(StreamView stream, SourceLocation where = SourceLocation::current()) { registration_.record_use(stream, where); }

private:
    detail::HostRegistration registration_;
    std::size_t size_;
};

}  // namespace cupool
