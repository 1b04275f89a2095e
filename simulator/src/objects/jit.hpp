#pragma once

#include <cupool/simulator/simulator.hpp>

#include "objects/jit_log.hpp"
#include "ptx/ptx.hpp"

namespace cupool::simulator {

/// Compiles a module image, which must be PTX that the driver version and the device's compute capability support. Fails as drivers do,
/// with the reason in the log.
ptx::Program compile(const void* image, const CupoolSimDevice& device, JitLog& log);

/// Whether compile() contracts products and sums to fused operations: see cupoolSimSetContraction().
void set_contraction(bool contracts);

/// The number in the target "sm_NN": 75, 90, 120.
int target_capability(const ptx::Program& program);

}  // namespace cupool::simulator
