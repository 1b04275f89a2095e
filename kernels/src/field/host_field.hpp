#pragma once

/// \file
/// Prime fields on the host: 64-bit limbs, Montgomery form with R = 2^(64 N), always reduced. Not constant-time: cupool's inputs are
/// public.

#include <optional>
#include <span>

#include "field/host_product.hpp"
#include "field/integer.hpp"
#include "field/modular_inverse.hpp"
#include "support/lazy_constant.hpp"

namespace cupool::detail {

/// An element of the field with these PrimeField parameters.
template <class Parameters>
class HostField {
public:
    static constexpr std::size_t limbs = Parameters::limbs;
    using Integer = Limbs<limbs>;
    static constexpr Integer modulus = to_limbs(Parameters::modulus);

    static constexpr HostField zero() { return {}; }
    static constexpr HostField one() { return from_montgomery(to_limbs(Parameters::montgomery_one)); }

    /// The element whose Montgomery form is `value`. \pre value < modulus
    static constexpr HostField from_montgomery(const Integer& value) {
        HostField element;
        element.value_ = value;
        return element;
    }
    /// The integer modulo the modulus, which it may exceed.
    static HostField from_standard(const Integer& value) {
        return product(from_montgomery(to_limbs(Parameters::montgomery_square)), from_montgomery(value));
    }
    static HostField from_standard(std::uint64_t value) {
        Integer integer;
        integer.limbs[0] = value;
        return from_standard(integer);
    }

    const Integer& montgomery() const { return value_; }
    Integer standard() const {
        Integer unit;
        unit.limbs[0] = 1;
        return product(from_montgomery(unit), *this).value_;
    }

    bool is_zero() const {
        std::uint64_t any = 0;
        for (const std::uint64_t limb : value_.limbs) any |= limb;
        return any == 0;
    }
    friend bool operator==(const HostField&, const HostField&) = default;

    friend HostField operator+(const HostField& left, const HostField& right) {
        HostField sum = left;
        add_to(sum.value_, right.value_);  // the modulus leaves the top bit free
        HostField reduced = sum;
        const std::uint64_t keep = 0 - subtract_from(reduced.value_, modulus);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) {
            reduced.value_.limbs[i] = (sum.value_.limbs[i] & keep) | (reduced.value_.limbs[i] & ~keep);
        }
        return reduced;
    }

    friend HostField operator-(const HostField& left, const HostField& right) {
        HostField difference = left;
        const std::uint64_t below_zero = 0 - subtract_from(difference.value_, right.value_);
        std::uint64_t carry = 0;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) {
            difference.value_.limbs[i] = add_with_carry(difference.value_.limbs[i], modulus.limbs[i] & below_zero, carry);
        }
        return difference;
    }

    friend HostField operator*(const HostField& left, const HostField& right) { return product(left, right); }

    HostField square() const { return product(*this, *this); }
    HostField doubled() const { return *this + *this; }
    /// Of two integers that stand for the element, value_ and value_ + modulus, one is even.
    HostField half() const {
        HostField even = *this;
        const std::uint64_t odd = 0 - (value_.limbs[0] & 1);
        std::uint64_t carry = 0;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) even.value_.limbs[i] = add_with_carry(value_.limbs[i], modulus.limbs[i] & odd, carry);
        return from_montgomery(halved(even.value_));
    }
    HostField negated() const { return zero() - *this; }

    HostField power(const Integer& exponent) const {
        HostField result = one();
        for (std::size_t i = bit_length(exponent); i-- > 0;) {
            result = result.square();
            if (bit(exponent, i)) result = result * *this;
        }
        return result;
    }

    /// The inverse; zero for zero.
    HostField inverse() const {
        if (is_zero()) return zero();
        // value_ is a R: R^2 / (a R) = a^-1 R
        return from_montgomery(modular_quotient(to_limbs(Parameters::montgomery_square), value_, modulus, Parameters::negated_inverse));
    }

    /// One of the two square roots, or nothing where there is none.
    std::optional<HostField> square_root() const;

private:
    static_assert(Parameters::modulus.limb[limbs - 1] < std::uint64_t{1} << 63, "sums of two elements must not overflow the limbs");

    /// \pre left is reduced; `right` need not be. Out of line, since GCC's inlined copies of it ran slower.
    [[gnu::noinline]] static HostField product(const HostField& left, const HostField& right) {
        HostField result;
        result.value_ = montgomery_product<Parameters>(left.value_, right.value_);
        return result;
    }

    Integer value_;
};

/// Replaces each value by its inverse at three products each and one inversion in all (Montgomery's trick: "Speeding the Pollard and
/// elliptic curve methods of factorization", 1987, section 10.3.1). \pre no value is zero. `scratch` has the size of `values`.
template <class Field>
void invert_all(std::span<Field> values, std::span<Field> scratch) {
    Field product = Field::one();
    for (std::size_t i = 0; i < values.size(); ++i) {
        scratch[i] = product;
        product = product * values[i];
    }
    Field inverse = product.inverse();
    for (std::size_t i = values.size(); i-- > 0;) {
        const Field own = inverse * scratch[i];
        inverse = inverse * values[i];
        values[i] = own;
    }
}

/// The constants of Tonelli and Shanks's algorithm for a field: p - 1 = odd * 2^two_adicity.
template <class Field>
struct SquareRootConstants {
    unsigned two_adicity = 0;
    typename Field::Integer odd;
    Field root_of_unity;  ///< of order 2^two_adicity

    static const SquareRootConstants& get() { return lazy_constant<SquareRootConstants>(); }

    SquareRootConstants() {
        odd = Field::modulus;
        odd.limbs[0] -= 1;
        const typename Field::Integer half_order = halved(odd);
        for (; (odd.limbs[0] & 1) == 0; odd = halved(odd)) ++two_adicity;
        Field non_residue = Field::one() + Field::one();
        while (non_residue.power(half_order) == Field::one()) non_residue = non_residue + Field::one();
        root_of_unity = non_residue.power(odd);
    }
};

/// Tonelli and Shanks (Cohen, "A Course in Computational Algebraic Number Theory", algorithm 1.5.1). Where p = 3 mod 4 it comes down to one
/// power.
template <class Parameters>
std::optional<HostField<Parameters>> HostField<Parameters>::square_root() const {
    if (is_zero()) return zero();
    const auto& constants = SquareRootConstants<HostField>::get();
    const HostField half_power = power(halved(constants.odd));  // a^((odd - 1) / 2)
    HostField root = *this * half_power;
    HostField error = root * half_power;  // root^2 = a * error, and error's order is a power of two
    HostField generator = constants.root_of_unity;
    unsigned order_bound = constants.two_adicity;  // of generator
    while (error != one()) {
        unsigned order = 0;
        for (HostField squared = error; squared != one(); squared = squared.square()) {
            if (++order == order_bound) return std::nullopt;
        }
        for (unsigned i = order + 1; i < order_bound; ++i) generator = generator.square();
        root = root * generator;
        generator = generator.square();
        error = error * generator;
        order_bound = order;
    }
    return root;
}

}  // namespace cupool::detail
