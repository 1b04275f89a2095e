#include "msm/device/chunk_kernels.hpp"

#include <algorithm>

#include "curve/endomorphism.hpp"
#include "curve/for_each_curve.hpp"
#include "curve/host_curve.hpp"
#include "msm/device/bucket_reduction.hpp"
#include "msm/device/launch_heuristics.hpp"
#include "msm/device/rounds.hpp"
#include "msm/device/workspace_layout.hpp"

namespace cupool::detail {

namespace {

/// Blocks of a copying kernel for each multiprocessor.
constexpr unsigned copying_blocks = 8;

template <class T>
T* as_pointer(std::uint64_t address) {
    return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): a device address, never followed here
}

}  // namespace

template <Curve C>
ChunkKernels<C>::ChunkKernels(const DeviceMsmJob<C>& job, const MsmConfig& config, const DeviceMsmMemory& memory, MsmKernels<C>& kernels)
    : job_(job), config_(config), memory_(memory), kernels_(kernels), stream_(config.ctx.stream()) {}

template <Curve C>
void ChunkKernels<C>::load() const {
    kernels_.load(needed_steps(), config_.ctx.host_threads());
}

template <Curve C>
typename MsmKernels<C>::Steps ChunkKernels<C>::needed_steps() const {
    const MsmJobLayout& layout = memory_.layout();
    typename MsmKernels<C>::Steps steps{.windows = layout.joins_bit_sums(),
                                        .bases = !job_.are_bases_in_montgomery_form || layout.choice().are_scalars_split};
    const auto need = [&steps](const MsmPlan& plan) { (plan.params.rounds.count == 0 ? steps.slots : steps.pairs) = true; };
    for (std::size_t i = 0; i < memory_.chunk_count(); ++i) {
        need(layout.plan(i));
        if (layout.weight_split(i)) need(*layout.weight_split(i));
    }
    return steps;
}

template <Curve C>
void ChunkKernels<C>::enqueue(std::size_t i) const {
    const MsmChunk& chunk = memory_.chunk(i);
    MsmPlan plan = placed_plan(i);
    const MsmKernelParams& params = plan.params;
    if (params.operands.scalars_are_split) map_bases(params);
    kernels_.sort->sort(params, stream_);
    sum_buckets(plan);
    if (!chunk.is_last) return;
    if (leaves_sums(params)) {
        split_weights(i, params);
    } else {
        reduce_buckets(params);
    }
    if (memory_.layout().joins_bit_sums()) join_bit_sums(chunk);
}

template <Curve C>
MsmPlan ChunkKernels<C>::placed_plan(std::size_t i) const {
    MsmPlan plan = memory_.layout().plan(i);
    MsmKernelParams& params = plan.params;
    place_msm_sums(plan, sizeof(BaseFieldElement<C>), memory_.sums());
    place_msm_workspace(plan, sizeof(BaseFieldElement<C>), memory_.workspace());
    params.reduction.bit_sums = as_pointer<void>(memory_.bit_sums_of(memory_.chunk(i)));
    params.operands.first_oversized_scalar = as_pointer<std::uint32_t>(memory_.oversized().pointer() + i * sizeof(std::uint32_t));
    place_operands(params, i);
    place_carried(params);
    return plan;
}

template <Curve C>
void ChunkKernels<C>::place_operands(MsmKernelParams& params, std::size_t i) const {
    const MsmChunk& chunk = memory_.chunk(i);
    const MsmWork& work = memory_.layout().work();
    params.operands.points = as_pointer<void>(work.uploads_bases ? memory_.bases_slot(i) : job_.bases_of(chunk).device().pointer());
    params.operands.scalars =
        as_pointer<void>(job_.scalars.is_on_device() ? job_.scalars.device().pointer() + job_.first_scalar_of(chunk) * sizeof(Scalar)
                                                     : memory_.scalars_slot(i));
    params.operands.table_stride = static_cast<std::uint32_t>(job_.table_stride);
    params.operands.bases_stride = job_.have_own_bases ? static_cast<std::uint32_t>(job_.term_count) : 0;
    params.operands.scalars_in_montgomery_form = config_.are_scalars_montgomery_form;
}

template <Curve C>
void ChunkKernels<C>::place_carried(MsmKernelParams& params) const {
    params.carry_over.max_points = memory_.layout().max_carried();
    params.carry_over.points = as_pointer<void>(memory_.carried_points());
    params.carry_over.starts = as_pointer<std::uint32_t>(memory_.carried_starts());
}

/// Writes the images of the bases under the endomorphism.
template <Curve C>
void ChunkKernels<C>::map_bases(const MsmKernelParams& params) const {
    const std::size_t count = params.operands.first_image;
    const DeviceSpan<const AffinePoint<C>> points(reinterpret_cast<std::uint64_t>(params.operands.points), count, config_.ctx.device());
    const DeviceSpan<AffinePoint<C>> images(reinterpret_cast<std::uint64_t>(params.operands.images), count, config_.ctx.device());
    kernels_.bases->map_points.launch({blocks_for(count, change_block_size), change_block_size}, stream_, points, images,
                                      params.operands.first_image, store(endomorphism_factor<C>(), true));
}

