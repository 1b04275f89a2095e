#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/vectors.hpp>
#include <functional>

#include "../ntt/transforms.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Scalar base{{0x123456789abcdef, 7, 0, 3}};

/// One call of an element-wise operation; those of one array ignore the right one.
using Call = std::function<RunReport(const Operand<Scalar>& left, const Operand<Scalar>& right, const VectorConfig& config,
                                     const OutputOperand<Scalar>& results)>;
template <Curve C>
std::vector<Call> all_calls() {
    return {[](auto& left, auto& right, auto& config, auto& results) { return add_vectors<C>(left, right, config, results); },
            [](auto& left, auto& right, auto& config, auto& results) { return subtract_vectors<C>(left, right, config, results); },
            [](auto& left, auto& right, auto& config, auto& results) { return multiply_vectors<C>(left, right, config, results); },
            [](auto& left, auto&, auto& config, auto& results) { return multiply_by_powers<C>(left, base, config, results); },
            [](auto& left, auto&, auto& config, auto& results) { return invert_vector<C>(left, config, results); }};
}

template <Curve C>
std::vector<Scalar> run(const Call& call, const std::vector<Scalar>& left, const std::vector<Scalar>& right,
                        const VectorConfig& config = {}) {
    std::vector<Scalar> results(left.size());
    call(std::span(left), std::span(right), config, std::span(results));
    return results;
}

/// Any integers, and at their begin those at which a reduction or an inversion goes wrong first.
template <Curve C>
std::vector<Scalar> with_edges(std::vector<Scalar> scalars) {
    const Scalar r = group_order<C>();
    Scalar below_r = r;
    below_r.limbs[0] -= 1;
    const Scalar most{{~0ull, ~0ull, ~0ull, ~0ull}};
    const std::vector<Scalar> edges = {Scalar{}, r, below_r, Scalar{{1}}, most};
    std::copy_n(edges.begin(), std::min(edges.size(), scalars.size()), scalars.begin());
    return scalars;
}

