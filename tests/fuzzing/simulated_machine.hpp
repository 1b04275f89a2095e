#pragma once

#include <cupool/simulator/simulator.hpp>

#include "../simulator/library.hpp"

namespace cupool::test {

/// The simulated driver with one device, whose primary context is current: one for all inputs.
struct SimulatedMachine {
    SimulatedMachine() : simulator(CUPOOL_SIMULATOR_LIBRARY), cuda(CUPOOL_SIMULATOR_LIBRARY) {
        Context context{};
        if (cuda.init(0) != Status::success || cuda.primary_context_retain(&context, 0) != Status::success ||
            cuda.context_set_current(context) != Status::success) {
            throw std::runtime_error("the simulated driver does not start");
        }
    }

    static SimulatedMachine& instance() {
        static auto* const machine = new SimulatedMachine;
        return *machine;
    }

    Simulator simulator;
    Library cuda;
};

}  // namespace cupool::test
