// What every engine's kernels must answer alike, to the bit: the answers of GPUs are recorded in kernel_answers.txt.
#pragma once

#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/curve.hpp>
#include <functional>
#include <string>
#include <vector>

namespace cupool::test {

/// A computation on inputs that are the same in every run.
struct KernelQuestion {
    std::string name;  ///< "msm_bn254_4096", "reduce_f32_special_min_257"
    std::size_t size;  ///< terms or elements
    std::function<std::string(const DeviceContext&)> answer;
};

/// MSMs of 1 to 2^12 terms; the sum in affine coordinates: x and y, big-endian in hex.
template <Curve C>
std::vector<KernelQuestion> msm_questions();

/// Transforms of 2 to 2^12 elements, and element-wise operations on 1 to 5000, over the scalar field; a checksum of the results.
template <Curve C>
std::vector<KernelQuestion> field_questions();

/// Permutations by Poseidon and Poseidon2 in all widths; a checksum of the states.
template <Curve C>
std::vector<KernelQuestion> poseidon_questions();

/// Reductions of 1 to 2^20 elements of each type; the result's bits in hex.
std::vector<KernelQuestion> reduce_questions();

}  // namespace cupool::test
