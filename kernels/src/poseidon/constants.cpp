#include "poseidon/constants.hpp"

#include <algorithm>

#include "poseidon/partial_rounds.hpp"

namespace cupool::detail {

namespace {

template <class Field>
void write(FieldVector<Field>& constants, std::size_t offset, const FieldVector<Field>& elements) {
    std::copy(elements.begin(), elements.end(), constants.begin() + static_cast<std::ptrdiff_t>(offset));
}

template <class Field>
void write_rows(FieldVector<Field>& constants, std::size_t offset, std::size_t row_size, const FieldMatrix<Field>& matrix) {
    for (std::size_t i = 0; i < matrix.size(); ++i) write(constants, offset + i * row_size, matrix[i]);
}

template <class Field>
FieldVector<Field> part(const FieldVector<Field>& elements, std::size_t begin, std::size_t count) {
    const auto first = elements.begin() + static_cast<std::ptrdiff_t>(begin);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

/// Behind zeros, twice.
template <class Field>
void write_coefficients(FieldVector<Field>& constants, std::size_t offset, const FieldVector<Field>& coefficients) {
    write(constants, offset + poseidon_dot_terms, coefficients);
    write(constants, offset + poseidon_dot_terms + coefficients.size(), coefficients);
}

template <Curve C>
FieldVector<ScalarField<C>> constants_of_poseidon(const PoseidonInstance<C>& instance) {
    using Field = ScalarField<C>;
    const PoseidonLayout layout{instance.width, instance.partial_rounds};
    const std::size_t half = poseidon_half_full_rounds * instance.width;
    const std::size_t partial = std::size_t{instance.partial_rounds} * instance.width;
    const PartialRounds<Field> rounds(instance.matrix, part(instance.round_constants, half, partial));

    FieldVector<Field> constants(layout.size(), Field::zero());
    write(constants, layout.first_rounds(), part(instance.round_constants, 0, half));
    FieldVector<Field> last = part(instance.round_constants, half + partial, half);
    const FieldVector<Field> behind = rounds.constants_behind();
    for (std::size_t i = 0; i < behind.size(); ++i) last[i] = last[i] + behind[i];
    write(constants, layout.last_rounds(), last);
    write_rows(constants, layout.matrix(), layout.row_size(), instance.matrix);
    write_rows(constants, layout.entering_matrix(), layout.row_size(), rounds.entering() * instance.matrix);
    write(constants, layout.partial_constants(), rounds.first_constants());
    write_coefficients(constants, layout.power_coefficients(), rounds.power_coefficients());
    write_coefficients(constants, layout.element_coefficients(), rounds.element_coefficients());
    const auto leaving = rounds.leaving();
    for (std::size_t i = 0; i < leaving.size(); ++i) write(constants, layout.leaving_matrix() + i * layout.leaving_row_size(), leaving[i]);
    return constants;
}

template <Curve C>
FieldVector<ScalarField<C>> constants_of_poseidon2(const PoseidonInstance<C>& instance) {
    const Poseidon2Layout layout{instance.width, instance.partial_rounds};
    const std::size_t half = poseidon_half_full_rounds * instance.width;
    FieldVector<ScalarField<C>> constants(layout.size(), ScalarField<C>::zero());
    write(constants, layout.first_rounds(), part(instance.round_constants, 0, half));
    write(constants, layout.partial_constants(), part(instance.round_constants, half, instance.partial_rounds));
    write(constants, layout.last_rounds(), part(instance.round_constants, half + instance.partial_rounds, half));
    write(constants, layout.diagonal(), instance.diagonal);
    return constants;
}

}  // namespace

template <Curve C>
FieldVector<ScalarField<C>> poseidon_constants(const PoseidonInstance<C>& instance) {
    return instance.variant == PoseidonVariant::poseidon2 ? constants_of_poseidon2(instance) : constants_of_poseidon(instance);
}

template FieldVector<ScalarField<Curve::bn254>> poseidon_constants(const PoseidonInstance<Curve::bn254>&);
template FieldVector<ScalarField<Curve::bls12_381>> poseidon_constants(const PoseidonInstance<Curve::bls12_381>&);

}  // namespace cupool::detail
