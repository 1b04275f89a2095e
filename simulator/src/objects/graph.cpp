#include "objects/graph.hpp"

#include <algorithm>
#include <utility>

#include "api/handle_call.hpp"
#include "api/rollback.hpp"
#include "api/state.hpp"
#include "memory/copy.hpp"

namespace cupool::simulator {
namespace {

using abi::Status;

std::shared_ptr<GraphNode> node_of(State& state, abi::GraphNode handle) {
    auto node = state.graph_nodes.find(handle);
    require(node != nullptr, Status::invalid_value);
    return node;
}

GraphNodes dependencies_of(State& state, const Graph& graph, const abi::GraphNode* dependencies, std::size_t count) {
    require(count == 0 || dependencies != nullptr, Status::invalid_value);
    GraphNodes nodes;
    for (std::size_t i = 0; i < count; ++i) {
        const auto node = node_of(state, dependencies[i]);
        const bool seen = std::find(nodes.begin(), nodes.end(), node) != nodes.end();
        require(node->graph == graph.handle && !seen, Status::invalid_value);
        nodes.push_back(node);
    }
    return nodes;
}

// Common part of all calls that add a node; `act` creates its action.
template <class Act>
Status handle_node_addition(EntryPoint entry_point, abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* dependencies,
                            std::size_t count, Act&& act) {
    return handle_call(entry_point, [&] {
        require(node != nullptr, Status::invalid_value);
        const Locked state;
        const auto owner = graph_of(*state, graph);
        GraphNodes nodes = dependencies_of(*state, *owner, dependencies, count);
        *node = add_node(*state, *owner, act(*state), std::move(nodes))->handle;
    });
}

// Returns as many handles as the array holds, or their number if there is no array.
template <class Nodes>
void list(const Nodes& nodes, abi::GraphNode* array, std::size_t* count) {
    require(count != nullptr, Status::invalid_value);
    if (array == nullptr) {
        *count = nodes.size();
        return;
    }
    for (std::size_t i = 0; i < *count; ++i) {
        array[i] = i < nodes.size() ? nodes[i]->handle : nullptr;
    }
    *count = std::min(*count, nodes.size());
}

std::shared_ptr<const Graph> clone(const Graph& graph) {
    auto copy = std::make_shared<Graph>();
    copy->nodes = graph.nodes;
    copy->user_objects = graph.user_objects;
    return copy;
}

}  // namespace

std::shared_ptr<Graph> graph_of(State& state, abi::Graph handle) {
    auto graph = state.graphs.find(handle);
    require(graph != nullptr, Status::invalid_value);
    return graph;
}

std::shared_ptr<Graph> create_graph(State& state) {
    auto graph = std::make_shared<Graph>();
    graph->handle = HandleTable<Graph>::issue();
    state.graphs.add(graph);
    return graph;
}

void destroy_graph(State& state, Graph& graph) {
    state.graph_nodes.remove_if([&](const GraphNode& node) { return node.graph == graph.handle; });
    state.graphs.remove(graph.handle);
}

std::shared_ptr<const GraphNode> add_node(State& state, Graph& graph, NodeAction action, GraphNodes dependencies) {
    auto node = std::make_shared<GraphNode>();
    node->handle = HandleTable<GraphNode>::issue();
    node->graph = graph.handle;
    node->action = std::move(action);
    node->dependencies = std::move(dependencies);
    state.graph_nodes.add(node);
    Rollback rollback([&] { state.graph_nodes.remove(node->handle); });
    graph.nodes.push_back(node);
    rollback.keep();
    return node;
}

NodeAction kernel_action(State& state, const abi::KernelNodeParameters& parameters) {
    const auto kernel = function_of(state, parameters.function);
    const LaunchShape shape{{parameters.grid_x, parameters.grid_y, parameters.grid_z},
                            {parameters.block_x, parameters.block_y, parameters.block_z},
                            parameters.dynamic_shared_bytes};
    NodeAction action{abi::GraphNodeType::kernel};
    action.launch = prepare_launch(*kernel, shape, parameters.parameters, parameters.extra);
    action.context = action.launch->context;
    return action;
}

std::size_t index_of(const Graph& graph, const GraphNode& node) {
    const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& other) { return other.get() == &node; });
    return static_cast<std::size_t>(found - graph.nodes.begin());
}

