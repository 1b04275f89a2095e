#include <cupool/driver/event.hpp>
#include <cupool/driver/stream.hpp>
#include <ostream>

#include "streams/host_task.hpp"

namespace cupool {

namespace {

using detail::HostTask;

void run_owned_host_task(void* user_data) {
    const std::unique_ptr<HostTask> task(static_cast<HostTask*>(user_data));
    detail::run_host_task(*task);
}

}  // namespace

void StreamView::synchronize(SourceLocation where) const { detail::call_in<&EntryPoints::stream_synchronize>(context_, where, handle_); }

bool StreamView::query(SourceLocation where) const {
    const CurrentContext current(context_, where);
    const abi::Status result = detail::invoke<&EntryPoints::stream_query>(context_.driver(), ordinal(), where, handle_);
    if (result != abi::Status::success && result != abi::Status::not_ready)
        detail::throw_failed_call(context_.driver(), entry_point_info<&EntryPoints::stream_query>, result, ordinal(), where);
    return result == abi::Status::success;
}

void StreamView::wait(const Event& event, SourceLocation where) const {
    detail::call_in<&EntryPoints::stream_wait_event>(context_, where, handle_, event.handle(), 0U);
}

void StreamView::launch_host_function(std::function<void()> function, SourceLocation where) const {
    if (capture_status(where) != abi::CaptureStatus::none) return capture_host_function(std::move(function), where);
    auto task = std::make_unique<HostTask>(std::move(function));
    const abi::HostFunction run = run_owned_host_task;
    detail::call_in<&EntryPoints::stream_launch_host_function>(context_, where, handle_, run, static_cast<void*>(task.get()));
    task.release();  // NOLINT(bugprone-unused-return-value): run_owned_host_task owns it now
}

// Each launch of the graph calls the function, so the graph owns it.
void StreamView::capture_host_function(std::function<void()> function, const SourceLocation& where) const {
    const CurrentContext current(context_, where);
    auto status = abi::CaptureStatus::none;
    std::uint64_t id = 0;
    abi::Graph graph = nullptr;
    const abi::GraphNode* dependencies = nullptr;
    std::size_t count = 0;
    detail::call<&EntryPoints::stream_get_capture_info>(context_.driver(), ordinal(), where, handle_, &status, &id, &graph, &dependencies,
                                                        &count);
    if (status != abi::CaptureStatus::active)
        throw Error(ErrorCategory::invalid_argument, "the stream's capture is spoilt: it can only be ended", where);
    void* const task = detail::give_to_graph(context_, graph, std::move(function), where);
    const abi::HostFunction run = detail::run_kept_host_task;
    detail::call<&EntryPoints::stream_launch_host_function>(context_.driver(), ordinal(), where, handle_, run, task);
}

abi::CaptureStatus StreamView::capture_status(SourceLocation where) const {
    auto status = abi::CaptureStatus::none;
    if (context_ && context_.driver().api().stream_is_capturing != nullptr)
        detail::call_in<&EntryPoints::stream_is_capturing>(context_, where, handle_, &status);
    return status;
}

int StreamView::priority(SourceLocation where) const {
    int priority = 0;
    detail::call_in<&EntryPoints::stream_get_priority>(context_, where, handle_, &priority);
    return priority;
}

abi::StreamFlags StreamView::flags(SourceLocation where) const {
    unsigned flags = 0;
    detail::call_in<&EntryPoints::stream_get_flags>(context_, where, handle_, &flags);
    return static_cast<abi::StreamFlags>(flags);
}

std::uint64_t StreamView::id(SourceLocation where) const {
    unsigned long long id = 0;
    detail::call_in<&EntryPoints::stream_get_id>(context_, where, handle_, &id);
    return id;
}

abi::Context StreamView::context_by_driver(SourceLocation where) const {
    abi::Context context = nullptr;
    detail::call_in<&EntryPoints::stream_get_context>(context_, where, handle_, &context);
    return context;
}

namespace {

void check_word(StreamView stream, int device, std::size_t size, const SourceLocation& where) {
    if (size != 1)
        throw Error(ErrorCategory::invalid_argument, "a stream waits for one value, or writes one, and not " + std::to_string(size), where);
    if (device != stream.ordinal()) detail::throw_wrong_device("a span", device, "a stream", stream.ordinal(), where);
}

}  // namespace

void StreamView::wait_value(DeviceSpan<const std::uint32_t> word, std::uint32_t value, abi::WaitCondition condition,
                            SourceLocation where) const {
    check_word(*this, word.device(), word.size(), where);
    detail::call_in<&EntryPoints::stream_wait_value_32>(context_, where, handle_, word.pointer(), value, static_cast<unsigned>(condition));
}

void StreamView::wait_value(DeviceSpan<const std::uint64_t> word, std::uint64_t value, abi::WaitCondition condition,
                            SourceLocation where) const {
    check_word(*this, word.device(), word.size(), where);
    detail::call_in<&EntryPoints::stream_wait_value_64>(context_, where, handle_, word.pointer(), value, static_cast<unsigned>(condition));
}

void StreamView::write_value(DeviceSpan<std::uint32_t> word, std::uint32_t value, SourceLocation where) const {
    check_word(*this, word.device(), word.size(), where);
    detail::call_in<&EntryPoints::stream_write_value_32>(context_, where, handle_, word.pointer(), value, 0U);
}

void StreamView::write_value(DeviceSpan<std::uint64_t> word, std::uint64_t value, SourceLocation where) const {
    check_word(*this, word.device(), word.size(), where);
    detail::call_in<&EntryPoints::stream_write_value_64>(context_, where, handle_, word.pointer(), value, 0U);
}

void StreamView::wait_external(const Event& event, SourceLocation where) const {
    constexpr unsigned external = 1;
    detail::call_in<&EntryPoints::stream_wait_event>(context_, where, handle_, event.handle(), external);
}

std::string to_string(StreamView stream) {
    if (!stream.context()) return "no stream";
    const bool is_default = stream.handle() == nullptr || stream == StreamView::legacy(stream.context());
    const bool is_per_thread = stream == StreamView::per_thread(stream.context());
    return std::string(is_default      ? "default stream"
                       : is_per_thread ? "per-thread default stream"
                                       : "stream") +
           " of device " + std::to_string(stream.ordinal());
}

std::ostream& operator<<(std::ostream& out, StreamView stream) { return out << to_string(stream); }

Stream::Stream(ContextView context, StreamOptions options, SourceLocation where) {
    detail::Shared state(new detail::StreamState(context, where));
    abi::Stream handle = nullptr;
    const auto flags = static_cast<unsigned>(options.flags);
    if (context && context.green_handle() != nullptr) {
        detail::call<&EntryPoints::green_context_stream_create>(context.driver(), context.ordinal(), where, &handle, context.green_handle(),
                                                                flags, options.priority);
    } else {
        detail::call_in<&EntryPoints::stream_create>(context, where, &handle, flags, options.priority);
    }
    state->own(handle);
    state_ = std::move(state);
}

}  // namespace cupool
