#pragma once

/// \file
/// The inputs of MSM benchmarks: terms of several distributions, each with a sum in closed form.

#include <cupool/kernels/point.hpp>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace cupool::tools {

/// The distribution of the terms of a benchmark. Points are (i + 1) * G except for same_point;
/// "uniform" means uniform below r.
enum class MsmInputs {
    uniform,     ///< uniform scalars
    zeros,       ///< nine scalars in ten are 0, the others uniform
    ones,        ///< nine scalars in ten are 1, the others uniform
    equal,       ///< one uniform scalar for all terms
    small,       ///< scalars uniform below 2^32
    same_point,  ///< uniform scalars, and every point is G
};

/// The names that msm_inputs() takes: "uniform", "zeros", "ones", "equal", "small", "same-point".
const std::vector<std::string>& msm_input_names();

/// \pre name is one of msm_input_names()
MsmInputs msm_inputs(const std::string& name);

/// Random scalars below r.
template <Curve C>
std::vector<Scalar> bench_scalars(MsmInputs inputs, std::size_t count, std::mt19937_64& random);

template <Curve C>
std::vector<AffinePoint<C>> bench_points(MsmInputs inputs, std::size_t count);

/// The MSM of these scalars over bench_points(), by its closed form.
template <Curve C>
AffinePoint<C> bench_sum(MsmInputs inputs, std::span<const Scalar> scalars);

}  // namespace cupool::tools
