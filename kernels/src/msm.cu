// The kernels of one MSM by Pippenger's bucket method, for the curve that CUPOOL_CURVE names (a struct of field_parameters.hpp).
//
// A scalar is cut into signed digits of `width` bits, one a window; a digit d puts its point into bucket |d| - 1 of that window, negated
// where d < 0. Where multiples of the points are prepared, several digits share a window, each with its own table of points. A row is a
// window of one of the MSMs that are done at a time. The steps, in launch order:
//   count_bins, place_bins, scatter_to_bins, count_buckets, place_buckets, scatter_to_buckets   sort the terms by bucket (msm_sort.cuh);
//   add_first_pairs, add_pairs (a few rounds)    halve each bucket's points in affine coordinates (msm_pairs.cuh), where buckets are large;
//   accumulate, join_buckets, join_large_buckets sum what is left of each bucket, equally many points a thread, whatever the buckets'
//   sizes; sum_groups, sum_rows                         weigh the buckets and sum each row.
// Skewed scalars cost no more than uniform ones: no step gives a thread more work because a bucket is larger. device_msm.cpp drives them.

#include "device.cuh"
#include "device_field.cuh"
#include "msm_layout.hpp"
#include "msm_pairs.cuh"
#include "msm_sort.cuh"
#include "quad_xyzz.cuh"
#include "xyzz.hpp"

using namespace cupool::device;

using Curve = cupool::detail::CUPOOL_CURVE;
using BaseField = DeviceField<Curve::BaseField>;
using FastField = DeviceField<Curve::BaseField, Product::inlined>;
using ScalarField = DeviceField<Curve::ScalarField>;
using Affine = cupool::detail::Affine<BaseField>;
using Xyzz = cupool::detail::Xyzz<BaseField>;
using Quad = QuadXyzz<BaseField>;
using FastAffine = cupool::detail::Affine<FastField>;
using FastXyzz = cupool::detail::Xyzz<FastField>;
using cupool::detail::large_sum_block_size;
using cupool::detail::largest_bin;
using cupool::detail::largest_bin_count;
using cupool::detail::largest_bin_table;
using cupool::detail::place_block_size;
using cupool::detail::sum_block_size;

namespace {

CUPOOL_DEVICE Xyzz* buckets_of(const MsmPlan& plan, std::uint32_t row) {
    return static_cast<Xyzz*>(plan.buckets) + std::uint64_t{row} * plan.bucket_count;
}
CUPOOL_DEVICE Xyzz* unfinished_of(const MsmPlan& plan, std::uint32_t row) {
    return static_cast<Xyzz*>(plan.unfinished) + std::uint64_t{row} * plan.share_count;
}
CUPOOL_DEVICE Xyzz* finished_of(const MsmPlan& plan, std::uint32_t row) {
    return static_cast<Xyzz*>(plan.finished) + std::uint64_t{row} * plan.share_count;
}
CUPOOL_DEVICE void store(Xyzz* target, const FastXyzz& sum) {
    *reinterpret_cast<FastXyzz*>(target) = {sum.x.reduced_once(), sum.y.reduced_once(), sum.zz.reduced_once(), sum.zzz.reduced_once()};
}

/// Where the buckets of a row begin, counted in the points that the rounds leave.
class BucketStarts {
public:
    CUPOOL_DEVICE BucketStarts(const MsmPlan& plan, std::uint32_t row)
        : starts_(plan.starts + std::uint64_t{row} * (plan.bucket_count + 1)), rounds_(plan.rounds), bucket_count_(plan.bucket_count) {}

