// From the sums of buckets to those of windows by bit: reduce_buckets, once or a few times.

#include "curve/lane_group_xyzz.cuh"
#include "msm/device/bucket_reduction.hpp"
#include "msm/device/stages/window_instances.cuh"

using namespace cupool::device;
using cupool::detail::reducing_blocks;
using cupool::detail::reduction_bits;
using cupool::detail::reduction_list_bit;
using cupool::detail::reduction_list_offset;
using cupool::detail::reduction_list_size;
using cupool::detail::reduction_lists;
using cupool::detail::reduction_tile;
using cupool::detail::reduction_tile_bits;
using cupool::detail::sums_of_bits;

using LaneGroup = LaneGroupXyzz<BaseField>;

/// A list of points that a level of folding takes: list 0 is to be folded; the others are to be summed, for a bit of the weights each.
class ReductionList {
public:
    CUPOOL_DEVICE ReductionList(const MsmKernelParams& params, std::uint32_t row, std::uint32_t level, std::uint32_t list)
        : plan_(params), row_(row), level_(level), size_(reduction_list_size(params, level)) {
        if (level == 0) return;
        points_ = static_cast<Xyzz*>(params.reduction.lists) + reduction_list_offset(params, level) +
                  (std::uint64_t{row} * reduction_lists(level) + list) * size_;
    }

    /// The point at a place, which at the first level is the weight of a bucket.
    CUPOOL_DEVICE LaneGroup operator[](std::uint32_t place) const {
        if (level_ == 0)
            return place == 0 || place > plan_.rows.bucket_count ? LaneGroup::infinity()
                                                                 : LaneGroup::load(buckets_of(plan_, row_)[place - 1]);
        return place < size_ ? LaneGroup::load(points_[place]) : LaneGroup::infinity();
    }
    CUPOOL_DEVICE void store(std::uint32_t place, const LaneGroup& point) const { point.store(points_[place]); }

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
        const bool splits_weights = params.carry_over.low_bits != 0;
        const bool is_high = splits_weights && row % 2 == 1;
        const std::uint32_t first = is_high ? params.carry_over.low_bits : 0;
        const std::uint32_t window = splits_weights ? row / 2 : row;
        const bool has_copies = params.rows.last_copies > 1 && row % params.digits.window_count == params.digits.window_count - 1;
        count_ = splits_weights && !is_high ? params.carry_over.low_bits : params.rows.weight_bits - first;
        weighing_ = has_copies ? params.rows.last_copy_bits : count_;
        sums_ = static_cast<Xyzz*>(params.reduction.bit_sums) + std::uint64_t{window} * params.rows.weight_bits + first;
    }

    /// Whether places with this bit weigh more for it: it does not tell copies of buckets apart.
    CUPOOL_DEVICE bool weighs(std::uint32_t bit) const { return bit < weighing_; }
    /// Stores the sum for a bit, if the row has it.
    CUPOOL_DEVICE void store(std::uint32_t bit, const LaneGroup& sum) const {
        if (bit < count_) (weighs(bit) ? sum : LaneGroup::infinity()).store(sums_[bit]);
    }

private:
    Xyzz* sums_;
    std::uint32_t count_;
    std::uint32_t weighing_;
};

/// Sums `1 << bits` points, and, if `folds`, also those whose places have a bit set, for each bit: points[0] is the sum, points[1 + k] that
/// for bit k. By adding neighbours, whose sums then are the points, as often as there are bits. A group adds two.
CUPOOL_DEVICE void fold(Xyzz* points, std::uint32_t bits, bool folds) {
    const std::uint32_t group = lane_group_index();
    std::uint32_t lists = 1;
#pragma unroll 1
    for (std::uint32_t half = 1u << bits >> 1; half > 0; half /= 2) {
        const bool adds = group < lists * half;
        LaneGroup sum = adds ? LaneGroup::load(points[2 * group]) : LaneGroup::infinity();
        const LaneGroup odd = adds ? LaneGroup::load(points[2 * group + 1]) : LaneGroup::infinity();
        if (adds) sum += odd;
        block_barrier();
        if (adds) sum.store(points[group]);
        if (folds && group < half) odd.store(points[lists * half + group]);
        if (folds) ++lists;
        block_barrier();
    }
}

/// One level of folding. A row's buckets stand at the places that are their weights; the sum of 2^k times those at whose weights bit k is
/// set, over all k, is what the row is. A block takes reduction_tile neighbours of a list, and leaves one point of it, and, of the first
/// list, points of new lists for the bits of their places. Of what has one block, the sums are the window's. grid.y is the row; a list has
/// as many blocks as places at the next level. The block has a group for two points.
CUPOOL_KERNEL CUPOOL_BLOCKS(reduction_tile / 2 * lane_group_size,
                            reducing_blocks(sizeof(BaseField))) void msm_reduce_buckets(MsmKernelParams params, std::uint32_t level) {
    CUPOOL_SHARED static char shared[reduction_tile * sizeof(Xyzz)] __attribute__((aligned(16)));
    Xyzz* const points = reinterpret_cast<Xyzz*>(shared);
    const std::uint32_t row = block_index_y();
    const std::uint32_t group = lane_group_index();
    const std::uint32_t blocks = reduction_list_size(params, level + 1);
    const std::uint32_t list = block_index() / blocks;
    const std::uint32_t block = block_index() % blocks;
    const std::uint32_t bits = reduction_bits(params, level);
    const bool folds = list == 0;
    const ReductionList source(params, row, level, list);
#pragma unroll 1
    for (std::uint32_t i = group; i < 1u << bits; i += block_size() / lane_group_size) source[block * reduction_tile + i].store(points[i]);
    block_barrier();
    fold(points, bits, folds);

    if (group > (folds ? sums_of_bits(bits) : 0)) return;
    const BitSums sums(params, row);
    const std::uint32_t new_list = group == 0 ? list : reduction_lists(level) + group - 1;
    const std::uint32_t all_bits = level * reduction_tile_bits + bits;
    const std::uint32_t bit = reduction_list_bit(new_list);
    const bool is_pair = bit % reduction_tile_bits + 1 < reduction_tile_bits && bit + 1 < all_bits;
    LaneGroup sum = LaneGroup::load(points[group == 0 ? 0 : 2 * group - 1]);
    if (group > 0 && is_pair && sums.weighs(bit + 1)) sum += LaneGroup::load(points[2 * group]).doubled();
    if (blocks > 1) {
        ReductionList(params, row, level + 1, new_list).store(block, sum);
    } else if (new_list > 0) {
        sums.store(bit, sum);
        if (is_pair) sums.store(bit + 1, LaneGroup::infinity());
    } else if (params.rows.bucket_count == 1u << all_bits) {
        // The largest weight is the only one with its bit, and has no place.
        sums.store(all_bits, LaneGroup::load(buckets_of(params, row)[params.rows.bucket_count - 1]));
    }
}
