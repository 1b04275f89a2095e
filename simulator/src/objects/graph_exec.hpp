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
        /// The node that it was made of, which may be gone.
        abi::GraphNode origin;
        NodeAction action;
        /// Their places in `nodes`: all before its own.
        std::vector<std::size_t> dependencies;
    };

    Handle handle = nullptr;
    std::vector<Node> nodes;
    std::vector<std::shared_ptr<UserObject>> user_objects;
    /// The end of its last launch, which the next one waits for.
    OperationPointer last;
};

}  // namespace cupool::simulator
