#pragma once

#include <cupool/driver/kernel.hpp>
#include <memory>
#include <type_traits>
#include <utility>

namespace cupool {

class Graph;

/// A node of a Graph, valid as long as that is.
using GraphNode = abi::GraphNode;

/// What came of an update.
struct GraphUpdate {
    /// Whether it was made, or what stood in the way.
    abi::GraphUpdateResult result = abi::GraphUpdateResult::success;
    /// The node that stood in the way, where there is one: of the graph that was to be taken over.
    GraphNode node = nullptr;

    /// Whether it was made.
    explicit operator bool() const noexcept { return result == abi::GraphUpdateResult::success; }
};

/// A graph made executable. Move-only. Keeps its context alive. One launch of it runs at a time: a later one waits for those before.
/// It can be destroyed while it runs; what was launched is finished. As the driver has it, it is not safe from two threads at once.
class GraphExec {
public:
    /// Takes one made elsewhere, and destroys it in the end.
    GraphExec(ContextView context, abi::GraphExec handle) : context_(context.share()), handle_(handle) {}
    ~GraphExec() { release(); }
    GraphExec(GraphExec&& other) noexcept : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}
    GraphExec& operator=(GraphExec&& other) noexcept {
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
    abi::GraphExec handle() const noexcept { return handle_; }

    /// Gives the whole graph to the stream and returns. It begins when the stream's earlier work is done, and later work waits for its end.
    /// \throws Error whatever the driver answers
    void launch(StreamView stream, SourceLocation where = SourceLocation::current()) const {
        detail::require_context(context(), where);
        detail::call_in<&EntryPoints::graph_launch>(stream.context(), where, handle_, stream.handle());
    }
    /// Brings to the device what the first launch would else bring. \throws Error unsupported before CUDA 11.1
    void upload(StreamView stream, SourceLocation where = SourceLocation::current()) const;

    /// Takes over the parameters of a graph of the same shape, for launches from now on: cheaper than instantiating that one.
    /// Where the driver refuses, nothing has changed, and the answer says why.
    /// \throws Error for every other failure
    GraphUpdate try_update(const Graph& graph, SourceLocation where = SourceLocation::current());

    /// Gives the kernel of one node, of the graph that this was made of, other arguments, another shape, or another kernel of its context.
    /// \throws Error invalid_argument where it is no such node
    template <class... Arguments>
    void set_kernel(GraphNode node, const Kernel<Arguments...>& kernel, const LocatedShape& shape,
                    const std::type_identity_t<Arguments>&... arguments) {
        set_kernel_values(node, kernel, shape, detail::KernelParameter<Arguments>::from(arguments, kernel.context(), shape.where)...);
    }
    /// The same with parameters given by their addresses, as many as the kernel has; the values are copied.
    void set_kernel_raw(GraphNode node, const UntypedKernel& kernel, const LaunchShape& shape, void** parameters,
                        SourceLocation where = SourceLocation::current());

private:
    template <class... Parameters>
    void set_kernel_values(GraphNode node, const UntypedKernel& kernel, const LocatedShape& shape, Parameters... parameters) {
        void* addresses[] = {&parameters..., nullptr};
        set_kernel_raw(node, kernel, shape.shape, addresses, shape.where);
    }
    void release() noexcept {
        if (handle_ != nullptr) {
            detail::destroy_in<&EntryPoints::graph_exec_destroy>(context(), handle_);
        }
    }

    detail::Shared<const detail::ContextState> context_;
    abi::GraphExec handle_ = nullptr;
};

std::string_view to_string(abi::GraphUpdateResult result) noexcept;

}  // namespace cupool
