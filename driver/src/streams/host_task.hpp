#pragma once

#include <cupool/driver/context.hpp>
#include <functional>
#include <memory>

namespace cupool::detail {

/// A function that a stream or a graph runs.
using HostTask = std::function<void()>;

/// Runs it; what it throws is logged and lost, as the driver's thread must not see that.
void run_host_task(HostTask& task) noexcept;

/// Calls a task that someone else owns: the driver's form of it.
void run_kept_host_task(void* task);

/// Gives a task to a graph, which keeps it as long as anything made of the graph may run it.
/// \return the task, for the driver to call. \throws Error unsupported before CUDA 11.3
void* give_to_graph(ContextView context, abi::Graph graph, HostTask task, const SourceLocation& where);

}  // namespace cupool::detail
