#include "api/handle_call.hpp"

/// \file
/// Profiler control: there is no profiler to start or stop. Both calls succeed, as they do on a host without one.

namespace cupool::simulator::exports {

Status profiler_start() {
    return handle_call(EntryPoint::profiler_start, [] {});
}

Status profiler_stop() {
    return handle_call(EntryPoint::profiler_stop, [] {});
}

}  // namespace cupool::simulator::exports