namespace exports {

Status graph_create(Graph* graph, unsigned flags) {
    return handle_call(EntryPoint::graph_create, [&] {
        require(graph != nullptr && flags == 0, Status::invalid_value);
        const Locked state;
        *graph = create_graph(*state)->handle;
    });
}

Status graph_destroy(Graph graph) {
    return handle_call(EntryPoint::graph_destroy, [&] {
        std::shared_ptr<simulator::Graph> doomed;  // destroyed after the lock is released
        const Locked state;
        doomed = graph_of(*state, graph);
        destroy_graph(*state, *doomed);
    });
}

Status graph_add_kernel_node(GraphNode* node, Graph graph, const GraphNode* dependencies, std::size_t dependency_count,
                             const KernelNodeParameters* parameters) {
    return handle_node_addition(EntryPoint::graph_add_kernel_node, node, graph, dependencies, dependency_count, [&](State& state) {
        require(parameters != nullptr, Status::invalid_value);
        return kernel_action(state, *parameters);
    });
}

Status graph_add_copy_node(GraphNode* node, Graph graph, const GraphNode* dependencies, std::size_t dependency_count,
                           const Copy3D* parameters, Context context) {
    return handle_node_addition(EntryPoint::graph_add_copy_node, node, graph, dependencies, dependency_count, [&](State& state) {
        require(parameters != nullptr, Status::invalid_value);
        return copy_action(*context_of(state, context), *parameters);
    });
}

Status graph_add_set_node(GraphNode* node, Graph graph, const GraphNode* dependencies, std::size_t dependency_count,
                          const SetNodeParameters* parameters, Context context) {
    return handle_node_addition(EntryPoint::graph_add_set_node, node, graph, dependencies, dependency_count, [&](State& state) {
        require(parameters != nullptr, Status::invalid_value);
        return set_action(*context_of(state, context), *parameters);
    });
}

Status graph_add_host_node(GraphNode* node, Graph graph, const GraphNode* dependencies, std::size_t dependency_count,
                           const HostNodeParameters* parameters) {
    return handle_node_addition(EntryPoint::graph_add_host_node, node, graph, dependencies, dependency_count, [&](State&) {
        require(parameters != nullptr && parameters->function != nullptr, Status::invalid_value);
        NodeAction action{GraphNodeType::host_function};
        action.work = host_function_work(parameters->function, parameters->user_data);
        return action;
    });
}

Status graph_add_child_node(GraphNode* node, Graph graph, const GraphNode* dependencies, std::size_t dependency_count, Graph child) {
    return handle_node_addition(EntryPoint::graph_add_child_node, node, graph, dependencies, dependency_count, [&](State& state) {
        require(child != graph, Status::invalid_value);
        NodeAction action{GraphNodeType::child_graph};
        action.child = clone(*graph_of(state, child));
        return action;
    });
}

Status graph_add_empty_node(GraphNode* node, Graph graph, const GraphNode* dependencies, std::size_t dependency_count) {
    return handle_node_addition(EntryPoint::graph_add_empty_node, node, graph, dependencies, dependency_count,
                                [](State&) { return NodeAction{}; });
}

Status graph_add_event_record_node(GraphNode* node, Graph graph, const GraphNode* dependencies, std::size_t dependency_count, Event event) {
    return handle_node_addition(EntryPoint::graph_add_event_record_node, node, graph, dependencies, dependency_count, [&](State& state) {
        NodeAction action{GraphNodeType::event_record};
        action.event = event_of(state, event)->handle;
        return action;
    });
}

Status graph_add_event_wait_node(GraphNode* node, Graph graph, const GraphNode* dependencies, std::size_t dependency_count, Event event) {
    return handle_node_addition(EntryPoint::graph_add_event_wait_node, node, graph, dependencies, dependency_count, [&](State& state) {
        NodeAction action{GraphNodeType::event_wait};
        action.event = event_of(state, event)->handle;
        return action;
    });
}

Status graph_get_nodes(Graph graph, GraphNode* nodes, std::size_t* count) {
    return handle_call(EntryPoint::graph_get_nodes, [&] {
        const Locked state;
        list(graph_of(*state, graph)->nodes, nodes, count);
    });
}

Status graph_node_get_type(GraphNode node, GraphNodeType* type) {
    return handle_call(EntryPoint::graph_node_get_type, [&] {
        require(type != nullptr, Status::invalid_value);
        const Locked state;
        *type = node_of(*state, node)->action.type;
    });
}

Status graph_node_get_dependencies(GraphNode node, GraphNode* dependencies, std::size_t* count) {
    return handle_call(EntryPoint::graph_node_get_dependencies, [&] {
        const Locked state;
        list(node_of(*state, node)->dependencies, dependencies, count);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
