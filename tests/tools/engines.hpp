// The engine that the tests of real inputs run on, and the host twin to hold its results against.
#pragma once

#include <cstdlib>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace cupool::test {

/// What CUPOOL_TEST_ENGINE asks for: auto (the default), gpu or host.
inline DevicePool engine_under_test() {
    const char* const wanted = std::getenv("CUPOOL_TEST_ENGINE");
    const std::string engine = wanted == nullptr ? "auto" : wanted;
    if (engine == "auto") return DevicePool::all_or_host();
    if (engine == "gpu") return DevicePool::all();
    if (engine == "host") return DevicePool::host();
    throw std::runtime_error("CUPOOL_TEST_ENGINE is auto, gpu or host, not " + engine);
}

template <Curve C>
AffinePoint<C> msm_on(const DevicePool& pool, const std::vector<AffinePoint<C>>& points, const std::vector<Scalar>& scalars) {
    JacobianPoint<C> sum;
    pool.msm<C>(scalars, points, MsmConfig{}, sum);
    return to_affine(sum);
}

/// The same sum by double-and-add.
template <Curve C>
AffinePoint<C> sum_term_by_term(const std::vector<AffinePoint<C>>& points, const std::vector<Scalar>& scalars) {
    auto sum = infinity<C>();
    for (std::size_t i = 0; i < points.size(); ++i) sum = add(sum, multiply(points[i], scalars[i]));
    return sum;
}

/// Any 32 bytes, so mostly not below r.
inline std::vector<Scalar> random_scalars(std::size_t count, std::mt19937_64& random) {
    std::vector<Scalar> scalars(count);
    for (auto& scalar : scalars) {
        for (auto& limb : scalar.limbs) limb = random();
    }
    return scalars;
}

}  // namespace cupool::test
