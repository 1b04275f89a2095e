#pragma once

/// \file
/// Accumulation: sums the points of buckets in XYZZ coordinates.

#include "msm/device/stages/window_instances.cuh"

namespace cupool::device {

/// The initial sum of a bucket: that of earlier chunks, if there is one.
CUPOOL_DEVICE FastXyzz first_sum(const MsmKernelParams& params, std::uint32_t row, std::uint32_t bucket) {
    if (!params.carry_over.adds_to_buckets) return FastXyzz::infinity();
    return reinterpret_cast<const FastXyzz&>(buckets_of(params, row)[bucket]);
}

/// Sums a row of points, interval_size of them a thread. A bucket that lies within one interval is finished here. If a bucket spans
/// several, the interval in which it ends writes `finished` and the others write `unfinished`, for join_buckets.
template <class Points>
CUPOOL_DEVICE void accumulate(const MsmKernelParams& params, std::uint32_t row, const Points& points) {
    const std::uint32_t interval = global_index();
    const BucketStarts starts(params, row);
    const std::uint32_t point_count = starts.point_count();
    std::uint32_t position = interval * params.accumulation.interval_size;
    if (interval >= params.accumulation.interval_count || position >= point_count) return;
    const std::uint32_t interval_end =
        point_count - position > params.accumulation.interval_size ? position + params.accumulation.interval_size : point_count;

    std::uint32_t bucket = starts.bucket_at(position);
    bool began_earlier = starts[bucket] < position;
    std::uint32_t bucket_end = starts[bucket + 1];
    FastXyzz sum = FastXyzz::infinity();
    if (!began_earlier) sum = first_sum(params, row, bucket);
#pragma unroll 1
    for (; position < interval_end; ++position) {
        if (position == bucket_end) {
            store(began_earlier ? &finished_of(params, row)[interval] : &buckets_of(params, row)[bucket], sum);
            began_earlier = false;
            do {
                bucket_end = starts[++bucket + 1];
            } while (position == bucket_end);
            sum = first_sum(params, row, bucket);
        }
        sum += points[position];
    }
    if (bucket_end > interval_end) {
        store(&unfinished_of(params, row)[interval], sum);
    } else {
        store(began_earlier ? &finished_of(params, row)[interval] : &buckets_of(params, row)[bucket], sum);
    }
}

}  // namespace cupool::device
