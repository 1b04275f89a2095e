#include <algorithm>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/graph.hpp>
#include <cupool/driver/stream_capture.hpp>
#include <cupool/pool/pool_graph.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "pool_state.hpp"

namespace cupool {

namespace {

bool is_quarantined(const std::vector<QuarantinedDevice>& quarantined, int ordinal) {
    return std::any_of(quarantined.begin(), quarantined.end(), [ordinal](const auto& device) { return device.device == ordinal; });
}

/// The contexts of the members that take part, each with a new stream.
std::vector<DeviceContext> open_members(const DevicePool& pool) {
    if (pool.is_host()) {
        throw Error(ErrorCategory::unsupported, "a pool of the host has no streams to capture; call the function itself instead");
    }
    const std::vector<QuarantinedDevice> quarantined = pool.quarantined();
    std::vector<DeviceContext> members;
    for (const int ordinal : pool.devices()) {
        if (is_quarantined(quarantined, ordinal)) continue;
        const DeviceContext& context = pool.context(ordinal);
        members.push_back(context.with_stream(Stream(context.context())));
    }
    if (members.empty()) throw Error(ErrorCategory::no_device, "every device of the pool is quarantined; readmit one");
    return members;
}

std::size_t index_of(const DevicePool& pool, int ordinal) {
    const std::vector<int>& ordinals = pool.devices();
    return static_cast<std::size_t>(std::find(ordinals.begin(), ordinals.end(), ordinal) - ordinals.begin());
}

/// Captures the first member's stream. The other members' streams join the capture before any work is
/// given, so that no member's work comes after another's, and are joined again at the end.
Graph capture_work(const DevicePool& pool, const std::vector<DeviceContext>& members, const PoolGraph::Work& work,
                   const SourceLocation& where) {
    if (!work) throw Error(ErrorCategory::invalid_argument, "the function whose work is to be captured is empty", where);
    const StreamView origin = members.front().stream();
    const std::span others = std::span(members).subspan(1);
    Event begun(origin.context(), {}, where);
    std::vector<Event> done;
    for (const DeviceContext& other : others) done.emplace_back(other.context(), EventOptions{}, where);

    StreamCapture capture(origin, abi::CaptureMode::this_thread, where);
    begun.record(origin, where);
    for (const DeviceContext& other : others) other.stream().wait(begun, where);
    for (const DeviceContext& member : members) work(index_of(pool, member.device()), member);
    for (std::size_t i = 0; i < others.size(); ++i) {
        done[i].record(others[i].stream(), where);
        origin.wait(done[i], where);
    }
    return capture.end(where);
}

}  // namespace

/// Throws after a device fault of the pool, and latches one that occurs here.
template <class Function>
auto PoolGraph::guarded(const SourceLocation& where, const Function& function) const {
    return detail::report_at(where, [&] {
        if constexpr (std::is_void_v<std::invoke_result_t<const Function&>>) {
            pool_.state(where).guard(function);
        } else {
            std::optional<std::invoke_result_t<const Function&>> result;
            pool_.state(where).guard([&] { result.emplace(function()); });
            return std::move(*result);
        }
    });
}

PoolGraph::PoolGraph(const DevicePool& pool, const Work& work, SourceLocation where)
    : pool_(pool),
      members_(guarded(where, [&] { return open_members(pool); })),
      exec_(capture_work(pool, members_, work, where).instantiate(where)) {}

void PoolGraph::require_usable(const SourceLocation& where) const {
    if (members_.empty()) detail::throw_moved_from("the pool's graph", where);
    (void)pool_.state(where);
}

StreamView PoolGraph::stream(SourceLocation where) const {
    require_usable(where);
    return members_.front().stream();
}

void PoolGraph::launch(SourceLocation where) {
    require_usable(where);
    guarded(where, [&] {
        require_healthy();
        exec_.launch(stream(where), where);
    });
}

void PoolGraph::synchronize(SourceLocation where) const {
    require_usable(where);
    // The first stream waits for all parts, but a lost device reports its loss on its own streams only.
    guarded(where, [&] {
        for (const DeviceContext& member : members_) member.stream().synchronize(where);
    });
}

std::vector<int> PoolGraph::devices(SourceLocation where) const {
    require_usable(where);
    std::vector<int> ordinals;
    for (const DeviceContext& member : members_) ordinals.push_back(member.device());
    return ordinals;
}

void PoolGraph::require_healthy() const {
    const std::vector<QuarantinedDevice> quarantined = pool_.quarantined();
    for (const DeviceContext& member : members_) {
        const auto found = std::find_if(quarantined.begin(), quarantined.end(),
                                        [&](const QuarantinedDevice& device) { return device.device == member.device(); });
        if (found == quarantined.end()) continue;
        ErrorDetails details;
        details.category = ErrorCategory::no_device;
        details.device = found->device;
        details.message = "device " + std::to_string(found->device) + " has been quarantined since it was captured (" + found->why +
                          "); capture the work again without it, or readmit it";
        throw Error(std::move(details));
    }
}

}  // namespace cupool