    CUPOOL_DEVICE std::uint32_t operator[](std::uint32_t bucket) const { return starts_[bucket] >> rounds_; }
    CUPOOL_DEVICE std::uint32_t point_count() const { return (*this)[bucket_count_]; }
    /// The bucket that holds the point at `position`.
    CUPOOL_DEVICE std::uint32_t bucket_at(std::uint32_t position) const {
        return BinnedTile::last_not_above(starts_, bucket_count_, position << rounds_);
    }

private:
    const std::uint32_t* starts_;
    std::uint32_t rounds_;
    std::uint32_t bucket_count_;
};

/// The points of one row in the arrays of the rounds, of which round number `round` (from 1) writes one.
CUPOOL_DEVICE PointRow<FastAffine> sums_of_round(const MsmPlan& plan, std::uint32_t round) {
    const std::uint32_t size = plan.slot_count >> (round % 2 == 1 ? 1 : 2);
    FastAffine* const rows = static_cast<FastAffine*>(round % 2 == 1 ? plan.halves : plan.quarters);
    return {rows + std::uint64_t{block_index_y()} * size, size};
}
CUPOOL_DEVICE FastField* prefixes_of(const MsmPlan& plan) {
    return static_cast<FastField*>(plan.prefixes) + std::uint64_t{block_index_y()} * (plan.slot_count / 2);
}

/// What a bucket's sum begins with: what earlier portions have put there.
CUPOOL_DEVICE FastXyzz first_sum(const MsmPlan& plan, std::uint32_t row, std::uint32_t bucket) {
    if (!plan.adds_to_buckets) return FastXyzz::infinity();
    return reinterpret_cast<const FastXyzz&>(buckets_of(plan, row)[bucket]);
}

/// Sums a row of points, `share_size` of them a thread. A bucket that lies within one share is finished here. Of a bucket that spans
/// several, the share where it ends writes `finished`, the earlier ones `unfinished`, for join_buckets.
template <class Points>
CUPOOL_DEVICE void accumulate(const MsmPlan& plan, std::uint32_t row, const Points& points) {
    const std::uint32_t share = global_index();
    const BucketStarts starts(plan, row);
    const std::uint32_t point_count = starts.point_count();
    std::uint32_t position = share * plan.share_size;
    if (share >= plan.share_count || position >= point_count) return;
    const std::uint32_t share_end = point_count - position > plan.share_size ? position + plan.share_size : point_count;

    std::uint32_t bucket = starts.bucket_at(position);
    bool began_earlier = starts[bucket] < position;
    std::uint32_t bucket_end = starts[bucket + 1];
    FastXyzz sum = FastXyzz::infinity();
    if (!began_earlier) sum = first_sum(plan, row, bucket);
#pragma unroll 1
    for (; position < share_end; ++position) {
        if (position == bucket_end) {
            store(began_earlier ? &finished_of(plan, row)[share] : &buckets_of(plan, row)[bucket], sum);
            began_earlier = false;
            do {
                bucket_end = starts[++bucket + 1];
            } while (position == bucket_end);
            sum = first_sum(plan, row, bucket);
        }
        sum += points[position];
    }
    if (bucket_end > share_end) {
        store(&unfinished_of(plan, row)[share], sum);
    } else {
        store(began_earlier ? &finished_of(plan, row)[share] : &buckets_of(plan, row)[bucket], sum);
    }
}

}  // namespace

/// grid.y is the MSM.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_count_bins(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t counts[largest_bin_table];
    count_bins<ScalarField>(plan, block_index_y(), counts);
}

/// A block a row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(largest_bin_count) void msm_place_bins(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t sums[largest_bin_count];
    const std::uint32_t row = block_index();
    place_row<largest_bin_count>(plan.bin_cursors + row * plan.bin_count, plan.bin_starts + row * (plan.bin_count + 1), plan.bin_count, 0,
                                 sums);
}

/// A block a tile of one digit; grid.y is the MSM.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_scatter_to_bins(MsmPlan plan) {
    CUPOOL_SHARED static ScatterMemory shared;
    scatter_to_bins(plan, block_index_y(), block_index() % plan.digit_count, block_index() / plan.digit_count, shared);
}

/// grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_count_buckets(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t counts[largest_bin];
    count_buckets(plan, block_index_y(), counts);
}

/// A block a row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(place_block_size) void msm_place_buckets(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t sums[place_block_size];
    const std::uint64_t row = block_index();
    place_row<place_block_size>(plan.cursors + row * plan.bucket_count, plan.starts + row * (plan.bucket_count + 1), plan.bucket_count,
                                plan.rounds, sums);
}

/// grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_scatter_to_buckets(MsmPlan plan) {
    CUPOOL_SHARED static ScatterMemory shared;
    scatter_to_buckets(plan, block_index_y(), shared);
}

/// The first round. grid.y counts rows from first_row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(pair_block_size) void msm_add_first_pairs(MsmPlan plan, std::uint32_t pairs_a_thread) {
    CUPOOL_SHARED static char shared[pair_block_size * sizeof(BaseField)] __attribute__((aligned(16)));
    const std::uint32_t row = plan.first_row + block_index_y();
    const std::uint32_t pair_count = plan.starts[std::uint64_t{row} * (plan.bucket_count + 1) + plan.bucket_count] >> 1;
    add_pairs<Curve::BaseField>(SlotPoints<FastAffine>(plan, row), sums_of_round(plan, 1), prefixes_of(plan), pair_count, pairs_a_thread,
                                reinterpret_cast<BaseField*>(shared));
}

/// Round number `round`, from 2. grid.y counts rows from first_row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(pair_block_size) void msm_add_pairs(MsmPlan plan, std::uint32_t pairs_a_thread, std::uint32_t round) {
    CUPOOL_SHARED static char shared[pair_block_size * sizeof(BaseField)] __attribute__((aligned(16)));
    const std::uint32_t row = plan.first_row + block_index_y();
    const std::uint32_t pair_count = plan.starts[std::uint64_t{row} * (plan.bucket_count + 1) + plan.bucket_count] >> round;
    add_pairs<Curve::BaseField>(sums_of_round(plan, round - 1), sums_of_round(plan, round), prefixes_of(plan), pair_count, pairs_a_thread,
                                reinterpret_cast<BaseField*>(shared));
}

