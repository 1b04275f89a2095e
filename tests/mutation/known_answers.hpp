// Jobs for the shipped kernels whose answers are known otherwise, small enough to be run for each mutant.
#pragma once

#include <cupool/driver/device_context.hpp>
#include <functional>
#include <string>
#include <vector>

namespace cupool::test {

/// A module that we ship.
struct ShippedModule {
    std::string name;  ///< as its file in kernels/ptx
    const char* text;
    /// Computes the answers, on the host.
    std::function<void()> prepare;
    /// Runs its kernels on a device and returns what came out wrong, empty where nothing did. Faults are thrown.
    std::function<std::string(const DeviceContext&)> run;
};

const std::vector<ShippedModule>& shipped_modules();

}  // namespace cupool::test
