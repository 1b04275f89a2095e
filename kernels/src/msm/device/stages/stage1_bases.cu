// Converts points for the other kernels, and prepares multiples of them.

#include "msm/device/stages/window_instances.cuh"

using namespace cupool::device;
using cupool::detail::change_block_size;

/// The next table of prepared bases: to[i] = 2^doublings * from[i]. Points may be infinity. A block shares one inversion.
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

inline constexpr unsigned point_words = sizeof(Affine) / sizeof(Vec4);
/// Points pass through shared memory, so that neighbouring lanes read and write neighbouring words. A gap behind each point reduces bank
/// conflicts.
using PassedPoints = Vec4[change_block_size * (point_words + 1)];

/// to[i] = change(from[i]); `from` and `to` may be equal.
template <class Change>
CUPOOL_DEVICE void change_points(const void* from, void* to, std::uint32_t count, PassedPoints& shared, const Change& change) {
    const std::uint32_t first = block_index() * change_block_size;
    const std::uint32_t words = (count - first < change_block_size ? count - first : change_block_size) * point_words;
    const Vec4* const source = static_cast<const Vec4*>(from) + std::uint64_t{first} * point_words;
    Vec4* const target = static_cast<Vec4*>(to) + std::uint64_t{first} * point_words;
    const auto place = [](std::uint32_t word) { return word + word / point_words; };
    for (std::uint32_t i = thread_index(); i < words; i += change_block_size) shared[place(i)] = source[i];
    block_barrier();
    if (thread_index() * point_words < words) {
        Affine& point = *reinterpret_cast<Affine*>(&shared[thread_index() * (point_words + 1)]);
        point = change(point);
    }
    block_barrier();
    for (std::uint32_t i = thread_index(); i < words; i += change_block_size) target[i] = shared[place(i)];
}

/// Converts affine points from standard into Montgomery form; `from` and `to` may be equal.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(change_block_size) void msm_points_to_montgomery_form(const void* from, void* to, std::uint32_t count) {
    CUPOOL_SHARED static PassedPoints shared;
    change_points(from, to, count, shared, [](const Affine& point) {
        return Affine{point.x.to_montgomery_form(), point.y.to_montgomery_form()};
    });
}

/// The images of points under the endomorphism (x, y) -> (beta x, y), in Montgomery form; the image of infinity is infinity.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(change_block_size) void msm_map_points(const void* points, void* images, std::uint32_t count,
                                                                       BaseField beta) {
    CUPOOL_SHARED static PassedPoints shared;
    change_points(points, images, count, shared, [beta](const Affine& point) { return Affine{point.x * beta, point.y}; });
}
