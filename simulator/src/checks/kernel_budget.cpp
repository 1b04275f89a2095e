#include "checks/kernel_budget.hpp"

#include <atomic>

namespace cupool::simulator {
namespace {

std::atomic<std::uint64_t> warp_instructions{KernelBudget{}.warp_instructions};
std::atomic<double> seconds{KernelBudget{}.seconds};

}  // namespace

KernelBudget kernel_budget() { return {warp_instructions, seconds}; }

void set_kernel_budget(KernelBudget budget) {
    warp_instructions = budget.warp_instructions;
    seconds = budget.seconds;
}

}  // namespace cupool::simulator
