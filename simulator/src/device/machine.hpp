#pragma once

#include <cupool/simulator/simulator.hpp>

#include <vector>

#include "api/state.hpp"
#include "faults/fault_plan.hpp"

namespace cupool::simulator {

/// Replaces the cards. The driver must not be initialised.
void install_cards(State& state, const std::vector<CupoolSimDevice>& kinds);

/// Sets the seed. The driver must not be initialised. With a seed, addresses too are the same in every run.
void set_machine_seed(std::uint64_t seed);

/// Fails, with a message on stderr, if the environment is malformed.
void require_understood_environment();

/// Applies the memory limit of a planned fault, if it has one.
void withhold_memory(State& state, const PlannedFault& fault);

CupoolSimLiveCounts live_counts(const State& state);

/// See cupoolSimReset().
CupoolSimLiveCounts reset_machine();

}  // namespace cupool::simulator
