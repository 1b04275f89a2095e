// From the sums of buckets to those of windows by bit: fold_buckets, once or a few times.

#include "curve/quad_xyzz.cuh"
#include "msm/device/stages/rows.cuh"

using namespace cupool::device;
using cupool::detail::fold_bits;
using cupool::detail::fold_list_bit;
using cupool::detail::fold_lists;
using cupool::detail::fold_places;
using cupool::detail::fold_size;
using cupool::detail::fold_size_bits;
using cupool::detail::folded_before;
using cupool::detail::folding_blocks;
using cupool::detail::sums_of_bits;

using Quad = QuadXyzz<BaseField>;

/// A list of points that a level of folding takes: list 0 is to be folded; the others are to be summed, for a bit of the weights each.
class FoldList {
public:
    CUPOOL_DEVICE FoldList(const MsmKernelParams& params, std::uint32_t row, std::uint32_t level, std::uint32_t list)
        : plan_(params), row_(row), level_(level), size_(fold_places(params, level)) {
        if (level == 0) return;
        points_ = static_cast<Xyzz*>(params.reduction.lists) + folded_before(params, level) +
                  (std::uint64_t{row} * fold_lists(level) + list) * size_;
    }

    /// The point at a place, which at the first level is the weight of a bucket.
    CUPOOL_DEVICE Quad operator[](std::uint32_t place) const {
        if (level_ == 0)
            return place == 0 || place > plan_.rows.bucket_count ? Quad::infinity() : Quad::load(buckets_of(plan_, row_)[place - 1]);
        return place < size_ ? Quad::load(points_[place]) : Quad::infinity();
    }
    CUPOOL_DEVICE void store(std::uint32_t place, const Quad& point) const { point.store(points_[place]); }

private:
    const MsmKernelParams& plan_;
    std::uint32_t row_;
    std::uint32_t level_;
    std::uint32_t size_;
    Xyzz* points_ = nullptr;
};

/// The sums of a row's window that the row has to give, by the bits of weights.
class BitSums {
public:
    CUPOOL_DEVICE BitSums(const MsmKernelParams& params, std::uint32_t row) {
        const bool has_halves = params.carry_over.low_bits != 0;
        const bool is_high = has_halves && row % 2 == 1;
        const std::uint32_t first = is_high ? params.carry_over.low_bits : 0;
        const std::uint32_t window = has_halves ? row / 2 : row;
        const bool has_copies = params.rows.last_copies > 1 && row % params.digits.window_count == params.digits.window_count - 1;
        count_ = has_halves && !is_high ? params.carry_over.low_bits : params.rows.weight_bits - first;
        weighing_ = has_copies ? params.rows.last_copy_bits : count_;
        sums_ = static_cast<Xyzz*>(params.reduction.bit_sums) + std::uint64_t{window} * params.rows.weight_bits + first;
    }

    /// Whether places with this bit weigh more for it: it does not tell copies of buckets apart.
    CUPOOL_DEVICE bool weighs(std::uint32_t bit) const { return bit < weighing_; }
    /// Stores the sum for a bit, if the row has it.
    CUPOOL_DEVICE void store(std::uint32_t bit, const Quad& sum) const {
        if (bit < count_) (weighs(bit) ? sum : Quad::infinity()).store(sums_[bit]);
    }

private:
    Xyzz* sums_;
    std::uint32_t count_;
    std::uint32_t weighing_;
};

/// Sums `1 << bits` points, and, if `folds`, also those whose places have a bit set, for each bit: points[0] is the sum, points[1 + k] that
/// for bit k. By adding neighbours, whose sums then are the points, as often as there are bits. A quad adds two.
CUPOOL_DEVICE void fold(Xyzz* points, std::uint32_t bits, bool folds) {
    const std::uint32_t quad = quad_index();
    std::uint32_t lists = 1;
#pragma unroll 1
    for (std::uint32_t half = 1u << bits >> 1; half > 0; half /= 2) {
        const bool adds = quad < lists * half;
        Quad sum = adds ? Quad::load(points[2 * quad]) : Quad::infinity();
        const Quad odd = adds ? Quad::load(points[2 * quad + 1]) : Quad::infinity();
        if (adds) sum += odd;
        block_barrier();
        if (adds) sum.store(points[quad]);
        if (folds && quad < half) odd.store(points[lists * half + quad]);
        if (folds) ++lists;
        block_barrier();
    }
}

/// One level of folding. A row's buckets stand at the places that are their weights; the sum of 2^k times those at whose weights bit k is
/// set, over all k, is what the row is. A block takes fold_size neighbours of a list, and leaves one point of it, and, of the first list,
/// points of new lists for the bits of their places. Of what has one block, the sums are the window's. grid.y is the row; a list has as
/// many blocks as places at the next level. The block has a quad for two points.
CUPOOL_KERNEL CUPOOL_BLOCKS(fold_size / 2 * quad_size, folding_blocks(sizeof(BaseField))) void msm_fold_buckets(MsmKernelParams params,
                                                                                                                std::uint32_t level) {
    CUPOOL_SHARED static char shared[fold_size * sizeof(Xyzz)] __attribute__((aligned(16)));
    Xyzz* const points = reinterpret_cast<Xyzz*>(shared);
    const std::uint32_t row = block_index_y();
    const std::uint32_t quad = quad_index();
    const std::uint32_t blocks = fold_places(params, level + 1);
    const std::uint32_t list = block_index() / blocks;
    const std::uint32_t block = block_index() % blocks;
    const std::uint32_t bits = fold_bits(params, level);
    const bool folds = list == 0;
    const FoldList source(params, row, level, list);
#pragma unroll 1
    for (std::uint32_t i = quad; i < 1u << bits; i += block_size() / quad_size) source[block * fold_size + i].store(points[i]);
    block_barrier();
    fold(points, bits, folds);

    if (quad > (folds ? sums_of_bits(bits) : 0)) return;
    const BitSums sums(params, row);
    const std::uint32_t new_list = quad == 0 ? list : fold_lists(level) + quad - 1;
    const std::uint32_t all_bits = level * fold_size_bits + bits;
    const std::uint32_t bit = fold_list_bit(new_list);
    const bool is_pair = bit % fold_size_bits + 1 < fold_size_bits && bit + 1 < all_bits;
    Quad sum = Quad::load(points[quad == 0 ? 0 : 2 * quad - 1]);
    if (quad > 0 && is_pair && sums.weighs(bit + 1)) sum += Quad::load(points[2 * quad]).doubled();
    if (blocks > 1) {
        FoldList(params, row, level + 1, new_list).store(block, sum);
    } else if (new_list > 0) {
        sums.store(bit, sum);
        if (is_pair) sums.store(bit + 1, Quad::infinity());
    } else if (params.rows.bucket_count == 1u << all_bits) {
        // The largest weight is the only one with its bit, and has no place.
        sums.store(all_bits, Quad::load(buckets_of(params, row)[params.rows.bucket_count - 1]));
    }
}
