// From the sums of buckets to the sums of rows: sum_groups, sum_parts where there are many groups, sum_rows.

#include "msm_rows.cuh"
#include "quad_xyzz.cuh"

using namespace cupool::device;
using cupool::detail::large_sum_block_size;
using cupool::detail::sum_block_size;

using Quad = QuadXyzz<BaseField>;

/// How many groups weigh less than this one in its row, or in its copy of the last digits' buckets.
CUPOOL_DEVICE std::uint32_t lower_groups(const MsmPlan& plan, std::uint32_t row, std::uint32_t group) {
    const bool has_copies = plan.last_copies > 1 && row % plan.window_count == plan.window_count - 1;
    return has_copies ? group % plan.last_copy_groups : group;
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
    // By two factors, since the first one's high bits are the same in all of a warp's quads.
    weighted += running.multiplied(lower_groups(plan, row, group)).multiplied(plan.group_size);
    weighted.store(static_cast<Xyzz*>(plan.groups)[std::uint64_t{row} * plan.group_count + group]);
}

/// The sum of `count` points, `stride` of them apart, over a block; right in the first quad.
CUPOOL_DEVICE Quad sum_over_block(const Xyzz* points, std::uint32_t count, std::uint32_t stride) {
    CUPOOL_SHARED static char shared[large_sum_block_size / warp_size * sizeof(Xyzz)] __attribute__((aligned(16)));
    Quad sum = Quad::infinity();
#pragma unroll 1
    for (std::uint32_t i = quad_index(); i < count; i += large_sum_block_size / quad_size) {
        sum += Quad::load(points[std::uint64_t{i} * stride]);
    }
    return block_sum<large_sum_block_size>(sum, reinterpret_cast<Xyzz*>(shared));
}

CUPOOL_DEVICE Xyzz* groups_of(const MsmPlan& plan, std::uint32_t row) {
    return static_cast<Xyzz*>(plan.groups) + std::uint64_t{row} * plan.group_count;
}

/// Puts the sum of each part of a row's groups into its first group. A block a part; grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(large_sum_block_size) void msm_sum_parts(MsmPlan plan) {
    Xyzz* const part = groups_of(plan, block_index_y()) + std::uint64_t{block_index()} * plan.part_size;
    const Quad sum = sum_over_block(part, plan.part_size, 1);
    if (quad_index() == 0) sum.store(*part);
}

/// Each row's sum, and infinity where it has two. A block a row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(large_sum_block_size) void msm_sum_rows(MsmPlan plan) {
    const Quad sum = sum_over_block(groups_of(plan, block_index()), plan.group_count / plan.part_size, plan.part_size);
    Xyzz* const row_sums = static_cast<Xyzz*>(plan.row_sums) + std::uint64_t{block_index()} * plan.sums_a_row;
    if (quad_index() == 0) sum.store(row_sums[0]);
    if (quad_index() == 1 && plan.sums_a_row == 2) Quad::infinity().store(row_sums[1]);
}
