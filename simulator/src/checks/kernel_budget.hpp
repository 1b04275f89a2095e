#pragma once

#include <cstdint>

namespace cupool::simulator {

/// What one launch of a kernel may spend before it is ended as launch_timeout.
struct KernelBudget {
    std::uint64_t warp_instructions = 20'000'000'000;
    double seconds = 10;  ///< processor time of the host thread that runs it
};

KernelBudget kernel_budget();
void set_kernel_budget(KernelBudget budget);

}  // namespace cupool::simulator
