#include "poseidon/instance.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "poseidon/grain_lfsr.hpp"

namespace cupool::detail {

namespace {

constexpr unsigned full_rounds = 2 * poseidon_half_full_rounds;

/// Of widths 2 to 17 (circomlib, circuits/poseidon.circom).
constexpr std::array<unsigned, 16> original_partial_rounds = {56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65, 70, 60, 64, 68};

/// 0 if the variant has no such width (neptune, src/round_numbers.rs; Horizen Labs' poseidon2).
unsigned partial_rounds_of(PoseidonVariant variant, unsigned width) {
    switch (variant) {
        case PoseidonVariant::original: return width < 2 || width > poseidon_max_width ? 0 : original_partial_rounds[width - 2];
        case PoseidonVariant::filecoin: {
            if (width == 3) return 55;
            if (width == 5) return 56;
            return width == 9 || width == 12 ? 57 : 0;
        }
        case PoseidonVariant::poseidon2: break;
    }
    if (width == 8) return 57;
    return width == 2 || width == 3 || width == 4 ? 56 : 0;
}

std::string widths_of(PoseidonVariant variant) {
    switch (variant) {
        case PoseidonVariant::original: return "2 to 17";
        case PoseidonVariant::filecoin: return "3, 5, 9 and 12, over the scalar field of bls12-381";
        case PoseidonVariant::poseidon2: break;
    }
    return "2, 3, 4 and 8";
}

/// Diagonals that come before the first one with which the powers of the matrix have irreducible minimal polynomials, as the script of
/// Poseidon2 demands it (poseidon2_rust_params.sage, check_minpoly_condition).
template <Curve C>
unsigned rejected_diagonals(unsigned width) {
    if constexpr (C == Curve::bn254) return width == 4 ? 4 : 30;
    return width == 4 ? 0 : 8;
}

template <class Field>
FieldVector<Field> random_elements(GrainLfsr& lfsr, std::size_t count) {
    FieldVector<Field> elements;
    for (std::size_t i = 0; i < count; ++i) elements.push_back(Field::from_standard(lfsr.next(bit_length(Field::modulus))));
    return elements;
}

/// The matrix of 1 / (x[i] + y[j]) (Cauchy's).
template <class Field>
FieldMatrix<Field> cauchy_matrix(const FieldVector<Field>& numbers) {
    const std::size_t size = numbers.size() / 2;
    FieldMatrix<Field> matrix(size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) matrix[i][j] = (numbers[i] + numbers[size + j]).inverse();
    }
    return matrix;
}

/// 0, 1, 2 ...
template <class Field>
FieldVector<Field> consecutive_elements(std::size_t count) {
    FieldVector<Field> elements;
    for (std::size_t i = 0; i < count; ++i) elements.push_back(Field::from_standard(i));
    return elements;
}

template <Curve C>
FieldVector<ScalarField<C>> diagonal_less_one(GrainLfsr& lfsr, unsigned width) {
    using Field = ScalarField<C>;
    if (width == 2) return {Field::one(), Field::one().doubled()};
    if (width == 3) return {Field::one(), Field::one(), Field::one().doubled()};
    for (unsigned i = 0; i < rejected_diagonals<C>(width); ++i) random_elements<Field>(lfsr, width);
    FieldVector<Field> diagonal = random_elements<Field>(lfsr, width);
    for (Field& element : diagonal) element = element - Field::one();
    return diagonal;
}

}  // namespace

template <Curve C>
PoseidonInstance<C>::PoseidonInstance(PoseidonVariant own_variant, unsigned own_width)
    : variant(own_variant), width(own_width), partial_rounds(partial_rounds_of(own_variant, own_width)) {
    if (partial_rounds == 0 || (variant == PoseidonVariant::filecoin && C != Curve::bls12_381)) {
        throw Error(ErrorCategory::unsupported, "poseidon: " + to_string(variant) + " has no width " + std::to_string(width) +
                                                    " over the scalar field of " + to_string(C) + "; it has widths " + widths_of(variant));
    }
    GrainLfsr lfsr({.sbox = variant == PoseidonVariant::filecoin ? 1u : 0u,
                    .field_bits = bit_length(Field::modulus),
                    .width = width,
                    .full_rounds = full_rounds,
                    .partial_rounds = partial_rounds});
    const bool is_poseidon2 = variant == PoseidonVariant::poseidon2;
    const unsigned count = full_rounds * width + partial_rounds * (is_poseidon2 ? 1 : width);
    for (unsigned i = 0; i < count; ++i) round_constants.push_back(Field::from_standard(lfsr.next_below(Field::modulus)));
    if (is_poseidon2) {
        diagonal = diagonal_less_one<C>(lfsr, width);
    } else {
        matrix = cauchy_matrix(variant == PoseidonVariant::filecoin ? consecutive_elements<Field>(2 * width)
                                                                    : random_elements<Field>(lfsr, 2 * width));
    }
}

template struct PoseidonInstance<Curve::bn254>;
template struct PoseidonInstance<Curve::bls12_381>;

}  // namespace cupool::detail