/// Sums each bucket of sorted terms. If another plan takes the bucket remainders, it does only the rounds and hands those over.
template <Curve C>
void ChunkKernels<C>::sum_buckets(MsmPlan& plan) const {
    MsmKernelParams& params = plan.params;
    for (std::uint32_t row = 0; row < params.rows.count; row += plan.rows_at_once) {
        params.rows.first = row;
        const std::uint32_t rows = std::min(plan.rows_at_once, params.rows.count - row);
        add_pairs(params, rows);
        if (leaves_sums(params)) {
            carry_sums(params, rows);
        } else {
            accumulate(params, rows);
        }
    }
    if (!leaves_sums(params)) join_buckets(params);
}

/// Does the batched-affine rounds of `rows` window instances from params.rows.first on.
template <Curve C>
void ChunkKernels<C>::add_pairs(const MsmKernelParams& params, std::uint32_t rows) const {
    for (std::uint32_t round = 1; round <= params.rounds.count; ++round) {
        const std::uint32_t blocks = choose_pair_blocks(round, max_points(params, round), rows,
                                                        multiprocessors() * kernels_.pairs->resident_blocks, sizeof(BaseFieldElement<C>));
        const LaunchShape pairs{{blocks, rows}, pair_block_size};
        if (round == 1) {
            kernels_.pairs->add_first_pairs.launch(pairs, stream_, params);
        } else {
            kernels_.pairs->add_pairs.launch(pairs, stream_, params, round);
        }
    }
}

/// Copies the bucket remainders to where the next plan reads them.
template <Curve C>
void ChunkKernels<C>::carry_sums(const MsmKernelParams& params, std::uint32_t rows) const {
    const std::uint32_t blocks = blocks_for(copying_blocks * multiprocessors(), rows);
    kernels_.pairs->carry_sums.launch({{blocks, rows}, point_block_size}, stream_, params);
}

/// Sums the bucket remainders, except those that join_buckets() must complete.
template <Curve C>
void ChunkKernels<C>::accumulate(const MsmKernelParams& params, std::uint32_t rows) const {
    const LaunchShape shape{{blocks_for(params.accumulation.interval_count, point_block_size), rows}, point_block_size};
    if (params.rounds.count == 0) {
        kernels_.slots->accumulate_slots.launch(shape, stream_, params);
    } else {
        kernels_.sums->accumulate_sums.launch(shape, stream_, params);
    }
}

template <Curve C>
void ChunkKernels<C>::join_buckets(const MsmKernelParams& params) const {
    const std::size_t threads = std::size_t{joining_lane_groups(params)} * lane_group_size;
    kernels_.join->join_buckets.launch({{blocks_for(threads, sum_block_size), params.rows.count}, sum_block_size}, stream_, params);
    kernels_.join->join_large_buckets.launch({multiprocessors(), large_sum_block_size}, stream_, params);
}

/// Reduces the bucket remainders of a chunk's plan by weight splitting: an MSM over the digits of their weights.
template <Curve C>
void ChunkKernels<C>::split_weights(std::size_t i, const MsmKernelParams& terms) const {
    MsmPlan plan = *memory_.layout().weight_split(i);
    MsmKernelParams& params = plan.params;
    place_weight_split(plan, sizeof(BaseFieldElement<C>), memory_.workspace());
    place_carried(params);
    params.operands.points = terms.operands.points;  // no term refers to them, but kernels read some point for a slot without a term
    params.reduction.bit_sums = terms.reduction.bit_sums;
    kernels_.sort->sort_split_weights(terms, params, stream_);
    sum_buckets(plan);
    reduce_buckets(params);
}

template <Curve C>
void ChunkKernels<C>::reduce_buckets(const MsmKernelParams& params) const {
    for (std::uint32_t level = 0; level < reduction_levels(params); ++level) {
        const unsigned blocks = reduction_lists(level) * reduction_list_size(params, level + 1);
        kernels_.reduction->reduce_buckets.launch({{blocks, params.rows.count}, reduction_block_size(params, level)}, stream_, params,
                                                  level);
    }
}

/// Joins the bit sums of each window of the chunk's MSMs.
template <Curve C>
void ChunkKernels<C>::join_bit_sums(const MsmChunk& chunk) const {
    const MsmJobLayout& layout = memory_.layout();
    const std::size_t windows = chunk.msm_count * layout.window_count();
    const DeviceSpan<const std::byte> bit_sums(memory_.bit_sums_of(chunk), windows * layout.weight_bits() * layout.sum_bytes(),
                                               config_.ctx.device());
    const LaunchShape shape{blocks_for(windows * lane_group_size, sum_block_size), sum_block_size};
    kernels_.windows->join_bit_sums.launch(shape, stream_, bit_sums, memory_.window_sums(chunk.first_msm, chunk.msm_count),
                                           static_cast<std::uint32_t>(windows), layout.weight_bits());
}

#define CUPOOL_INSTANTIATE(C) template class ChunkKernels<C>;
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
