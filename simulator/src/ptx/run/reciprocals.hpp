#pragma once

namespace cupool::ptx {

/// Bit-exact results of the GPU's special function unit for 1 / x and 1 / sqrt(x). For f32, the unit flushes subnormal operands and
/// results. For f64, it reads only the upper 32 bits, and the lower 32 bits of the result are zero. A NaN becomes 0x7fffffff; for f64, in
/// the upper half. Thread-safe and independent of the rounding mode.
float unit_reciprocal(float x);
double unit_reciprocal(double x);
float unit_reciprocal_square_root(float x);
double unit_reciprocal_square_root(double x);

}  // namespace cupool::ptx
