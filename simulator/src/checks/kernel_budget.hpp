#pragma once

#include <cstdint>

namespace cupool::simulator {

/// The limits of one launch; a launch that exceeds one ends with launch_timeout.
struct KernelBudget {
    std::uint64_t warp_instructions = 20'000'000'000;
    double seconds = 10;  ///< processor time of the host thread that runs it
};

KernelBudget kernel_budget();
void set_kernel_budget(KernelBudget budget);

}  // namespace cupool::simulator
