#include "launch_checks.hpp"

#include <atomic>

namespace cupool::simulator {
namespace {

std::atomic<ptx::Checks> current_checks{};

}  // namespace

ptx::Checks checks() { return current_checks; }

void set_checks(ptx::Checks checks) { current_checks = checks; }

}  // namespace cupool::simulator
