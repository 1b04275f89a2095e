// From the sums of shares to the sums of buckets: join_buckets, join_large_buckets.

#include "msm_rows.cuh"
#include "quad_xyzz.cuh"

using namespace cupool::device;
using cupool::detail::large_sum_block_size;
using cupool::detail::sum_block_size;

using Quad = QuadXyzz<BaseField>;

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
