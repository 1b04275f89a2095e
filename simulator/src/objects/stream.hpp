#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <cupool/driver/abi.hpp>

#include "objects/graph.hpp"
#include "scheduling/launch.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

struct Capture;
struct Context;
struct State;

struct Stream {
    using Handle = abi::Stream;
    static constexpr unsigned char handle_tag = 2;

    enum class Kind {
        legacy,        ///< the null stream: synchronises with all blocking streams of its context
        blocking,      ///
        non_blocking,  ///< does not synchronise with the null stream
    };

    Handle handle = nullptr;
    Context* context = nullptr;
    Kind kind = Kind::blocking;
    int priority = 0;
    /// For logs: 0 is the legacy stream of each context; others are numbered in the order of creation.
    unsigned number = 0;
    /// Unique within the process.
    std::uint64_t id = 0;
    OperationPointer last;
    /// While the stream is captured: the dependencies of the next node, and their handles as last returned to the program.
    std::shared_ptr<Capture> capture;
    GraphNodes captured;
    std::vector<abi::GraphNode> captured_handles;
};

/// The stream of a handle. Null and the special handles 1 (legacy) and 2 (per thread) mean streams of the current context. Fails with
/// invalid_context if there is no current context, with invalid_handle if the handle is not that of a live stream.
std::shared_ptr<Stream> stream_of(State& state, abi::Stream handle);

/// `flags` are CUstream_flags; the priority is clamped to the valid range.
std::shared_ptr<Stream> create_stream(State& state, Context& context, unsigned flags, int priority);

/// Queues work on a stream, after the stream's previous work, `others` and whatever the null-stream rules require. If the stream is
/// captured, adds the work to the capture instead.
void enqueue(State& state, Stream& stream, Work work, Operations others = {});
void enqueue(State& state, Stream& stream, const PreparedLaunch& launch);

/// Work that calls a function of the program, on a separate thread.
Work host_function_work(abi::HostFunction function, void* user_data);

/// Waits for the operations, trims memory pools to their thresholds, and fails with the fault of a device of these operations, if it has
/// one.
void synchronize(const Operations& operations);

/// Fails with the fault of a device of these operations, if it has one.
void require_no_fault(const Operations& operations);

/// The range that cuCtxGetStreamPriorityRange returns.
inline constexpr int least_stream_priority = 0;
inline constexpr int greatest_stream_priority = -5;

}  // namespace cupool::simulator
