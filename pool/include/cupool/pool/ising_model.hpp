#pragma once

#include <cstdint>
#include <cupool/driver/error.hpp>
#include <cupool/pool/replica_model.hpp>

namespace cupool {

/// The two-dimensional Ising model without a field on a torus, for replica exchange: the system that physics knows exactly. The energy is
/// minus the sum of s s' over the 2 side^2 pairs of neighbours. A sweep updates every spin once by Metropolis' rule, one colour of the
/// checkerboard after the other. A state has a byte of 0 or 1 for each spin, row by row; the first state is random.
/// \param side  spins of a row: even, 4 to 2^14
/// \throws Error invalid_argument
ReplicaModel ising_model(std::uint32_t side, SourceLocation where = SourceLocation::current());

}  // namespace cupool
