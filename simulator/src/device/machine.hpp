#pragma once

#include <cupool/simulator/simulator.hpp>

#include <vector>

#include "api/state.hpp"
#include "faults/fault_plan.hpp"

namespace cupool::simulator {

/// Replaces the cards of a driver that nobody has initialised.
void install_cards(State& state, const std::vector<CupoolSimDevice>& kinds);

/// Of a driver that nobody has initialised. With a seed, addresses too are as in any other run.
void set_machine_seed(std::uint64_t seed);

/// Fails, and says on stderr why, when the environment asks for what cannot be understood.
void require_understood_environment();

/// What the fault withholds of devices' memory, if anything.
void withhold_memory(State& state, const PlannedFault& fault);

CupoolSimLiveCounts live_counts(const State& state);

/// See cupoolSimReset().
CupoolSimLiveCounts reset_machine();

}  // namespace cupool::simulator
