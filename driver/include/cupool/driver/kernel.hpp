#pragma once

#include <cupool/driver/device_span.hpp>
#include <cupool/driver/stream.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cupool {

/// A count in each of three dimensions.
struct Extent {
    /// In the first dimension.
    unsigned x = 1;
    /// In the second.
    unsigned y = 1;
    /// In the third.
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
    /// Shared memory of each block besides what the kernel declares.
    unsigned dynamic_shared_bytes = 0;
};

/// A shape and the place in the program that gives it: for functions that end with a kernel's arguments, which no default can follow.
struct LocatedShape {
    LocatedShape(const LaunchShape& own_shape,  // NOLINT(google-explicit-constructor): a shape, wherever one is wanted
                 SourceLocation own_where = SourceLocation::current()) noexcept
        : shape(own_shape), where(own_where) {}
    LocatedShape(Extent grid, Extent block, unsigned dynamic_shared_bytes = 0,
                 SourceLocation own_where = SourceLocation::current()) noexcept
        : shape{grid, block, dynamic_shared_bytes}, where(own_where) {}

    /// The shape.
    LaunchShape shape;
    /// The place that gives it.
    SourceLocation where;
};

/// What else a launch may ask for.
struct LaunchOptions {
    /// All blocks are on the device at once and may wait for each other; a grid that does not fit is refused (launch_failure).
    bool cooperative = false;
    /// Blocks that run together on neighbouring multiprocessors, of which the grid must be a multiple; for compute capability 9.0 and up.
    std::optional<Extent> cluster;
    /// Lower numbers go first; else as the stream.
    std::optional<int> priority;
    /// It may begin before the stream's earlier kernel has ended, once that one lets it (compute capability 9.0 and up).
    bool programmatic_stream_serialization = false;
};

/// Where a parameter of a kernel lies among all of them, in bytes.
struct KernelParameterInfo {
    /// Where it begins.
    std::size_t offset;
    /// How long it is.
    std::size_t bytes;
};

/// A number of blocks, and of threads in each.
struct BlockSize {
    int min_grid;  ///< the fewest blocks that fill the device
    int block;     ///< in threads
};

namespace detail {

/// What a kernel's parameter buffer gets for an argument: a span's address, and everything else as it is.
template <class T>
struct KernelParameter {
    static_assert(std::is_trivially_copyable_v<T>, "kernel parameters are copied as bytes");
    static const T& from(const T& argument, ContextView, const SourceLocation&) noexcept { return argument; }
};

template <class T>
struct KernelParameter<DeviceSpan<T>> {
    static abi::DevicePointer from(const DeviceSpan<T>& span, ContextView context, const SourceLocation& where) {
        if ((!context || span.device() != context.device().ordinal()) && !span.empty()) [[unlikely]] {
            throw_wrong_device("a span", span.device(), "a kernel", context, copy_of(where));
        }
        return span.pointer();
    }
};

template <class T>
using KernelParameterType = std::decay_t<decltype(KernelParameter<T>::from(std::declval<const T&>(), ContextView(), SourceLocation{}))>;

}  // namespace detail

/// A kernel of a loaded module, its parameters' types unchecked. Copyable; must not outlive its Module.
class UntypedKernel {
public:
    UntypedKernel(ContextView context, abi::Function handle, std::string name)
        : context_(context), handle_(handle), name_(std::move(name)) {}

    /// The context that it is in.
    ContextView context() const noexcept { return context_; }
    /// The driver's own handle.
    abi::Function handle() const noexcept { return handle_; }
    /// As its module has it.
    const std::string& name() const noexcept { return name_; }

    /// Launches with parameters given by their addresses, as many as the kernel has.
    /// \throws Error wrong_context where the stream is of another context; launch_failure, device_fault, and whatever else the driver
    /// answers
    void launch_raw(const LaunchShape& shape, StreamView stream, void** parameters,
                    const SourceLocation& where = SourceLocation::current()) const {
        abi::Status told;
        if (!is_ready_for(stream, told, where)) [[unlikely]] {
            return launch_elsewhere(told, LaunchShape(shape), stream.handle(), parameters, detail::copy_of(where));
        }
        launch_here(shape, stream.handle(), parameters, where);
    }

    /// The same with options. \throws Error unsupported before CUDA 11.6, but for a cooperative launch without other options
    void launch_raw_with(const LaunchOptions& options, const LaunchShape& shape, StreamView stream, void** parameters,
                         const SourceLocation& where = SourceLocation::current()) const;

