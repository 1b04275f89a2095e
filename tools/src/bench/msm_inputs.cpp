#include "bench/msm_inputs.hpp"

#include <algorithm>

#include "bench/random_scalars.hpp"

namespace cupool::tools {
namespace {

/// `common` with probability 0.9, else a uniform scalar.
template <Curve C>
Scalar mostly(std::uint64_t common, std::mt19937_64& random) {
    return std::uniform_int_distribution(0, 9)(random) != 0 ? Scalar{{common}} : uniform_scalar<C>(random);
}

}  // namespace

const std::vector<std::string>& msm_input_names() {
    static const std::vector<std::string> names = {"uniform", "zeros", "ones", "equal", "small", "same-point"};
    return names;
}

MsmInputs msm_inputs(const std::string& name) {
    const auto& names = msm_input_names();
    return static_cast<MsmInputs>(std::find(names.begin(), names.end(), name) - names.begin());
}

template <Curve C>
std::vector<Scalar> bench_scalars(MsmInputs inputs, std::size_t count, std::mt19937_64& random) {
    const auto common = uniform_scalar<C>(random);
    std::vector<Scalar> scalars(count);
    for (auto& scalar : scalars) {
        switch (inputs) {
            case MsmInputs::zeros: scalar = mostly<C>(0, random); break;
            case MsmInputs::ones: scalar = mostly<C>(1, random); break;
            case MsmInputs::equal: scalar = common; break;
            case MsmInputs::small: scalar = {{random() >> 32}}; break;
            case MsmInputs::uniform:
            case MsmInputs::same_point: scalar = uniform_scalar<C>(random); break;
        }
    }
    return scalars;
}

template <Curve C>
std::vector<AffinePoint<C>> bench_points(MsmInputs inputs, std::size_t count) {
    if (inputs == MsmInputs::same_point) return std::vector<AffinePoint<C>>(count, generator<C>());
    return generator_multiples<C>(1, count);
}

template <Curve C>
AffinePoint<C> bench_sum(MsmInputs inputs, std::span<const Scalar> scalars) {
    return multiply(generator<C>(), inputs == MsmInputs::same_point ? plain_sum<C>(scalars) : weighted_sum<C>(scalars));
}

#define CUPOOL_INSTANTIATE(C)                                                                \
    template std::vector<Scalar> bench_scalars<C>(MsmInputs, std::size_t, std::mt19937_64&); \
    template std::vector<AffinePoint<C>> bench_points<C>(MsmInputs, std::size_t);            \
    template AffinePoint<C> bench_sum<C>(MsmInputs, std::span<const Scalar>);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::tools
