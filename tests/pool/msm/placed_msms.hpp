#pragma once

#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "machine.hpp"

namespace cupool::test {

/// Where an operand lies.
enum class Place { host, one_device, slices };

/// So many elements on a device.
struct SliceSize {
    int device;
    std::size_t count;
};

/// An array of `runs` runs, in a place of a pool's. Those on devices are written by work that was given to the devices' default streams
/// and has not been waited for: it begins with a pause, during which a job that does not wait for it reads something else.
template <class T>
class PlacedArray {
public:
    /// \param slices  of each run; in one place the whole array is on the device of the first one
    PlacedArray(const DevicePool& pool, Place place, const std::vector<T>& values, std::size_t runs, const std::vector<SliceSize>& slices) {
        if (place != Place::slices) parts_.push_back(values);
        if (place == Place::one_device) write(pool, slices[0].device, parts_[0]);
        if (place == Place::slices) {
            const std::size_t stride = values.size() / runs;
            parts_.reserve(slices.size());  // copies under way read them
            std::size_t first = 0;
            for (const SliceSize& slice : slices) {
                std::vector<T>& part = parts_.emplace_back();
                for (std::size_t run = 0; run < runs; ++run) {
                    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(run * stride + first);
                    part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(slice.count));
                }
                write(pool, slice.device, part);
                first += slice.count;
            }
        }
        operand_ = place == Place::host         ? PoolOperand<T>(parts_[0])
                   : place == Place::one_device ? PoolOperand<T>(buffers_[0])
                                                : PoolOperand<T>(buffers_);
    }
    PlacedArray(const PlacedArray&) = delete;
    PlacedArray& operator=(const PlacedArray&) = delete;

    const PoolOperand<T>& operand() const { return operand_; }

private:
    void write(const DevicePool& pool, int device, const std::vector<T>& values) {
        const DeviceContext& context = pool.context(device);
        DeviceBuffer<T>& buffer = buffers_.emplace_back(values.size(), context);
        fill_bytes_async(buffer.span(), 0, context.stream());
        context.stream().launch_host_function([] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
        copy_async(buffer.span(), std::span<const T>(values), context.stream());
    }

    std::vector<std::vector<T>> parts_;
    std::vector<DeviceBuffer<T>> buffers_;
    PoolOperand<T> operand_;
};

/// MSMs of small scalars, with their expected results.
template <Curve C>
struct SmallMsms {
    SmallMsms(std::size_t msm_count, std::size_t term_count, bool own_points)
        : count(msm_count), terms(term_count), points(generator_multiples<C>(1, own_points ? count * terms : terms)) {
        for (std::size_t i = 0; i < count * terms; ++i) scalars.push_back({{(97 * i + 13) % 251}});
        std::vector<JacobianPoint<C>> sums(count);
        cupool::msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), MsmConfig::default_for_host(),
                       std::span(sums));
        for (const JacobianPoint<C>& sum : sums) expected.push_back(to_affine(sum));
    }

    /// How many runs the points are.
    std::size_t point_runs() const { return points.size() / terms; }

    std::size_t count;
    std::size_t terms;
    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> expected;
};

/// For small scalars whose operands lie there.
inline MsmConfig small_msm(Place scalars, Place points) {
    MsmConfig config;
    config.c = 4;
    config.bitsize = 8;
    config.are_scalars_on_device = scalars != Place::host;
    config.are_points_on_device = points != Place::host;
    return config;
}

inline PrepareConfig small_bases() {
    PrepareConfig config;
    config.c = 4;
    config.bitsize = 8;
    return config;
}

template <Curve C>
std::vector<AffinePoint<C>> to_affine(const std::vector<JacobianPoint<C>>& points) {
    std::vector<AffinePoint<C>> all;
    for (const JacobianPoint<C>& point : points) all.push_back(cupool::to_affine(point));
    return all;
}

/// Results that no MSM has.
template <Curve C>
std::vector<JacobianPoint<C>> no_results(std::size_t count) {
    JacobianPoint<C> none;
    none.x.limbs[0] = 12345;
    return std::vector<JacobianPoint<C>>(count, none);
}

}  // namespace cupool::test