/// Of integers below r.
template <Curve C>
std::vector<Scalar> in_montgomery_form(std::vector<Scalar> scalars) {
    for (Scalar& scalar : scalars) scalar = element<C>(scalar).montgomery();
    return scalars;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("element-wise operations on the host are those of the field", CUPOOL_EACH_FIELD) {
    const auto left = with_edges<C>(any_scalars(5000, 1));
    const auto right = any_scalars(5000, 2);
    std::vector<std::vector<Scalar>> expected(5);
    Field<C> power = Field<C>::one();
    for (std::size_t i = 0; i < left.size(); ++i) {
        const Field<C> a = element<C>(left[i]);
        const Field<C> b = element<C>(right[i]);
        expected[0].push_back((a + b).standard());
        expected[1].push_back((a - b).standard());
        expected[2].push_back((a * b).standard());
        expected[3].push_back((a * power).standard());
        expected[4].push_back(a.inverse().standard());
        power = power * element<C>(base);
    }
    const VectorConfig montgomery{.is_montgomery_form = true};
    const auto calls = all_calls<C>();
    for (std::size_t i = 0; i < calls.size(); ++i) {
        CHECK(are_equal(run<C>(calls[i], left, right), expected[i]));
        CHECK(are_equal(run<C>(calls[i], in_montgomery_form<C>(reduced<C>(left)), in_montgomery_form<C>(right), montgomery),
                        in_montgomery_form<C>(expected[i])));
    }
}

TEMPLATE_TEST_CASE_SIG("element-wise operations on a device give the host's bits", CUPOOL_EACH_FIELD) {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    for (const std::size_t size : {1, 257, 9000}) {
        const auto left = with_edges<C>(any_scalars(size, 1));
        const auto right = any_scalars(size, 2);
        for (const auto& call : all_calls<C>()) {
            for (const bool is_montgomery_form : {false, true}) {
                const auto expected = run<C>(call, left, right, {.is_montgomery_form = is_montgomery_form});
                CHECK(are_equal(run<C>(call, left, right, {.ctx = context, .is_montgomery_form = is_montgomery_form}), expected));
            }
        }
    }
}

TEST_CASE("element-wise operations take more elements than a device has threads", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const auto elements = any_scalars((std::size_t{1} << 18) + 3);
    const auto add = all_calls<C>()[0];
    CHECK(are_equal(run<C>(add, elements, elements, {.ctx = context}), run<C>(add, elements, elements)));
}

TEST_CASE("element-wise operations take operands of any place, in place or not, and return before the work is done", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    constexpr std::size_t size = 300;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const auto left = with_edges<C>(any_scalars(size, 1));
    const auto right = any_scalars(size, 2);
    for (const auto& call : all_calls<C>()) {
        const auto expected = run<C>(call, left, right);
        const VectorConfig config{.ctx = context, .is_async = true};
        DeviceBuffer<Scalar> left_there(size, context);
        DeviceBuffer<Scalar> right_there(size, context);
        DeviceBuffer<Scalar> results_there(size, context);
        const auto copied_back = [&](DeviceBuffer<Scalar>& results) {
            std::vector<Scalar> here(size);
            copy<Scalar>(std::span(here), results.span(), context.stream());
            return here;
        };
        copy<Scalar>(left_there.span(), left, context.stream());
        copy<Scalar>(right_there.span(), right, context.stream());

        std::vector<Scalar> results(size);
        CHECK(call(left_there.span(), std::span(right), config, std::span(results)).engine == Engine::gpu);
        CHECK(are_equal(results, expected));
        call(std::span(left), right_there.span(), config, results_there.span());
        CHECK(are_equal(copied_back(results_there), expected));
        call(left_there.span(), right_there.span(), config, results_there.span());
        CHECK(are_equal(copied_back(results_there), expected));
        call(left_there.span(), right_there.span(), config, right_there.span());
        CHECK(are_equal(copied_back(right_there), expected));
        copy<Scalar>(right_there.span(), right, context.stream());
        call(left_there.span(), right_there.span(), config, left_there.span());
        CHECK(are_equal(copied_back(left_there), expected));
        std::vector<Scalar> in_place = left;
        call(std::span<const Scalar>(in_place), std::span(right), {}, std::span(in_place));
        CHECK(are_equal(in_place, expected));
    }
}

TEST_CASE("element-wise operations on empty arrays do nothing", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    for (const auto& context : {DeviceContext::host(), DeviceContext::for_device(machine.driver, 0)}) {
        for (const auto& call : all_calls<C>()) CHECK(run<C>(call, {}, {}, {.ctx = context}).empty());
    }
}

TEST_CASE("what element-wise operations cannot take is refused at the caller's line", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const std::vector<Scalar> eight(8);
    std::vector<Scalar> results(12);
    const auto refusal = [&](const Operand<Scalar>& left, const Operand<Scalar>& right, const OutputOperand<Scalar>& to,
                             const DeviceContext& on) {
        const Error error = error_of([&] { multiply_vectors<C>(left, right, {.ctx = on}, to); });
        CHECK_THAT(error.what(), contains_text("vectors_test.cpp"));
        return error;
    };
    const DeviceContext host = DeviceContext::host();
    const std::span<const Scalar> all(eight);
    const std::span<Scalar> first_eight = std::span(results).first(8);
    const std::span<const Scalar> first_results = first_eight;
    CHECK_THAT(refusal(all, all.first(7), first_eight, host).what(),
               contains_text("multiply_vectors: 8 and 7 elements, but room for 8 results; the sizes must be equal"));
    CHECK_THAT(refusal(first_results, all, std::span(results).last(8), host).what(), contains_text("overlap in part"));
    CHECK_THAT(refusal(all, first_results, std::span(results).last(8), host).what(), contains_text("overlap in part"));
    CHECK_THAT(error_of([&] { invert_vector<C>(all, {}, std::span(results)); }).what(),
               contains_text("invert_vector: 8 elements, but room for 12 results"));

    DeviceBuffer<Scalar> there(9, context);
    const DeviceSpan<Scalar> misaligned(there.span().pointer() + 8, 8, context.device());
    CHECK_THAT(refusal(misaligned, all, first_eight, context).what(), contains_text("no multiple of 16"));
    CHECK_THAT(refusal(all, misaligned, first_eight, context).what(), contains_text("no multiple of 16"));
    CHECK_THAT(refusal(all, all, misaligned, context).what(), contains_text("no multiple of 16"));
    const DeviceSpan<Scalar> first_there = there.span().subspan(0, 8);
    CHECK_THAT(refusal(first_there, all, first_eight, host).what(), contains_text("but config.ctx is the host"));
    const DeviceContext other = DeviceContext::for_device(machine.driver, 1);
    CHECK(refusal(first_there, all, first_eight, other).category() == ErrorCategory::wrong_context);
}
