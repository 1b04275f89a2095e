#pragma once

/// \file
/// What the kernels of an MSM share, for the curve that CUPOOL_CURVE names (a struct of field_parameters.hpp).
///
/// The method is Pippenger's bucket method. A scalar, or each of its two parts, is recoded into signed digits of `width` bits, one for each
/// window. A digit d puts its point, or the point's image under the endomorphism, into bucket |d| - 1 of that window, negated if d < 0.
/// With prepared multiples of the points several digits share a window, each with a table of its own. A row is a window instance: one
/// window of one MSM. The stages in launch order, each in a file and a module of its own, so that only those that are needed are compiled:
///   stage1_bases.cu             converts bases, and writes their images under the endomorphism;
///   stage2_sort.cu              sorts the terms by bucket, and indexes pairs;
///   stage3_pairs.cu             batched-affine rounds: each halves the points of every bucket;
///   stage4_accumulate_slots.cu  or, after rounds, stage4_accumulate_sums.cu: sums what remains of buckets, an interval of points a thread;
///   stage5_join.cu              joins the intervals of a bucket;
///   stage6_reduce_buckets.cu    reduces the buckets of a row to a sum for each bit of the weights;
///   stage7_join_windows.cu      joins the bit sums of windows, and the windows of an MSM, if the device does that and not the host.
/// Skewed scalars cost no more than uniform ones: no stage gives a thread more work because a bucket is larger. chunk_kernels.cpp launches
/// the stages.

#include "curve/xyzz.hpp"
#include "field/device_field.cuh"
#include "field/device_quadratic.cuh"
#include "msm/device/kernel_params.hpp"
#include "msm/device/stages/stage2_sort.cuh"
#include "msm/device/stages/stage3_pairs.cuh"
#include "support/device.cuh"

namespace cupool::device {

using detail::leaves_sums;
using detail::max_points;
using detail::max_row_points;
using detail::point_block_size;
using Curve = detail::CUPOOL_CURVE;
using BaseField = DeviceFieldOf<Curve::BaseField>::Element;
using FastField = DeviceFieldOf<Curve::BaseField, Product::inlined>::Element;
using Affine = detail::Affine<BaseField>;
using Xyzz = detail::Xyzz<BaseField>;
using FastAffine = detail::Affine<FastField>;
using FastXyzz = detail::Xyzz<FastField>;

inline constexpr unsigned summing_blocks = detail::summing_blocks(sizeof(BaseField));

CUPOOL_DEVICE Xyzz* buckets_of(const MsmKernelParams& params, std::uint32_t row) {
    return static_cast<Xyzz*>(params.accumulation.buckets) + std::uint64_t{row} * params.rows.bucket_count;
}
CUPOOL_DEVICE Xyzz* unfinished_of(const MsmKernelParams& params, std::uint32_t row) {
    return static_cast<Xyzz*>(params.accumulation.unfinished) + std::uint64_t{row} * params.accumulation.interval_count;
}
CUPOOL_DEVICE Xyzz* finished_of(const MsmKernelParams& params, std::uint32_t row) {
    return static_cast<Xyzz*>(params.accumulation.finished) + std::uint64_t{row} * params.accumulation.interval_count;
}
CUPOOL_DEVICE void store(Xyzz* target, const FastXyzz& sum) {
    *reinterpret_cast<FastXyzz*>(target) = {sum.x.reduced_once(), sum.y.reduced_once(), sum.zz.reduced_once(), sum.zzz.reduced_once()};
}

/// Where the buckets of a row begin at the last level.
class BucketStarts {
public:
    CUPOOL_DEVICE BucketStarts(const MsmKernelParams& params, std::uint32_t row)
        : starts_(starts_of(params, params.rounds.count, row)), bucket_count_(params.rows.bucket_count) {}

    CUPOOL_DEVICE std::uint32_t operator[](std::uint32_t bucket) const { return starts_[bucket]; }
    CUPOOL_DEVICE std::uint32_t point_count() const { return starts_[bucket_count_]; }
    /// The bucket that holds the point at `position`.
    CUPOOL_DEVICE std::uint32_t bucket_at(std::uint32_t position) const { return last_not_above(starts_, bucket_count_, position); }

private:
    const std::uint32_t* starts_;
    std::uint32_t bucket_count_;
};

/// The row of points that a round (from 1) writes for the next one.
CUPOOL_DEVICE void* row_of_round(const MsmKernelParams& params, std::uint32_t round) {
    const bool is_odd = round % 2 == 1;
    FastAffine* const rows = static_cast<FastAffine*>(is_odd ? params.rounds.odd_sums : params.rounds.even_sums);
    return rows + std::uint64_t{block_index_y()} * max_row_points(params, is_odd ? 1 : 2);
}
CUPOOL_DEVICE PointRow<FastAffine> sums_of_round(const MsmKernelParams& params, std::uint32_t round) {
    return {row_of_round(params, round), max_row_points(params, round)};
}
CUPOOL_DEVICE FastField* prefixes_of(const MsmKernelParams& params) {
    return static_cast<FastField*>(params.rounds.prefixes) + std::uint64_t{block_index_y()} * max_points(params, 1);
}

}  // namespace cupool::device
