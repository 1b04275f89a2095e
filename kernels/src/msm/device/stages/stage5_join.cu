// From the sums of shares to the sums of buckets: join_buckets, join_large_buckets.

#include "curve/quad_xyzz.cuh"
#include "msm/device/stages/rows.cuh"

using namespace cupool::device;
using cupool::detail::large_sum_block_size;
using cupool::detail::sum_block_size;

using Quad = QuadXyzz<BaseField>;

/// Makes the empty buckets infinity where no earlier portion has done so.
CUPOOL_DEVICE void clear_empty_buckets(const MsmPlan& plan, std::uint32_t row, const BucketStarts& starts) {
    if (plan.adds_to_buckets) return;
#pragma unroll 1
    for (std::uint32_t bucket = global_quad_index(); bucket < plan.bucket_count; bucket += grid_size() * (sum_block_size / quad_size)) {
        if (starts[bucket] == starts[bucket + 1]) Quad::infinity().store(buckets_of(plan, row)[bucket]);
    }
}

inline constexpr std::uint32_t no_bucket = 0xffffffff;

/// The bucket that a quad is to complete: its own where there are quads for each bucket, else the one that begins in the quad's share and
/// reaches behind it.
CUPOOL_DEVICE std::uint32_t bucket_to_join(const MsmPlan& plan, const BucketStarts& starts) {
    const std::uint32_t quad = global_quad_index();
    if (plan.bucket_count <= plan.share_count) {
        const std::uint32_t bucket = quad / plan.quads_a_bucket;
        return bucket < plan.bucket_count ? bucket : no_bucket;
    }
    const std::uint32_t begin = quad * plan.share_size;
    const std::uint32_t end = begin + plan.share_size;
    if (quad >= plan.share_count || end >= starts.point_count()) return no_bucket;
    const std::uint32_t bucket = starts.bucket_at(end - 1);
    return starts[bucket] < begin ? no_bucket : bucket;
}

/// Completes the buckets that span several shares. A quad, or a few, a bucket or, where shares are fewer, a quad a share; a bucket
/// of very many shares is only listed, for join_large_buckets. grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(sum_block_size) void msm_join_buckets(MsmPlan plan) {
    const std::uint32_t row = block_index_y();
    const BucketStarts starts(plan, row);
    clear_empty_buckets(plan, row, starts);
    const std::uint32_t bucket = bucket_to_join(plan, starts);
    const std::uint32_t start = bucket == no_bucket ? 0 : starts[bucket];
    const std::uint32_t end = bucket == no_bucket ? 0 : starts[bucket + 1];
    const std::uint32_t first_share = start / plan.share_size;
    const std::uint32_t last_share = start == end ? first_share : (end - 1) / plan.share_size;
    const std::uint32_t quads = plan.quads_a_bucket;
    const std::uint32_t quad = quad_index() % quads;
    const bool is_large = last_share - first_share > cupool::detail::large_bucket_shares;
    const bool is_joined = last_share != first_share && !is_large;
    if (is_large && thread_index() % (quads * quad_size) == 0)
        plan.large_buckets[atomic_add(plan.large_bucket_count, 1)] = row * plan.bucket_count + bucket;
    Quad sum = Quad::infinity();
    if (is_joined) {
        if (quad == 0) sum = Quad::load(finished_of(plan, row)[last_share]);
#pragma unroll 1
        for (std::uint32_t share = first_share + quad; share < last_share; share += quads)
            sum += Quad::load(unfinished_of(plan, row)[share]);
    }
    sum = sum_over_quads(sum, quads);
    if (is_joined && quad == 0) sum.store(buckets_of(plan, row)[bucket]);
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
