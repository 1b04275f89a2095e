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

/// A number of elements in each of three dimensions.
struct Extent {
    /// The first dimension.
    unsigned x = 1;
    /// The second dimension.
    unsigned y = 1;
    /// The third dimension.
    unsigned z = 1;

    constexpr Extent() = default;
    constexpr Extent(unsigned width, unsigned height = 1,
                     unsigned depth = 1) noexcept  // NOLINT(google-explicit-constructor): mostly one number
        : x(width), y(height), z(depth) {}
};

/// The shape of a launch.
struct LaunchShape {
    Extent grid;   ///< in blocks
    Extent block;  ///< threads of a block
    /// Shared memory of each block, in addition to what the kernel declares.
    unsigned dynamic_shared_bytes = 0;
};

/// Launch shape plus call site; no defaulted SourceLocation can follow a parameter pack.
struct LocatedShape {
    LocatedShape(const LaunchShape& own_shape,  // NOLINT(google-explicit-constructor): a shape, wherever one is wanted
                 SourceLocation own_where = SourceLocation::current()) noexcept
        : shape(own_shape), where(own_where) {}
    LocatedShape(Extent grid, Extent block, unsigned dynamic_shared_bytes = 0,
                 SourceLocation own_where = SourceLocation::current()) noexcept
        : shape{grid, block, dynamic_shared_bytes}, where(own_where) {}

    /// The shape.
    LaunchShape shape;
    /// The call site.
    SourceLocation where;
};

/// Further options of a launch.
struct LaunchOptions {
    /// All blocks run at the same time and may wait for each other; a grid that does not fit is
    /// refused (launch_failure).
    bool cooperative = false;
    /// The size of clusters: blocks that run together on neighbouring multiprocessors. The grid
    /// must be a multiple of it. From compute capability 9.0 on.
    std::optional<Extent> cluster;
    /// Lower numbers go first; by default the priority of the stream.
    std::optional<int> priority;
    /// The kernel may begin before the previous kernel of the stream has ended, as soon as that one
    /// permits it (from compute capability 9.0 on).
    bool programmatic_stream_serialization = false;
};

/// The layout of one parameter of a kernel.
struct KernelParameterInfo {
    /// The offset in bytes.
    std::size_t offset;
    /// The size in bytes.
    std::size_t bytes;
};

/// A recommended block size.
struct BlockSize {
    int min_grid;  ///< the smallest number of blocks that fills the device
    int block;     ///< threads of a block
};

namespace detail {

/// The value that a kernel receives for an argument: the address of a span, and any other value
/// unchanged.
template <class T>
struct KernelParameter {
    static_assert(std::is_trivially_copyable_v<T>, "kernel parameters are copied as bytes");
    static const T& from(const T& argument, ContextView, const SourceLocation&) noexcept { return argument; }
};

template <class T>
struct KernelParameter<DeviceSpan<T>> {
    static abi::DevicePointer from(const DeviceSpan<T>& span, ContextView context, const SourceLocation& where) {
        if ((!context || span.device() != context.device().ordinal()) && !span.empty()) [[unlikely]]
            throw_wrong_device("a span", span.device(), "a kernel", context, copy_of(where));
        return span.pointer();
    }
};

template <class T>
using KernelParameterType = std::decay_t<decltype(KernelParameter<T>::from(std::declval<const T&>(), ContextView(), SourceLocation{}))>;

}  // namespace detail

/// A kernel of a loaded module, without checked parameter types. Copyable; must not outlive its
/// Module.
class UntypedKernel {
public:
    UntypedKernel(ContextView context, abi::Function handle, std::string name)
        : context_(context), handle_(handle), name_(std::move(name)) {}

    /// The context to which it belongs.
    ContextView context() const noexcept { return context_; }
    /// The handle of the driver.
    abi::Function handle() const noexcept { return handle_; }
    /// The name in its module.
    const std::string& name() const noexcept { return name_; }

    /// Launches with the addresses of all parameters.
    /// \throws Error wrong_context if the stream belongs to another context; launch_failure,
    /// device_fault, and any other failure of the driver call
    void launch_raw(const LaunchShape& shape, StreamView stream, void** parameters,
                    const SourceLocation& where = SourceLocation::current()) const {
        abi::Status query_status;
        if (!is_ready_for(stream, query_status, where)) [[unlikely]]
            return launch_elsewhere(query_status, LaunchShape(shape), stream.handle(), parameters, detail::copy_of(where));
        launch_here(shape, stream.handle(), parameters, where);
    }

    /// The same with options. \throws Error unsupported before CUDA 11.6, except for a cooperative
    /// launch without other options
    void launch_raw_with(const LaunchOptions& options, const LaunchShape& shape, StreamView stream, void** parameters,
                         const SourceLocation& where = SourceLocation::current()) const;

