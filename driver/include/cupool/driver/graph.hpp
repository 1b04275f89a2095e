#pragma once

#include <cstring>
#include <cupool/driver/detail/owned_handle.hpp>
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

/// Source or target of a copy node: memory of a device or of the host.
struct CopyEnd {
    abi::MemoryType type;
    abi::DevicePointer device;
    void* host;
    int ordinal;  ///< that of the device; no_ordinal for the host
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

/// Describes work and its order. instantiate() makes it executable, to be launched as a whole any
/// number of times. A program adds nodes one by one or captures a stream (StreamCapture).
/// Move-only. Keeps its context alive. Not thread-safe, as in the driver.
///
/// Each node runs after the nodes in `after`, which must belong to this graph, and otherwise in any
/// order. Memory, events and modules that nodes use must live as long as anything instantiated from
/// the graph may run. The driver refuses (invalid_argument) nodes of another graph, and copies and
/// fills of empty spans.
class Graph {
public:
    /// An empty graph. \param context  the context of its copies and fills \throws Error any
    /// failure of the driver call
    explicit Graph(ContextView context, SourceLocation where = SourceLocation::current());
    /// Takes ownership of a graph created elsewhere.
    Graph(ContextView context, abi::Graph handle) : handle_(context.share(), handle) {}

    /// The context to which it belongs.
    ContextView context() const noexcept { return handle_.context(); }
    /// The handle of the driver.
    abi::Graph handle() const noexcept { return handle_.get(); }

    /// Adds a launch with these arguments. \throws what Kernel::launch throws
    template <class... Arguments>
    GraphNode add_kernel(const Kernel<Arguments...>& kernel, const LocatedShape& shape, const std::vector<GraphNode>& after,
                         const std::type_identity_t<Arguments>&... arguments) {
        return add_kernel_values(kernel, shape, after,
                                 detail::KernelParameter<Arguments>::from(arguments, kernel.context(), shape.where)...);
    }
    /// The same with the addresses of all parameters, whose values are copied.
    GraphNode add_kernel_raw(const UntypedKernel& kernel, const LaunchShape& shape, const std::vector<GraphNode>& after, void** parameters,
                             SourceLocation where = SourceLocation::current());

    /// Adds a copy between two spans, each a DeviceSpan of the graph's device or a std::span of
    /// host memory, which is read when the graph runs. A copy of 2 GiB or more may become two
    /// consecutive nodes, of which the second is returned.
    /// \throws Error invalid_argument if the sizes differ, wrong_context if a span belongs to
    /// another device
    template <class To, class From>
    GraphNode add_copy(To to, From from, const std::vector<GraphNode>& after = {}, SourceLocation where = SourceLocation::current()) {
        static_assert(std::is_same_v<typename To::value_type, typename From::value_type>, "a copy is of one type");
        detail::require_same_size(to.size(), from.size(), where);
        return add_copy_of_bytes(detail::copy_end(to), detail::copy_end(from), to.size_bytes(), after, where);
    }

    /// Adds a fill of elements of 1, 2 or 4 bytes. \throws Error wrong_context if the span belongs
    /// to another device
    template <class T>
    GraphNode add_fill(DeviceSpan<T> span, std::type_identity_t<T> value, const std::vector<GraphNode>& after = {},
                       SourceLocation where = SourceLocation::current()) {
        static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4, "a graph fills elements of 1, 2 or 4 bytes");
        unsigned bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        require_own_device(span.device(), where);
        return add_fill_of_elements(span.pointer(), bits, sizeof(T), span.size(), after, where);
    }

    /// Adds a call of a function on a thread of the driver. The driver destroys the function when
    /// nothing can run it any more. Neither the function nor the destructor of anything that it
    /// holds may call the driver. Its exceptions are logged and dropped. \throws Error unsupported
    /// before CUDA 11.3
    GraphNode add_host_function(std::function<void()> function, const std::vector<GraphNode>& after = {},
                                SourceLocation where = SourceLocation::current());
    /// Adds a node without work, for others to depend on.
    GraphNode add_empty(const std::vector<GraphNode>& after = {}, SourceLocation where = SourceLocation::current());
    /// Adds a record of an event after the preceding nodes of a launch. \throws Error unsupported
    /// before CUDA 11.1
    GraphNode add_event_record(const Event& event, const std::vector<GraphNode>& after = {},
                               SourceLocation where = SourceLocation::current());
    /// Adds a wait for the work that the event marks at the time of a launch. \throws Error
    /// unsupported before CUDA 11.1
    GraphNode add_event_wait(const Event& event, const std::vector<GraphNode>& after = {},
                             SourceLocation where = SourceLocation::current());
    /// Adds a copy of another graph in its present state.
    GraphNode add_child(const Graph& child, const std::vector<GraphNode>& after = {}, SourceLocation where = SourceLocation::current());

    /// All nodes, in arbitrary order.
    std::vector<GraphNode> nodes(SourceLocation where = SourceLocation::current()) const;
    /// The type of a node.
    abi::GraphNodeType type_of(GraphNode node, SourceLocation where = SourceLocation::current()) const;
    /// The nodes after which it runs.
    std::vector<GraphNode> dependencies_of(GraphNode node, SourceLocation where = SourceLocation::current()) const;

    /// Makes the graph executable; later changes of the graph do not affect the result.
    /// \throws Error with the driver's messages, if there are any, in log()
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
    detail::OwnedHandle<abi::Graph, &EntryPoints::graph_destroy> handle_;
};

}  // namespace cupool
