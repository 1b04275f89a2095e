#pragma once

#include <cstddef>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/graph_exec.hpp>
#include <cupool/pool/device_pool.hpp>
#include <functional>
#include <vector>

namespace cupool {

/// The work of all devices of a pool as one graph, which is captured once and launched as often as
/// wanted, each time by one call of the driver.
///
///     PoolGraph graph(pool, [&](std::size_t index, const DeviceContext& context) {
///         copy_async(values[index].span(), inputs[index], context.stream());
///         scale[index].launch(shape, context.stream(), values[index].span(), 2.0F);
///     });
///     graph.launch();
///     graph.synchronize();
///
/// The members that are not quarantined when the graph is made take part. Each gets a new non-blocking
/// stream for the capture. The parts of different devices run concurrently unless the function orders
/// them by events.
///
/// A launch is work of stream(): it starts when that stream's earlier work is done, and the stream's
/// later work waits for all devices' parts. Launches therefore run one after another. Work of any other
/// stream, the pool's default streams included, is ordered with a launch only by events that stream()
/// waits for or records.
///
/// Move-only. A graph that is destroyed while a launch runs lets the launch finish. It keeps the pool alive. What the captured work uses
/// (buffers, modules, host memory, events) must live as long as a launch may run: DeviceBuffer::record_use(graph.stream()) after a launch
/// makes the buffer's free wait for it. A graph is not safe from two threads at once; different graphs of one pool are independent. In a
/// forked child every member throws forked, and after a move from it wrong_context. The pool's metrics do not count launches of graphs. A
/// device fault that a launch or a wait meets latches in the pool.
class PoolGraph {
public:
    /// Gives the work of the member at an index of the pool to context.stream(), or to streams that it
    /// joins to that one by events. It may give none.
    using Work = std::function<void(std::size_t index, const DeviceContext& context)>;

    /// Calls the function for each member that takes part, in the pool's order, on the calling thread,
    /// and captures the work. What StreamCapture forbids fails there and spoils the capture: waiting
    /// for the stream, and allocating memory, above all.
    /// \throws Error unsupported on a host pool; invalid_argument if the function is empty, has spoilt the capture or has not joined its
    /// own streams again; no_device if every device is quarantined; the pool's fault(); what retaining a primary context throws. An
    /// exception of the function ends the capture on all devices and is passed on unchanged.
    PoolGraph(const DevicePool& pool, const Work& work, SourceLocation where = SourceLocation::current());

    /// Launches the graph on stream() and returns. Earlier launches may still be running.
    /// \throws Error no_device if a device that takes part is quarantined, naming it: readmit it, or make a new graph without it; the
    /// pool's fault(); what the driver reports
    void launch(SourceLocation where = SourceLocation::current());

    /// Waits until all launches so far are done.
    /// \throws Error with the failure that they met, e.g. device_fault. The driver does not always tell
    /// on which of the devices it happened.
    void synchronize(SourceLocation where = SourceLocation::current()) const;

    /// The stream that launches are given to: one of the first device that takes part. It lives as long
    /// as the graph.
    /// \throws Error wrong_context if the graph was moved from, forked
    StreamView stream(SourceLocation where = SourceLocation::current()) const;

    /// The ordinals of the devices that take part, in the pool's order.
    std::vector<int> devices(SourceLocation where = SourceLocation::current()) const;

private:
    template <class Function>
    auto guarded(const SourceLocation& where, const Function& function) const;
    void require_healthy() const;
    /// Called first by every member. \throws Error wrong_context if the graph was moved from, forked
    void require_usable(const SourceLocation& where) const;

    DevicePool pool_;
    std::vector<DeviceContext> members_;  ///< each with its own stream
    GraphExec exec_;
};

}  // namespace cupool
