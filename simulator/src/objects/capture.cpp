#include "objects/capture.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "api/handle_call.hpp"
#include "api/state.hpp"

namespace cupool::simulator {
namespace {

using abi::CaptureMode;
using abi::CaptureStatus;
using abi::Status;

thread_local CaptureMode mode_of_thread = CaptureMode::global;

template <class Visitor>
void for_each_stream(State& state, Visitor visit) {
    state.streams.for_each(visit);
    state.contexts.for_each([&](Context& context) {
        for (const auto& [_, stream] : context.per_thread_streams) {
            visit(*stream);
        }
    });
}

// Leaf nodes that have not been joined to the origin stream when the capture ends.
bool has_unjoined(const Capture& capture) {
    std::set<const GraphNode*> joined;
    GraphNodes unvisited = capture.origin->captured;
    while (!unvisited.empty()) {
        const auto node = unvisited.back();
        unvisited.pop_back();
        if (joined.insert(node.get()).second) {
            unvisited.insert(unvisited.end(), node->dependencies.begin(), node->dependencies.end());
        }
    }
    return joined.size() != capture.graph->nodes.size();
}

void leave(State& state, Capture& capture) {
    capture.ended = true;
    for_each_stream(state, [&](Stream& stream) {
        if (stream.capture.get() == &capture) {
            stream.capture.reset();
            stream.captured.clear();
        }
    });
}

// Ends a capture whose graph the program does not receive.
void discard(State& state, Capture& capture) {
    destroy_graph(state, *capture.graph);
    capture.graph->nodes.clear();
}

bool forbids(const Capture& capture) {
    const bool is_own = capture.thread == std::this_thread::get_id();
    switch (mode_of_thread) {
        case CaptureMode::relaxed: return false;
        case CaptureMode::this_thread: return is_own && capture.mode != CaptureMode::relaxed;
        case CaptureMode::global: break;
    }
    return is_own ? capture.mode != CaptureMode::relaxed : capture.mode == CaptureMode::global;
}

CaptureStatus status_of(const Capture* capture) {
    if (capture == nullptr) {
        return CaptureStatus::none;
    }
    return capture->invalidated ? CaptureStatus::invalidated : CaptureStatus::active;
}

}  // namespace

void invalidate(Capture& capture, Status result) {
    capture.invalidated = true;
    fail(result);
}

void require_valid(const Capture& capture) { require(!capture.invalidated, Status::stream_capture_invalidated); }

void require_not_captured(const Stream& stream) {
    if (stream.capture) {
        require_valid(*stream.capture);
        invalidate(*stream.capture, Status::stream_capture_unsupported);
    }
}

void require_no_capture_in(State& state, const Context& context) {
    for_each_stream(state, [&](const Stream& stream) {
        if (stream.context == &context) {
            require_not_captured(stream);
        }
    });
}

void require_no_implicit_capture(State& state, const Stream& legacy) {
    for_each_stream(state, [&](const Stream& stream) {
        if (stream.context == legacy.context && stream.kind == Stream::Kind::blocking && stream.capture) {
            invalidate(*stream.capture, Status::stream_capture_implicit);
        }
    });
}

void require_unsafe_calls_allowed(State& state) {
    bool is_calm = true;
    for_each_stream(state, [&](const Stream& stream) {
        if (stream.capture && forbids(*stream.capture)) {
            stream.capture->invalidated = true;
            is_calm = false;
        }
    });
    require(is_calm, Status::stream_capture_unsupported);
}

void capture(State& state, Stream& stream, NodeAction action) {
    require_valid(*stream.capture);
    GraphNodes captured(1);
    captured.front() = add_node(state, *stream.capture->graph, std::move(action), stream.captured);
    stream.captured = std::move(captured);
}

void join_capture(Stream& stream, const std::shared_ptr<Capture>& capture, const GraphNodes& nodes) {
    require(!capture->ended, Status::captured_event);
    require_valid(*capture);
    if (stream.kind == Stream::Kind::legacy) {
        invalidate(*capture, Status::stream_capture_implicit);
    }
    if (stream.capture && stream.capture != capture) {
        stream.capture->invalidated = true;
        invalidate(*capture, Status::stream_capture_merge);
    }
    GraphNodes joined = stream.captured;
    for (const auto& node : nodes) {
        if (std::find(joined.begin(), joined.end(), node) == joined.end()) {
            joined.push_back(node);
        }
    }
    stream.captured = std::move(joined);
    stream.capture = capture;
}

void abandon_capture(State& state, Stream& stream) {
    const std::shared_ptr<Capture> abandoned = stream.capture;
    if (abandoned && abandoned->origin == &stream) {
        leave(state, *abandoned);
        discard(state, *abandoned);
    }
}

namespace exports {

Status stream_begin_capture(Stream stream, CaptureMode mode) {
    return handle_call(EntryPoint::stream_begin_capture, [&] {
        require(static_cast<int>(mode) >= 0 && mode <= CaptureMode::relaxed, Status::invalid_value);
        const Locked state;
        const auto origin = stream_of(*state, stream);
        require(origin->kind != simulator::Stream::Kind::legacy, Status::stream_capture_unsupported);
        require(origin->capture == nullptr, Status::illegal_state);
        const auto begun = std::make_shared<Capture>(Capture{origin.get(), mode, std::this_thread::get_id(), ++state->ids_issued, nullptr});
        begun->graph = create_graph(*state);
        origin->capture = begun;
        origin->captured.clear();
    });
}

Status stream_end_capture(Stream stream, Graph* graph) {
    return handle_call(EntryPoint::stream_end_capture, [&] {
        require(graph != nullptr, Status::invalid_value);
        std::shared_ptr<Capture> ended;  // destroyed after the lock is released
        const Locked state;
        const auto last = stream_of(*state, stream);
        *graph = nullptr;
        ended = last->capture;
        require(ended != nullptr, Status::illegal_state);
        if (ended->mode != CaptureMode::relaxed && ended->thread != std::this_thread::get_id()) {
            leave(*state, *ended);
            discard(*state, *ended);
            fail(Status::stream_capture_wrong_thread);
        }
        if (ended->origin != last.get()) {
            require_valid(*ended);
            invalidate(*ended, Status::stream_capture_unmatched);
        }
        const bool is_unjoined = has_unjoined(*ended);
        leave(*state, *ended);
        if (ended->invalidated || is_unjoined) {
            discard(*state, *ended);
        }
        require_valid(*ended);
        require(!is_unjoined, Status::stream_capture_unjoined);
        *graph = ended->graph->handle;
    });
}

Status stream_is_capturing(Stream stream, CaptureStatus* status) {
    return handle_call(EntryPoint::stream_is_capturing, [&] {
        require(status != nullptr, Status::invalid_value);
        const Locked state;
        const auto asked = stream_of(*state, stream);
        if (asked->kind == simulator::Stream::Kind::legacy) {
            require_no_implicit_capture(*state, *asked);
        }
        *status = status_of(asked->capture.get());
    });
}

Status stream_get_capture_info(Stream stream, CaptureStatus* status, std::uint64_t* id, Graph* graph, const GraphNode** dependencies,
                               std::size_t* count) {
    return handle_call(EntryPoint::stream_get_capture_info, [&] {
        require(status != nullptr, Status::invalid_value);
        const Locked state;
        const auto asked = stream_of(*state, stream);
        if (asked->kind == simulator::Stream::Kind::legacy) {
            require_no_implicit_capture(*state, *asked);
        }
        *status = status_of(asked->capture.get());
        if (*status != CaptureStatus::active) {
            return;
        }
        if (id != nullptr) {
            *id = asked->capture->id;
        }
        if (graph != nullptr) {
            *graph = asked->capture->graph->handle;
        }
        asked->captured_handles.clear();
        for (const auto& node : asked->captured) {
            asked->captured_handles.push_back(node->handle);
        }
        if (dependencies != nullptr) {
            *dependencies = asked->captured_handles.data();
        }
        if (count != nullptr) {
            *count = asked->captured_handles.size();
        }
    });
}

Status thread_exchange_capture_mode(CaptureMode* mode) {
    return handle_call(EntryPoint::thread_exchange_capture_mode, [&] {
        require(mode != nullptr && static_cast<int>(*mode) >= 0 && *mode <= CaptureMode::relaxed, Status::invalid_value);
        *mode = std::exchange(mode_of_thread, *mode);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
