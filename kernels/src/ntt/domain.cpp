#include <bit>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/kernels/ntt.hpp>
#include <new>
#include <string>

#include "curve/for_each_curve.hpp"
#include "ntt/domain_state.hpp"
#include "ntt/pass.hpp"
#include "transfer/operand_checks.hpp"

namespace cupool {

namespace detail {

namespace {

/// A generator of the multiplicative group, or at least no square, and the exponent of 2 in its order r - 1: those of arkworks
/// (ark-bn254, ark-bls12-381 and ark-bls12-377, fields/fr.rs).
struct MultiplicativeGroup {
    std::uint64_t generator;
    unsigned two_adicity;
};
template <Curve C>
constexpr MultiplicativeGroup multiplicative_group() {
    if constexpr (C == Curve::bn254) return {5, 28};
    if constexpr (C == Curve::bls12_381) return {7, 32};
    if constexpr (C == Curve::bls12_377) return {22, 47};
}

/// Whether 2^two_adicity is the largest power of two that divides r - 1.
template <Curve C>
constexpr bool is_two_adicity_right() {
    const std::uint64_t lowest_limb = Parameters<C>::ScalarField::modulus.limb[0] - 1;
    return std::countr_zero(lowest_limb) == static_cast<int>(multiplicative_group<C>().two_adicity);
}

std::string power_of_two(unsigned log) { return "2^" + std::to_string(log); }

template <Curve C>
ScalarField<C> usual_root(unsigned log_size) {
    static_assert(is_two_adicity_right<C>());
    using Field = ScalarField<C>;
    if (log_size > multiplicative_group<C>().two_adicity) {
        refuse("ntt", "the scalar field of " + to_string(C) + " has no root of unity of order " + power_of_two(log_size) + ", only up to " +
                          power_of_two(multiplicative_group<C>().two_adicity));
    }
    auto exponent = Field::modulus;
    exponent.limbs[0] -= 1;
    for (unsigned i = 0; i < log_size; ++i) exponent = halved(exponent);
    return Field::from_standard(multiplicative_group<C>().generator).power(exponent);
}

unsigned checked_log_size(std::size_t size) {
    if (!std::has_single_bit(size)) refuse("ntt domain", "the size is " + std::to_string(size) + "; it must be a power of two");
    const auto log_size = static_cast<unsigned>(std::countr_zero(size));
    if (log_size > max_ntt_log_size) {
        throw Error(ErrorCategory::unsupported, "ntt domain: a size of " + power_of_two(log_size) +
                                                    " is above the largest supported one, " + power_of_two(max_ntt_log_size));
    }
    return log_size;
}

/// Throws unless the order of the root is the size: then it is -1 to the power of half of that.
template <Curve C>
void require_order(const ScalarField<C>& root, unsigned log_size) {
    using Field = ScalarField<C>;
    Field power = root;
    for (unsigned i = 1; i < log_size; ++i) power = power.square();
    if (power == (log_size == 0 ? Field::one() : Field::one().negated())) return;
    refuse("ntt domain", "the root's order is not the size, " + power_of_two(log_size) +
                             "; give one whose power of half the size is -1, or none for the field's usual one");
}

template <Curve C>
std::shared_ptr<NttDomainState<C>> make_domain(const ScalarField<C>& root, unsigned log_size, const DeviceContext& context) {
    try {
        return std::make_shared<NttDomainState<C>>(root, log_size, context);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory,
                    "ntt domain: the host has not enough memory for the powers of a root of order " + power_of_two(log_size));
    }
}

}  // namespace

template <Curve C>
NttDomainState<C>::NttDomainState(const Field& own_root, unsigned own_log_size, const DeviceContext& own_context)
    : context(own_context),
      log_size(own_log_size),
      root(own_root),
      root_bits(std::min(own_log_size, max_ntt_pass_bits)),
      twiddles(own_root, own_log_size, own_context) {
    Field of_butterflies = root;
    for (unsigned i = root_bits; i < log_size; ++i) of_butterflies = of_butterflies.square();
    const std::size_t count = std::max<std::size_t>(1, (std::size_t{1} << root_bits) / 2);
    for (const unsigned is_inverse : {0u, 1u}) {
        std::vector<Field>& roots = host_roots[is_inverse];
        roots.assign(count, Field::one());
        const Field step = is_inverse != 0 ? of_butterflies.inverse() : of_butterflies;
        for (std::size_t i = 1; i < count; ++i) roots[i] = roots[i - 1] * step;
        if (context.is_host()) continue;
        std::vector<Scalar> limbs;
        for (const Field& element : roots) limbs.push_back(element.montgomery());
        device_roots[is_inverse] = DeviceBuffer<Scalar>(count, context);
        copy<Scalar>(device_roots[is_inverse].span(), limbs, context.stream());
    }
}

template <Curve C>
const NttPowerTable<C>& NttDomainState<C>::coset(const Field& generator, bool is_inverse) const {
    const std::lock_guard lock(mutex_);
    for (const Coset& known : cosets_) {
        if (known.generator == generator && known.is_inverse == is_inverse) return known.powers;
    }
    const Field base = is_inverse ? generator.inverse() : generator;
    return cosets_.emplace_back(Coset{generator, is_inverse, NttPowerTable<C>(base, log_size, context)}).powers;
}

}  // namespace detail

template <Curve C>
requires NttCurve<C>
unsigned ntt_two_adicity() { return detail::multiplicative_group<C>().two_adicity; }

template <Curve C>
requires NttCurve<C> Scalar ntt_root_of_unity(unsigned log_size, SourceLocation where) {
    return detail::report_at(where, [&] { return detail::usual_root<C>(log_size).standard(); });
}

template <Curve C>
requires NttCurve<C> NttDomain<C>::NttDomain(std::size_t size, const DeviceContext& context, SourceLocation where)
    : state_(detail::report_at(where, [&] {
          const unsigned log_size = detail::checked_log_size(size);
          return detail::make_domain<C>(detail::usual_root<C>(log_size), log_size, context);
      })) {}

template <Curve C>
requires NttCurve<C> NttDomain<C>::NttDomain(std::size_t size, const Scalar& root, const DeviceContext& context, SourceLocation where)
    : state_(detail::report_at(where, [&] {
          const unsigned log_size = detail::checked_log_size(size);
          const auto own_root = detail::ScalarField<C>::from_standard(root);
          detail::require_order<C>(own_root, log_size);
          return detail::make_domain<C>(own_root, log_size, context);
      })) {}

template <Curve C>
requires NttCurve<C>
const detail::NttDomainState<C>& NttDomain<C>::state(SourceLocation where) const {
    if (!state_) throw Error(ErrorCategory::wrong_context, "ntt domain: it has been moved from", where);
    return *state_;
}

template <Curve C>
requires NttCurve<C> std::size_t NttDomain<C>::size(SourceLocation where)
const { return std::size_t{1} << state(where).log_size; }

template <Curve C>
requires NttCurve<C> Scalar NttDomain<C>::root(SourceLocation where)
const { return state(where).root.standard(); }

template <Curve C>
requires NttCurve<C>
const DeviceContext& NttDomain<C>::context(SourceLocation where) const { return state(where).context; }

#define CUPOOL_INSTANTIATE(C)                                       \
    template unsigned ntt_two_adicity<C>();                         \
    template Scalar ntt_root_of_unity<C>(unsigned, SourceLocation); \
    template struct detail::NttDomainState<C>;                      \
    template class NttDomain<C>;
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
