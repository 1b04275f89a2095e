#pragma once

#include <cupool/driver/device_span.hpp>
#include <cupool/driver/stream.hpp>
#include <string>
#include <type_traits>

namespace cupool {

/// A count in each of three dimensions.
struct Extent {
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;

    constexpr Extent() = default;
    constexpr Extent(unsigned width, unsigned height = 1,
                     unsigned depth = 1) noexcept  // NOLINT(google-explicit-constructor): mostly one number
        : x(width), y(height), z(depth) {}
};

/// How many threads a launch has.
struct LaunchShape {
    Extent grid;   ///< in blocks
    Extent block;  ///< in threads
    unsigned dynamic_shared_bytes = 0;
};

namespace detail {

/// What a kernel's parameter buffer gets for an argument: a span's address, and everything else as it is.
template <class T>
struct KernelParameter {
    static_assert(std::is_trivially_copyable_v<T>, "kernel parameters are copied as bytes");
    static const T& from(const T& argument, int, const SourceLocation&) noexcept { return argument; }
};

template <class T>
struct KernelParameter<DeviceSpan<T>> {
    static abi::DevicePointer from(const DeviceSpan<T>& span, int ordinal, const SourceLocation& where) {
        if (span.device() != ordinal && !span.empty()) [[unlikely]] {
            throw_wrong_device("a span", span.device(), "a kernel", ordinal, copy_of(where));
        }
        return span.pointer();
    }
};

[[noreturn]] void throw_failed_launch(const Driver& driver, abi::Result result, int ordinal, const std::string& kernel,
                                      const LaunchShape& shape, const SourceLocation& where);

}  // namespace detail

/// A kernel of a loaded module, its parameters' types unchecked. Copyable; must not outlive its Module.
class UntypedKernel {
public:
    UntypedKernel(ContextView context, abi::Function handle, std::string name)
        : context_(context), handle_(handle), name_(std::move(name)) {}

    ContextView context() const noexcept { return context_; }
    abi::Function handle() const noexcept { return handle_; }
    const std::string& name() const noexcept { return name_; }

    /// Launches with parameters given by their addresses, as many as the kernel has.
    /// \throws Error wrong_context where the stream is of another context; launch_failure, device_fault, and whatever else the driver
    /// answers
    void launch_raw(const LaunchShape& shape, StreamView stream, void** parameters,
                    const SourceLocation& where = SourceLocation::current()) const {
        if (stream.context() != context_) [[unlikely]] {
            detail::throw_wrong_device("the kernel", context_.ordinal(), "a stream", stream.ordinal(), detail::copy_of(where));
        }
        const abi::Result result = detail::invoke_in<&EntryPoints::launch_kernel>(
            context_, where, handle_, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y, shape.block.z,
            shape.dynamic_shared_bytes, stream.handle(), parameters, static_cast<void**>(nullptr));
        if (result != abi::Result::success) [[unlikely]] {
            detail::throw_failed_launch(context_.driver(), result, context_.ordinal(), name_, LaunchShape(shape), detail::copy_of(where));
        }
    }

    int attribute(abi::FunctionAttribute attribute, SourceLocation where = SourceLocation::current()) const;
    /// Allows launches that ask for up to this much dynamic shared memory, which past 48 KiB must be asked for.
    void set_max_dynamic_shared_bytes(unsigned bytes, SourceLocation where = SourceLocation::current()) const;
    /// How many blocks of that shape one multiprocessor can hold at once.
    int max_active_blocks(unsigned block_threads, std::size_t dynamic_shared_bytes = 0,
                          SourceLocation where = SourceLocation::current()) const;

private:
    ContextView context_;
    abi::Function handle_;
    std::string name_;
};

/// A kernel and the types of its parameters, in order: trivially copyable ones as the kernel declares them, or DeviceSpan for a pointer.
/// (The driver cannot check them: they must be what the PTX says.) Copyable; must not outlive its Module.
template <class... Arguments>
class Kernel : public UntypedKernel {
public:
    explicit Kernel(UntypedKernel kernel) : UntypedKernel(std::move(kernel)) {}

    /// Gives the kernel to the stream and returns.
    ///
    /// A span of another device is refused; a kernel that is to work on a peer's memory takes abi::DevicePointer instead.
    /// \throws Error wrong_context (a span's device or the stream's is not the kernel's), launch_failure, device_fault, and whatever else
    /// the driver answers
    void launch(const LaunchShape& shape, StreamView stream, const Arguments&... arguments,
                SourceLocation where = SourceLocation::current()) const {
        launch_values(shape, stream, where, detail::KernelParameter<Arguments>::from(arguments, context().ordinal(), where)...);
    }

private:
    template <class... Parameters>
    void launch_values(const LaunchShape& shape, StreamView stream, const SourceLocation& where, Parameters... parameters) const {
        void* addresses[] = {&parameters..., nullptr};
        launch_raw(shape, stream, addresses, where);
    }
};

}  // namespace cupool
