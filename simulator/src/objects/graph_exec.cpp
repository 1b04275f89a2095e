#include "objects/graph_exec.hpp"

#include <algorithm>
#include <utility>

#include "api/handle_call.hpp"
#include "api/rollback.hpp"
#include "api/state.hpp"
#include "objects/capture.hpp"

namespace cupool::simulator {
namespace {

using abi::GraphNodeType;
using abi::GraphUpdateResult;
using abi::Status;

std::shared_ptr<GraphExec> exec_of(State& state, abi::GraphExec handle) {
    auto exec = state.graph_execs.find(handle);
    require(exec != nullptr, Status::invalid_value);
    return exec;
}

std::vector<GraphExec::Node> flat_nodes(const Graph& graph) {
    std::vector<GraphExec::Node> nodes;
    for (const auto& node : graph.nodes) {
        std::vector<std::size_t> dependencies;
        for (const auto& dependency : node->dependencies) {
            dependencies.push_back(index_of(graph, *dependency));
        }
        nodes.push_back({node->handle, node->action, std::move(dependencies)});
    }
    return nodes;
}

/// One launch of the nodes of a graph and its child graphs. Its start operation is held until all nodes are queued.
class Launcher {
public:
    Launcher(State& state, const Stream& stream) : state_(state), stream_(stream) {}

    /// Fails before anything is queued if a node cannot run.
    void prepare(const std::vector<GraphExec::Node>& nodes) {
        for (const GraphExec::Node& node : nodes) {
            prepare(node.action);
        }
    }

    /// Queues all nodes after `start`, in the order of preparation. Returns the operation that ends the launch.
    Operations launch(const std::vector<GraphExec::Node>& nodes, const Operations& start) {
        std::vector<Operations> ends;
        Operations all_ends = start;
        for (const GraphExec::Node& node : nodes) {
            Operations predecessors = node.dependencies.empty() ? start : Operations{};
            for (const std::size_t dependency : node.dependencies) {
                predecessors.insert(predecessors.end(), ends[dependency].begin(), ends[dependency].end());
            }
            ends.push_back(launch(node.action, predecessors));
            all_ends.insert(all_ends.end(), ends.back().begin(), ends.back().end());
        }
        return all_ends;
    }

    /// Cancels everything that has been queued.
    void cancel(const OperationPointer& start) noexcept {
        for (auto recorded = records_.rbegin(); recorded != records_.rend(); ++recorded) {
            std::swap(*recorded->event, recorded->before);
        }
        scheduler().cancel(start, operations_);
    }

private:
    struct Record {
        std::shared_ptr<Event> event;
        Event before;
    };

    void prepare(const NodeAction& action) {
        if (action.child) {
            prepare(flat_nodes(*action.child));
        }
        if (action.context != nullptr) {
            context_of(state_, action.context);
        }
        if (action.event != nullptr) {
            event_of(state_, action.event);
        }
        if (action.launch) {
            function_of(state_, action.launch->function);
            works_.push_back(work_of(*action.launch));
        } else if (action.work) {
            works_.push_back(*action.work);
        }
    }

    Operations launch(const NodeAction& action, Operations predecessors) {
        if (action.child) {
            return launch(flat_nodes(*action.child), predecessors);
        }
        if (action.type == GraphNodeType::event_wait) {
            predecessors.push_back(event_of(state_, action.event)->recorded);
        }
        Work work = action.launch || action.work ? std::move(works_[next_++]) : Work{};
        work.device_of_stream = stream_.context->device.ordinal;
        work.device = action.context == nullptr ? work.device_of_stream : context_of(state_, action.context)->device.ordinal;
        work.stream = stream_.number;
        const OperationPointer& operation = operations_.emplace_back();
        Rollback rollback([&] { operations_.pop_back(); });
        operations_.back() = scheduler().schedule(std::move(work), predecessors);
        rollback.keep();
        if (action.type == GraphNodeType::event_record) {
            const auto event = event_of(state_, action.event);
            records_.push_back({event, *event});
            record(*event, operation);
        }
        return {operation};
    }

