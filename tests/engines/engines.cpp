#include "engines.hpp"

#include <cstdlib>
#include <cupool/driver/driver.hpp>
#include <stdexcept>
#include <string>

#include "sanitizers.hpp"

namespace cupool::test {

namespace {

DevicePool chosen_pool() {
    const char* const wanted = std::getenv("CUPOOL_TEST_ENGINE");
    const std::string engine = wanted == nullptr ? "host" : wanted;
    if (engine == "gpu") return DevicePool::all();
    if (engine == "host") return DevicePool::host();
    throw std::runtime_error("CUPOOL_TEST_ENGINE is gpu or host, not " + engine);
}

bool is_below(const Scalar& left, const Scalar& right) {
    for (std::size_t i = 4; i-- > 0;) {
        if (left.limbs[i] != right.limbs[i]) return left.limbs[i] < right.limbs[i];
    }
    return false;
}

/// left + right modulo 2^256.
Scalar plain_sum(const Scalar& left, const Scalar& right) {
    Scalar sum;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint64_t partial = left.limbs[i] + right.limbs[i];
        sum.limbs[i] = partial + carry;
        carry = (partial < left.limbs[i] || sum.limbs[i] < partial) ? 1 : 0;
    }
    return sum;
}

Scalar complement(const Scalar& value) {
    Scalar result;
    for (std::size_t i = 0; i < 4; ++i) result.limbs[i] = ~value.limbs[i];
    return plain_sum(result, scalar_of(1));
}

template <Curve C>
Scalar reduced(Scalar value) {
    while (!is_below(value, group_order<C>())) value = plain_sum(value, complement(group_order<C>()));
    return value;
}

}  // namespace

const DevicePool& engine_pool() {
    static const DevicePool pool = chosen_pool();
    return pool;
}

std::vector<DeviceContext> engine_contexts() {
    std::vector<DeviceContext> contexts;
    for (std::size_t i = 0; i < engine_pool().device_count(); ++i) contexts.push_back(engine_pool().context_at(i));
    return contexts;
}

std::vector<DeviceContext> sampled_contexts() {
    std::vector<DeviceContext> contexts = engine_contexts();
    if (is_sanitized && is_simulated()) contexts = {contexts.back()};
    return contexts;
}

bool is_simulated() {
    return !engine_pool().is_host() && Driver::system()->report().library_path.find("libcupool-sim") != std::string::npos;
}

std::mt19937_64& random_bits() {
    static std::mt19937_64 bits(20261121);
    return bits;
}

Scalar random_scalar() {
    Scalar scalar;
    for (auto& limb : scalar.limbs) limb = random_bits()();
    return scalar;
}

template <Curve C>
Scalar random_reduced_scalar() {
    return reduced<C>(random_scalar());
}

Scalar scalar_of(std::uint64_t value) {
    Scalar scalar;
    scalar.limbs[0] = value;
    return scalar;
}

Scalar shifted(Scalar scalar, int by) {
    return by >= 0 ? plain_sum(scalar, scalar_of(static_cast<std::uint64_t>(by)))
                   : plain_sum(scalar, complement(scalar_of(static_cast<std::uint64_t>(-by))));
}

template <Curve C>
Scalar add_scaled(const Scalar& left, const Scalar& right, std::uint64_t factor) {
    // r may have 255 bits, so sums of two reduced scalars fit in 256.
    Scalar product;
    const Scalar addend = reduced<C>(right);
    for (int bit = 63; bit >= 0; --bit) {
        product = reduced<C>(plain_sum(product, product));
        if (factor >> bit & 1) product = reduced<C>(plain_sum(product, addend));
    }
    return reduced<C>(plain_sum(product, reduced<C>(left)));
}

template <Curve C>
AffinePoint<C> sum_term_by_term(const std::vector<Scalar>& scalars, const std::vector<AffinePoint<C>>& points) {
    auto sum = infinity<C>();
    for (std::size_t i = 0; i < scalars.size(); ++i) sum = add(sum, multiply(points[i], scalars[i]));
    return sum;
}

template <Curve C>
AffinePoint<C> closed_form(const std::vector<Scalar>& scalars) {
    Scalar factor;
    for (std::size_t i = 0; i < scalars.size(); ++i) factor = add_scaled<C>(factor, scalars[i], i + 1);
    return multiply(generator<C>(), factor);
}

#define CUPOOL_INSTANTIATE(C)                                                                                    \
    template Scalar random_reduced_scalar<C>();                                                                  \
    template Scalar add_scaled<C>(const Scalar&, const Scalar&, std::uint64_t);                                  \
    template AffinePoint<C> sum_term_by_term<C>(const std::vector<Scalar>&, const std::vector<AffinePoint<C>>&); \
    template AffinePoint<C> closed_form<C>(const std::vector<Scalar>&);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::test
