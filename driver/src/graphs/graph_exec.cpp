#include <cupool/driver/graph.hpp>
#include <cupool/driver/graph_exec.hpp>

#include "graphs/kernel_node.hpp"

namespace cupool {

void GraphExec::upload(StreamView stream, SourceLocation where) const {
    detail::require_context(context(), where);
    detail::call_in<&EntryPoints::graph_upload>(stream.context(), where, handle(), stream.handle());
}

GraphUpdate GraphExec::try_update(const Graph& graph, SourceLocation where) {
    detail::require_context(graph.context(), where);
    const CurrentContext current(context(), where);
    GraphUpdate update;
    const abi::Status result = detail::invoke<&EntryPoints::graph_exec_update>(context().driver(), context().ordinal(), where, handle(),
                                                                               graph.handle(), &update.node, &update.result);
    // Without a reason it is a failure of another kind.
    const bool is_refusal = result == abi::Status::graph_exec_update_failure && !update;
    if (result != abi::Status::success && !is_refusal) {
        detail::throw_failed_call(context().driver(), entry_point_info<&EntryPoints::graph_exec_update>, result, context().ordinal(),
                                  where);
    }
    return update;
}

void GraphExec::set_kernel_raw(GraphNode node, const UntypedKernel& kernel, const LaunchShape& shape, void** parameters,
                               SourceLocation where) {
    const abi::KernelNodeParameters changed = detail::kernel_node_parameters(kernel, shape, parameters);
    detail::call_in<&EntryPoints::graph_exec_set_kernel_node>(context(), where, handle(), node, &changed);
}

std::string_view to_string(abi::GraphUpdateResult result) noexcept {
    switch (result) {
        case abi::GraphUpdateResult::success: return "updated";
        case abi::GraphUpdateResult::error: return "refused";
        case abi::GraphUpdateResult::topology_changed: return "the nodes or their order differ";
        case abi::GraphUpdateResult::node_type_changed: return "a node is of another type";
        case abi::GraphUpdateResult::function_changed: return "a node's kernel is of another context";
        case abi::GraphUpdateResult::parameters_changed: return "a node's parameters differ in what cannot be changed";
        case abi::GraphUpdateResult::not_supported: return "a node is of a type that cannot be updated";
        case abi::GraphUpdateResult::unsupported_function_change: return "a node's kernel cannot be replaced by that other one";
        case abi::GraphUpdateResult::attributes_changed: return "a node's attributes differ in what cannot be changed";
    }
    return "refused for a reason that this build does not know";
}

}  // namespace cupool
