#pragma once

#include <algorithm>
#include <cupool/pool/division.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <optional>
#include <string>
#include <vector>

#include "memory_checks.hpp"
#include "pool_state.hpp"
#include "transfer/operand_checks.hpp"

namespace cupool::detail {

/// Returns how the slices of an MSM's operand divide its terms. \param msms  the number of MSMs: a slice has its device's terms of each
/// of them, one after the other \throws Error invalid_argument if two slices are on one device, or one does not divide evenly
template <class T>
Division division_of_slices(const PoolOperand<T>& operand, std::size_t msms, const std::string& name) {
    std::vector<int> devices;
    std::vector<Slice> slices;
    std::uint64_t end = 0;
    for (const DeviceSpan<const T>& slice : operand.slices()) {
        if (slice.empty()) continue;
        const std::string which = "the slice of the " + name + " on device " + std::to_string(slice.device());
        if (std::find(devices.begin(), devices.end(), slice.device()) != devices.end())
            refuse("msm", which + " is the second one there; give one slice for each device");
        if (slice.size() % msms != 0)
            refuse("msm", which + " has " + std::to_string(slice.size()) + " elements, which do not divide evenly among " +
                              std::to_string(msms) + " MSMs; a slice has its device's terms of every MSM");
        devices.push_back(slice.device());
        slices.push_back({end, slice.size() / msms});
        end += slice.size() / msms;
    }
    return {std::move(devices), std::move(slices)};
}

/// \throws Error invalid_argument, naming both, if two divisions of an MSM's terms differ
inline void require_same_division(const Division& one, const std::string& name, const Division& other, const std::string& other_name) {
    if (one == other) return;
    refuse("msm", "the terms are not divided alike: by the " + name + " " + to_string(one) + "; by the " + other_name + " " +
                      to_string(other) + "; divide both in the same way, or give one of them as a whole");
}

/// Refuses an operand whose location differs from its flag in the configuration, or that lies outside the pool.
template <class T>
void require_msm_operand(const PoolState& pool, const PoolOperand<T>& operand, bool flag, const std::string& name) {
    require_flag("msm", !operand.is_on_host(), flag, name);
    require_in_pool("msm", pool, operand, name);
}

/// The member on whose device the whole operand lies; nullopt if there is none, or it is quarantined.
template <class T>
std::optional<std::size_t> home_of(const PoolState& pool, const PoolOperand<T>& operand) {
    if (operand.is_on_host() || operand.is_sliced() || operand.size() == 0) return std::nullopt;
    const std::size_t home = pool.index_of(operand.device().device());
    return pool.member(home).quarantine() ? std::nullopt : std::optional(home);
}

}  // namespace cupool::detail
