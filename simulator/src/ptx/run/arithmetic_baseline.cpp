#include "ptx/run/arithmetic_includes.hpp"

namespace cupool::ptx::baseline {
namespace {
#include "ptx/run/arithmetic.inc"
}  // namespace

Handler select_arithmetic(const Selection& selection) { return select_lanes(selection); }

}  // namespace cupool::ptx::baseline
