#include "api/entry_point.hpp"

#include <algorithm>
#include <array>

namespace cupool::simulator {

std::span<const EntryPointInfo> entry_points() {
    static const std::array<EntryPointInfo, entry_point_count> facts{{
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) \
    {base, version, exported, since, reinterpret_cast<void*>(&exports::member)},
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    }};
    return facts;
}

std::optional<EntryPoint> find_entry_point(std::string_view name) {
    const auto facts = entry_points();
    auto found = std::find_if(facts.begin(), facts.end(), [&](const EntryPointInfo& entry) { return entry.exported == name; });
    if (found == facts.end()) {
        found = std::find_if(facts.begin(), facts.end(), [&](const EntryPointInfo& entry) { return entry.base == name; });
    }
    if (found == facts.end()) {
        return std::nullopt;
    }
    return static_cast<EntryPoint>(found - facts.begin());
}

}  // namespace cupool::simulator
