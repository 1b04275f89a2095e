// Turns points into what the other kernels take, and prepares multiples of them.

#include "msm_rows.cuh"

using namespace cupool::device;

/// The next table of prepared bases: to[i] = 2^doublings * from[i]. Both may hold infinity; blocks share an inversion among their points.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(pair_block_size) void msm_double_points(const void* from, void* to, std::uint32_t count,
                                                                        std::uint32_t doublings) {
    CUPOOL_SHARED static char shared[pair_block_size * sizeof(BaseField)] __attribute__((aligned(16)));
    const std::uint32_t index = global_index();
    Xyzz point = Xyzz::infinity();
    if (index < count) point = Xyzz::from(static_cast<const Affine*>(from)[index]);
#pragma unroll 1
    for (std::uint32_t i = 0; i < doublings; ++i) point = point.doubled();
    BaseField inverse = point.is_infinity() ? BaseField::one() : point.zzz;
    invert_over_block(inverse, reinterpret_cast<BaseField*>(shared));
    if (index >= count) return;
    const BaseField z_inverse = point.zz * inverse;
    Affine& doubled = static_cast<Affine*>(to)[index];
    doubled = point.is_infinity() ? Affine{BaseField::zero(), BaseField::zero()} : Affine{point.x * z_inverse.square(), point.y * inverse};
}

/// Turns affine points from standard into Montgomery form; `from` and `to` may be the same. A thread a point.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void msm_points_to_montgomery_form(const void* from, void* to, std::uint32_t count) {
    const std::uint32_t index = global_index();
    if (index >= count) return;
    const Affine point = static_cast<const Affine*>(from)[index];
    static_cast<Affine*>(to)[index] = {point.x.to_montgomery_form(), point.y.to_montgomery_form()};
}
