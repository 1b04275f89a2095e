#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/ntt.hpp>
#include <cupool/kernels/point.hpp>
#include <random>
#include <vector>

#include "../big_integer.hpp"
#include "catch.hpp"
#include "curve/curve_parameters.hpp"
#include "field/host_field.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

#define CUPOOL_EACH_FIELD "[kernels]", ((Curve C), C), Curve::bn254, Curve::bls12_381, Curve::bls12_377

namespace {

constexpr NttOrdering all_orderings[] = {NttOrdering::natural_natural,   NttOrdering::natural_reversed, NttOrdering::reversed_natural,
                                         NttOrdering::reversed_reversed, NttOrdering::natural_mixed,    NttOrdering::mixed_natural};

template <Curve C>
using Field = detail::HostField<typename detail::Parameters<C>::ScalarField>;

template <Curve C>
Field<C> element(const Scalar& scalar) {
    return Field<C>::from_standard(scalar);
}

/// Any integers of 256 bits: most are above r.
std::vector<Scalar> any_scalars(std::size_t count, unsigned seed = 1) {
    std::mt19937_64 random(seed);
    std::vector<Scalar> scalars(count);
    for (Scalar& scalar : scalars) {
        for (std::uint64_t& limb : scalar.limbs) limb = random();
    }
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

std::size_t position(bool is_reversed, bool is_mixed, unsigned log_size, std::size_t index) {
    if (is_mixed) return ntt_mixed_position(log_size, static_cast<std::uint32_t>(index));
    if (!is_reversed) return index;
    std::size_t result = 0;
    for (unsigned bit = 0; bit < log_size; ++bit) result |= (index >> bit & 1) << (log_size - 1 - bit);
    return result;
}

/// Natural order as an ordering has it, of inputs or outputs.
std::vector<Scalar> ordered(const std::vector<Scalar>& natural, unsigned log_size, NttOrdering ordering, bool are_inputs) {
    const bool is_reversed = ordering == NttOrdering::reversed_reversed ||
                             ordering == (are_inputs ? NttOrdering::reversed_natural : NttOrdering::natural_reversed);
    const bool is_mixed = ordering == (are_inputs ? NttOrdering::mixed_natural : NttOrdering::natural_mixed);
    std::vector<Scalar> result(natural.size());
    for (std::size_t i = 0; i < natural.size(); ++i) result[position(is_reversed, is_mixed, log_size, i)] = natural[i];
    return result;
}

/// Not in a CHECK itself, which would print all elements.
bool are_equal(const std::vector<Scalar>& left, const std::vector<Scalar>& right) { return left == right; }

std::vector<Scalar> transposed(const std::vector<Scalar>& elements, std::size_t rows) {
    const std::size_t columns = elements.size() / rows;
    std::vector<Scalar> result(elements.size());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) result[column * rows + row] = elements[row * columns + column];
    }
    return result;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("the usual roots of unity have their order", CUPOOL_EACH_FIELD) {
    const unsigned most = ntt_two_adicity<C>();
    const Field<C> root = element<C>(ntt_root_of_unity<C>(most));
    Field<C> power = root;
    for (unsigned i = 1; i < most; ++i) power = power.square();
    CHECK(power == Field<C>::one().negated());
    CHECK(element<C>(ntt_root_of_unity<C>(most - 1)) == root.square());
    CHECK(ntt_root_of_unity<C>(0) == Scalar{{1}});
    CHECK(error_of([&] { ntt_root_of_unity<C>(most + 1); }).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("the usual roots of unity are those of arkworks", "[kernels]") {
    // TWO_ADIC_ROOT_OF_UNITY of ark-bn254's fields/fr.rs.
    CHECK(BigInteger(ntt_root_of_unity<Curve::bn254>(28)) ==
          BigInteger::decimal("19103219067921713944291392827692070036145651957329286315305642004821462161904"));
}

TEMPLATE_TEST_CASE_SIG("a small transform on the host is the polynomial at the powers of the root, times the coset's generator",
                       CUPOOL_EACH_FIELD) {
    const NttDomain<C> domain(64, DeviceContext::host(2));
    for (unsigned log_size = 0; log_size <= 6; ++log_size) {
        const auto inputs = any_scalars(std::size_t{1} << log_size, log_size);
        for (const std::uint64_t generator : {1u, 5u}) {
            NttConfig config;
            config.coset_gen = Scalar{{generator}};
            const auto outputs = run<C>(inputs, NttDirection::forward, domain, config);
            Field<C> point = Field<C>::from_standard(generator);
            for (const Scalar& output : outputs) {
                CHECK(output == value_at<C>(inputs, point).standard());
                point = point * element<C>(ntt_root_of_unity<C>(log_size));
            }
            CHECK(are_equal(run<C>(outputs, NttDirection::inverse, domain, config), reduced<C>(inputs)));
        }
    }
}

TEMPLATE_TEST_CASE_SIG("a large transform on the host is right at some points, and undone by its inverse", CUPOOL_EACH_FIELD) {
    const NttDomain<C> domain(1 << 14, DeviceContext::host());
    for (const unsigned log_size : {10u, 11u, 13u, 14u}) {
        const auto inputs = any_scalars(std::size_t{1} << log_size, log_size);
        NttConfig config;
        config.coset_gen = Scalar{{7, 3}};
        const auto outputs = run<C>(inputs, NttDirection::forward, domain, config);
        for (const std::uint64_t index : {std::uint64_t{1}, std::uint64_t{777}, inputs.size() - 1}) {
            const Field<C> point = element<C>(ntt_root_of_unity<C>(log_size)).power(Scalar{{index}}) * element<C>(config.coset_gen);
            CHECK(outputs[index] == value_at<C>(inputs, point).standard());
        }
        CHECK(are_equal(run<C>(outputs, NttDirection::inverse, domain, config), reduced<C>(inputs)));
    }
}

TEST_CASE("elements in Montgomery form give results in Montgomery form", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const NttDomain<C> domain(256, DeviceContext::host());
    auto inputs = reduced<C>(any_scalars(256));
    auto expected = run<C>(inputs, NttDirection::forward, domain, {});
    for (Scalar& scalar : inputs) scalar = element<C>(scalar).montgomery();
    for (Scalar& scalar : expected) scalar = element<C>(scalar).montgomery();
    CHECK(are_equal(run<C>(inputs, NttDirection::forward, domain, {}), expected));
}

TEST_CASE("orderings permute inputs and outputs, and the mixed one is as documented", "[kernels]") {
    constexpr Curve C = Curve::bls12_381;
    constexpr unsigned log_size = 13;
    const NttDomain<C> domain(1 << log_size, DeviceContext::host());
    const auto inputs = reduced<C>(any_scalars(1 << log_size));
    for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
        const auto natural = run<C>(inputs, direction, domain, {});
        for (const auto ordering : all_orderings) {
            NttConfig config;
            config.ordering = ordering;
            CHECK(are_equal(run<C>(ordered(inputs, log_size, ordering, true), direction, domain, config),
                            ordered(natural, log_size, ordering, false)));
        }
    }
    // 13 = 7 + 6, 23 = 8 + 8 + 7
    CHECK(ntt_mixed_position(10, 5) == 5);
    CHECK(ntt_mixed_position(13, 1) == 1u << 6);
    CHECK(ntt_mixed_position(13, 1 << 7) == 1);
    CHECK(ntt_mixed_position(23, 1) == 1u << 15);
    CHECK(ntt_mixed_position(23, 1 << 8) == 1u << 7);
    CHECK(ntt_mixed_position(23, 1 << 16) == 1);
}

TEST_CASE("a batch is its transforms, as rows or columns, in place or not, of a domain of larger size", "[kernels]") {
    constexpr Curve C = Curve::bls12_377;
    constexpr std::size_t size = 2048;
    const NttDomain<C> domain(2 * size, DeviceContext::host());
    const auto inputs = any_scalars(3 * size);
    std::vector<Scalar> expected;
    for (std::size_t b = 0; b < 3; ++b) {
        const auto part = run<C>({inputs.begin() + b * size, inputs.begin() + (b + 1) * size}, NttDirection::forward, domain, {});
        expected.insert(expected.end(), part.begin(), part.end());
    }
    NttConfig config;
    config.batch_size = 3;
    CHECK(are_equal(run<C>(inputs, NttDirection::forward, domain, config), expected));
    config.columns_batch = true;
    CHECK(are_equal(run<C>(transposed(inputs, 3), NttDirection::forward, domain, config), transposed(expected, 3)));
    auto in_place = transposed(inputs, 3);
    ntt<C>(std::span<const Scalar>(in_place), NttDirection::forward, domain, config, std::span(in_place));
    CHECK(are_equal(in_place, transposed(expected, 3)));
}

TEST_CASE("a caller's root takes the place of the usual one", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Scalar root = element<C>(ntt_root_of_unity<C>(4)).power(Scalar{{3}}).standard();
    const NttDomain<C> domain(16, root, DeviceContext::host());
    CHECK(domain.root() == root);
    CHECK(domain.size() == 16);
    const auto inputs = any_scalars(16);
    CHECK(run<C>(inputs, NttDirection::forward, domain, {})[1] == value_at<C>(inputs, element<C>(root)).standard());
    CHECK_THAT(error_of([&] { NttDomain<C>(32, root, DeviceContext::host()); }).what(),
               contains_text("the root's order is not the size, 2^5"));
    CHECK_THAT(error_of([&] { NttDomain<C>(8, root, DeviceContext::host()); }).what(),
               contains_text("the root's order is not the size, 2^3"));
}

TEST_CASE("what no transform can be is refused at the caller's line", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const NttDomain<C> domain(16, DeviceContext::host());
    std::vector<Scalar> elements = any_scalars(64);
    const auto refusal = [&](const NttConfig& config, std::size_t inputs, std::size_t outputs, std::size_t offset) {
        const Error error = error_of([&] {
            ntt<C>(std::span<const Scalar>(elements).first(inputs), NttDirection::forward, domain, config,
                   std::span(elements).subspan(offset, outputs));
        });
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK_THAT(error.what(), contains_text("ntt_test.cpp"));
        return std::string(error.what());
    };
    CHECK_THAT(refusal({.batch_size = 0}, 16, 16, 32), contains_text("batch_size is 0"));
    CHECK_THAT(refusal({}, 16, 8, 32), contains_text("16 inputs, but room for 8 outputs"));
    CHECK_THAT(refusal({.batch_size = 3}, 16, 16, 32), contains_text("do not divide evenly"));
    CHECK_THAT(refusal({}, 12, 12, 32), contains_text("12 elements a transform; it must be a power of two"));
    CHECK_THAT(refusal({}, 0, 0, 32), contains_text("0 elements a transform"));
    CHECK_THAT(refusal({}, 32, 32, 32), contains_text("the domain is for up to 16"));
    CHECK_THAT(refusal({.coset_gen = Scalar{}}, 16, 16, 32), contains_text("coset_gen is 0"));
    CHECK_THAT(refusal({.coset_gen = group_order<C>()}, 16, 16, 32), contains_text("coset_gen is 0"));
    CHECK_THAT(refusal({}, 16, 16, 8), contains_text("overlap in part"));
    CHECK_THAT(refusal({.are_inputs_on_device = true}, 16, 16, 32), contains_text("are_inputs_on_device is set"));
    CHECK_THAT(refusal({.are_outputs_on_device = true}, 16, 16, 32), contains_text("are_outputs_on_device is set"));
    CHECK(error_of([] { NttDomain<C>(12, DeviceContext::host()); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([] { NttDomain<C>(0, DeviceContext::host()); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([] { NttDomain<C>(std::size_t{1} << 29, DeviceContext::host()); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([] { NttDomain<Curve::bls12_381>(std::size_t{1} << 31, DeviceContext::host()); }).category() ==
          ErrorCategory::unsupported);
}

TEMPLATE_TEST_CASE_SIG("a device gives the host's bits at all sizes, in both directions, with and without coset", CUPOOL_EACH_FIELD) {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> on_host(1 << 11, DeviceContext::host());
    const NttDomain<C> on_device(1 << 11, context);
    for (unsigned log_size = 0; log_size <= 11; ++log_size) {
        const auto inputs = any_scalars(std::size_t{1} << log_size, log_size);
        for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
            NttConfig config;
            if (log_size % 2 == (direction == NttDirection::forward ? 0 : 1)) config.coset_gen = Scalar{{7, 9}};
            const auto expected = run<C>(inputs, direction, on_host, config);
            config.ctx = context;
            CHECK(are_equal(run<C>(inputs, direction, on_device, config), expected));
        }
    }
}

TEST_CASE("a device gives the host's bits in all orderings, as batches, in place and asynchronously", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    for (const auto& [log_size, batch] : {std::pair(5u, std::size_t{3}), std::pair(11u, std::size_t{1})}) {
        const NttDomain<C> on_host(64 << 6, DeviceContext::host());
        const NttDomain<C> on_device(64 << 6, context);
        const auto inputs = any_scalars(batch << log_size);
        for (const auto ordering : all_orderings) {
            for (const bool are_columns : {false, true}) {
                NttConfig config;
                config.batch_size = batch;
                config.columns_batch = are_columns;
                config.ordering = ordering;
                config.coset_gen = Scalar{{3}};
                const auto expected = run<C>(inputs, NttDirection::forward, on_host, config);
                config.ctx = context;
                config.are_inputs_on_device = config.are_outputs_on_device = true;
                config.is_async = true;
                DeviceBuffer<Scalar> elements(inputs.size(), context);
                copy<Scalar>(elements.span(), inputs, context.stream());
                ntt<C>(elements.span(), NttDirection::forward, on_device, config, elements.span());
                std::vector<Scalar> outputs(inputs.size());
                copy<Scalar>(std::span(outputs), elements.span(), context.stream());
                CHECK(are_equal(outputs, expected));
            }
        }
    }
}

TEST_CASE("what a device cannot transform is refused", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> domain(16, context);
    DeviceBuffer<Scalar> elements(32, context);
    NttConfig config;
    config.ctx = context;
    config.are_inputs_on_device = config.are_outputs_on_device = true;
    const auto refusal = [&](DeviceSpan<Scalar> inputs, DeviceSpan<Scalar> outputs, const NttDomain<C>& of) {
        return error_of([&] { ntt<C>(inputs, NttDirection::forward, of, config, outputs); });
    };
    const DeviceSpan<Scalar> first = elements.span().subspan(0, 16);
    const DeviceSpan<Scalar> misaligned(first.pointer() + 8, 16, context.device());
    CHECK_THAT(refusal(misaligned, elements.span().subspan(16, 16), domain).what(), contains_text("no multiple of 16"));
    CHECK_THAT(refusal(first, elements.span().subspan(8, 16), domain).what(), contains_text("overlap in part"));
    CHECK(refusal(first, first, NttDomain<C>(16, DeviceContext::host())).category() == ErrorCategory::wrong_context);
    const DeviceContext other = DeviceContext::for_device(machine.driver, 1);
    CHECK(refusal(first, first, NttDomain<C>(16, other)).category() == ErrorCategory::wrong_context);
    NttDomain<C> moved = domain;
    const NttDomain<C> taken = std::move(moved);
    CHECK(refusal(first, first, moved).category() == ErrorCategory::wrong_context);  // NOLINT(bugprone-use-after-move): the case
    CHECK(taken.size() == 16);
}
