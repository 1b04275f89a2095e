#pragma once

/// \file
/// What the tests of Poseidon share.

#include <cupool/kernels/point.hpp>
#include <cupool/kernels/poseidon.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "curve/scalar_field.hpp"
#include "machine.hpp"

#define CUPOOL_EACH_POSEIDON_FIELD "[kernels]", ((cupool::Curve C), C), cupool::Curve::bn254, cupool::Curve::bls12_381

namespace cupool::test {

/// A permutation that a variant has.
struct Shape {
    PoseidonVariant variant;
    unsigned width;
};

template <Curve C>
std::vector<Shape> all_shapes() {
    std::vector<Shape> shapes;
    for (unsigned width = 2; width <= 17; ++width) shapes.push_back({PoseidonVariant::original, width});
    for (const unsigned width : {2u, 3u, 4u, 8u}) shapes.push_back({PoseidonVariant::poseidon2, width});
    if (C != Curve::bls12_381) return shapes;
    for (const unsigned width : {3u, 5u, 9u, 12u}) shapes.push_back({PoseidonVariant::filecoin, width});
    return shapes;
}

/// Of hexadecimal digits, with or without 0x.
inline Scalar scalar(std::string_view digits) {
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    const std::string padded = std::string(64 - digits.size(), '0') + std::string(digits);
    Scalar value;
    for (std::size_t limb = 0; limb < 4; ++limb) value.limbs[limb] = std::stoull(padded.substr(48 - 16 * limb, 16), nullptr, 16);
    return value;
}

/// first, first + 1 ...
inline std::vector<Scalar> consecutive(std::uint64_t first, std::size_t count) {
    std::vector<Scalar> scalars(count);
    for (std::size_t i = 0; i < count; ++i) scalars[i].limbs[0] = first + i;
    return scalars;
}

/// Any integers of 256 bits: most are above r. The first ones are those at which a reduction goes wrong first.
template <Curve C>
std::vector<Scalar> any_scalars(std::size_t count, unsigned seed = 1) {
    std::mt19937_64 random(seed);
    std::vector<Scalar> scalars(count);
    for (Scalar& value : scalars) {
        for (std::uint64_t& limb : value.limbs) limb = random();
    }
    Scalar below_r = group_order<C>();
    below_r.limbs[0] -= 1;
    const std::vector<Scalar> edges = {Scalar{}, group_order<C>(), below_r, Scalar{{1}}, Scalar{{~0ull, ~0ull, ~0ull, ~0ull}}};
    std::copy_n(edges.begin(), std::min(edges.size(), count), scalars.begin());
    return scalars;
}

/// Not in a CHECK itself, which would print all elements.
inline bool are_equal(const std::vector<Scalar>& left, const std::vector<Scalar>& right) { return left == right; }

template <Curve C>
std::vector<Scalar> permuted(const std::vector<Scalar>& states, const Poseidon<C>& poseidon, const PoseidonConfig& config = {}) {
    std::vector<Scalar> outputs(states.size());
    poseidon_permute<C>(std::span(states), poseidon, config, std::span(outputs));
    return outputs;
}

template <Curve C>
std::vector<Scalar> hashed(const std::vector<Scalar>& inputs, const Poseidon<C>& poseidon, const PoseidonConfig& config = {}) {
    const std::size_t arity = poseidon.width() - (config.is_compression || config.input_is_a_state ? 0 : 1);
    std::vector<Scalar> outputs(inputs.size() / arity);
    poseidon_hash<C>(std::span(inputs), poseidon, config, std::span(outputs));
    return outputs;
}

template <Curve C>
std::vector<Scalar> tree(const std::vector<Scalar>& leaves, const Poseidon<C>& poseidon, unsigned keep_rows,
                         const PoseidonConfig& config = {}) {
    const std::size_t arity = poseidon.width() - (config.is_compression ? 0 : 1);
    std::vector<Scalar> outputs(poseidon_tree_size(leaves.size(), arity, keep_rows));
    poseidon_merkle_tree<C>(std::span(leaves), poseidon, keep_rows, config, std::span(outputs));
    return outputs;
}

}  // namespace cupool::test
