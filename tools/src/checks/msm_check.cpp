#include "checks/msm_check.hpp"

#include <cupool/kernels/point.hpp>
#include <random>
#include <vector>

#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

/// With more terms, double-and-add would take seconds.
constexpr std::size_t max_terms_one_by_one = 4096;

/// Any width that is not chosen by size for this number of terms.
constexpr int window_of_split_check = 8;

template <Curve C>
AffinePoint<C> run_msm(const DevicePool& pool, std::span<const AffinePoint<C>> points, std::span<const Scalar> scalars, int window) {
    MsmConfig config;
    config.c = window;
    JacobianPoint<C> result;
    pool.msm<C>(scalars, points, config, result);
    return to_affine(result);
}

template <Curve C>
AffinePoint<C> one_by_one(std::span<const AffinePoint<C>> points, std::span<const Scalar> scalars) {
    auto total = infinity<C>();
    for (std::size_t i = 0; i < points.size(); ++i) total = add(total, multiply(points[i], scalars[i]));
    return total;
}

/// Gives each bit of each scalar to one of two MSMs at random, so that their sum is the result
/// without arithmetic on scalars.
template <Curve C>
AffinePoint<C> split_in_two(const DevicePool& pool, std::span<const AffinePoint<C>> points, std::span<const Scalar> scalars) {
    std::mt19937_64 dice(std::random_device{}());
    std::vector<Scalar> left(scalars.begin(), scalars.end());
    std::vector<Scalar> right(scalars.size());
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        for (std::size_t limb = 0; limb < 4; ++limb) {
            right[i].limbs[limb] = left[i].limbs[limb] & dice();
            left[i].limbs[limb] ^= right[i].limbs[limb];
        }
    }
    return add(run_msm<C>(pool, points, left, window_of_split_check), run_msm<C>(pool, points, right, window_of_split_check));
}

}  // namespace

template <Curve C>
std::string check_msm(std::span<const AffinePoint<C>> points, std::span<const Scalar> scalars, const AffinePoint<C>& result, Engine engine,
                      const EngineOptions& options) {
    const auto other = open_other_pool(engine, options);
    std::string method;
    AffinePoint<C> expected;
    if (other.engine() != engine) {
        method = "the " + to_string(other.engine()) + " engine";
        expected = run_msm<C>(other, points, scalars, 0);
    } else if (points.size() <= max_terms_one_by_one) {
        method = "double-and-add, term by term";
        expected = one_by_one<C>(points, scalars);
    } else {
        method = "two MSMs over scalars split at random, windows of " + std::to_string(window_of_split_check) + " bits";
        expected = split_in_two<C>(other, points, scalars);
    }
    if (expected != result) throw CheckFailed("the check by " + method + " gives another result");
    return method;
}

#define CUPOOL_INSTANTIATE(C)                                                                                                  \
    template std::string check_msm<C>(std::span<const AffinePoint<C>>, std::span<const Scalar>, const AffinePoint<C>&, Engine, \
                                      const EngineOptions&);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::tools
