// From the sums of intervals to the sums of buckets: join_buckets, join_large_buckets.

#include "curve/lane_group_xyzz.cuh"
#include "msm/device/stages/window_instances.cuh"

using namespace cupool::device;
using cupool::detail::large_sum_block_size;
using cupool::detail::sum_block_size;

using LaneGroup = LaneGroupXyzz<BaseField>;

/// Sets empty buckets to infinity, unless earlier chunks have sums in them.
CUPOOL_DEVICE void clear_empty_buckets(const MsmKernelParams& params, std::uint32_t row, const BucketStarts& starts) {
    if (params.carry_over.adds_to_buckets) return;
#pragma unroll 1
    for (std::uint32_t bucket = global_lane_group_index(); bucket < params.rows.bucket_count;
         bucket += grid_size() * (sum_block_size / lane_group_size)) {
        if (starts[bucket] == starts[bucket + 1]) LaneGroup::infinity().store(buckets_of(params, row)[bucket]);
    }
}

inline constexpr std::uint32_t no_bucket = 0xffffffff;

/// The bucket that a lane group completes: if there are lane groups for each bucket, its own; otherwise the bucket that begins in its
/// interval and ends behind it.
CUPOOL_DEVICE std::uint32_t bucket_to_join(const MsmKernelParams& params, const BucketStarts& starts) {
    const std::uint32_t group = global_lane_group_index();
    if (params.rows.bucket_count <= params.accumulation.interval_count) {
        const std::uint32_t bucket = group / params.accumulation.lane_groups_a_bucket;
        return bucket < params.rows.bucket_count ? bucket : no_bucket;
    }
    const std::uint32_t begin = group * params.accumulation.interval_size;
    const std::uint32_t end = begin + params.accumulation.interval_size;
    if (group >= params.accumulation.interval_count || end >= starts.point_count()) return no_bucket;
    const std::uint32_t bucket = starts.bucket_at(end - 1);
    return starts[bucket] < begin ? no_bucket : bucket;
}

/// Completes the buckets that span several intervals. One or more lane groups work on a bucket or, if there are fewer intervals, one lane
/// group on an interval. A bucket of very many intervals is only listed, for join_large_buckets. grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(sum_block_size) void msm_join_buckets(MsmKernelParams params) {
    const std::uint32_t row = block_index_y();
    const BucketStarts starts(params, row);
    clear_empty_buckets(params, row, starts);
    const std::uint32_t bucket = bucket_to_join(params, starts);
    const std::uint32_t start = bucket == no_bucket ? 0 : starts[bucket];
    const std::uint32_t end = bucket == no_bucket ? 0 : starts[bucket + 1];
    const std::uint32_t first_interval = start / params.accumulation.interval_size;
    const std::uint32_t last_interval = start == end ? first_interval : (end - 1) / params.accumulation.interval_size;
    const std::uint32_t groups = params.accumulation.lane_groups_a_bucket;
    const std::uint32_t group = lane_group_index() % groups;
    const bool is_large = last_interval - first_interval > cupool::detail::large_bucket_intervals;
    const bool is_joined = last_interval != first_interval && !is_large;
    if (is_large && thread_index() % (groups * lane_group_size) == 0)
        params.accumulation.large_buckets[atomic_add(params.accumulation.large_bucket_count, 1)] = row * params.rows.bucket_count + bucket;
    LaneGroup sum = LaneGroup::infinity();
    if (is_joined) {
        if (group == 0) sum = LaneGroup::load(finished_of(params, row)[last_interval]);
#pragma unroll 1
        for (std::uint32_t interval = first_interval + group; interval < last_interval; interval += groups)
            sum += LaneGroup::load(unfinished_of(params, row)[interval]);
    }
    sum = sum_over_lane_groups(sum, groups);
    if (is_joined && group == 0) sum.store(buckets_of(params, row)[bucket]);
}

/// Completes the listed buckets; a block takes one at a time.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(large_sum_block_size) void msm_join_large_buckets(MsmKernelParams params) {
    CUPOOL_SHARED static char shared[large_sum_block_size / warp_size * sizeof(Xyzz)] __attribute__((aligned(16)));
#pragma unroll 1
    for (std::uint32_t i = block_index(); i < *params.accumulation.large_bucket_count; i += grid_size()) {
        const std::uint32_t row = params.accumulation.large_buckets[i] / params.rows.bucket_count;
        const std::uint32_t bucket = params.accumulation.large_buckets[i] % params.rows.bucket_count;
        const BucketStarts starts(params, row);
        const std::uint32_t first_interval = starts[bucket] / params.accumulation.interval_size;
        const std::uint32_t last_interval = (starts[bucket + 1] - 1) / params.accumulation.interval_size;
        LaneGroup sum = lane_group_index() == 0 ? LaneGroup::load(finished_of(params, row)[last_interval]) : LaneGroup::infinity();
#pragma unroll 1
        for (std::uint32_t interval = first_interval + lane_group_index(); interval < last_interval;
             interval += large_sum_block_size / lane_group_size) {
            sum += LaneGroup::load(unfinished_of(params, row)[interval]);
        }
        block_barrier();
        sum = block_sum<large_sum_block_size>(sum, reinterpret_cast<Xyzz*>(shared));
        if (lane_group_index() == 0) sum.store(buckets_of(params, row)[bucket]);
    }
}
