// The permutations against their definitions, by rounds with whole matrices.

#include "hashes.hpp"
#include "poseidon/constants.hpp"
#include "poseidon/partial_rounds.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

template <Curve C>
using Elements = detail::FieldVector<detail::ScalarField<C>>;

constexpr unsigned half_full_rounds = 4;

template <class Field>
Field raised(const Field& element) {
    return element.power({{5}});
}

/// Section 2.2 of the paper on Poseidon.
template <Curve C>
Elements<C> poseidon_by_definition(const detail::PoseidonInstance<C>& instance, Elements<C> state) {
    const unsigned rounds = 2 * half_full_rounds + instance.partial_rounds;
    for (unsigned round = 0; round < rounds; ++round) {
        for (unsigned i = 0; i < instance.width; ++i) state[i] = state[i] + instance.round_constants[round * instance.width + i];
        const bool is_full = round < half_full_rounds || round >= half_full_rounds + instance.partial_rounds;
        for (unsigned i = 0; i < (is_full ? instance.width : 1); ++i) state[i] = raised(state[i]);
        state = instance.matrix * state;
    }
    return state;
}

/// The matrices of section 5 of the paper on Poseidon2, by their entries.
template <class Field>
detail::FieldMatrix<Field> external_matrix(unsigned width) {
    constexpr std::uint64_t four[4][4] = {{5, 7, 1, 3}, {4, 6, 1, 1}, {1, 3, 5, 7}, {1, 1, 4, 6}};
    detail::FieldMatrix<Field> matrix(width);
    for (unsigned i = 0; i < width; ++i) {
        for (unsigned j = 0; j < width; ++j) {
            std::uint64_t entry = i == j ? 2 : 1;
            if (width >= 4) entry = four[i % 4][j % 4] * (width > 4 && i / 4 == j / 4 ? 2 : 1);
            matrix[i][j] = Field::from_standard(entry);
        }
    }
    return matrix;
}

template <Curve C>
Elements<C> poseidon2_by_definition(const detail::PoseidonInstance<C>& instance, Elements<C> state) {
    using Field = detail::ScalarField<C>;
    const detail::FieldMatrix<Field> external = external_matrix<Field>(instance.width);
    detail::FieldMatrix<Field> internal(instance.width);
    for (unsigned i = 0; i < instance.width; ++i) {
        for (unsigned j = 0; j < instance.width; ++j) internal[i][j] = Field::one() + (i == j ? instance.diagonal[i] : Field::zero());
    }
    auto constant = instance.round_constants.begin();
    state = external * state;
    const unsigned rounds = 2 * half_full_rounds + instance.partial_rounds;
    for (unsigned round = 0; round < rounds; ++round) {
        const bool is_full = round < half_full_rounds || round >= half_full_rounds + instance.partial_rounds;
        for (unsigned i = 0; i < (is_full ? instance.width : 1); ++i) state[i] = raised(state[i] + *constant++);
        state = (is_full ? external : internal) * state;
    }
    return state;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("the permutations are those of their definitions, in all widths", CUPOOL_EACH_POSEIDON_FIELD) {
    using Field = detail::ScalarField<C>;
    for (const Shape& shape : all_shapes<C>()) {
        const detail::PoseidonInstance<C> instance(shape.variant, shape.width);
        const auto states = any_scalars<C>(3 * shape.width, shape.width);
        std::vector<Scalar> expected;
        for (std::size_t begin = 0; begin < states.size(); begin += shape.width) {
            Elements<C> state;
            for (unsigned i = 0; i < shape.width; ++i) state.push_back(Field::from_standard(states[begin + i]));
            state = shape.variant == PoseidonVariant::poseidon2 ? poseidon2_by_definition(instance, state)
                                                                : poseidon_by_definition(instance, state);
            for (const Field& element : state) expected.push_back(element.standard());
        }
        INFO(shape.variant << ", width " << shape.width);
        CHECK(are_equal(permuted(states, Poseidon<C>(shape.variant, shape.width, DeviceContext::host())), expected));
    }
}

TEST_CASE("the matrices of Poseidon's constants are computed as their definitions say", "[kernels]") {
    using Field = detail::ScalarField<Curve::bn254>;
    const detail::FieldMatrix<Field> matrix = detail::PoseidonInstance<Curve::bn254>(PoseidonVariant::original, 5).matrix;
    const auto identity = detail::FieldMatrix<Field>::identity(5);
    const detail::FieldMatrix<Field> product = matrix * matrix.inverse();
    for (std::size_t i = 0; i < 5; ++i) CHECK(product[i] == identity[i]);

    // Cayley and Hamilton: the matrix is a root of its characteristic polynomial.
    const detail::FieldVector<Field> polynomial = detail::characteristic_polynomial(matrix);
    detail::FieldVector<Field> sum(5, Field::zero());
    detail::FieldVector<Field> power = identity[2];
    for (std::size_t i = 0; i <= 5; ++i, power = matrix * power)
        sum = sum + detail::scaled(power, i == 5 ? Field::one() : polynomial[4 - i]);
    CHECK(sum == detail::FieldVector<Field>(5, Field::zero()));
    CHECK_THROWS_AS(detail::FieldMatrix<Field>(2).inverse(), std::logic_error);
}
