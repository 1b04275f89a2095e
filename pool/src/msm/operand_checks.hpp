#pragma once

#include <algorithm>
#include <cupool/pool/division.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <string>
#include <vector>

#include "transfer/operand_checks.hpp"

namespace cupool::detail {

/// How the slices of an MSM's operand divide its terms. \param msms  how many MSMs there are of whose terms each slice has some: their own
/// elements follow one another \throws Error invalid_argument where two slices are on one device, or one does not divide evenly
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

/// \throws Error invalid_argument, naming both, where two divisions of an MSM's terms are not the same
inline void require_same_division(const Division& one, const std::string& name, const Division& other, const std::string& other_name) {
    if (one == other) return;
    refuse("msm", "the terms are not divided alike: by the " + name + " " + to_string(one) + "; by the " + other_name + " " +
                      to_string(other) + "; divide both in the same way, or give one of them as a whole");
}

/// Calls function(span) for each span of device memory that an operand is made of.
template <class T, class Function>
void for_each_device_span(const PoolOperand<T>& operand, const Function& function) {
    if (operand.is_on_host()) return;
    if (!operand.is_sliced()) return function(operand.device());
    for (const DeviceSpan<const T>& slice : operand.slices()) function(slice);
}

}  // namespace cupool::detail
