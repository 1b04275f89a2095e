#pragma once

#include <cupool/kernels/poseidon.hpp>

#include "curve/scalar_field.hpp"
#include "poseidon/constants_layout.hpp"
#include "poseidon/field_matrix.hpp"

namespace cupool::detail {

/// The numbers that define a permutation, as its authors give them.
template <Curve C>
struct PoseidonInstance {
    using Field = ScalarField<C>;

    /// \throws Error unsupported
    PoseidonInstance(PoseidonVariant variant, unsigned width);

    PoseidonVariant variant;
    unsigned width;
    unsigned partial_rounds;
    /// A round after the other, `width` a round; those of Poseidon2's partial rounds, one a round.
    FieldVector<Field> round_constants;
    /// Of Poseidon.
    FieldMatrix<Field> matrix{0};
    /// Of the matrix of Poseidon2's partial rounds, less one.
    FieldVector<Field> diagonal;
};

}  // namespace cupool::detail
