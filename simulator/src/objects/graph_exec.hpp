#pragma once

#include <memory>
#include <vector>

#include <cupool/driver/abi.hpp>

#include "objects/graph.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

struct GraphExec {
    using Handle = abi::GraphExec;
    static constexpr unsigned char handle_tag = 9;

    struct Node {
        /// The node of the graph from which this one was instantiated; it may have been destroyed.
        abi::GraphNode origin;
        NodeAction action;
        /// Indices in `nodes`; all are smaller than this node's index.
        std::vector<std::size_t> dependencies;
    };

    Handle handle = nullptr;
    std::vector<Node> nodes;
    std::vector<std::shared_ptr<UserObject>> user_objects;
    /// The end of the last launch; the next launch waits for it.
    OperationPointer last;
};

}  // namespace cupool::simulator
