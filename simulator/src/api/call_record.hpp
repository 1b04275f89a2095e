#pragma once

#include <cstdint>

#include <cupool/simulator/simulator.hpp>

#include "api/entry_point.hpp"

namespace cupool::simulator {

void count_call(EntryPoint entry_point);
std::uint64_t calls_of(EntryPoint entry_point);
std::uint64_t calls_of_all();
void clear_call_counts();

void set_trace(CupoolSimTrace trace, void* user);

}  // namespace cupool::simulator
