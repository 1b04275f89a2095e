#pragma once

/// \file
/// What the tests of transforms share.

#include <cupool/kernels/ntt.hpp>
#include <cupool/kernels/point.hpp>
#include <random>
#include <vector>

#include "catch.hpp"
#include "curve/curve_parameters.hpp"
#include "field/host_field.hpp"
#include "ntt/device_ntt.hpp"
#include "ntt/host_ntt.hpp"

#define CUPOOL_EACH_FIELD "[kernels]", ((cupool::Curve C), C), cupool::Curve::bn254, cupool::Curve::bls12_381, cupool::Curve::bls12_377

namespace cupool::test {

inline constexpr NttOrdering all_orderings[] = {NttOrdering::natural_natural,  NttOrdering::natural_reversed,
                                                NttOrdering::reversed_natural, NttOrdering::reversed_reversed,
                                                NttOrdering::natural_mixed,    NttOrdering::mixed_natural};

template <Curve C>
using Field = detail::HostField<typename detail::Parameters<C>::ScalarField>;

template <Curve C>
Field<C> element(const Scalar& scalar) {
    return Field<C>::from_standard(scalar);
}

/// Any integers of 256 bits: most are above r.
inline std::vector<Scalar> any_scalars(std::size_t count, unsigned seed = 1) {
    std::mt19937_64 random(seed);
    std::vector<Scalar> scalars(count);
    for (Scalar& scalar : scalars) {
        for (std::uint64_t& limb : scalar.limbs) limb = random();
    }
    return scalars;
}

/// Sixteen numbers about 0, multiples of r and 2^256.
template <Curve C>
std::vector<Scalar> edge_scalars() {
    std::vector<Scalar> scalars{Scalar{}, Scalar{{1}}, group_order<C>(), group_order<C>()};
    scalars[2].limbs[0] -= 1;
    scalars.push_back(group_order<C>());
    scalars.back().limbs[0] += 1;
    scalars.push_back(Scalar{{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}}});
    scalars.push_back(Scalar{{0, 0, 0, std::uint64_t{1} << 63}});
    scalars.resize(16, scalars[2]);
    return scalars;
}

/// The polynomial with these coefficients at a point.
template <Curve C>
Field<C> value_at(const std::vector<Scalar>& coefficients, const Field<C>& point) {
    Field<C> value = Field<C>::zero();
    for (std::size_t i = coefficients.size(); i-- > 0;) value = value * point + element<C>(coefficients[i]);
    return value;
}

template <Curve C>
std::vector<Scalar> run(const std::vector<Scalar>& inputs, NttDirection direction, const NttDomain<C>& domain, const NttConfig& config) {
    std::vector<Scalar> outputs(inputs.size());
    ntt<C>(std::span<const Scalar>(inputs), direction, domain, config, std::span(outputs));
    return outputs;
}

template <Curve C>
std::vector<Scalar> reduced(std::vector<Scalar> scalars) {
    for (Scalar& scalar : scalars) scalar = element<C>(scalar).standard();
    return scalars;
}

inline std::size_t position(bool is_reversed, bool is_mixed, unsigned log_size, std::size_t index) {
    if (is_mixed) return ntt_mixed_position(log_size, static_cast<std::uint32_t>(index));
    if (!is_reversed) return index;
    std::size_t result = 0;
    for (unsigned bit = 0; bit < log_size; ++bit) result |= (index >> bit & 1) << (log_size - 1 - bit);
    return result;
}

/// Natural order as an ordering has it, of inputs or outputs.
inline std::vector<Scalar> ordered(const std::vector<Scalar>& natural, unsigned log_size, NttOrdering ordering, bool are_inputs) {
    const bool is_reversed = ordering == NttOrdering::reversed_reversed ||
                             ordering == (are_inputs ? NttOrdering::reversed_natural : NttOrdering::natural_reversed);
    const bool is_mixed = ordering == (are_inputs ? NttOrdering::mixed_natural : NttOrdering::natural_mixed);
    std::vector<Scalar> result(natural.size());
    for (std::size_t i = 0; i < natural.size(); ++i) result[position(is_reversed, is_mixed, log_size, i)] = natural[i];
    return result;
}

/// Not in a CHECK itself, which would print all elements.
inline bool are_equal(const std::vector<Scalar>& left, const std::vector<Scalar>& right) { return left == right; }

inline std::vector<Scalar> transposed(const std::vector<Scalar>& elements, std::size_t rows) {
    const std::size_t columns = elements.size() / rows;
    std::vector<Scalar> result(elements.size());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) result[column * rows + row] = elements[row * columns + column];
    }
    return result;
}

/// As run(), but with other passes and blocks than those of a program.
template <Curve C>
std::vector<Scalar> run(const std::vector<Scalar>& inputs, NttDirection direction, const detail::NttDomainState<C>& domain,
                        const NttConfig& config, const detail::NttTuning& tuning) {
    std::vector<Scalar> outputs(inputs.size());
    const Operand<Scalar> operand = std::span<const Scalar>(inputs);
    const detail::NttJob<C> job{operand, direction, domain, config, std::span(outputs), tuning};
    if (config.ctx.is_host()) {
        detail::ntt_on_host(job);
    } else {
        detail::ntt_on_device(job);
    }
    return outputs;
}

}  // namespace cupool::test
