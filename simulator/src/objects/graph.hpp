#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <cupool/driver/abi.hpp>

#include "objects/user_object.hpp"
#include "scheduling/launch.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

struct Graph;
struct State;

/// The action of a node: at most one of these. An empty node only orders others.
struct NodeAction {
    abi::GraphNodeType type = abi::GraphNodeType::empty;
    std::optional<Work> work{};              ///< a copy, a memset or a host function
    std::optional<PreparedLaunch> launch{};  ///< a kernel
    std::shared_ptr<const Graph> child{};    ///< a snapshot of the child graph when it was added
    abi::Event event = nullptr;              ///< to record or to wait for
    abi::Context context = nullptr;          ///< the context of the work, if there is any
};

struct GraphNode {
    using Handle = abi::GraphNode;
    static constexpr unsigned char handle_tag = 8;

    Handle handle = nullptr;
    abi::Graph graph = nullptr;
    NodeAction action;
    std::vector<std::shared_ptr<const GraphNode>> dependencies;
};

using GraphNodes = std::vector<std::shared_ptr<const GraphNode>>;

struct Graph {
    using Handle = abi::Graph;
    static constexpr unsigned char handle_tag = 7;

    Handle handle = nullptr;
    /// In the order of creation, which is a topological order.
    GraphNodes nodes;
    std::vector<std::shared_ptr<UserObject>> user_objects;
};

/// Fails with invalid_value.
std::shared_ptr<Graph> graph_of(State& state, abi::Graph handle);

std::shared_ptr<Graph> create_graph(State& state);
void destroy_graph(State& state, Graph& graph);

std::shared_ptr<const GraphNode> add_node(State& state, Graph& graph, NodeAction action, GraphNodes dependencies);

/// The action of a kernel node. Fails as the launch would.
NodeAction kernel_action(State& state, const abi::KernelNodeParameters& parameters);

/// The index of a node in its graph.
std::size_t index_of(const Graph& graph, const GraphNode& node);

}  // namespace cupool::simulator
