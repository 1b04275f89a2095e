#pragma once

namespace cupool::detail {

/// The vector instructions that a job on the host uses. avx512 is AVX-512 F, BW, DQ and VL.
enum class VectorUnit { none, avx2, avx512 };

/// Whether the environment keeps jobs on the host off the processor's vector unit (CUPOOL_HOST_VECTORS=0). It is read once.
bool is_vector_unit_declined();

/// The best unit that the processor has and the environment does not decline.
VectorUnit host_vector_unit();

}  // namespace cupool::detail
