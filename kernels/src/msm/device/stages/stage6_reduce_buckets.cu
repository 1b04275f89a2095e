// Bucket reduction: from the sums of buckets to sums of windows by bit. reduce_buckets is launched once for each level.

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

/// A list of points at a level: list 0 is split by the bits of positions; every other list is only summed, for a bit of the weights.
class ReductionList {
public:
    CUPOOL_DEVICE ReductionList(const MsmKernelParams& params, std::uint32_t row, std::uint32_t level, std::uint32_t list)
        : params_(params), row_(row), level_(level), size_(reduction_list_size(params, level)) {
        if (level == 0) return;
        points_ = static_cast<Xyzz*>(params.reduction.lists) + reduction_list_offset(params, level) +
                  (std::uint64_t{row} * reduction_lists(level) + list) * size_;
    }

    /// The point at a position, which at level 0 is the weight of a bucket.
    CUPOOL_DEVICE LaneGroup operator[](std::uint32_t position) const {
        if (level_ == 0)
            return position == 0 || position > params_.rows.bucket_count ? LaneGroup::infinity()
                                                                         : LaneGroup::load(buckets_of(params_, row_)[position - 1]);
        return position < size_ ? LaneGroup::load(points_[position]) : LaneGroup::infinity();
    }
    CUPOOL_DEVICE void store(std::uint32_t position, const LaneGroup& point) const { point.store(points_[position]); }

private:
    const MsmKernelParams& params_;
    std::uint32_t row_;
    std::uint32_t level_;
    std::uint32_t size_;
    Xyzz* points_ = nullptr;
};

/// The bit sums of a window that a row contributes.
class BitSums {
public:
    CUPOOL_DEVICE BitSums(const MsmKernelParams& params, std::uint32_t row) {
        const bool splits_weights = params.carry_over.low_bits != 0;
        const bool is_high = splits_weights && row % 2 == 1;
        const std::uint32_t first = is_high ? params.carry_over.low_bits : 0;
        const std::uint32_t window = splits_weights ? row / 2 : row;
        const bool has_copies = params.rows.last_copies > 1 && row % params.digits.window_count == params.digits.window_count - 1;
        count_ = splits_weights && !is_high ? params.carry_over.low_bits : params.rows.weight_bits - first;
        weight_bits_ = has_copies ? params.rows.last_copy_bits : count_;
        sums_ = static_cast<Xyzz*>(params.reduction.bit_sums) + std::uint64_t{window} * params.rows.weight_bits + first;
    }

    /// Whether the bit counts in a weight; other bits only tell copies of buckets apart.
    CUPOOL_DEVICE bool counts(std::uint32_t bit) const { return bit < weight_bits_; }
    /// Stores the sum for a bit, if it is of this row.
    CUPOOL_DEVICE void store(std::uint32_t bit, const LaneGroup& sum) const {
        if (bit < count_) (counts(bit) ? sum : LaneGroup::infinity()).store(sums_[bit]);
    }

private:
    Xyzz* sums_;
    std::uint32_t count_;
    std::uint32_t weight_bits_;
};

/// Sums `1 << bits` points and, if `splits`, for each bit also those whose positions have it: points[0] is the sum, points[1 + k] that for
/// bit k. Each pass adds neighbours, and sets those at odd positions apart. A lane group adds two points.
CUPOOL_DEVICE void reduce_tile(Xyzz* points, std::uint32_t bits, bool splits) {
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
        if (splits && group < half) odd.store(points[lists * half + group]);
        if (splits) ++lists;
        block_barrier();
    }
}

/// One level of bucket reduction. The position of a bucket is its weight, and the sum of a row is that, over all k, of 2^k times the
/// buckets whose weights have bit k. A block reduces reduction_tile neighbours of a list to one point and, of list 0, also to points of new
/// lists, one for each pair of bits of their positions. If one block covers a list, its output is the final sum of the window. grid.y is
/// the row; a list has as many blocks as positions at the next level, and a block has a lane group for two points.
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
    const bool splits = list == 0;
    const ReductionList source(params, row, level, list);
#pragma unroll 1
    for (std::uint32_t i = group; i < 1u << bits; i += block_size() / lane_group_size) source[block * reduction_tile + i].store(points[i]);
    block_barrier();
    reduce_tile(points, bits, splits);

    if (group > (splits ? sums_of_bits(bits) : 0)) return;
    const BitSums sums(params, row);
    const std::uint32_t new_list = group == 0 ? list : reduction_lists(level) + group - 1;
    const std::uint32_t all_bits = level * reduction_tile_bits + bits;
    const std::uint32_t bit = reduction_list_bit(new_list);
    const bool is_pair = bit % reduction_tile_bits + 1 < reduction_tile_bits && bit + 1 < all_bits;
    LaneGroup sum = LaneGroup::load(points[group == 0 ? 0 : 2 * group - 1]);
    if (group > 0 && is_pair && sums.counts(bit + 1)) sum += LaneGroup::load(points[2 * group]).doubled();
    if (blocks > 1) {
        ReductionList(params, row, level + 1, new_list).store(block, sum);
    } else if (new_list > 0) {
        sums.store(bit, sum);
        if (is_pair) sums.store(bit + 1, LaneGroup::infinity());
    } else if (params.rows.bucket_count == 1u << all_bits) {
        // The largest weight is the only one with its bit, and has no position.
        sums.store(all_bits, LaneGroup::load(buckets_of(params, row)[params.rows.bucket_count - 1]));
    }
}
