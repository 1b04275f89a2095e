#pragma once

#include <cupool/simulator/simulator.hpp>

#include <vector>

#include "state.hpp"

namespace cupool::simulator {

/// Replaces the devices of a driver that nobody has initialised.
void install_devices(State& state, const std::vector<CupoolSimDevice>& kinds);

CupoolSimLiveCounts live_counts(const State& state);

/// See cupoolSimReset().
CupoolSimLiveCounts reset_machine();

}  // namespace cupool::simulator
