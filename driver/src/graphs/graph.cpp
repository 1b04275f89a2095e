#include <cupool/driver/copy.hpp>
#include <cupool/driver/graph.hpp>
#include <string>

#include "graphs/kernel_node.hpp"
#include "streams/host_task.hpp"

namespace cupool {

namespace detail {

void require_same_size(std::size_t to, std::size_t from, const SourceLocation& where) { check_sizes(to, from, where); }

}  // namespace detail

namespace {

// The longest row of a copy: CU_DEVICE_ATTRIBUTE_MAX_PITCH of every device so far.
constexpr std::size_t max_row_bytes = 2'147'483'647;
constexpr std::size_t row_bytes_of_large_copies = std::size_t{1} << 30;

abi::Copy3D::Side side_of(const detail::CopyEnd& end, std::size_t row_bytes, std::size_t rows) {
    abi::Copy3D::Side side{};
    side.type = end.type;
    side.host = end.host;
    side.device = end.device;
    side.pitch = row_bytes;
    side.height = rows;
    return side;
}

detail::CopyEnd past(const detail::CopyEnd& end, std::size_t bytes) {
    detail::CopyEnd rest = end;
    if (end.type == abi::MemoryType::device) {
        rest.device += bytes;
    } else {
        rest.host = static_cast<std::byte*>(end.host) + bytes;
    }
    return rest;
}

/// A list that takes two driver calls: one for the size, one for the elements.
template <auto Member, class Owner>
std::vector<GraphNode> list(ContextView context, Owner owner, const SourceLocation& where) {
    detail::require_context(context, where);
    std::size_t count = 0;
    detail::call<Member>(context.driver(), context.ordinal(), where, owner, static_cast<GraphNode*>(nullptr), &count);
    std::vector<GraphNode> nodes(count);
    if (count > 0) detail::call<Member>(context.driver(), context.ordinal(), where, owner, nodes.data(), &count);
    return nodes;
}

}  // namespace

Graph::Graph(ContextView context, SourceLocation where) : handle_(context ? context.share(where) : nullptr) {
    abi::Graph handle = nullptr;
    detail::call_in<&EntryPoints::graph_create>(context, where, &handle, 0U);
    handle_.take(handle);
}

template <auto Member, class... Arguments>
GraphNode Graph::add(const std::vector<GraphNode>& after, const SourceLocation& where, Arguments... arguments) {
    GraphNode node = nullptr;
    detail::call_in<Member>(context(), where, &node, handle(), after.data(), after.size(), arguments...);
    return node;
}

GraphNode Graph::add_kernel_raw(const UntypedKernel& kernel, const LaunchShape& shape, const std::vector<GraphNode>& after,
                                void** parameters, SourceLocation where) {
    const abi::KernelNodeParameters node = detail::kernel_node_parameters(kernel, shape, parameters);
    return add<&EntryPoints::graph_add_kernel_node>(after, where, &node);
}

void Graph::require_own_device(int ordinal, const SourceLocation& where) const {
    if (ordinal != context().ordinal()) detail::throw_wrong_device("a span", ordinal, "a graph", context(), where);
}

GraphNode Graph::add_copy_of_bytes(const detail::CopyEnd& to, const detail::CopyEnd& from, std::size_t bytes,
                                   const std::vector<GraphNode>& after, const SourceLocation& where) {
    for (const detail::CopyEnd& end : {to, from}) {
        if (end.type == abi::MemoryType::device) require_own_device(end.ordinal, where);
    }
    if (bytes <= max_row_bytes) return add_copy_of_rows(to, from, bytes, 1, after, where);
    const std::size_t rows = bytes / row_bytes_of_large_copies;
    const std::size_t in_rows = rows * row_bytes_of_large_copies;
    const GraphNode node = add_copy_of_rows(to, from, row_bytes_of_large_copies, rows, after, where);
    return bytes == in_rows ? node : add_copy_of_rows(past(to, in_rows), past(from, in_rows), bytes - in_rows, 1, {node}, where);
}

GraphNode Graph::add_copy_of_rows(const detail::CopyEnd& to, const detail::CopyEnd& from, std::size_t row_bytes, std::size_t rows,
                                  const std::vector<GraphNode>& after, const SourceLocation& where) {
    const abi::Copy3D copy{side_of(from, row_bytes, rows), side_of(to, row_bytes, rows), row_bytes, rows, 1};
    return add<&EntryPoints::graph_add_copy_node>(after, where, &copy, context().handle());
}

GraphNode Graph::add_fill_of_elements(abi::DevicePointer to, unsigned bits, unsigned element_bytes, std::size_t count,
                                      const std::vector<GraphNode>& after, const SourceLocation& where) {
    const abi::SetNodeParameters set{to, 0, bits, element_bytes, count, 1};
    return add<&EntryPoints::graph_add_set_node>(after, where, &set, context().handle());
}

GraphNode Graph::add_host_function(std::function<void()> function, const std::vector<GraphNode>& after, SourceLocation where) {
    const abi::HostNodeParameters node{detail::run_kept_host_task, detail::give_to_graph(context(), handle(), std::move(function), where)};
    return add<&EntryPoints::graph_add_host_node>(after, where, &node);
}

GraphNode Graph::add_empty(const std::vector<GraphNode>& after, SourceLocation where) {
    return add<&EntryPoints::graph_add_empty_node>(after, where);
}

GraphNode Graph::add_event_record(const Event& event, const std::vector<GraphNode>& after, SourceLocation where) {
    return add<&EntryPoints::graph_add_event_record_node>(after, where, event.handle());
}

GraphNode Graph::add_event_wait(const Event& event, const std::vector<GraphNode>& after, SourceLocation where) {
    return add<&EntryPoints::graph_add_event_wait_node>(after, where, event.handle());
}

GraphNode Graph::add_child(const Graph& child, const std::vector<GraphNode>& after, SourceLocation where) {
    detail::require_context(child.context(), where);
    return add<&EntryPoints::graph_add_child_node>(after, where, child.handle());
}

std::vector<GraphNode> Graph::nodes(SourceLocation where) const { return list<&EntryPoints::graph_get_nodes>(context(), handle(), where); }

abi::GraphNodeType Graph::type_of(GraphNode node, SourceLocation where) const {
    detail::require_context(context(), where);
    auto type = abi::GraphNodeType::empty;
    detail::call<&EntryPoints::graph_node_get_type>(context().driver(), context().ordinal(), where, node, &type);
    return type;
}

std::vector<GraphNode> Graph::dependencies_of(GraphNode node, SourceLocation where) const {
    return list<&EntryPoints::graph_node_get_dependencies>(context(), node, where);
}

GraphExec Graph::instantiate(SourceLocation where) const {
    const CurrentContext current(context(), where);
    abi::GraphExec exec = nullptr;
    GraphNode error_node = nullptr;
    char log[4096] = "";
    const abi::Status result = detail::invoke<&EntryPoints::graph_instantiate>(context().driver(), context().ordinal(), where, &exec,
                                                                               handle(), &error_node, static_cast<char*>(log), sizeof log);
    if (result != abi::Status::success) {
        ErrorDetails details;
        details.category = category_of(result);
        details.code = result;
        details.call = entry_point_info<&EntryPoints::graph_instantiate>.base;
        details.device = context().ordinal();
        details.log = log;
        details.message = "cannot make the graph executable";
        if (error_node != nullptr) details.message += "; the driver names one of its nodes";
        throw Error(std::move(details), where);
    }
    return GraphExec(context(), exec);
}

}  // namespace cupool
