#pragma once

#include <cupool/driver/kernel.hpp>
#include <cupool/driver/module.hpp>

#include "msm_layout.hpp"
#include "shipped_ptx.hpp"

namespace cupool::detail {

/// The MSM kernels of a curve in one context.
template <Curve C>
class MsmKernels {
public:
    explicit MsmKernels(ContextView context)
        : module_(context, msm_ptx<C>()),
          count_bins(module_.kernel<MsmPlan>("msm_count_bins")),
          place_bins(module_.kernel<MsmPlan>("msm_place_bins")),
          scatter_to_bins(module_.kernel<MsmPlan>("msm_scatter_to_bins")),
          count_buckets(module_.kernel<MsmPlan>("msm_count_buckets")),
          place_buckets(module_.kernel<MsmPlan>("msm_place_buckets")),
          scatter_to_buckets(module_.kernel<MsmPlan>("msm_scatter_to_buckets")),
          accumulate_slots(module_.kernel<MsmPlan>("msm_accumulate_slots")),
          accumulate_sums(module_.kernel<MsmPlan>("msm_accumulate_sums")),
          join_buckets(module_.kernel<MsmPlan>("msm_join_buckets")),
          join_large_buckets(module_.kernel<MsmPlan>("msm_join_large_buckets")),
          sum_groups(module_.kernel<MsmPlan>("msm_sum_groups")),
          sum_rows(module_.kernel<MsmPlan>("msm_sum_rows")),
          add_first_pairs(module_.kernel<MsmPlan, std::uint32_t>("msm_add_first_pairs")),
          add_pairs(module_.kernel<MsmPlan, std::uint32_t, std::uint32_t>("msm_add_pairs")),
          points_to_montgomery_form(
              module_.kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t>("msm_points_to_montgomery_form")),
          double_points(module_.kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t, std::uint32_t>(
              "msm_double_points")),
          pair_blocks(static_cast<unsigned>(add_pairs.max_active_blocks(pair_block_size))) {}

private:
    Module module_;

public:
    Kernel<MsmPlan> count_bins, place_bins, scatter_to_bins, count_buckets, place_buckets, scatter_to_buckets;
    Kernel<MsmPlan> accumulate_slots, accumulate_sums, join_buckets, join_large_buckets, sum_groups, sum_rows;
    Kernel<MsmPlan, std::uint32_t> add_first_pairs;
    Kernel<MsmPlan, std::uint32_t, std::uint32_t> add_pairs;
    Kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t> points_to_montgomery_form;
    Kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t, std::uint32_t> double_points;
    unsigned pair_blocks;  ///< of the pairwise kernels that a multiprocessor holds at once
};

}  // namespace cupool::detail
