#pragma once

#include <cupool/driver/detail/owned_handle.hpp>
#include <cupool/driver/kernel.hpp>
#include <memory>
#include <type_traits>
#include <utility>

namespace cupool {

class Graph;

/// A node of a Graph, valid as long as the graph.
using GraphNode = abi::GraphNode;

/// The result of an update.
struct GraphUpdate {
    /// Success, or the reason for a refusal.
    abi::GraphUpdateResult result = abi::GraphUpdateResult::success;
    /// The node of the new graph that prevents the update, if there is one.
    GraphNode node = nullptr;

    /// Whether the update was made.
    explicit operator bool() const noexcept { return result == abi::GraphUpdateResult::success; }
};

/// An executable graph. Move-only. Keeps its context alive. Its launches run one after another. It
/// can be destroyed while it runs; queued launches are finished. Not thread-safe, as in the driver.
class GraphExec {
public:
    /// Takes ownership of an executable graph created elsewhere.
    GraphExec(ContextView context, abi::GraphExec handle) : handle_(context.share(), handle) {}

    /// The context to which it belongs.
    ContextView context() const noexcept { return handle_.context(); }
    /// The handle of the driver.
    abi::GraphExec handle() const noexcept { return handle_.get(); }

    /// Queues the whole graph on the stream and returns. It begins after earlier work of the
    /// stream, and later work waits for its end.
    /// \throws Error any failure of the driver call
    void launch(StreamView stream, SourceLocation where = SourceLocation::current()) const {
        detail::require_context(context(), where);
        detail::call_in<&EntryPoints::graph_launch>(stream.context(), where, handle(), stream.handle());
    }
    /// Transfers to the device what otherwise the first launch transfers. \throws Error unsupported
    /// before CUDA 11.1
    void upload(StreamView stream, SourceLocation where = SourceLocation::current()) const;

    /// Adopts the parameters of a graph of the same topology for later launches, which is cheaper
    /// than instantiating that graph. If the driver refuses, nothing changes and the result says
    /// why.
    /// \throws Error for every other failure
    GraphUpdate try_update(const Graph& graph, SourceLocation where = SourceLocation::current());

    /// Sets the arguments, the shape and the kernel, of the same context, of one kernel node of the
    /// original graph, for later launches.
    /// \throws Error invalid_argument if it is not such a node
    template <class... Arguments>
    void set_kernel(GraphNode node, const Kernel<Arguments...>& kernel, const LocatedShape& shape,
                    const std::type_identity_t<Arguments>&... arguments) {
        set_kernel_values(node, kernel, shape, detail::KernelParameter<Arguments>::from(arguments, kernel.context(), shape.where)...);
    }
    /// The same with the addresses of all parameters, whose values are copied.
    void set_kernel_raw(GraphNode node, const UntypedKernel& kernel, const LaunchShape& shape, void** parameters,
                        SourceLocation where = SourceLocation::current());

private:
    template <class... Parameters>
    void set_kernel_values(GraphNode node, const UntypedKernel& kernel, const LocatedShape& shape, Parameters... parameters) {
        void* addresses[] = {&parameters..., nullptr};
        set_kernel_raw(node, kernel, shape.shape, addresses, shape.where);
    }
    detail::OwnedHandle<abi::GraphExec, &EntryPoints::graph_exec_destroy> handle_;
};

std::string_view to_string(abi::GraphUpdateResult result) noexcept;

}  // namespace cupool
