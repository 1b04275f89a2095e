#pragma once

#include <cstring>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/graph_exec.hpp>
#include <cupool/driver/kernel.hpp>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace cupool {

namespace detail {

/// One end of a copy that a graph makes: bytes on a device or on the host.
struct CopyEnd {
    abi::MemoryType type;
    abi::DevicePointer device;
    void* host;
    int ordinal;  ///< of the device; no_ordinal for the host
};

template <class T>
CopyEnd copy_end(DeviceSpan<T> span) noexcept {
    return {abi::MemoryType::device, span.pointer(), nullptr, span.device()};
}

template <class T>
CopyEnd copy_end(std::span<T> span) noexcept {
    return {abi::MemoryType::host, 0, const_cast<void*>(static_cast<const void*>(span.data())), no_ordinal};
}

void require_same_size(std::size_t to, std::size_t from, const SourceLocation& where);

}  // namespace detail

/// Work and its order, to be made executable by instantiate() and then launched as a whole, as often as wanted: built node by node, or
/// captured from a stream (StreamCapture). Move-only. Keeps its context alive. As the driver has it, a graph is not safe from two
/// threads at once.
///
/// Each node comes after those named in `after`, and else as it likes; nodes named must be of this graph (the driver answers
/// invalid_argument). Memory, events and modules that nodes use must live as long as anything made of the graph may run. A node of
/// nothing (copies and fills of empty spans) is refused by the driver as invalid_argument.
class Graph {
public:
    /// An empty one. \param context  where its copies and fills are made. \throws Error whatever the driver answers
    explicit Graph(ContextView context, SourceLocation where = SourceLocation::current());
    /// Takes a graph made elsewhere, and destroys it in the end.
    Graph(ContextView context, abi::Graph handle) : context_(context.share()), handle_(handle) {}
    ~Graph() { release(); }
    Graph(Graph&& other) noexcept : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}
    Graph& operator=(Graph&& other) noexcept {
        if (this != &other) {
            release();
            context_ = std::move(other.context_);
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }

    /// The context that it is in.
    ContextView context() const noexcept { return context_.get(); }
    /// The driver's own handle.
    abi::Graph handle() const noexcept { return handle_; }

    /// A launch, with these arguments each time. \throws what Kernel::launch throws
    template <class... Arguments>
    GraphNode add_kernel(const Kernel<Arguments...>& kernel, const LocatedShape& shape, const std::vector<GraphNode>& after,
                         const std::type_identity_t<Arguments>&... arguments) {
        return add_kernel_values(kernel, shape, after,
                                 detail::KernelParameter<Arguments>::from(arguments, kernel.context(), shape.where)...);
    }
    /// The same with parameters given by their addresses, as many as the kernel has; the values are copied.
    GraphNode add_kernel_raw(const UntypedKernel& kernel, const LaunchShape& shape, const std::vector<GraphNode>& after, void** parameters,
                             SourceLocation where = SourceLocation::current());

    /// A copy between two spans, each a DeviceSpan of the graph's device or a std::span of host memory, read when the graph runs. Of 2 GiB
    /// and more it may be two nodes, of which the last is returned: it comes after the other.
    /// \throws Error invalid_argument where the sizes differ, wrong_context where a span is of another device
    template <class To, class From>
    GraphNode add_copy(To to, From from, const std::vector<GraphNode>& after = {}, SourceLocation where = SourceLocation::current()) {
        static_assert(std::is_same_v<typename To::value_type, typename From::value_type>, "a copy is of one type");
        detail::require_same_size(to.size(), from.size(), where);
        return add_copy_of_bytes(detail::copy_end(to), detail::copy_end(from), to.size_bytes(), after, where);
    }

    /// Sets every element, of 1, 2 or 4 bytes. \throws Error wrong_context where the span is of another device
    template <class T>
    GraphNode add_fill(DeviceSpan<T> span, std::type_identity_t<T> value, const std::vector<GraphNode>& after = {},
                       SourceLocation where = SourceLocation::current()) {
        static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4, "a graph fills elements of 1, 2 or 4 bytes");
        unsigned bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        require_own_device(span.device(), where);
        return add_fill_of_elements(span.pointer(), bits, sizeof(T), span.size(), after, where);
    }

    /// A call of a function on a thread of the driver, in each launch. The function must not call the driver, nor may what it holds when
    /// that is destroyed, which the driver does once nothing can run it any more. What it throws is logged and lost. \throws Error
    /// unsupported before CUDA 11.3
    GraphNode add_host_function(std::function<void()> function, const std::vector<GraphNode>& after = {},
                                SourceLocation where = SourceLocation::current());
    /// Nothing: a point that others come after.
    GraphNode add_empty(const std::vector<GraphNode>& after = {}, SourceLocation where = SourceLocation::current());
    /// Marks what came before in the launch. \throws Error unsupported before CUDA 11.1
    GraphNode add_event_record(const Event& event, const std::vector<GraphNode>& after = {},
                               SourceLocation where = SourceLocation::current());
    /// Waits for what the event marks when the graph is launched. \throws Error unsupported before CUDA 11.1
    GraphNode add_event_wait(const Event& event, const std::vector<GraphNode>& after = {},
                             SourceLocation where = SourceLocation::current());
    /// All of another graph, as it is now.
    GraphNode add_child(const Graph& child, const std::vector<GraphNode>& after = {}, SourceLocation where = SourceLocation::current());

    /// Every node, in no order that means anything.
    std::vector<GraphNode> nodes(SourceLocation where = SourceLocation::current()) const;
    /// What a node does.
    abi::GraphNodeType type_of(GraphNode node, SourceLocation where = SourceLocation::current()) const;
    /// The nodes that it comes after.
    std::vector<GraphNode> dependencies_of(GraphNode node, SourceLocation where = SourceLocation::current()) const;

    /// Makes it executable; later changes of the graph do not matter to what comes of it.
    /// \throws Error with the driver's words in log(), where it has any
    GraphExec instantiate(SourceLocation where = SourceLocation::current()) const;

private:
    template <class... Parameters>
    GraphNode add_kernel_values(const UntypedKernel& kernel, const LocatedShape& shape, const std::vector<GraphNode>& after,
                                Parameters... parameters) {
        void* addresses[] = {&parameters..., nullptr};
        return add_kernel_raw(kernel, shape.shape, after, addresses, shape.where);
    }

    void require_own_device(int ordinal, const SourceLocation& where) const;
    GraphNode add_copy_of_bytes(const detail::CopyEnd& to, const detail::CopyEnd& from, std::size_t bytes,
                                const std::vector<GraphNode>& after, const SourceLocation& where);
    GraphNode add_copy_of_rows(const detail::CopyEnd& to, const detail::CopyEnd& from, std::size_t row_bytes, std::size_t rows,
                               const std::vector<GraphNode>& after, const SourceLocation& where);
    GraphNode add_fill_of_elements(abi::DevicePointer to, unsigned bits, unsigned element_bytes, std::size_t count,
                                   const std::vector<GraphNode>& after, const SourceLocation& where);
    template <auto Member, class... Arguments>
    GraphNode add(const std::vector<GraphNode>& after, const SourceLocation& where, Arguments... arguments);
    void release() noexcept {
        if (handle_ != nullptr) {
            detail::destroy_in<&EntryPoints::graph_destroy>(context(), handle_);
        }
    }

    detail::Shared<const detail::ContextState> context_;
    abi::Graph handle_ = nullptr;
};

}  // namespace cupool