    /// What the kernel takes of a multiprocessor, and more.
    int attribute(abi::FunctionAttribute attribute, SourceLocation where = SourceLocation::current()) const;
    /// \throws Error invalid_argument where it cannot be set, or not to that
    void set_attribute(abi::FunctionAttribute attribute, int value, SourceLocation where = SourceLocation::current()) const;
    /// What it prefers where first-level cache and shared memory are one.
    void set_cache_config(abi::CacheConfig config, SourceLocation where = SourceLocation::current()) const;
    /// The handle of the module that it is of. \throws Error unsupported before CUDA 11.0
    abi::Module module_handle(SourceLocation where = SourceLocation::current()) const;
    /// All that it takes. \throws Error unsupported before CUDA 12.4
    std::vector<KernelParameterInfo> parameters(SourceLocation where = SourceLocation::current()) const;
    /// Allows launches that ask for up to this much dynamic shared memory, which past 48 KiB must be asked for.
    void set_max_dynamic_shared_bytes(unsigned bytes, SourceLocation where = SourceLocation::current()) const;
    /// How many blocks of that shape one multiprocessor can hold at once.
    int max_active_blocks(unsigned block_threads, std::size_t dynamic_shared_bytes = 0,
                          SourceLocation where = SourceLocation::current()) const;
    /// The block size that keeps most threads of the device busy.
    /// \param max_threads  of a block; 0: as many as the kernel allows
    BlockSize potential_block_size(std::size_t dynamic_shared_bytes = 0, int max_threads = 0,
                                   SourceLocation where = SourceLocation::current()) const;
    /// How much dynamic shared memory each of so many blocks of a multiprocessor can have. \throws Error unsupported before CUDA 10.2
    std::size_t available_dynamic_shared_bytes(int blocks, int block_threads, SourceLocation where = SourceLocation::current()) const;
    /// How many clusters of that shape the device can hold at once. \throws Error unsupported before CUDA 11.8
    int max_active_clusters(const LaunchShape& shape, const Extent& cluster, SourceLocation where = SourceLocation::current()) const;

protected:
    /// \throws Error invalid_argument where the driver can tell and the kernel's parameters are not of these sizes
    void check_parameters(std::initializer_list<std::size_t> sizes, const SourceLocation& where) const;

    /// Whether the context is current. \throws Error wrong_context where the stream is of another context
    bool is_ready_for(const StreamView& stream, abi::Status& told, const SourceLocation& where) const {
        if (!context_ || stream.context() != context_) [[unlikely]] {
            detail::throw_wrong_device("the kernel", context_, "a stream", stream.context(), detail::copy_of(where));
        }
        return detail::is_current(context_, told);
    }
    /// Launches where the context is current.
    void launch_here(const LaunchShape& shape, abi::Stream stream, void** parameters, const SourceLocation& where) const {
        const abi::Status result =
            context_.driver().api().launch_kernel(handle_, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
                                                  shape.block.z, shape.dynamic_shared_bytes, stream, parameters, nullptr);
        if (result != abi::Status::success) [[unlikely]] {
            throw_failed_launch(result, LaunchShape(shape), detail::copy_of(where));
        }
    }
    /// Launches where another is, or what is could not be told.
    void launch_elsewhere(abi::Status told, const LaunchShape& shape, abi::Stream stream, void** parameters,
                          const SourceLocation& where) const;

private:
    [[noreturn]] void throw_failed_launch(abi::Status result, const LaunchShape& shape, const SourceLocation& where) const;

    ContextView context_;
    abi::Function handle_;
    std::string name_;
};

/// A kernel and the types of its parameters, in order: trivially copyable ones as the kernel declares them, or DeviceSpan for a pointer.
/// (Their number and sizes are checked where the driver tells them, from CUDA 12.4; else they must be what the PTX says.) Copyable; must
/// not outlive its Module.
template <class... Arguments>
class Kernel : public UntypedKernel {
public:
    explicit Kernel(UntypedKernel kernel, const SourceLocation& where = SourceLocation::current()) : UntypedKernel(std::move(kernel)) {
        check_parameters({sizeof(detail::KernelParameterType<Arguments>)...}, where);
    }

    /// Gives the kernel to the stream and returns.
    ///
    /// A span of another device is refused; a kernel that is to work on a peer's memory takes abi::DevicePointer instead.
    /// \throws Error wrong_context (a span's device or the stream's is not the kernel's), launch_failure, device_fault, and whatever else
    /// the driver answers
    void launch(const LaunchShape& shape, StreamView stream, const Arguments&... arguments,
                SourceLocation where = SourceLocation::current()) const {
        launch_values(shape, stream, where, detail::KernelParameter<Arguments>::from(arguments, context(), where)...);
    }

    /// The same with options. \throws Error unsupported where the driver does not know them, and what launch() throws
    void launch_with(const LaunchOptions& options, const LaunchShape& shape, StreamView stream, const Arguments&... arguments,
                     SourceLocation where = SourceLocation::current()) const {
        launch_values_with(options, shape, stream, where, detail::KernelParameter<Arguments>::from(arguments, context(), where)...);
    }

private:
    // Always inline, and the addresses last: else shape and parameters were put together in memory before they are needed.
    template <class... Parameters>
    [[gnu::always_inline]] void launch_values(const LaunchShape& shape, const StreamView& stream, const SourceLocation& where,
                                              Parameters... parameters) const {
        abi::Status told;
        if (!is_ready_for(stream, told, where)) [[unlikely]] {
            void* addresses[] = {&parameters..., nullptr};
            return launch_elsewhere(told, LaunchShape(shape), stream.handle(), addresses, detail::copy_of(where));
        }
        void* addresses[] = {&parameters..., nullptr};
        launch_here(shape, stream.handle(), addresses, where);
    }
    template <class... Parameters>
    void launch_values_with(const LaunchOptions& options, const LaunchShape& shape, StreamView stream, const SourceLocation& where,
                            Parameters... parameters) const {
        void* addresses[] = {&parameters..., nullptr};
        launch_raw_with(options, shape, stream, addresses, where);
    }
};

}  // namespace cupool
