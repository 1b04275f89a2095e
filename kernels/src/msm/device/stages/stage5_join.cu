// From the sums of shares to the sums of buckets: join_buckets, join_large_buckets.

#include "curve/quad_xyzz.cuh"
#include "msm/device/stages/rows.cuh"

using namespace cupool::device;
using cupool::detail::large_sum_block_size;
using cupool::detail::sum_block_size;

using Quad = QuadXyzz<BaseField>;

/// Makes the empty buckets infinity where no earlier chunk has done so.
CUPOOL_DEVICE void clear_empty_buckets(const MsmKernelParams& params, std::uint32_t row, const BucketStarts& starts) {
    if (params.carry_over.adds_to_buckets) return;
#pragma unroll 1
    for (std::uint32_t bucket = global_quad_index(); bucket < params.rows.bucket_count;
         bucket += grid_size() * (sum_block_size / quad_size)) {
        if (starts[bucket] == starts[bucket + 1]) Quad::infinity().store(buckets_of(params, row)[bucket]);
    }
}

inline constexpr std::uint32_t no_bucket = 0xffffffff;

/// The bucket that a quad is to complete: its own where there are quads for each bucket, else the one that begins in the quad's share and
/// reaches behind it.
CUPOOL_DEVICE std::uint32_t bucket_to_join(const MsmKernelParams& params, const BucketStarts& starts) {
    const std::uint32_t quad = global_quad_index();
    if (params.rows.bucket_count <= params.accumulation.interval_count) {
        const std::uint32_t bucket = quad / params.accumulation.lane_groups_a_bucket;
        return bucket < params.rows.bucket_count ? bucket : no_bucket;
    }
    const std::uint32_t begin = quad * params.accumulation.interval_size;
    const std::uint32_t end = begin + params.accumulation.interval_size;
    if (quad >= params.accumulation.interval_count || end >= starts.point_count()) return no_bucket;
    const std::uint32_t bucket = starts.bucket_at(end - 1);
    return starts[bucket] < begin ? no_bucket : bucket;
}

/// Completes the buckets that span several shares. A quad, or a few, a bucket or, where shares are fewer, a quad a share; a bucket
/// of very many shares is only listed, for join_large_buckets. grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(sum_block_size) void msm_join_buckets(MsmKernelParams params) {
    const std::uint32_t row = block_index_y();
    const BucketStarts starts(params, row);
    clear_empty_buckets(params, row, starts);
    const std::uint32_t bucket = bucket_to_join(params, starts);
    const std::uint32_t start = bucket == no_bucket ? 0 : starts[bucket];
    const std::uint32_t end = bucket == no_bucket ? 0 : starts[bucket + 1];
    const std::uint32_t first_share = start / params.accumulation.interval_size;
    const std::uint32_t last_share = start == end ? first_share : (end - 1) / params.accumulation.interval_size;
    const std::uint32_t quads = params.accumulation.lane_groups_a_bucket;
    const std::uint32_t quad = quad_index() % quads;
    const bool is_large = last_share - first_share > cupool::detail::large_bucket_shares;
    const bool is_joined = last_share != first_share && !is_large;
    if (is_large && thread_index() % (quads * quad_size) == 0)
        params.accumulation.large_buckets[atomic_add(params.accumulation.large_bucket_count, 1)] = row * params.rows.bucket_count + bucket;
    Quad sum = Quad::infinity();
    if (is_joined) {
        if (quad == 0) sum = Quad::load(finished_of(params, row)[last_share]);
#pragma unroll 1
        for (std::uint32_t share = first_share + quad; share < last_share; share += quads)
            sum += Quad::load(unfinished_of(params, row)[share]);
    }
    sum = sum_over_quads(sum, quads);
    if (is_joined && quad == 0) sum.store(buckets_of(params, row)[bucket]);
}

/// Completes the listed buckets, a block at a time each.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(large_sum_block_size) void msm_join_large_buckets(MsmKernelParams params) {
    CUPOOL_SHARED static char shared[large_sum_block_size / warp_size * sizeof(Xyzz)] __attribute__((aligned(16)));
#pragma unroll 1
    for (std::uint32_t i = block_index(); i < *params.accumulation.large_bucket_count; i += grid_size()) {
        const std::uint32_t row = params.accumulation.large_buckets[i] / params.rows.bucket_count;
        const std::uint32_t bucket = params.accumulation.large_buckets[i] % params.rows.bucket_count;
        const BucketStarts starts(params, row);
        const std::uint32_t first_share = starts[bucket] / params.accumulation.interval_size;
        const std::uint32_t last_share = (starts[bucket + 1] - 1) / params.accumulation.interval_size;
        Quad sum = quad_index() == 0 ? Quad::load(finished_of(params, row)[last_share]) : Quad::infinity();
#pragma unroll 1
        for (std::uint32_t share = first_share + quad_index(); share < last_share; share += large_sum_block_size / quad_size) {
            sum += Quad::load(unfinished_of(params, row)[share]);
        }
        block_barrier();
        sum = block_sum<large_sum_block_size>(sum, reinterpret_cast<Xyzz*>(shared));
        if (quad_index() == 0) sum.store(buckets_of(params, row)[bucket]);
    }
}
