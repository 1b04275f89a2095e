#include "checks/context_check.hpp"

#include <atomic>
#include <string>

#include "api/failure.hpp"
#include "api/state.hpp"
#include "faults/device_fault.hpp"

namespace cupool::simulator {
namespace {

std::atomic<bool> is_checked{false};

bool is_current(State& state, const Context& context) {
    try {
        return current_context(state).get() == &context;
    } catch (const Failure&) {  // there is none
        return false;
    }
}

}  // namespace

void set_context_check(bool checks) { is_checked = checks; }

void check_stream_context(State& state, const Stream& stream) {
    if (is_checked && !is_current(state, *stream.context)) {
        report_finding(stream.context->device.ordinal,
                       {"a call was given stream ", std::to_string(stream.number), " of device ",
                        std::to_string(stream.context->device.ordinal), " while another context than the stream's was current"});
    }
}

}  // namespace cupool::simulator