    /// An attribute, such as the number of registers.
    int attribute(abi::FunctionAttribute attribute, SourceLocation where = SourceLocation::current()) const;
    /// Sets an attribute. \throws Error invalid_argument if the attribute cannot be set, or not to
    /// that value
    void set_attribute(abi::FunctionAttribute attribute, int value, SourceLocation where = SourceLocation::current()) const;
    /// Sets the preferred split between L1 cache and shared memory.
    void set_cache_config(abi::CacheConfig config, SourceLocation where = SourceLocation::current()) const;
    /// The handle of its module. \throws Error unsupported before CUDA 11.0
    abi::Module module_handle(SourceLocation where = SourceLocation::current()) const;
    /// The layout of all parameters. \throws Error unsupported before CUDA 12.4
    std::vector<KernelParameterInfo> parameters(SourceLocation where = SourceLocation::current()) const;
    /// Allows launches with up to this much dynamic shared memory; more than 48 KiB needs this
    /// call.
    void set_max_dynamic_shared_bytes(unsigned bytes, SourceLocation where = SourceLocation::current()) const;
    /// How many blocks of that size one multiprocessor can run at a time.
    int max_active_blocks(unsigned block_threads, std::size_t dynamic_shared_bytes = 0,
                          SourceLocation where = SourceLocation::current()) const;
    /// The block size with the highest occupancy of the device.
    /// \param max_threads  the most threads of a block; 0: as many as the kernel allows
    BlockSize potential_block_size(std::size_t dynamic_shared_bytes = 0, int max_threads = 0,
                                   SourceLocation where = SourceLocation::current()) const;
    /// The dynamic shared memory that each block can have if this many blocks share a
    /// multiprocessor. \throws Error unsupported before CUDA 10.2
    std::size_t available_dynamic_shared_bytes(int blocks, int block_threads, SourceLocation where = SourceLocation::current()) const;
    /// How many clusters of that shape the device can run at a time. \throws Error unsupported
    /// before CUDA 11.8
    int max_active_clusters(const LaunchShape& shape, const Extent& cluster, SourceLocation where = SourceLocation::current()) const;

protected:
    /// Compares the sizes of the parameters, if the driver can report them. \throws Error
    /// invalid_argument if they differ
    void check_parameters(std::initializer_list<std::size_t> sizes, const SourceLocation& where) const;

    /// Whether the context is current. \param query_status  gets the status of that query \throws Error
    /// wrong_context if the stream belongs to another context
    bool is_ready_for(const StreamView& stream, abi::Status& query_status, const SourceLocation& where) const {
        if (!context_ || stream.context() != context_) [[unlikely]]
            detail::throw_wrong_device("the kernel", context_, "a stream", stream.context(), detail::copy_of(where));
        return detail::is_current(context_, query_status);
    }
    /// Launches if the context is current.
    void launch_here(const LaunchShape& shape, abi::Stream stream, void** parameters, const SourceLocation& where) const {
        const abi::Status result =
            context_.driver().api().launch_kernel(handle_, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
                                                  shape.block.z, shape.dynamic_shared_bytes, stream, parameters, nullptr);
        if (result != abi::Status::success) [[unlikely]]
            throw_failed_launch(result, LaunchShape(shape), detail::copy_of(where));
    }
    /// Launches if another context is current, or the query of the current context failed. \param
    /// query_status  the status of that query
    void launch_elsewhere(abi::Status query_status, const LaunchShape& shape, abi::Stream stream, void** parameters,
                          const SourceLocation& where) const;

private:
    [[noreturn]] void throw_failed_launch(abi::Status result, const LaunchShape& shape, const SourceLocation& where) const;

    ContextView context_;
    abi::Function handle_;
    std::string name_;
};

/// A kernel and the types of its parameters, in order: trivially copyable types as the kernel
/// declares them, or DeviceSpan for a pointer. Their number and sizes are checked if the driver
/// reports them (from CUDA 12.4); otherwise they must be those of the PTX. Copyable; must not
/// outlive its Module.
template <class... Arguments>
class Kernel : public UntypedKernel {
public:
    explicit Kernel(UntypedKernel kernel, const SourceLocation& where = SourceLocation::current()) : UntypedKernel(std::move(kernel)) {
        check_parameters({sizeof(detail::KernelParameterType<Arguments>)...}, where);
    }

    /// Queues the kernel on the stream and returns.
    ///
    /// A span of another device is refused; a kernel that works on memory of a peer takes
    /// abi::DevicePointer instead.
    /// \throws Error wrong_context (the device of a span or of the stream is not that of the
    /// kernel), launch_failure, device_fault, and any other failure of the driver call
    void launch(const LaunchShape& shape, StreamView stream, const Arguments&... arguments,
                SourceLocation where = SourceLocation::current()) const {
        launch_values(shape, stream, where, detail::KernelParameter<Arguments>::from(arguments, context(), where)...);
    }

    /// The same with options. \throws Error unsupported if the driver does not know them, and what
    /// launch() throws
    void launch_with(const LaunchOptions& options, const LaunchShape& shape, StreamView stream, const Arguments&... arguments,
                     SourceLocation where = SourceLocation::current()) const {
        launch_values_with(options, shape, stream, where, detail::KernelParameter<Arguments>::from(arguments, context(), where)...);
    }

private:
    // Always inline, and the addresses come last: otherwise the compiler builds shape and
    // parameters in memory before they are needed.
    template <class... Parameters>
    [[gnu::always_inline]] void launch_values(const LaunchShape& shape, const StreamView& stream, const SourceLocation& where,
                                              Parameters... parameters) const {
        abi::Status query_status;
        if (!is_ready_for(stream, query_status, where)) [[unlikely]] {
            void* addresses[] = {&parameters..., nullptr};
            return launch_elsewhere(query_status, LaunchShape(shape), stream.handle(), addresses, detail::copy_of(where));
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