    State& state_;
    const Stream& stream_;
    std::vector<Work> works_;
    std::size_t next_ = 0;
    /// The queued operations.
    Operations operations_;
    std::vector<Record> records_;
};

// The user objects of the child graphs, recursively.
void add_user_objects(const NodeAction& action, std::vector<std::shared_ptr<UserObject>>& user_objects) {
    if (action.child) {
        user_objects.insert(user_objects.end(), action.child->user_objects.begin(), action.child->user_objects.end());
        for (const auto& node : action.child->nodes) {
            add_user_objects(node->action, user_objects);
        }
    }
}

std::vector<std::shared_ptr<UserObject>> all_user_objects(const Graph& graph) {
    std::vector<std::shared_ptr<UserObject>> user_objects = graph.user_objects;
    for (const auto& node : graph.nodes) {
        add_user_objects(node->action, user_objects);
    }
    return user_objects;
}

// Keeps the user objects alive while a launch runs.
Work keep(const std::vector<std::shared_ptr<UserObject>>& user_objects) {
    Work work;
    if (!user_objects.empty()) {
        work = {Work::Kind::release, "end of a graph", [user_objects](std::uint64_t) { return Time{0}; }};
    }
    return work;
}

void launch(State& state, GraphExec& exec, Stream& stream) {
    Launcher launcher(state, stream);
    launcher.prepare(exec.nodes);
    const OperationPointer before = stream.last;
    Work held;
    held.is_held = true;
    enqueue(state, stream, std::move(held), {exec.last});
    const OperationPointer start = stream.last;
    Rollback rollback([&] {
        stream.last = before;
        launcher.cancel(start);
    });
    const Operations ends = launcher.launch(exec.nodes, {start});
    enqueue(state, stream, keep(exec.user_objects), ends);
    scheduler().release(start);
    rollback.keep();
    exec.last = stream.last;
}

GraphUpdateResult difference(const GraphExec::Node& before, const GraphExec::Node& after) {
    if (before.action.type != after.action.type) {
        return GraphUpdateResult::node_type_changed;
    }
    if (before.dependencies != after.dependencies) {
        return GraphUpdateResult::topology_changed;
    }
    if (before.action.context != after.action.context) {
        return before.action.launch ? GraphUpdateResult::function_changed : GraphUpdateResult::parameters_changed;
    }
    return GraphUpdateResult::success;
}

}  // namespace

namespace exports {

Status graph_instantiate(GraphExec* exec, Graph graph, GraphNode* error_node, char* log, std::size_t log_bytes) {
    return handle_call(EntryPoint::graph_instantiate, [&] {
        require(exec != nullptr, Status::invalid_value);
        const Locked state;
        current_context(*state);
        const auto source = graph_of(*state, graph);
        const auto created = std::make_shared<simulator::GraphExec>();
        created->handle = HandleTable<simulator::GraphExec>::issue();
        created->nodes = flat_nodes(*source);
        created->user_objects = all_user_objects(*source);
        state->graph_execs.add(created);
        *exec = created->handle;
        if (error_node != nullptr) {
            *error_node = nullptr;
        }
        if (log != nullptr && log_bytes > 0) {
            *log = '\0';
        }
    });
}

Status graph_exec_destroy(GraphExec exec) {
    return handle_call(EntryPoint::graph_exec_destroy, [&] {
        std::shared_ptr<simulator::GraphExec> doomed;  // destroyed after the lock is released
        const Locked state;
        doomed = exec_of(*state, exec);
        state->graph_execs.remove(exec);
    });
}

Status graph_exec_update(GraphExec exec, Graph graph, GraphNode* error_node, GraphUpdateResult* result) {
    return handle_call(EntryPoint::graph_exec_update, [&] {
        require(error_node != nullptr && result != nullptr, Status::invalid_value);
        std::vector<std::shared_ptr<simulator::UserObject>> replaced;  // destroyed after the lock is released
        const Locked state;
        const auto changed = exec_of(*state, exec);
        const auto source = graph_of(*state, graph);
        std::vector<simulator::GraphExec::Node> nodes = flat_nodes(*source);
        *error_node = nullptr;
        // What driver 580 returns for a different number of nodes.
        *result = nodes.size() == changed->nodes.size() ? GraphUpdateResult::success : GraphUpdateResult::not_supported;
        for (std::size_t i = 0; i < nodes.size() && *result == GraphUpdateResult::success; ++i) {
            *result = difference(changed->nodes[i], nodes[i]);
            *error_node = *result == GraphUpdateResult::success ? nullptr : nodes[i].origin;
        }
        require(*result == GraphUpdateResult::success, Status::graph_exec_update_failure);
        replaced = all_user_objects(*source);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            changed->nodes[i].action = std::move(nodes[i].action);
        }
        std::swap(replaced, changed->user_objects);
    });
}

Status graph_exec_set_kernel_node(GraphExec exec, GraphNode node, const KernelNodeParameters* parameters) {
    return handle_call(EntryPoint::graph_exec_set_kernel_node, [&] {
        require(parameters != nullptr, Status::invalid_value);
        const Locked state;
        const auto changed = exec_of(*state, exec);
        const auto found = std::find_if(changed->nodes.begin(), changed->nodes.end(),
                                        [&](const simulator::GraphExec::Node& candidate) { return candidate.origin == node; });
        require(found != changed->nodes.end() && found->action.launch.has_value(), Status::invalid_value);
        NodeAction action = kernel_action(*state, *parameters);
        require(action.context == found->action.context, Status::invalid_value);
        found->action = std::move(action);
    });
}

Status graph_upload(GraphExec exec, Stream stream) {
    return handle_call(EntryPoint::graph_upload, [&] {
        const Locked state;
        exec_of(*state, exec);
        const auto queue = stream_of(*state, stream);
        require_not_captured(*queue);
        enqueue(*state, *queue, Work{});
    });
}

Status graph_launch(GraphExec exec, Stream stream) {
    return handle_call(EntryPoint::graph_launch, [&] {
        const Locked state;
        const auto launched = exec_of(*state, exec);
        const auto queue = stream_of(*state, stream);
        require_not_captured(*queue);
        launch(*state, *launched, *queue);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
