#pragma once

#include <cupool/driver/context.hpp>
#include <functional>
#include <memory>

namespace cupool::detail {

/// A function that a stream or a graph runs.
using HostTask = std::function<void()>;

/// Runs a task. It logs and drops exceptions, which must not reach the thread of the driver.
void run_host_task(HostTask& task) noexcept;

/// Runs a task that it does not own, as a callback of the driver.
void run_kept_host_task(void* task);

/// Gives a task to a graph, which owns it as long as anything instantiated from the graph may run
/// it.
/// \return the task, as an argument of the callback \throws Error unsupported before CUDA 11.3
void* give_to_graph(ContextView context, abi::Graph graph, HostTask task, const SourceLocation& where);

}  // namespace cupool::detail
