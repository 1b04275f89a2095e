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
        legacy,        ///< the null stream: waits for all blocking streams of its context, and they for it
        blocking,      ///
        non_blocking,  ///< knows nothing of the null stream
    };

    Handle handle = nullptr;
    Context* context = nullptr;
    Kind kind = Kind::blocking;
    int priority = 0;
    /// For logs: 0 is the legacy stream of each context, others are counted as they are made.
    unsigned number = 0;
    /// Of no other stream of the process.
    std::uint64_t id = 0;
    OperationPointer last;
    /// While its work is captured: what the next node comes after, and their handles as they were last told.
    std::shared_ptr<Capture> capture;
    GraphNodes captured;
    std::vector<abi::GraphNode> captured_handles;
};

/// The stream of a handle, null and the special handles 1 (legacy) and 2 (per thread) included: those are streams of the current
/// context. Fails with invalid_context without a current context, with invalid_handle when the handle is no live stream's.
std::shared_ptr<Stream> stream_of(State& state, abi::Stream handle);

/// Of CUstream_flags; the priority is clamped to what there is.
std::shared_ptr<Stream> create_stream(State& state, Context& context, unsigned flags, int priority);

/// Queues work on a stream, behind what is there, what the null-stream rules say and `others`. While the stream is captured, adds it to
/// the capture instead.
void enqueue(State& state, Stream& stream, Work work, Operations others = {});
void enqueue(State& state, Stream& stream, const PreparedLaunch& launch);

/// What calls a function of the program, on a thread of its own.
Work host_function_work(abi::HostFunction function, void* user_data);

/// Waits, and then fails with the fault of a device that was to do them, when there is one. Pools give back here what they keep beyond
/// their threshold.
void synchronize(const Operations& operations);

/// Fails with the fault of a device that was to do them, when there is one.
void require_no_fault(const Operations& operations);

/// As cuCtxGetStreamPriorityRange tells.
inline constexpr int least_stream_priority = 0;
inline constexpr int greatest_stream_priority = -5;

}  // namespace cupool::simulator
