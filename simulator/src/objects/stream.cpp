#include "objects/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#include "api/driver_state.hpp"
#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "checks/context_check.hpp"
#include "faults/device_fault.hpp"
#include "objects/capture.hpp"

namespace cupool::simulator {
namespace {

constexpr std::uintptr_t legacy_handle = 1;
constexpr std::uintptr_t per_thread_handle = 2;

// CU_EVENT_WAIT_EXTERNAL: for captured streams.
constexpr unsigned external_wait = 1;

bool is_special(abi::Stream handle) { return reinterpret_cast<std::uintptr_t>(handle) <= per_thread_handle; }

std::shared_ptr<Stream> per_thread_stream(State& state, Context& context) {
    const auto known = context.per_thread_streams.find(std::this_thread::get_id());
    if (known != context.per_thread_streams.end()) {
        return known->second;
    }
    auto stream = std::make_shared<Stream>();
    stream->context = &context;
    stream->number = ++state.streams_made;
    stream->id = ++state.ids_issued;
    context.per_thread_streams.emplace(std::this_thread::get_id(), stream);
    return stream;
}

// The operations for which the legacy stream of the context waits.
Operations last_of_blocking_streams(State& state, const Context& context) {
    Operations last = context.blocking_orphans;
    for (const auto& [_, stream] : context.per_thread_streams) {
        last.push_back(stream->last);
    }
    state.streams.for_each([&](const Stream& stream) {
        if (stream.context == &context && stream.kind == Stream::Kind::blocking) {
            last.push_back(stream.last);
        }
    });
    return last;
}

// The operations that must finish before the stream is idle. The legacy stream is busy while a blocking one is.
Operations pending_of(State& state, const Stream& stream) {
    Operations pending;
    if (stream.kind == Stream::Kind::legacy) {
        pending = last_of_blocking_streams(state, *stream.context);
    }
    pending.push_back(stream.last);
    return pending;
}

Operations pending_of(abi::Stream handle) {
    const Locked state;
    const auto stream = stream_of(*state, handle);
    require_not_captured(*stream);
    if (stream->kind == Stream::Kind::legacy) {
        require_no_implicit_capture(*state, *stream);
    }
    return pending_of(*state, *stream);
}

abi::GraphNodeType type_of(const Work& work) {
    switch (work.kind) {
        case Work::Kind::copy: return abi::GraphNodeType::copy;
        case Work::Kind::set: return abi::GraphNodeType::set;
        case Work::Kind::host_function: return abi::GraphNodeType::host_function;
        case Work::Kind::kernel:
        case Work::Kind::release: break;
    }
    fail(abi::Status::not_supported);  // graph memory nodes and memory value operations
}

void forget_finished(Operations& operations) {
    std::erase_if(operations, [](const OperationPointer& operation) { return !operation || scheduler().is_done(operation); });
}

}  // namespace

std::shared_ptr<Stream> stream_of(State& state, abi::Stream handle) {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    if (number == 0 || number == legacy_handle) {
        return current_context(state)->legacy_stream;
    }
    if (number == per_thread_handle) {
        return per_thread_stream(state, *current_context(state));
    }
    auto stream = state.streams.find(handle);
    require(stream != nullptr, state.streams.is_retired(handle) ? abi::Status::context_is_destroyed : abi::Status::invalid_handle);
    check_stream_context(state, *stream);
    return stream;
}

std::shared_ptr<Stream> create_stream(State& state, Context& context, unsigned flags, int priority) {
    auto stream = std::make_shared<Stream>();
    stream->handle = HandleTable<Stream>::issue();
    stream->context = &context;
    stream->number = ++state.streams_made;
    stream->id = ++state.ids_issued;
    if (flags == static_cast<unsigned>(abi::StreamFlags::non_blocking)) {
        stream->kind = Stream::Kind::non_blocking;
    }
    stream->priority = std::clamp(priority, greatest_stream_priority, least_stream_priority);
    state.streams.add(stream);
    return stream;
}

void enqueue(State& state, Stream& stream, Work work, Operations predecessors) {
    if (stream.capture) {
        require_valid(*stream.capture);
        NodeAction action{type_of(work)};
        action.work = std::move(work);
        action.context = stream.context->handle;
        return capture(state, stream, std::move(action));
    }
    predecessors.push_back(stream.last);
    if (stream.kind == Stream::Kind::legacy) {
        require_no_implicit_capture(state, stream);
        const Operations others = last_of_blocking_streams(state, *stream.context);
        predecessors.insert(predecessors.end(), others.begin(), others.end());
    } else if (stream.kind == Stream::Kind::blocking) {
        predecessors.push_back(stream.context->legacy_stream->last);
    }
    work.device = work.device_of_stream = stream.context->device.ordinal;
    work.stream = stream.number;
    stream.last = scheduler().schedule(std::move(work), predecessors);
}

void enqueue(State& state, Stream& stream, const PreparedLaunch& launch) {
    if (!stream.capture) {
        return enqueue(state, stream, work_of(launch));
    }
    NodeAction action{abi::GraphNodeType::kernel};
    action.launch = launch;
    action.context = launch.context;
    capture(state, stream, std::move(action));
}

Work host_function_work(abi::HostFunction function, void* user_data) {
    const auto call = [function, user_data](std::uint64_t) {
        const HostFunctionScope scope;
        function(user_data);
        return Time{0};
    };
    return {Work::Kind::host_function, "host function", call};
}

void synchronize(const Operations& operations) {
    scheduler().wait_for(operations);
    {
        const Locked state;
        trim_pools(*state);
    }
    require_no_fault(operations);
}

void require_no_fault(const Operations& operations) {
    require(device_fault() == abi::Status::success, device_fault());
    const abi::Status finding = take_finding();
    require(finding == abi::Status::success, finding);
    for (const OperationPointer& operation : operations) {
        if (operation) {
            const abi::Status fault = device_fault(operation->work.device);
            require(fault == abi::Status::success, fault);
        }
    }
}

namespace exports {

Status stream_create(Stream* stream, unsigned flags, int priority) {
    return handle_call(EntryPoint::stream_create, [&] {
        require(stream != nullptr && flags <= static_cast<unsigned>(StreamFlags::non_blocking), Status::invalid_value);
        const Locked state;
        *stream = create_stream(*state, *current_context(*state), flags, priority)->handle;
    });
}

Status stream_destroy(Stream stream) {
    return handle_call(EntryPoint::stream_destroy, [&] {
        const Locked state;
        require(!is_special(stream), Status::invalid_handle);
        const auto doomed = stream_of(*state, stream);
        Operations& orphans =
            doomed->kind == simulator::Stream::Kind::blocking ? doomed->context->blocking_orphans : doomed->context->other_orphans;
        orphans.push_back(doomed->last);
        forget_finished(orphans);
        abandon_capture(*state, *doomed);
        state->streams.remove(stream);
    });
}

Status stream_synchronize(Stream stream) {
    return handle_call(EntryPoint::stream_synchronize, [&] { synchronize(pending_of(stream)); });
}

Status stream_query(Stream stream) {
    return handle_call(EntryPoint::stream_query, [&] {
        const Operations asked = pending_of(stream);
        Operations pending = asked;
        forget_finished(pending);
        require(pending.empty(), Status::not_ready);
        require_no_fault(asked);
    });
}

Status stream_wait_event(Stream stream, Event event, unsigned flags) {
    return handle_call(EntryPoint::stream_wait_event, [&] {
        require(flags <= external_wait, Status::invalid_value);
        const Locked state;
        const auto waiting = stream_of(*state, stream);
        const auto awaited = event_of(*state, event);
        if (flags == external_wait) {
            require(waiting->capture != nullptr, Status::illegal_state);
            NodeAction action{GraphNodeType::event_wait};
            action.event = event;
            return capture(*state, *waiting, std::move(action));
        }
        if (awaited->capture) {
            return join_capture(*waiting, awaited->capture, awaited->captured);
        }
        if (awaited->recorded && waiting->capture) {
            require_valid(*waiting->capture);
            invalidate(*waiting->capture, Status::stream_capture_isolation);
        }
        if (awaited->recorded) {
            enqueue(*state, *waiting, {}, {awaited->recorded});
        }
    });
}

Status stream_launch_host_function(Stream stream, HostFunction function, void* user_data) {
    return handle_call(EntryPoint::stream_launch_host_function, [&] {
        require(function != nullptr, Status::invalid_value);
        const Locked state;
        enqueue(*state, *stream_of(*state, stream), host_function_work(function, user_data));
    });
}

Status stream_get_priority(Stream stream, int* priority) {
    return handle_call(EntryPoint::stream_get_priority, [&] {
        require(priority != nullptr, Status::invalid_value);
        const Locked state;
        *priority = stream_of(*state, stream)->priority;
    });
}

Status stream_get_flags(Stream stream, unsigned* flags) {
    return handle_call(EntryPoint::stream_get_flags, [&] {
        require(flags != nullptr, Status::invalid_value);
        const Locked state;
        const bool is_non_blocking = stream_of(*state, stream)->kind == simulator::Stream::Kind::non_blocking;
        *flags = static_cast<unsigned>(is_non_blocking ? StreamFlags::non_blocking : StreamFlags::blocking);
    });
}

Status stream_get_context(Stream stream, Context* context) {
    return handle_call(EntryPoint::stream_get_context, [&] {
        require(context != nullptr, Status::invalid_value);
        const Locked state;
        *context = stream_of(*state, stream)->context->handle;
    });
}

Status stream_get_id(Stream stream, unsigned long long* id) {
    return handle_call(EntryPoint::stream_get_id, [&] {
        require(id != nullptr, Status::invalid_value);
        const Locked state;
        *id = stream_of(*state, stream)->id;
    });
}

}  // namespace exports
}  // namespace cupool::simulator
