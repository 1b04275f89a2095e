#include <cupool/driver/event.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/stream.hpp>
#include <ostream>

namespace cupool {

namespace {

using HostTask = std::function<void()>;

void log_task_failure(const char* what) noexcept {
    try {
        detail::log(LogLevel::error, std::string("a function that a stream ran threw: ") + what);
    } catch (...) {  // composing the line may run out of memory, and the driver's thread must not see that
        detail::log(LogLevel::error, what);
    }
}

void run_host_task(void* user_data) {
    const std::unique_ptr<HostTask> task(static_cast<HostTask*>(user_data));
    try {
        (*task)();
    } catch (const std::exception& error) {
        log_task_failure(error.what());
    } catch (...) {
        detail::log(LogLevel::error, "a function that a stream ran threw something that is no std::exception");
    }
}

}  // namespace

void StreamView::synchronize(SourceLocation where) const { detail::call_in<&EntryPoints::stream_synchronize>(context_, where, handle_); }

bool StreamView::query(SourceLocation where) const {
    const CurrentContext current(context_, where);
    const abi::Result result = detail::invoke<&EntryPoints::stream_query>(context_.driver(), ordinal(), where, handle_);
    if (result != abi::Result::success && result != abi::Result::not_ready) {
        detail::throw_failed_call(context_.driver(), entry_point_info<&EntryPoints::stream_query>, result, ordinal(), where);
    }
    return result == abi::Result::success;
}

void StreamView::wait(const Event& event, SourceLocation where) const {
    detail::call_in<&EntryPoints::stream_wait_event>(context_, where, handle_, event.handle(), 0U);
}

void StreamView::launch_host_function(std::function<void()> function, SourceLocation where) const {
    auto task = std::make_unique<HostTask>(std::move(function));
    const abi::HostFunction run = run_host_task;
    detail::call_in<&EntryPoints::stream_launch_host_function>(context_, where, handle_, run, static_cast<void*>(task.get()));
    task.release();  // NOLINT(bugprone-unused-return-value): run_host_task owns it now
}

std::string to_string(StreamView stream) {
    if (!stream.context()) {
        return "no stream";
    }
    return std::string(stream.handle() == nullptr ? "default stream" : "stream") + " of device " + std::to_string(stream.ordinal());
}

std::ostream& operator<<(std::ostream& out, StreamView stream) { return out << to_string(stream); }

Stream::Stream(ContextView context, StreamOptions options, SourceLocation where) {
    auto state = std::make_shared<detail::StreamState>(context);
    abi::Stream handle = nullptr;
    detail::call_in<&EntryPoints::stream_create>(context, where, &handle, static_cast<unsigned>(options.flags), options.priority);
    state->own(handle);
    state_ = std::move(state);
}

}  // namespace cupool
