#pragma once

namespace cupool::ptx {

/// What the GPU's function unit answers for 1 / x and 1 / sqrt(x), in every bit. Of f32 the unit
/// flushes subnormal numbers, given and resulting. Of f64 it looks at the upper 32 bits alone, and
/// the lower 32 bits of the result are zeros. A NaN comes out as the f32 unit's (0x7fffffff), of f64
/// in the upper half. Thread-safe; the rounding mode does not matter.
float unit_reciprocal(float x);
double unit_reciprocal(double x);
float unit_reciprocal_square_root(float x);
double unit_reciprocal_square_root(double x);

}  // namespace cupool::ptx
