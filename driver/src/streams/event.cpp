#include <cupool/driver/event.hpp>

namespace cupool {

namespace {

unsigned flags_of(EventOptions options) {
    unsigned flags = 0;
    if (!options.timing) flags |= static_cast<unsigned>(abi::EventFlags::disable_timing);
    if (options.blocking_sync) flags |= static_cast<unsigned>(abi::EventFlags::blocking_sync);
    if (options.interprocess) flags |= static_cast<unsigned>(abi::EventFlags::interprocess);
    return flags;
}

}  // namespace

Event::Event(ContextView context, EventOptions options, SourceLocation where) : handle_(context.share(where)) {
    abi::Event handle = nullptr;
    detail::call_in<&EntryPoints::event_create>(context, where, &handle, flags_of(options));
    handle_.take(handle);
}

void Event::record_external(StreamView stream, SourceLocation where) {
    detail::call_in<&EntryPoints::event_record_with_flags>(context(), where, handle(), stream.handle(),
                                                           static_cast<unsigned>(abi::EventRecordFlags::external));
}

bool Event::query(SourceLocation where) const {
    const CurrentContext current(context(), where);
    const abi::Status result = detail::invoke<&EntryPoints::event_query>(context().driver(), context().ordinal(), where, handle());
    if (result != abi::Status::success && result != abi::Status::not_ready)
        detail::throw_failed_call(context().driver(), entry_point_info<&EntryPoints::event_query>, result, context().ordinal(), where);
    return result == abi::Status::success;
}

void Event::synchronize(SourceLocation where) const { detail::call_in<&EntryPoints::event_synchronize>(context(), where, handle()); }

float elapsed_milliseconds(const Event& start, const Event& end, SourceLocation where) {
    if (start.context() != end.context()) {
        detail::throw_wrong_device("an event", end.context().ordinal(), "a measurement that began in a context", start.context().ordinal(),
                                   where);
    }
    float milliseconds = 0;
    detail::call_in<&EntryPoints::event_elapsed_time>(start.context(), where, &milliseconds, start.handle(), end.handle());
    return milliseconds;
}

}  // namespace cupool
