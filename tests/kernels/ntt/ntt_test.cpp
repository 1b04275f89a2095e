#include <cupool/kernels/point.hpp>

#include "../big_integer.hpp"
#include "machine.hpp"
#include "transforms.hpp"

using namespace cupool;
using namespace cupool::test;

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

TEST_CASE("two and three passes on the host give the bits of one", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const NttDomain<C> domain(1 << 10, DeviceContext::host(2));
    for (const unsigned log_size : {4u, 6u, 7u, 9u}) {
        const auto inputs = any_scalars(std::size_t{3} << log_size, log_size);
        for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
            for (const bool are_columns : {false, true}) {
                const NttConfig config{.coset_gen = Scalar{{7}}, .batch_size = 3, .columns_batch = are_columns};
                CHECK(are_equal(run<C>(inputs, direction, domain.state(), config, {.max_pass_bits = 3}),
                                run<C>(inputs, direction, domain, config)));
            }
        }
    }
}

TEST_CASE("three passes on the host give the orderings of one", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    constexpr unsigned log_size = 6;
    constexpr detail::NttTuning tuning{.max_pass_bits = 2};
    const NttDomain<C> domain(1 << log_size, DeviceContext::host());
    const auto inputs = reduced<C>(any_scalars(1 << log_size));
    const auto natural = run<C>(inputs, NttDirection::forward, domain, {});
    for (const auto ordering : all_orderings) {
        if (ordering == NttOrdering::natural_mixed || ordering == NttOrdering::mixed_natural) continue;
        const NttConfig config{.ordering = ordering};
        CHECK(are_equal(run<C>(ordered(inputs, log_size, ordering, true), NttDirection::forward, domain.state(), config, tuning),
                        ordered(natural, log_size, ordering, false)));
    }
    const auto mixed = run<C>(inputs, NttDirection::forward, domain.state(), {.ordering = NttOrdering::natural_mixed}, tuning);
    for (std::uint32_t i = 0; i < 1u << log_size; ++i) {
        CHECK(mixed[detail::mixed_position(detail::ntt_digits(log_size, 2), i)] == natural[i]);
    }
    CHECK(are_equal(run<C>(mixed, NttDirection::inverse, domain.state(), {.ordering = NttOrdering::mixed_natural}, tuning), inputs));
}

TEST_CASE("a transform of three passes on the host is right at some points, and undone by its inverse", "[kernels][long]") {
    constexpr Curve C = Curve::bn254;
    const NttDomain<C> domain(1 << 21, DeviceContext::host());
    const auto inputs = any_scalars(1 << 21);
    const auto outputs = run<C>(inputs, NttDirection::forward, domain, {});
    for (const std::uint64_t index : {std::uint64_t{1}, std::uint64_t{777'777}, inputs.size() - 1}) {
        CHECK(outputs[index] == value_at<C>(inputs, element<C>(domain.root()).power(Scalar{{index}})).standard());
    }
    CHECK(are_equal(run<C>(outputs, NttDirection::inverse, domain, {}), reduced<C>(inputs)));
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

TEMPLATE_TEST_CASE_SIG("inputs of r and above are taken modulo r, and so is the coset's generator", CUPOOL_EACH_FIELD) {
    const NttDomain<C> domain(16, DeviceContext::host());
    const auto inputs = edge_scalars<C>();
    const auto expected = run<C>(reduced<C>(inputs), NttDirection::forward, domain, {});
    CHECK(are_equal(run<C>(inputs, NttDirection::forward, domain, {}), expected));
    CHECK(are_equal(run<C>(expected, NttDirection::inverse, domain, {}), reduced<C>(inputs)));
    CHECK(are_equal(run<C>(inputs, NttDirection::forward, domain, {.coset_gen = Scalar{{1}}}), expected));
    Scalar one = group_order<C>();
    one.limbs[0] += 1;
    CHECK(are_equal(run<C>(inputs, NttDirection::forward, domain, {.coset_gen = one}), expected));
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
    CHECK(NttDomain<C>(1, Scalar{{1}}, DeviceContext::host()).root() == Scalar{{1}});
    for (const Scalar& other : {Scalar{}, Scalar{{2}}, root, group_order<C>()}) {
        CHECK(error_of([&] { NttDomain<C>(1, other, DeviceContext::host()); }).category() == ErrorCategory::invalid_argument);
    }
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

TEMPLATE_TEST_CASE_SIG("the host's vectors give the bits of its scalar code", CUPOOL_EACH_FIELD) {
    for (const auto& [log_size, max_pass_bits] :
         {std::pair(3u, 10u), std::pair(4u, 10u), std::pair(9u, 3u), std::pair(10u, 10u), std::pair(11u, 10u)}) {
        const NttDomain<C> domain(std::size_t{1} << (log_size + 1), DeviceContext::host());
        for (const std::size_t batch : {1, 11}) {
            std::vector<Scalar> inputs = any_scalars(batch << log_size, log_size);
            const auto edges = edge_scalars<C>();
            std::copy_n(edges.begin(), std::min(edges.size(), inputs.size()), inputs.begin());
            for (const auto ordering : all_orderings) {
                for (const bool are_columns : {false, true}) {
                    for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
                        for (const std::uint64_t generator : {1, 7}) {
                            const NttConfig config{
                                .coset_gen = Scalar{{generator}}, .batch_size = batch, .columns_batch = are_columns, .ordering = ordering};
                            detail::NttTuning tuning{.max_pass_bits = max_pass_bits, .uses_host_vectors = false};
                            const auto expected = run<C>(inputs, direction, domain.state(), config, tuning);
                            tuning.uses_host_vectors = true;
                            CHECK(are_equal(run<C>(inputs, direction, domain.state(), config, tuning), expected));
                        }
                    }
                }
            }
        }
    }
}
