#pragma once

#include "curve/curve_parameters.hpp"
#include "field/host_field.hpp"

namespace cupool::detail {

/// The field of a curve's scalars, on the host.
template <Curve C>
using ScalarField = HostField<typename Parameters<C>::ScalarField>;

}  // namespace cupool::detail
