#include <cupool/driver/stream_capture.hpp>

namespace cupool {

StreamCapture::StreamCapture(StreamView stream, abi::CaptureMode mode, SourceLocation where)
    : stream_(stream), context_(stream.context() ? stream.context().share() : nullptr), stream_state_(stream.share()) {
    detail::call_in<&EntryPoints::stream_begin_capture>(stream.context(), where, stream.handle(), mode);
}

StreamCapture::~StreamCapture() {
    if (!active_) return;
    // If the capture is invalid, the call fails again and there is no graph.
    abi::Graph graph = nullptr;
    detail::destroy_in<&EntryPoints::stream_end_capture>(context_.get(), stream_.handle(), &graph);
    if (graph != nullptr) detail::destroy_in<&EntryPoints::graph_destroy>(context_.get(), graph);
}

Graph StreamCapture::end(SourceLocation where) {
    if (!active_) throw Error(ErrorCategory::invalid_argument, "the capture has ended already", where);
    const CurrentContext current(stream_.context(), where);
    abi::Graph graph = nullptr;
    const abi::Status result =
        detail::invoke<&EntryPoints::stream_end_capture>(stream_.context().driver(), stream_.ordinal(), where, stream_.handle(), &graph);
    active_ = false;  // a failed call ends it, too
    if (result != abi::Status::success) {
        if (graph != nullptr)
            detail::call_from_destructor<&EntryPoints::graph_destroy>(stream_.context().driver(), stream_.ordinal(), graph);
        detail::throw_failed_call(stream_.context().driver(), entry_point_info<&EntryPoints::stream_end_capture>, result, stream_.ordinal(),
                                  where);
    }
    return Graph(stream_.context(), graph);
}

ThreadCaptureMode::ThreadCaptureMode(const Driver& driver, abi::CaptureMode mode, const SourceLocation& where)
    : driver_(driver), mode_(mode) {
    detail::call<&EntryPoints::thread_exchange_capture_mode>(driver, detail::no_ordinal, where, &mode_);
}

ThreadCaptureMode::~ThreadCaptureMode() {
    detail::call_from_destructor<&EntryPoints::thread_exchange_capture_mode>(driver_, detail::no_ordinal, &mode_);
}

}  // namespace cupool