/// Without rounds: sums the slots' points. grid.y counts rows from first_row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(128) void msm_accumulate_slots(MsmPlan plan) {
    const std::uint32_t row = plan.first_row + block_index_y();
    accumulate(plan, row, SlotPoints<FastAffine>(plan, row));
}

/// Sums what the last round left. grid.y counts rows from first_row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(128) void msm_accumulate_sums(MsmPlan plan) {
    accumulate(plan, plan.first_row + block_index_y(), sums_of_round(plan, plan.rounds));
}

/// Completes the buckets that span several shares, and makes the empty ones infinity where no earlier portion has done so. A quad a bucket;
/// a bucket of very many shares is only listed, for join_large_buckets. grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(sum_block_size) void msm_join_buckets(MsmPlan plan) {
    const std::uint32_t row = block_index_y();
    const std::uint32_t bucket = global_quad_index();
    if (bucket >= plan.bucket_count) return;
    const BucketStarts starts(plan, row);
    const std::uint32_t start = starts[bucket];
    const std::uint32_t end = starts[bucket + 1];
    Xyzz& sum_of_bucket = buckets_of(plan, row)[bucket];
    if (start == end) {
        if (!plan.adds_to_buckets) Quad::infinity().store(sum_of_bucket);
        return;
    }
    const std::uint32_t first_share = start / plan.share_size;
    const std::uint32_t last_share = (end - 1) / plan.share_size;
    if (first_share == last_share) return;
    if (last_share - first_share > cupool::detail::large_bucket_shares) {
        if (thread_index() % quad_size == 0) plan.large_buckets[atomic_add(plan.large_bucket_count, 1)] = row * plan.bucket_count + bucket;
        return;
    }
    Quad sum = Quad::load(finished_of(plan, row)[last_share]);
#pragma unroll 1
    for (std::uint32_t share = first_share; share < last_share; ++share) sum += Quad::load(unfinished_of(plan, row)[share]);
    sum.store(sum_of_bucket);
}

/// Completes the listed buckets, a block at a time each.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(large_sum_block_size) void msm_join_large_buckets(MsmPlan plan) {
    CUPOOL_SHARED static char shared[large_sum_block_size / warp_size * sizeof(Xyzz)] __attribute__((aligned(16)));
#pragma unroll 1
    for (std::uint32_t i = block_index(); i < *plan.large_bucket_count; i += grid_size()) {
        const std::uint32_t row = plan.large_buckets[i] / plan.bucket_count;
        const std::uint32_t bucket = plan.large_buckets[i] % plan.bucket_count;
        const BucketStarts starts(plan, row);
        const std::uint32_t first_share = starts[bucket] / plan.share_size;
        const std::uint32_t last_share = (starts[bucket + 1] - 1) / plan.share_size;
        Quad sum = quad_index() == 0 ? Quad::load(finished_of(plan, row)[last_share]) : Quad::infinity();
#pragma unroll 1
        for (std::uint32_t share = first_share + quad_index(); share < last_share; share += large_sum_block_size / quad_size) {
            sum += Quad::load(unfinished_of(plan, row)[share]);
        }
        block_barrier();
        sum = block_sum<large_sum_block_size>(sum, reinterpret_cast<Xyzz*>(shared));
        if (quad_index() == 0) sum.store(buckets_of(plan, row)[bucket]);
    }
}

/// The weighted sum of `group_size` neighbouring buckets: sum of (bucket + 1) * its sum. A quad a group; grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(sum_block_size) void msm_sum_groups(MsmPlan plan) {
    const std::uint32_t row = block_index_y();
    const std::uint32_t group = global_quad_index();
    if (group >= plan.group_count) return;
    const std::uint32_t first = group * plan.group_size;
    const Xyzz* buckets = buckets_of(plan, row) + first;
    Quad running = Quad::infinity();
    Quad weighted = Quad::infinity();
#pragma unroll 1
    for (std::uint32_t i = plan.group_size; i-- > 0;) {
        running += Quad::load(buckets[i]);
        weighted += running;
    }
    weighted += running.multiplied(first);
    weighted.store(static_cast<Xyzz*>(plan.groups)[std::uint64_t{row} * plan.group_count + group]);
}

/// Each row's sum. A block a row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(large_sum_block_size) void msm_sum_rows(MsmPlan plan) {
    CUPOOL_SHARED static char shared[large_sum_block_size / warp_size * sizeof(Xyzz)] __attribute__((aligned(16)));
    const Xyzz* groups = static_cast<const Xyzz*>(plan.groups) + std::uint64_t{block_index()} * plan.group_count;
    Quad sum = Quad::infinity();
#pragma unroll 1
    for (std::uint32_t group = quad_index(); group < plan.group_count; group += large_sum_block_size / quad_size) {
        sum += Quad::load(groups[group]);
    }
    sum = block_sum<large_sum_block_size>(sum, reinterpret_cast<Xyzz*>(shared));
    if (quad_index() == 0) sum.store(static_cast<Xyzz*>(plan.row_sums)[block_index()]);
}

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
