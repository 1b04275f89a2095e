#pragma once

namespace cupool::detail {

/// The vector instructions that a job on the host uses. avx512 is AVX-512 F, BW, DQ and VL.
enum class VectorUnit { none, avx2, avx512 };

/// Whether the environment forbids the vector unit to jobs on the host (CUPOOL_HOST_VECTORS=0). Read once.
bool is_vector_unit_declined();

/// The best vector unit that the processor has and the environment allows.
VectorUnit host_vector_unit();

}  // namespace cupool::detail
