#pragma once

#include <cupool/driver/device.hpp>
#include <cupool/simulator/simulator.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "catch.hpp"

namespace cupool::test {

/// A simulated machine and its driver, opened by the real loader. At its end nothing may be left alive.
struct Machine {
    explicit Machine(const std::vector<SimulatedDevice>& devices = std::vector<SimulatedDevice>(2), int version = 13000)
        : simulator(CUPOOL_SIMULATOR_LIBRARY, devices) {
        simulator.set_driver_version(version);
        driver = open();
    }
    ~Machine() { CHECK(Simulator::to_string(simulator.live_counts()) == "nothing"); }

    static std::shared_ptr<const Driver> open() {
        LoadOptions options;
        options.library_path = CUPOOL_SIMULATOR_LIBRARY;
        return Driver::open(options);
    }

    Simulator simulator;
    std::shared_ptr<const Driver> driver;
};

/// The Error that a function throws; fails the test where it throws none.
template <class Function>
Error error_of(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        return error;
    }
    FAIL("no Error was thrown");
    return Error(ErrorCategory::internal, "");
}

}  // namespace cupool::test
