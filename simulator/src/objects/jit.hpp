#pragma once

#include <cupool/simulator/simulator.hpp>

#include "objects/jit_log.hpp"
#include "ptx/ptx.hpp"

namespace cupool::simulator {

/// Makes a program of a module image, which must be PTX that the driver's version and the device's capability allow.
/// Fails as drivers do, and says why in the log.
ptx::Program compile(const void* image, const CupoolSimDevice& device, JitLog& log);

/// Whether compile() contracts products and sums from now on: see cupoolSimSetContraction().
void set_contraction(bool contracts);

/// The two digits and more behind "sm_": 75, 90, 120.
int target_capability(const ptx::Program& program);

}  // namespace cupool::simulator
