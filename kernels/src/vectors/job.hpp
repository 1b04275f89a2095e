#pragma once

#include <cupool/kernels/vectors.hpp>

#include "curve/scalar_field.hpp"

namespace cupool::detail {

enum class VectorOperation { add, subtract, multiply, multiply_by_powers, invert };

/// A checked call of an element-wise operation. Operations of one array have no right elements.
template <Curve C>
struct VectorJob {
    VectorOperation operation;
    Operand<Scalar> left;
    Operand<Scalar> right;
    ScalarField<C> base;  ///< of multiply_by_powers
    const VectorConfig& config;
    const OutputOperand<Scalar>& results;

    std::size_t size() const { return results.size(); }
};

}  // namespace cupool::detail
