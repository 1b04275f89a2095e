#include "api/call_record.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <string>

#include "api/error_log.hpp"
#include "api/handle_call.hpp"
#include "scheduling/seeded_scheduler.hpp"

namespace cupool::simulator {
namespace {

std::array<std::atomic<std::uint64_t>, entry_point_count> calls{};

struct Trace {
    CupoolSimTrace function = nullptr;
    void* user = nullptr;
};
std::mutex trace_mutex;
Trace current_trace;

}  // namespace

void count_call(EntryPoint entry_point) { ++calls[static_cast<std::size_t>(entry_point)]; }

std::uint64_t calls_of(EntryPoint entry_point) { return calls[static_cast<std::size_t>(entry_point)]; }

std::uint64_t calls_of_all() { return std::accumulate(calls.begin(), calls.end(), std::uint64_t{0}); }

void clear_call_counts() {
    for (auto& count : calls) {
        count = 0;
    }
}

void set_trace(CupoolSimTrace trace, void* user) {
    const std::lock_guard lock(trace_mutex);
    current_trace = {trace, user};
}

void report(EntryPoint entry_point, abi::Status result) noexcept {
    Trace trace;
    {
        const std::lock_guard lock(trace_mutex);
        trace = current_trace;
    }
    if (result != abi::Status::success && result != abi::Status::not_ready) {
        log_failure(entry_point, result);
    }
    if (trace.function != nullptr) {
        const CupoolSimCall call{entry_points()[static_cast<std::size_t>(entry_point)].base.data(), static_cast<int>(result)};
        trace.function(&call, trace.user);
    }
    if (current_seed() != 0) {
        seeded_scheduler().note(
            {entry_points()[static_cast<std::size_t>(entry_point)].base, " answers ", std::to_string(static_cast<int>(result))});
    }
}

}  // namespace cupool::simulator
