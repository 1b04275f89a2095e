// From the sums of buckets to the sums of rows: sum_groups, sum_rows.

#include "msm_rows.cuh"
#include "quad_xyzz.cuh"

using namespace cupool::device;
using cupool::detail::large_sum_block_size;
using cupool::detail::sum_block_size;

using Quad = QuadXyzz<BaseField>;

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
