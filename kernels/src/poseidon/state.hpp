#pragma once

#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/poseidon.hpp>

#include "curve/scalar_field.hpp"
#include "poseidon/field_matrix.hpp"

namespace cupool::detail {

/// What the copies of a permutation share.
template <Curve C>
struct PoseidonState {
    PoseidonState(PoseidonVariant own_variant, unsigned own_width, const DeviceContext& own_context);

    PoseidonVariant variant;
    unsigned width;
    unsigned partial_rounds = 0;
    DeviceContext context;
    FieldVector<ScalarField<C>> constants;  ///< as PoseidonLayout or Poseidon2Layout has them
    DeviceBuffer<Scalar> device_constants;  ///< the same on the device, in Montgomery form
};

}  // namespace cupool::detail
