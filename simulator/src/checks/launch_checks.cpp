#include "checks/launch_checks.hpp"

#include <atomic>

namespace cupool::simulator {
namespace {

constexpr unsigned initialisation_bit = 1;
constexpr unsigned races_bit = 2;

// A bit set, since Clang calls libatomic for an atomic struct of two bytes with alignment 1.
std::atomic<unsigned> current_checks{0};

}  // namespace

ptx::Checks checks() {
    const unsigned bits = current_checks;
    return {(bits & initialisation_bit) != 0, (bits & races_bit) != 0};
}

void set_checks(ptx::Checks checks) { current_checks = (checks.initialisation ? initialisation_bit : 0) | (checks.races ? races_bit : 0); }

}  // namespace cupool::simulator
