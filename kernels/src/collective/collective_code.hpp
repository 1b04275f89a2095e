#pragma once

#include "support/shipped_code.hpp"

/// \file
/// The collectives' kernels, a module for each element type.

namespace cupool::detail {

extern const ShippedCode collective_i8_code;
extern const ShippedCode collective_u8_code;
extern const ShippedCode collective_i16_code;
extern const ShippedCode collective_u16_code;
extern const ShippedCode collective_i32_code;
extern const ShippedCode collective_u32_code;
extern const ShippedCode collective_i64_code;
extern const ShippedCode collective_u64_code;
extern const ShippedCode collective_f16_code;
extern const ShippedCode collective_bf16_code;
extern const ShippedCode collective_f32_code;
extern const ShippedCode collective_f64_code;

}  // namespace cupool::detail
