#include "objects/event.hpp"

#include <chrono>
#include <utility>

#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "objects/capture.hpp"

namespace cupool::simulator {
namespace {

constexpr unsigned interprocess = static_cast<unsigned>(abi::EventFlags::interprocess);
constexpr unsigned known_event_flags =
    static_cast<unsigned>(abi::EventFlags::blocking_sync) | static_cast<unsigned>(abi::EventFlags::disable_timing) | interprocess;

// An event recorded in a captured stream cannot be queried; the attempt invalidates the capture.
void require_not_captured(const Event& event) {
    if (event.capture) {
        event.capture->invalidated = true;
        fail(abi::Status::captured_event);
    }
}

OperationPointer recorded_in(abi::Event handle) {
    const Locked state;
    const auto event = event_of(*state, handle);
    require_not_captured(*event);
    return event->recorded;
}

// CU_EVENT_RECORD_EXTERNAL: the record becomes a node of the capture.
void record_externally(State& state, Event& event, Stream& stream) {
    require(stream.capture != nullptr, abi::Status::illegal_state);
    NodeAction action{abi::GraphNodeType::event_record};
    action.event = event.handle;
    capture(state, stream, std::move(action));
}

void record(State& state, Event& event, Stream& stream) {
    require(event.context == stream.context, abi::Status::invalid_handle);
    if (stream.capture) {
        require_valid(*stream.capture);
        event.captured = stream.captured;
        event.capture = stream.capture;
        return;
    }
    enqueue(state, stream, {});
    record(event, stream.last);
}

}  // namespace

void record(Event& event, OperationPointer operation) {
    event.recorded = std::move(operation);
    event.capture.reset();
    event.captured.clear();
}

std::shared_ptr<Event> event_of(State& state, abi::Event handle) {
    auto event = state.events.find(handle);
    require(event != nullptr, state.events.is_retired(handle) ? abi::Status::context_is_destroyed : abi::Status::invalid_handle);
    return event;
}

namespace exports {

Status event_create(Event* event, unsigned flags) {
    return handle_call(EntryPoint::event_create, [&] {
        require(event != nullptr && (flags & ~known_event_flags) == 0, Status::invalid_value);
        const bool is_timed = (flags & static_cast<unsigned>(EventFlags::disable_timing)) == 0;
        require((flags & interprocess) == 0 || !is_timed, Status::invalid_value);
        const Locked state;
        const auto context = current_context(*state);
        const auto created = std::make_shared<simulator::Event>();
        created->handle = HandleTable<simulator::Event>::issue();
        created->context = context.get();
        created->timed = is_timed;
        state->events.add(created);
        *event = created->handle;
    });
}

Status event_destroy(Event event) {
    return handle_call(EntryPoint::event_destroy, [&] {
        const Locked state;
        event_of(*state, event);
        state->events.remove(event);
    });
}

Status event_record(Event event, Stream stream) {
    return handle_call(EntryPoint::event_record, [&] {
        const Locked state;
        const auto recorder = event_of(*state, event);
        record(*state, *recorder, *stream_of(*state, stream));
    });
}

Status event_record_with_flags(Event event, Stream stream, unsigned flags) {
    return handle_call(EntryPoint::event_record_with_flags, [&] {
        require(flags <= static_cast<unsigned>(EventRecordFlags::external), Status::invalid_value);
        const Locked state;
        const auto recorder = event_of(*state, event);
        const auto recorded = stream_of(*state, stream);
        if (flags == static_cast<unsigned>(EventRecordFlags::external)) {
            return record_externally(*state, *recorder, *recorded);
        }
        record(*state, *recorder, *recorded);
    });
}

Status event_query(Event event) {
    return handle_call(EntryPoint::event_query, [&] {
        const OperationPointer recorded = recorded_in(event);
        require(!recorded || scheduler().is_done(recorded), Status::not_ready);
        require_no_fault({recorded});
    });
}

Status event_synchronize(Event event) {
    return handle_call(EntryPoint::event_synchronize, [&] { synchronize({recorded_in(event)}); });
}

Status event_elapsed_time(float* milliseconds, Event start, Event end) {
    return handle_call(EntryPoint::event_elapsed_time, [&] {
        require(milliseconds != nullptr, Status::invalid_handle);
        const Locked state;
        const auto from = event_of(*state, start);
        const auto to = event_of(*state, end);
        require(from->timed && to->timed && from->recorded && to->recorded, Status::invalid_handle);
        require(&from->context->device == &to->context->device, Status::invalid_handle);
        require(scheduler().is_done(from->recorded) && scheduler().is_done(to->recorded), Status::not_ready);
        const Time elapsed = scheduler().time_of(to->recorded) - scheduler().time_of(from->recorded);
        *milliseconds = std::chrono::duration<float, std::milli>(elapsed).count();
    });
}

}  // namespace exports
}  // namespace cupool::simulator
